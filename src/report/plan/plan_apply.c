/* A recommendation as lines that people put where they act. */
#include <string.h>

#include "base/sh.h"
#include "report/action/action_text.h"
#include "report/plan/plan_view.h"
#include "report/text.h"

static void put_lines(struct str *out, const char *title, const struct text_list *l,
		      struct arena *a)
{
	str_addf(out, "# %s\n", title);
	for (size_t i = 0; i < l->n; i++)
		str_addf(out, "%s\n", text_line(a, sv_of(l->v[i]), 0));
	if (!l->n)
		str_addz(out, "# (nothing)\n");
}

void plan_print_apply(const struct rec *r, struct str *out)
{
	struct arena mem = { 0 };
	struct action_text how;

	/* In a comment that a shell may not take for one: "40 -> 24" would write a file. */
	struct str s = { 0 };

	for (const char *z = r->title; *z; z++)
		if (!strncmp(z, "->", 2)) {
			str_addz(&s, "to");
			z++;
		} else
			str_addc(&s, *z);
	const char *title_note = sh_note(&mem, str_z(&s));
	str_free(&s);
	str_addf(
		out,
		"# %s\n# This version of tare does not carry it out: these lines do, where you put them.\n",
		title_note);

	for (size_t i = 0; i < r->depends_on.n; i++)
		str_addf(out, "# first: %s\n", sh_note(&mem, r->depends_on.v[i]));
	action_text_make(r->action.v, r->action.n, &how);
	put_lines(out, "do", &how.apply, &mem);
	put_lines(out, "undo", &how.undo, &mem);
	action_text_free(&how);
	arena_free(&mem);
}
