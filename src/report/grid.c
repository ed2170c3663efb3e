#include "report/grid.h"
#include "base/sort.h"

#include <stdlib.h>

#include "report/text.h"

#define GAP         2  /* blanks between columns */
#define FLEX_MIN    8  /* a name is not cut below this */
#define FLEX_ENOUGH 16 /* rather than that a longer one is shown in full, other columns stay */

/* How a column is shown: so wide; what is wider loses its middle, or its end where that tells the
 * names apart and the other does not. */
struct fit {
	int width;
	bool keeps_head;
};

void grid_free(struct grid *g)
{
	arena_free(&g->mem);
	vec_free(&g->col);
	vec_free(&g->row);
}

void grid_add_col(struct grid *g, const char *head, enum grid_align align, bool flex)
{
	*vec_push(&g->col) = (struct grid_col){ text_line(&g->mem, sv_of(head), 0), align, flex };
}

const char **grid_add_row(struct grid *g, enum grid_style style)
{
	const char **cell = arena_zalloc(&g->mem, g->col.n * sizeof *cell);

	*vec_push(&g->row) = (struct grid_row){ cell, style };
	return cell;
}

static const char *cell_of(const struct grid_row *r, size_t i)
{
	return r->cell[i] ? r->cell[i] : "";
}

/* ---- table ------------------------------------------------------------------------------- */

/* Take what is too much from the widest name columns, one column at a time. */
static void squeeze(const struct grid *g, struct fit *w, int width)
{
	int total = (int)(g->col.n - 1) * GAP;

	for (size_t i = 0; i < g->col.n; i++)
		total += w[i].width;
	while (total > width) {
		size_t widest = g->col.n;
		for (size_t i = 0; i < g->col.n; i++)
			if (g->col.v[i].flex && w[i].width > FLEX_MIN &&
			    (widest == g->col.n || w[i].width > w[widest].width))
				widest = i;
		if (widest == g->col.n)
			return; /* nothing gives way any more: the line is too long, but complete */
		w[widest].width--;
		total--;
	}
}

static char *shown(struct arena *a, const char *text, struct fit f)
{
	return (f.keeps_head ? text_line_head : text_line)(a, sv_of(text), f.width);
}

struct name {
	const char *whole, *shown;
};

static int by_shown(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int d = strcmp(x->shown, y->shown);

	return d ? d : strcmp(x->whole, y->whole);
}

/* Would two names of column i look the same? */
static bool confuses(const struct grid *g, size_t i, struct fit f)
{
	struct arena mem = { 0 };
	struct name *v = arena_zalloc(&mem, (g->row.n + 1) * sizeof *v);
	bool same = false;

	for (size_t r = 0; r < g->row.n; r++)
		v[r] = (struct name){ cell_of(&g->row.v[r], i),
				      shown(&mem, cell_of(&g->row.v[r], i), f) };
	sort_items(v, g->row.n, sizeof *v, by_shown);
	for (size_t r = 1; r < g->row.n && !same; r++)
		same = !strcmp(v[r - 1].shown, v[r].shown) && strcmp(v[r - 1].whole, v[r].whole);
	arena_free(&mem);
	return same;
}

/* no name is shown wider than this for the sake of telling it from another */
#define TOLD_APART_MAX 64

/* Names of machines differ in the middle: cut so that they stay apart, in a line that is too long
 * if there is no other way. */
static void tell_apart(const struct grid *g, size_t i, struct fit *f, int wanted)
{
	int lo = f->width, hi = wanted < TOLD_APART_MAX ? wanted : TOLD_APART_MAX;

	if (!confuses(g, i, *f) || lo >= hi || confuses(g, i, (struct fit){ hi, true }))
		return;   /* no need, or no use */
	while (lo < hi) { /* the more of their beginnings is kept, the fewer look the same */
		int mid = lo + (hi - lo) / 2;
		if (confuses(g, i, (struct fit){ mid, true }))
			lo = mid + 1;
		else
			hi = mid;
	}
	*f = (struct fit){ hi, true };
}

static void measure(const struct grid *g, struct fit *w, int width)
{
	int *wanted = xcalloc(g->col.n + 1, sizeof *wanted);

	for (size_t i = 0; i < g->col.n; i++) {
		w[i].width = text_width(sv_of(g->col.v[i].head));
		for (size_t r = 0; r < g->row.n; r++) {
			int cw = text_width(sv_of(cell_of(&g->row.v[r], i)));
			w[i].width = cw > w[i].width ? cw : w[i].width;
		}
		wanted[i] = w[i].width;
	}
	squeeze(g, w, width);
	for (size_t i = 0; i < g->col.n; i++)
		if (w[i].width < wanted[i] && g->row.n)
			tell_apart(g, i, &w[i], wanted[i]);
	free(wanted);
}

