#include "agent/unit.h"

#include <string.h>

#include "base/str.h"

#define UNIT_SAYS "/usr/bin/tare-agent"

void agent_unit_put(const char *text, const char *program, struct str *out)
{
	const char *at = strstr(text, UNIT_SAYS), *name = strrchr(program, '/');

	bool plain = !strpbrk(program, " \t\n\"'%\\;$");
	if (!at || !plain || strcmp(text_or(name, ""), "/tare-agent") != 0) {
		str_addz(out, text);
		return;
	}
	str_add(out, text, (size_t)(at - text));
	str_addz(out, program);
	str_addz(out, at + strlen(UNIT_SAYS));
}
