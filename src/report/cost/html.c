/* One self-contained page: no script, no outside asset (a policy in the page forbids both), light
 * and dark, printable. */
#include "base/str.h"
#include "base/tm.h"
#include "report/formats.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/text.h"
#include "report/cost/view.h"

static void put_block(const struct report_in *in, const struct cube_block *k,
		      const struct cube_block *days, struct str *out)
{
	struct arena a = { 0 };
	struct grid g = { 0 };

	page_paragraphs(out, view_title(&a, in, k), NULL);
	page_paragraphs(out, view_hint(&a, in, k), NULL);
	if (days && days->nrow) {
		str_addz(out, "<section>\n<h2>Cost by day, ");
		text_html(out, sv_of(k->currency));
		str_addz(out, "</h2>\n");
		plot_legend(days, true, out);
		plot_time(in, days, "day", out);
		str_addz(out, "</section>\n");
	}
	if (k->nrow) {
		str_addz(out, "<section>\n<h2>Cost by ");
		for (size_t i = 0; i < in->ndim; i++) {
			str_addz(out, text_if(i, ", "));
			text_html(out, sv_of(in->dim[i]));
		}
		str_addz(out, "</h2>\n");

		/* Time goes from left to right, anything else from the largest down. The days have
		 * a chart of their own. */
		bool has_days = days != NULL;
		bool time = in->ndim == 1 && cube_is_time(in->dim[0]);
		if (!time || !has_days || strcmp(in->dim[0], "day")) {
			plot_legend(k, time, out);
			if (time && !k->nleft)
				plot_time(in, k, in->dim[0], out);
			else
				plot_rows(in, k, out);
		}

		view_grid(in, k, 0, &g);
		grid_html(&g,
			  arena_printf(&a,
				       "%s cost in %s, %s; shares are of the row's paid GPU time",
				       basis_name(in->basis), k->currency,
				       text_window(&a, in->since_ms,
						   text_until(in->data_until_ms, in->until_ms))),
			  out);
		str_addz(out, "</section>\n");
	} else {
		page_paragraphs(out, "Nothing in the ledger here.", NULL);
	}
	page_paragraphs(out, view_reconcile(&a, in, k), "faint");
	grid_free(&g);
	arena_free(&a);
}

void report_html(const struct report_in *in, const struct cube *c, struct str *out)
{
	static const char *const day[] = { "day" };
	struct report_in by_day = *in;
	struct cube days = { 0 };

	by_day.dim = day;
	by_day.ndim = 1;
	by_day.nattr = 0;
	by_day.cell = in->day;
	by_day.ncell = in->nday;
	by_day.split = SPLIT_NONE;
	by_day.limit = 0;
	by_day.sort_given = false;
	bool have = in->nday && cube_build(&by_day, false, &days, NULL) == 0;
	page_head("GPU cost report", NULL, out);
	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_block *own = NULL;
		for (size_t k = 0; have && k < days.nblock && !own; k++)
			if (!strcmp(days.block[k].currency, c->block[i].currency))
				own = &days.block[k];
		put_block(in, &c->block[i], own, out);
	}
	page_foot(in->now_ms, out);
	cube_free(&days);
}
