#include "report/grid.h"
#include "base/num.h"
#include "base/sort.h"

#include <stdlib.h>

#include "base/str.h"
#include "report/grid_fit.h"
#include "report/text.h"

#define FLEX_ENOUGH 16 /* rather than that a longer one is shown in full, other columns stay */

void grid_free(struct grid *g)
{
	arena_free(&g->mem);
	vec_free(&g->col);
	vec_free(&g->row);
}

void grid_add_col(struct grid *g, const char *head, enum grid_align align, bool flex)
{
	*vec_push(&g->col) = (struct grid_col){ text_line(&g->mem, sv_of(head), 0), align, flex,
						0 };
}

void grid_worth(struct grid *g, int worth)
{
	g->col.v[g->col.n - 1].worth = worth;
}

void grid_add_name(struct grid *g, const char *head)
{
	grid_add_col(g, head, GRID_LEFT, true);
	grid_worth(g, GRID_ALWAYS);
}

void grid_add_figure(struct grid *g, const char *head, int worth)
{
	grid_add_col(g, head, GRID_RIGHT, false);
	grid_worth(g, worth);
}

const char **grid_add_row(struct grid *g, enum grid_style style)
{
	const char **cell = arena_zalloc(&g->mem, g->col.n * sizeof *cell);

	*vec_push(&g->row) = (struct grid_row){ cell, style };
	return cell;
}

/* ---- table ------------------------------------------------------------------------------- */

int grid_natural_width(const struct grid *g)
{
	int total = (int)(g->col.n - 1) * GRID_GAP;

	for (size_t i = 0; i < g->col.n; i++) {
		int w = text_width(sv_of(g->col.v[i].head));
		for (size_t r = 0; r < g->row.n; r++) {
			int cw = text_width(sv_of(grid_cell(&g->row.v[r], i)));
			w = max_int(cw, w);
		}
		total += g->col.v[i].flex && w > FLEX_ENOUGH ? FLEX_ENOUGH : w;
	}
	return total;
}

static void put_line(const struct grid *g, const struct grid_fit *w, const char *const *cell,
		     struct str *out)
{
	struct arena mem = { 0 };
	int owed = 0; /* blanks not yet written: none at the end of a line */

	for (size_t i = 0; i < g->col.n; i++) {
		if (w[i].left_out)
			continue;
		const char *t = grid_fit_text(&mem, text_or(cell[i], ""), &w[i]);
		int pad = w[i].width - text_width(sv_of(t));
		if (*t) {
			int n = owed + (g->col.v[i].align == GRID_RIGHT ? pad : 0);
			while (n-- > 0)
				str_addc(out, ' ');
			str_addz(out, t);
			owed = g->col.v[i].align == GRID_RIGHT ? 0 : pad;
		} else {
			owed += w[i].width;
		}
		owed += GRID_GAP;
	}
	arena_free(&mem);
}

void grid_table(const struct grid *g, int width, bool colour, struct str *out)
{
	static const char *const on[] = { "", "\033[2m", "\033[1m" };
	struct grid_fit *w = xcalloc(g->col.n + 1, sizeof *w);

	width = columns_or_80(width);
	grid_fit(g, width, w);

	/* The heads: in two lines where one of them is folded. */
	const char **upper = xcalloc(g->col.n + 1, sizeof *upper),
		   **lower = xcalloc(g->col.n + 1, sizeof *lower);
	struct arena mem = { 0 };
	bool folded = false;

	for (size_t i = 0; i < g->col.n; i++) {
		size_t at = 0;
		const char *head = g->col.v[i].head;
		if (!w[i].left_out)
			at = w[i].fold;
		upper[i] = at ? arena_strn(&mem, head, at) : NULL;
		lower[i] = at ? head + at + 1 : head;
		folded |= at > 0;
	}
	for (int line = folded ? 0 : 1; line < 2; line++) {
		str_addz(out, text_if(colour, "\033[1m"));
		put_line(g, w, line ? lower : upper, out);
		str_addz(out, colour ? "\033[0m\n" : "\n");
	}
	arena_free(&mem);
	free(upper);
	free(lower);

	for (size_t r = 0; r < g->row.n; r++) {
		const struct grid_row *row = &g->row.v[r];
		bool styled = colour && row->style != GRID_PLAIN;
		if (row->style == GRID_TOTAL) {
			int total = grid_fit_total(g, w);

			str_addz(out, text_if(colour, "\033[2m"));
			while (total-- > 0)
				str_addz(out, "─");
			str_addz(out, colour ? "\033[0m\n" : "\n");
		}
		str_addz(out, styled ? on[row->style] : "");
		put_line(g, w, row->cell, out);
		str_addz(out, styled ? "\033[0m\n" : "\n");
	}

	/* Which columns the width has no room for: nothing is left out in silence. */
	struct str line = { 0 };

	if (g->unshown && grid_fits_lines())
		str_addf(&line, "No room for %s", g->unshown);
	for (size_t i = 0; i < g->col.n; i++)
		if (w[i].left_out)
			str_addf(&line, "%s%s", line.n ? ", " : "No room for ", g->col.v[i].head);
	if (line.n) {
		str_addf(&line, " in %d columns.", width);
		str_addz(out, text_if(colour, "\033[2m"));
		text_fold(out, str_sv(&line), 0, (size_t)width);
		str_addz(out, text_if(colour, "\033[0m"));
	}
	str_free(&line);

	free(w);
}

