/* The report as an aligned table and as Markdown. */
#include "base/str.h"
#include "report/formats.h"

#include "report/text.h"
#include "report/cost/view.h"

void report_table(const struct report_in *in, const struct cube *c, struct str *out)
{
	for (size_t i = 0; i < c->nblock; i++) {
		str_addz(out, text_if(i, "\n"));

		const struct cube_block *k = &c->block[i];
		struct arena a = { 0 };
		struct grid g = { 0 };

		view_fold(out, view_title(&a, in, k), columns_or_80(in->width));
		str_addc(out, '\n');
		if (k->nrow) {
			view_grid(in, k, columns_or_80(in->width), &g);
			grid_table(&g, columns_or_80(in->width), in->colour, out);
		} else {
			str_addz(out, "Nothing in the ledger here.\n");
		}
		const char *reconcile = view_reconcile(&a, in, k), *hint = view_hint(&a, in, k);
		if (*reconcile || *hint)
			str_addc(out, '\n');
		view_fold(out, reconcile, columns_or_80(in->width));
		view_fold(out, hint, columns_or_80(in->width));
		grid_free(&g);
		arena_free(&a);
	}
}

/* Lines of text become paragraphs; what Markdown would read as its own is escaped where names
 * stand. */
void md_text(struct str *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			str_addz(out, "&lt;");
		else if (*s == '\n')
			str_addz(out, s[1] ? "  \n" : "\n");
		else if (strchr("*`|[]\\", *s))
			str_addf(out, "\\%c", *s);
		else
			str_addc(out, *s);
	}
}

void report_md(const struct report_in *in, const struct cube *c, struct str *out)
{
	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_block *k = &c->block[i];
		struct arena a = { 0 };
		struct grid g = { 0 };
		str_addz(out, text_if(i, "\n"));
		md_text(out, view_title(&a, in, k));
		str_addz(out, "\n\n");
		view_grid(in, k, 0, &g);
		grid_md(&g, out);
		str_addc(out, '\n');
		md_text(out, view_reconcile(&a, in, k));
		const char *hint = view_hint(&a, in, k);
		if (*hint) {
			str_addc(out, '\n');
			md_text(out, hint);
			str_addc(out, '\n');
		}
		grid_free(&g);
		arena_free(&a);
	}
}