int grid_natural_width(const struct grid *g)
{
	int total = (int)(g->col.n - 1) * GAP;

	for (size_t i = 0; i < g->col.n; i++) {
		int w = text_width(sv_of(g->col.v[i].head));
		for (size_t r = 0; r < g->row.n; r++) {
			int cw = text_width(sv_of(cell_of(&g->row.v[r], i)));
			w = cw > w ? cw : w;
		}
		total += g->col.v[i].flex && w > FLEX_ENOUGH ? FLEX_ENOUGH : w;
	}
	return total;
}

static void blanks(struct str *out, int n)
{
	while (n-- > 0)
		str_addc(out, ' ');
}

static void put_line(const struct grid *g, const struct fit *w, const char *const *cell,
		     struct str *out)
{
	struct arena mem = { 0 };
	int owed = 0; /* blanks not yet written: none at the end of a line */

	for (size_t i = 0; i < g->col.n; i++) {
		const char *t = shown(&mem, cell[i] ? cell[i] : "", w[i]);
		int pad = w[i].width - text_width(sv_of(t));
		if (*t) {
			blanks(out, owed + (g->col.v[i].align == GRID_RIGHT ? pad : 0));
			str_addz(out, t);
			owed = g->col.v[i].align == GRID_RIGHT ? 0 : pad;
		} else {
			owed += w[i].width;
		}
		owed += GAP;
	}
	arena_free(&mem);
}

static void rule(const struct grid *g, const struct fit *w, bool colour, struct str *out)
{
	int total = (int)(g->col.n - 1) * GAP;

	for (size_t i = 0; i < g->col.n; i++)
		total += w[i].width;
	str_addz(out, colour ? "\033[2m" : "");
	while (total-- > 0)
		str_addz(out, "─");
	str_addz(out, colour ? "\033[0m\n" : "\n");
}

void grid_table(const struct grid *g, int width, bool colour, struct str *out)
{
	static const char *const on[] = { "", "\033[2m", "\033[1m" };
	struct fit *w = xcalloc(g->col.n + 1, sizeof *w);
	const char **head = xcalloc(g->col.n + 1, sizeof *head);

	measure(g, w, width > 0 ? width : 80);
	for (size_t i = 0; i < g->col.n; i++)
		head[i] = g->col.v[i].head;
	str_addz(out, colour ? "\033[1m" : "");
	put_line(g, w, head, out);
	str_addz(out, colour ? "\033[0m\n" : "\n");
	for (size_t r = 0; r < g->row.n; r++) {
		const struct grid_row *row = &g->row.v[r];
		bool styled = colour && row->style != GRID_PLAIN;
		if (row->style == GRID_TOTAL)
			rule(g, w, colour, out);
		str_addz(out, styled ? on[row->style] : "");
		put_line(g, w, row->cell, out);
		str_addz(out, styled ? "\033[0m\n" : "\n");
	}
	free(w);
	free(head);
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
			text_csv(out, sv_of(g->row.v[r].cell[i] ? g->row.v[r].cell[i] : ""));
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
		const char *mark = g->row.v[r].style == GRID_TOTAL ? "**" : "";
		str_addc(out, '|');
		for (size_t i = 0; i < g->col.n; i++) {
			const char *t = cell_of(&g->row.v[r], i);
			str_addf(out, " %s", *t ? mark : "");
			md_cell(out, t);
			str_addf(out, "%s |", *t ? mark : "");
		}
		str_addc(out, '\n');
	}
}

static void html_cells(const struct grid *g, const struct grid_row *row, struct str *out)
{
	for (size_t i = 0; i < g->col.n; i++) {
		bool name = i == 0;
		str_addf(out, name ? "<th scope=\"row\"" : "<td");
		str_addz(out, g->col.v[i].align == GRID_RIGHT ? " class=\"n\">" : ">");
		text_html(out, sv_of(cell_of(row, i)));
		str_addz(out, name ? "</th>" : "</td>");
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
			 g->col.v[i].align == GRID_RIGHT ? " class=\"n\"" : "");
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
		html_cells(g, &g->row.v[r], out);
		str_addz(out, "</tr>\n");
	}
	str_addz(out, foot ? "</tfoot></table></div>\n" : "</tbody></table></div>\n");
}
