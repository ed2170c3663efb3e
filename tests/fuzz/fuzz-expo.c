#include <stdlib.h>

#include "net/expo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv text = { (const char *)data, size };
	struct expo_line l = { 0 };
	const char *why = NULL;

	while (text.p) {
		struct sv rest, line = sv_cut(text, '\n', &rest);
		int rc = expo_parse(line, &l, &why);
		if (rc < 0 && !why)
			abort();
		for (size_t i = 0; rc > 0 && i < l.nlabel; i++)
			if (l.label[i].value.n && !l.label[i].value.p)
				abort();
		text = rest;
	}
	expo_line_free(&l);
	return 0;
}
