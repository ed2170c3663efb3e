#include "report/grid_fit.h"

#include <limits.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "report/text.h"

#define FLEX_MIN   8  /* a name is not cut below this */
#define FLEX_FIRST 10 /* nor the first column below this */
#define FLEX_LAST  4  /* but where no column can be left out any more */

/* no name is shown wider than this for the sake of telling it from another */
#define TOLD_APART_MAX 64

static bool pipes_are_wide;

void grid_fit_lines(bool fit)
{
	pipes_are_wide = !fit;
}

bool grid_fits_lines(void)
{
	return !pipes_are_wide;
}

int grid_fit_total(const struct grid *g, const struct grid_fit *fit)
{
	int total = -GRID_GAP;

	for (size_t i = 0; i < g->col.n; i++)
		if (!fit[i].left_out)
			total += fit[i].width + GRID_GAP;
	return total;
}

/* Take what is too much from the widest name columns, one column at a time. */
static void squeeze_names(const struct grid *g, struct grid_fit *w, int width, int least)
{
	int total = grid_fit_total(g, w);

	while (total > width && !pipes_are_wide) {
		size_t widest = g->col.n;
		for (size_t i = 0; i < g->col.n; i++) {
			/* "(124 more)" stands in the first one */
			int lowest = i ? least : FLEX_FIRST;
			bool gives = g->col.v[i].flex && !w[i].left_out && w[i].width > lowest;
			gives &= !w[i].is_figures;
			if (gives && (widest == g->col.n || w[i].width > w[widest].width))
				widest = i;
		}
		if (widest == g->col.n)
			return; /* nothing gives way any more */
		w[widest].width--;
		total--;
	}
}

char *grid_fit_text(struct arena *a, const char *text, const struct grid_fit *f)
{
	return (f->keeps_head ? text_line_head : text_line)(a, sv_of(text), f->width);
}

struct name {
	const char *whole, *shown;
};

static int by_shown(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int d = strcmp(x->shown, y->shown);

	if (d)
		return d;
	return strcmp(x->whole, y->whole);
}

/* Would two names of column i look the same? */
static bool confuses_names(const struct grid *g, size_t i, struct grid_fit f)
{
	struct arena mem = { 0 };
	struct name *v = arena_zalloc(&mem, (g->row.n + 1) * sizeof *v);
	bool same = false;

	for (size_t r = 0; r < g->row.n; r++)
		v[r] = (struct name){ grid_cell(&g->row.v[r], i),
				      grid_fit_text(&mem, grid_cell(&g->row.v[r], i), &f) };
	sort_items(v, g->row.n, sizeof *v, by_shown);
	for (size_t r = 1; r < g->row.n && !same; r++)
		same = !strcmp(v[r - 1].shown, v[r].shown) && strcmp(v[r - 1].whole, v[r].whole);
	arena_free(&mem);
	return same;
}

static struct grid_fit keep_head(int width)
{
	return (struct grid_fit){ .width = width, .keeps_head = true };
}

/* Where a head is folded: at the blank that leaves the shorter longest half; 0: it has none. */
static size_t fold_of(const char *head)
{
	size_t best = 0;
	int least = INT_MAX;

	for (const char *p = strchr(head, ' '); p; p = strchr(p + 1, ' ')) {
		int a = text_width((struct sv){ head, (size_t)(p - head) }),
		    b = text_width(sv_of(p + 1)), longest = max_int(a, b);
		if (p > head && longest < least) {
			least = longest;
			best = (size_t)(p - head);
		}
	}
	return best;
}

/* The columns that are not left out, as wide as they fit. `cells` [ncol]: their widest cells. */
static bool lay_out(const struct grid *g, const int *cells, bool fold, int width,
		    struct grid_fit *w)
{
	int *wanted = xcalloc(g->col.n + 1, sizeof *wanted);

	for (size_t i = 0; i < g->col.n; i++) {
		const char *head = g->col.v[i].head;
		bool folds = fold && !g->heads_in_one && text_width(sv_of(head)) > cells[i];
		w[i].fold = folds ? fold_of(head) : 0;
		w[i].keeps_head = false;
		int hw = text_width(sv_of(head));
		if (w[i].fold) {
			int above = text_width((struct sv){ head, w[i].fold });
			int below = text_width(sv_of(head + w[i].fold + 1));
			hw = max_int(above, below);
		}
		wanted[i] = w[i].width = max_int(cells[i], hw);
	}
	squeeze_names(g, w, width, FLEX_MIN);
	bool fits = pipes_are_wide || grid_fit_total(g, w) <= width;
	for (size_t i = 0; fits && i < g->col.n; i++)
		if (!w[i].left_out && w[i].width < wanted[i] && g->row.n) {
			/* Names of machines differ in the middle: cut so that they stay apart,
			 * wider than asked for if there is no other way. */
			struct grid_fit *f = &w[i];
			int lo = f->width, hi = min_int(wanted[i], TOLD_APART_MAX);

			if (!confuses_names(g, i, *f) || lo >= hi)
				continue;
			if (confuses_names(g, i, keep_head(hi)))
				continue; /* no use */
			/* the more of their beginnings is kept, the fewer look the same */
			f->width = lo +
				   (int)first_where(k, (size_t)(hi - lo),
						    !confuses_names(g, i, keep_head(lo + (int)k)));
			f->keeps_head = true;
		}
	free(wanted);
	return grid_fit_total(g, w) <= width;
}

/* Amounts in every cell that says one? A number without a point may be a name. */
static bool is_figures(const struct grid *g, size_t col)
{
	bool any = false;

	for (size_t r = 0; r < g->row.n; r++)
		for (const char *p = grid_cell(&g->row.v[r], col); *p; p++) {
			if (!within_int(*p, '0', '9') && !strchr("+-.,% ", *p))
				return false;
			any |= *p == '.' || *p == ',';
		}
	return any;
}

void grid_fit(const struct grid *g, int width, struct grid_fit *w)
{
	int *cells = xcalloc(g->col.n + 1, sizeof *cells);
	bool fits;

	for (size_t i = 0; i < g->col.n; i++) {
		int cells_width = 0;

		w[i].is_figures = is_figures(g, i);
		for (size_t r = 0; r < g->row.n; r++) {
			int k = text_width(sv_of(grid_cell(&g->row.v[r], i)));
			cells_width = max_int(k, cells_width);
		}
		cells[i] = cells_width;
	}
	fits = lay_out(g, cells, false, width, w) || pipes_are_wide ||
	       lay_out(g, cells, true, width, w);
	while (!fits) {
		/* The column that goes next: that of the least worth, of equals the rightmost.
		 * Something beside the first column is left, whatever the width. */
		size_t least = 0, left = 0;
		for (size_t i = 0; i < g->col.n; i++) {
			int worth = g->col.v[i].worth;
			left += !w[i].left_out;
			if (!i || w[i].left_out || worth >= GRID_ALWAYS)
				continue;
			if (!least || worth <= g->col.v[least].worth)
				least = i;
		}
		if (left <= 2 || !least)
			break;
		w[least].left_out = true;
		fits = lay_out(g, cells, true, width, w);
	}
	if (!fits)
		squeeze_names(g, w, width, FLEX_LAST);
	free(cells);
}
