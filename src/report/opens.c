/* See opens.h. */
#include "report/opens.h"

#include <string.h>

#include "base/str.h"
#include "report/text.h"

#define OPENS_IN   10 /* "You see   " */
#define NOW_SHOWN  3
#define NEXT_SHOWN 2

void opens_print(const struct opens *o, int width, struct str *out)
{
	struct str line = { 0 };

	/* the most telling first */
	for (size_t i = 0; i < o->nnow && i < NOW_SHOWN; i++) {
		const struct opens_row *r = o->now[o->nnow - 1 - i];
		const char *store = text_or(o->store, "");
		size_t wide = OPENS_IN + strlen(r->what) + strlen(r->command) + strlen(store) + 2;
		str_addf(out, "%-*s%s:", OPENS_IN, text_if(!i, "You see"), r->what);
		/* a command broken over two lines could not be pasted */
		if (wide > (size_t)width)
			str_addf(out, "\n%*s%s%s\n", OPENS_IN, "", r->command, store);
		else
			str_addf(out, " %s%s\n", r->command, store);
	}
	for (size_t i = 0; i < o->nnext && i < NEXT_SHOWN; i++) {
		str_clear(&line);
		str_addf(&line, "%-*s%s: %s", OPENS_IN, text_if(!i, "Add"), o->next[i].file,
			 o->next[i].what);
		text_fold(out, str_sv(&line), OPENS_IN, (size_t)width);
	}
	str_free(&line);
}
