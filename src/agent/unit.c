#include "agent/unit.h"

#include <string.h>

#define UNIT_SAYS "/usr/bin/tare-agent"

void agent_unit_put(const char *text, const char *program, struct str *out)
{
	const char *at = strstr(text, UNIT_SAYS), *name = strrchr(program, '/');

	if (!at || !name || strcmp(name, "/tare-agent") != 0 || strpbrk(program, " \t\n\"'%\\;$")) {
		str_addz(out, text);
		return;
	}
	str_add(out, text, (size_t)(at - text));
	str_addz(out, program);
	str_addz(out, at + strlen(UNIT_SAYS));
}