/* ---- CSV --------------------------------------------------------------------------------- */

void grid_csv(const struct grid *g, struct str *out)
{
	for (size_t i = 0; i < g->col.n; i++) {
		if (i)
			str_addc(out, ',');
		text_csv(out, sv_of(g->col.v[i].head));
	}
	str_addc(out, '\n');
	for (size_t r = 0; r < g->row.n; r++) {
		for (size_t i = 0; i < g->col.n; i++) {
			if (i)
				str_addc(out, ',');
			text_csv(out, sv_of(text_or(g->row.v[r].cell[i], "")));
		}
		str_addc(out, '\n');
	}
}

/* ---- Markdown, HTML ---------------------------------------------------------------------- */

/* What Markdown would read as its own inside a cell; HTML tags too, as renderers pass them
 * through. */
static void md_cell(struct str *out, const char *t)
{
	struct arena mem = { 0 };

	for (const char *p = text_line(&mem, sv_of(t), 0); *p; p++) {
		if (*p == '<') {
			str_addz(out, "&lt;");
			continue;
		}
		if (strchr("\\|`*_[]", *p))
			str_addc(out, '\\');
		str_addc(out, *p);
	}
	arena_free(&mem);
}

void grid_md(const struct grid *g, struct str *out)
{
	str_addc(out, '|');
	for (size_t i = 0; i < g->col.n; i++) {
		str_addc(out, ' ');
		md_cell(out, g->col.v[i].head);
		str_addz(out, " |");
	}
	str_addz(out, "\n|");
	for (size_t i = 0; i < g->col.n; i++)
		str_addz(out, g->col.v[i].align == GRID_RIGHT ? " ---: |" : " --- |");
	str_addc(out, '\n');
	for (size_t r = 0; r < g->row.n; r++) {
		const char *mark = text_if(g->row.v[r].style == GRID_TOTAL, "**");
		str_addc(out, '|');
		for (size_t i = 0; i < g->col.n; i++) {
			const char *t = grid_cell(&g->row.v[r], i);
			str_addf(out, " %s", text_if(*t, mark));
			md_cell(out, t);
			str_addf(out, "%s |", text_if(*t, mark));
		}
		str_addc(out, '\n');
	}
}

void grid_html(const struct grid *g, const char *caption, struct str *out)
{
	bool foot = false;

	str_addz(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
	text_html(out, sv_of(caption));
	str_addz(out, "\"><table><caption>");
	text_html(out, sv_of(caption));
	str_addz(out, "</caption>\n<thead><tr>");
	for (size_t i = 0; i < g->col.n; i++) {
		str_addf(out, "<th scope=\"col\"%s>",
			 text_if(g->col.v[i].align == GRID_RIGHT, " class=\"n\""));
		text_html(out, sv_of(g->col.v[i].head));
		str_addz(out, "</th>");
	}
	str_addz(out, "</tr></thead>\n<tbody>\n");
	for (size_t r = 0; r < g->row.n; r++) {
		if (g->row.v[r].style == GRID_TOTAL && !foot) {
			str_addz(out, "</tbody>\n<tfoot>\n");
			foot = true;
		}
		str_addz(out, "<tr>");
		for (size_t i = 0; i < g->col.n; i++) {
			bool name = i == 0;
			str_addf(out, name ? "<th scope=\"row\"" : "<td");
			str_addz(out, g->col.v[i].align == GRID_RIGHT ? " class=\"n\">" : ">");
			text_html(out, sv_of(grid_cell(&g->row.v[r], i)));
			str_addz(out, name ? "</th>" : "</td>");
		}
		str_addz(out, "</tr>\n");
	}
	str_addz(out, foot ? "</tfoot></table></div>\n" : "</tbody></table></div>\n");
}
