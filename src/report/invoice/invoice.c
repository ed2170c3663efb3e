#include "report/invoice/invoice.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/round.h"
#include "report/invoice/charge_lines.h"
#include "report/page.h"
#include "report/text.h"
#include "report/cost/view.h"

static const char style[] =
	".inv{margin-top:3rem;border-top:3px solid var(--fg);padding-top:1rem}\n"
	".inv h2{margin:0;font-size:1.4rem}.from{float:right;text-align:right;max-width:50%;overflow-wrap:anywhere}\n"
	".due{font-size:1.3rem;font-weight:600;font-variant-numeric:tabular-nums;margin:.8rem 0}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.5rem 0;overflow-wrap:anywhere}\n"
	"dt{color:var(--faint)}dd{margin:0}th[scope=row]{overflow-wrap:anywhere}\n"
	"@media print{.inv,section.inv{break-before:page;break-inside:auto;border-top:0;margin-top:0}\n"
	"thead{display:table-header-group}tr{break-inside:avoid}tfoot{display:table-row-group}a{color:inherit;text-decoration:none}}\n"
	"@page{size:A4;margin:18mm 15mm;@bottom-right{content:counter(page) \" / \" counter(pages);font:9pt system-ui,sans-serif}}\n";

enum group { GROUP_DIRECT, GROUP_IDLE, GROUP_SHARED, GROUPS };

struct page {
	const char *name; /* value of the first dimension */
	const char *label;
	charge_lines line[GROUPS];
	const struct cube_row **detail; /* [ndetail] the largest first */
	size_t ndetail;
	const struct cube_row *first;
	int64_t ms, measured_ms, estimated_ms, unpriced_ms;
	dec cost;      /* exact */
	int64_t units; /* the same as printed: cents, or what view_money_digits() says */
	int64_t part[GROUPS];
	bool has_cost, has_part[GROUPS]; /* false: nothing of it has a price */
};
struct paper { /* one currency */
	const struct report_in *in;
	const struct cube_block *k;
	struct arena mem;
	int digits;
	dec one; /* a unit of what is printed */
	VEC(struct page) page;
	int64_t *row;  /* [k->nrow] units of each row */
	size_t number; /* of its first page, over all currencies */
};

/* ---- money that adds up ------------------------------------------------------------------- */

static int64_t round_alone(const struct paper *p, dec v)
{
	return (int64_t)div_half_even(v, p->one);
}

/* Parts of what is printed as `units`: floors, and what is left by largest remainder. */
static void round_together(const struct paper *p, int64_t units, size_t n, const dec *part,
			   int64_t *ret)
{
	struct round_rem *rem = xcalloc(n + 1, sizeof *rem);

	round_parts(rem, n, part, p->one, units, ret);
	free(rem);
}

static const char *format_money(struct arena *a, const struct paper *p, int64_t units)
{
	char buf[DEC_BUF * 2];

	return arena_printf(a, "%s", dec_format_people(buf, units * p->one, p->digits));
}

/* What a page is for, and its part in a group: "-" where nothing of it has a price. */
static const char *page_text(struct arena *a, const struct paper *p, const struct page *page)
{
	return text_or_dash(page->has_cost, format_money(a, p, page->units));
}

static const char *part_text(struct arena *a, const struct paper *p, const struct page *page,
			     enum group group)
{
	bool known = page->has_part[group] || (page->has_cost && !page->line[group].n);

	return text_or_dash(known, format_money(a, p, page->part[group]));
}

/* ---- pages -------------------------------------------------------------------------------- */

static void page_add_row(struct paper *p, struct page *page, const struct cube_row *r)
{
	charge_lines l = { 0 };

	charge_row_lines(r, &l);
	for (size_t i = 0; i < l.n; i++) {
		enum group group = GROUP_DIRECT;
		if (l.v[i].line == LINE_IDLE)
			group = GROUP_IDLE;
		else if (l.v[i].line == LINE_SHARED)
			group = GROUP_SHARED;

		*vec_push(&page->line[group]) = l.v[i];
		page->has_part[group] |= !l.v[i].unpriced;
	}
	vec_free(&l);
	page->ms += r->gpu.ms;
	page->measured_ms += r->gpu.measured_ms;
	page->estimated_ms += r->gpu.estimated_ms;
	page->unpriced_ms += r->gpu.unpriced_ms;
	page->cost += r->cost;
	page->has_cost |= r->has_cost;
}

/* ---- what the direct cost is of ------------------------------------------------------------ */

static int cmp_detail(const void *pa, const void *pb, void *ctx)
{
	const struct cube_row *a = *(const struct cube_row *const *)pa,
			      *b = *(const struct cube_row *const *)pb;
	int d = strcmp(a->dim[0], b->dim[0]);

	if (!d)
		d = cmp_dec(b->direct, a->direct);
	if (d)
		return d;
	return cube_by_dims(a, b, *(const size_t *)ctx);
}

/* What the bill calls a line is asked of what no job held: the others are by job alone. */
static bool is_bills(const char *dim)
{
	static const char *const bills[] = { "cloud_service", "account", "account_name", "region" };

	for (size_t i = 0; i < sizeof bills / sizeof *bills; i++)
		if (!strcmp(dim, bills[i]))
			return true;
	return false;
}

/* The cells of the details, a job's without the dimensions of a bill, but for the first nown. */
static const struct report_cell *cells_by_job(struct arena *a, const struct report_in *in,
					      size_t nown)
{
	struct report_cell *cell = arena_copy(a, in->cell, in->ncell, sizeof *cell);
	size_t all = in->ndim + in->nattr, job = 0;

	while (job < in->ndim && strcmp(in->dim[job], "job"))
		job++;
	for (size_t i = 0; i < in->ncell && job < in->ndim; i++) {
		const char **dim;
		if (!*cell[i].dim[job])
			continue;
		dim = arena_copy(a, cell[i].dim, all, sizeof *dim);
		for (size_t d = nown; d < in->ndim; d++)
			if (is_bills(in->dim[d]))
				dim[d] = "";
		cell[i].dim = dim;
	}
	return cell;
}

/* To each page the rows of its own; a row without direct cost or time of its own is left out. */
static void give_details(struct paper *p, const struct report_in *in, const struct cube_block *k)
{
	const struct cube_row **row = arena_alloc(&p->mem, (k->nrow + 1) * sizeof *row);
	size_t n = 0, ndim = in->ndim;

	for (size_t i = 0; i < k->nrow; i++)
		if (!k->row[i].is_rest && (k->row[i].direct || cube_allocated_ms(&k->row[i])))
			row[n++] = &k->row[i];
	qsort_r(row, n, sizeof *row, cmp_detail, &ndim);
	for (size_t i = 0; i < p->page.n; i++) {
		struct page *page = &p->page.v[i];

		size_t from = first_where(j, n, strcmp(row[j]->dim[0], page->name) >= 0), to = from;
		while (to < n && !strcmp(row[to]->dim[0], page->name))
			to++;
		page->detail = row + from;
		page->ndetail = to - from;
	}
}

/* Which columns the details of a page have: those of --by, and of the others what any row of it
 * has, but one at least. Returns how many. */
static size_t show_dims(const struct paper *p, const struct report_in *detail,
			const struct page *page, bool *ret)
{
	size_t n = 0;

	for (size_t d = 1; d < detail->ndim; d++) {
		ret[d] = d < p->in->ndim;
		for (size_t i = 0; i < page->ndetail && !ret[d]; i++)
			ret[d] = *page->detail[i]->dim[d];
		n += ret[d];
	}
	if (!n && detail->ndim > 1)
		n = ret[1] = true;
	return n;
}

static void put_details(const struct paper *p, const struct report_in *detail,
			const struct page *page, struct str *out)
{
	struct grid g = { 0 };
	size_t n = page->ndetail, most = p->in->limit ? p->in->limit : INVOICE_ROWS;
	size_t shown = min_size(n, most);
	dec *part = xcalloc(n + 1, sizeof *part);
	int64_t *units = xcalloc(n + 1, sizeof *units);

	for (size_t i = 0; i < n; i++)
		part[i] = page->detail[i]->direct;
	round_together(p, page->part[GROUP_DIRECT], n, part, units);
	bool *shown_dim = arena_zalloc(&g.mem, (detail->ndim + 1) * sizeof *shown_dim);
	size_t ncol = show_dims(p, detail, page, shown_dim);
	for (size_t d = 1; d < detail->ndim; d++)
		if (shown_dim[d])
			grid_add_col(&g, detail->dim[d], GRID_LEFT, true);
	grid_add_col(&g, "GPU·h", GRID_RIGHT, false);
	grid_add_col(&g, "direct cost", GRID_RIGHT, false);
	for (size_t i = 0; i < shown; i++) {
		const struct cube_row *r = page->detail[i];
		const char **c = grid_add_row(&g, GRID_PLAIN);
		bool unpriced = !r->direct && r->gpu.ms && r->gpu.unpriced_ms == r->gpu.ms;

		for (size_t d = 1; d < detail->ndim; d++)
			if (shown_dim[d])
				*c++ = text_line(&g.mem,
						 sv_of(cube_label(detail->dim[d], r->dim[d])), 0);
		*c++ = text_gpu_hours(&g.mem, cube_allocated_ms(r),
				      view_hour_digits(p->k->total.gpu.ms));
		*c = text_or_dash(!unpriced, format_money(&g.mem, p, units[i]));
	}
	if (shown < n) {
		int64_t ms = 0, rest = 0;
		const char **c = grid_add_row(&g, GRID_FAINT);
		for (size_t i = shown; i < page->ndetail; i++) {
			ms += cube_allocated_ms(page->detail[i]);
			rest += units[i];
		}
		c[0] = arena_printf(&g.mem, "(%zu more)", page->ndetail - shown);
		c[ncol] = text_gpu_hours(&g.mem, ms, view_hour_digits(p->k->total.gpu.ms));
		c[ncol + 1] = format_money(&g.mem, p, rest);
	}
	grid_add_row(&g, GRID_TOTAL)[ncol + 1] = part_text(&g.mem, p, page, GROUP_DIRECT);
	grid_html(&g, "What the direct cost is of, the largest first", out);
	free(part);
	free(units);
	grid_free(&g);
}

/* ---- a team's page ------------------------------------------------------------------------- */

const char *invoice_cost_center(const struct report_in *in, const char *const *dim)
{
	const struct conf *c = in->conf;
	size_t at = 0;

	for (size_t i = 0; c && c->invoice.cost_center_tag && i < in->ndim; i++)
		if (!strncmp(in->dim[i], "tag:", 4) &&
		    !strcmp(in->dim[i] + 4, c->invoice.cost_center_tag))
			return dim[i];
	for (size_t i = 0; i < in->ndim; i++)
		if (!strcmp(in->dim[i], "team"))
			at = i;
	for (size_t i = 0; c && *dim[at] && i < c->invoice.cost_centers.n; i++)
		if (sv_glob(sv_of(dim[at]), sv_of(c->invoice.cost_centers.v[i].field)))
			return c->invoice.cost_centers.v[i].glob;
	return "";
}

static void put_pair(struct arena *a, struct str *out, const char *name, const char *value)
{
	if (!*value)
		return;
	str_addf(out, "<dt>%s</dt><dd>", name);
	text_html(out, sv_of(text_line(a, sv_of(value), 0)));
	str_addz(out, "</dd>\n");
}

/* "2026-10-01 to 2026-10-31": whole days by their first and last one. */
static const char *period_words(struct arena *a, const struct report_in *in)
{
	char from[TM_BUF], to[TM_BUF];

	if (in->since_ms == UNKNOWN_MS || in->until_ms == UNKNOWN_MS)
		return text_window(a, in->since_ms, in->until_ms);
	if (in->since_ms % MS_DAY || in->until_ms % MS_DAY || in->until_ms <= in->since_ms)
		return arena_printf(a, "%.10s %.5s to %.10s %.5s UTC",
				    tm_format(from, in->since_ms), from + 11,
				    tm_format(to, in->until_ms), to + 11);
	tm_format_date(from, in->since_ms);
	return arena_printf(a, "%s to %s", from, tm_format_date(to, in->until_ms - 1));
}

/* "2026-10/vision/USD": the same whenever it is made, and of no other page of that period. */
static const char *number_words(struct arena *a, const struct paper *p, const struct page *page)
{
	const struct report_in *in = p->in;
	char from[TM_BUF], to[TM_BUF];
	const char *time;

	if (in->since_ms == UNKNOWN_MS || in->until_ms == UNKNOWN_MS ||
	    in->until_ms <= in->since_ms)
		return "";
	tm_format_date(from, in->since_ms);
	if (tm_month_start(in->since_ms, 0) == in->since_ms &&
	    tm_month_start(in->since_ms, 1) == in->until_ms)
		time = arena_printf(a, "%.7s", from);
	else if (in->until_ms - in->since_ms <= MS_DAY)
		time = arena_printf(a, "%s", from);
	else
		time = arena_printf(a, "%s_%s", from, tm_format_date(to, in->until_ms - 1));
	return arena_printf(a, "%s/%s/%s", time, filled_or(page->name, "not-allocated"),
			    p->k->currency);
}

static void put_head(const struct paper *p, struct arena *a, const struct page *page,
		     struct str *out)
{
	const struct report_in *in = p->in;
	const struct invoice_conf *c = &in->conf->invoice;
	char day[TM_BUF] = "";

	if (c->issuer || c->address.n) {
		str_addz(out, "<p class=\"from\">");
		text_html(out, sv_of(text_or(c->issuer, "")));
		for (size_t i = 0; i < c->address.n; i++) {
			str_addz(out, text_if(i || c->issuer, "<br/>"));
			text_html(out, sv_of(c->address.v[i]));
		}
		str_addz(out, "</p>\n");
	}
	str_addz(out, "<h2>");
	text_html(out, sv_of(text_line(a, sv_of(page->label), 0)));
	str_addz(out, "</h2>\n<p class=\"due\">");
	text_html(out, sv_of(page_text(a, p, page)));
	str_addc(out, ' ');
	text_html(out, sv_of(p->k->currency));
	str_addz(out, "</p>\n<dl>\n");

	put_pair(a, out, "Number", number_words(a, p, page));
	if (in->now_ms != UNKNOWN_MS)
		tm_format_date(day, in->now_ms);
	put_pair(a, out, "Date", day);
	put_pair(a, out, "Period", period_words(a, in));
	put_pair(a, out, "Cost centre", invoice_cost_center(in, page->first->dim));
	put_pair(a, out, "Basis",
		 arena_printf(a, "%s cost, %s", basis_name(in->basis), p->k->currency));
	put_pair(a, out, "Idle GPUs",
		 in->split == SPLIT_NONE
			 ? "not shared out"
			 : arena_printf(a, "shared out: %s", idle_split_name(in->split)));

	/* Of whose time how much is known; nothing where there is no GPU time. */
	__int128 part[] = { page->measured_ms, page->estimated_ms,
			    page->ms - page->measured_ms - page->estimated_ms };
	char *share[3];
	if (page->ms > 0 && page->measured_ms + page->estimated_ms > 0) {
		text_shares(a, page->ms, 3, part, share);
		put_pair(a, out, "Known",
			 arena_printf(
				 a,
				 "%s of its GPU time measured, %s estimated, %s assumed or unknown",
				 share[0], share[1], share[2]));
	}
	put_pair(a, out, "Only", text_or(in->where, ""));
	str_addz(out, "</dl>\n");
	if (page->unpriced_ms)
		page_paragraphs(out,
				arena_printf(a, "%s GPU·h have no price and are not in the amount.",
					     text_gpu_hours(a, page->unpriced_ms,
							    view_hour_digits(page->unpriced_ms))),
				NULL);
}

/* A kind of cost as a controller reads it. */
static const char *kind_words(enum kind k)
{
	static const char *const words[KIND_N] = {
		[KIND_GPU] = "GPU time",
		[KIND_CROSS_ZONE] = "traffic between zones",
		[KIND_EGRESS] = "traffic out of the cloud",
		[KIND_COMMITMENT_UNUSED] = "unused commitment",
		[KIND_OTHER] = "other services, credits, taxes and fees",
	};

	return text_or(words[k], kind_name(k));
}

static void put_lines(const struct paper *p, const struct page *page, struct str *out)
{
	struct grid g = { 0 };

	grid_add_col(&g, "line", GRID_LEFT, true);
	grid_add_col(&g, "GPU·h", GRID_RIGHT, false);
	grid_add_col(&g, "amount", GRID_RIGHT, false);
	for (int k = 0; k < GROUPS; k++) {
		const charge_lines *l = &page->line[k];
		dec *part = arena_alloc(&g.mem, (l->n + 1) * sizeof *part);
		int64_t *units = arena_zalloc(&g.mem, (l->n + 1) * sizeof *units);

		for (size_t i = 0; i < l->n; i++)
			part[i] = l->v[i].amount;
		round_together(p, page->part[k], l->n, part, units);
		for (size_t i = 0; i < l->n; i++) {
			const struct charge_line *x = &l->v[i];
			const char **c = grid_add_row(&g, GRID_PLAIN);
			const char *words, *name = NULL;

			if (x->line == LINE_DIRECT)
				words = arena_printf(&g.mem, "direct: %s",
						     kind_words((enum kind)x->kind));
			else
				words = charge_line_words(&g.mem, p->in, x);
			if (p->in->ndim > 1)
				name = charge_row_name(&g.mem, p->in, x->row);
			c[0] = name ? arena_printf(&g.mem, "%s, %s", words, name) : words;
			c[1] = "";
			if (x->ms)
				c[1] = text_gpu_hours(&g.mem, x->ms,
						      view_hour_digits(p->k->total.gpu.ms));
			c[2] = text_or_dash(!x->unpriced, format_money(&g.mem, p, units[i]));
		}
	}
	const char **c = grid_add_row(&g, GRID_TOTAL);
	c[0] = "total";
	c[1] = text_gpu_hours(&g.mem, page->ms, view_hour_digits(p->k->total.gpu.ms));
	c[2] = page_text(&g.mem, p, page);
	grid_html(&g, arena_printf(&g.mem, "Lines, amounts in %s", p->k->currency), out);
	grid_free(&g);
}

/* ---- the first page ------------------------------------------------------------------------ */

static void cover_line(const char *words, const char *amount, enum grid_style how, struct grid *g)
{
	const char **c = grid_add_row(g, how);

	c[0] = words;
	c[6] = amount;
}

static void put_cover(const struct paper *p, struct str *out)
{
	static const char *const head[] = { "direct", "idle share", "shared", "total" };
	struct arena a = { 0 };
	struct grid g = { 0 };
	int64_t units = 0;

	str_addz(out, "<section>\n");
	page_paragraphs(out, view_title(&a, p->in, p->k), NULL);
	grid_add_col(&g, p->in->dim[0], GRID_LEFT, true);
	grid_add_col(&g, "cost centre", GRID_LEFT, true);
	grid_add_col(&g, "GPU·h", GRID_RIGHT, false);
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		grid_add_col(&g, head[i], GRID_RIGHT, false);
	for (size_t i = 0; i < p->page.n; i++) {
		const struct page *page = &p->page.v[i];
		const char **c = grid_add_row(&g, GRID_PLAIN);
		int n = 0;

		c[n++] = text_line(&g.mem, sv_of(page->label), 0);
		c[n++] = text_line(&g.mem, sv_of(invoice_cost_center(p->in, page->first->dim)), 0);
		c[n++] = text_gpu_hours(&g.mem, page->ms, view_hour_digits(p->k->total.gpu.ms));
		for (int k = 0; k < GROUPS; k++)
			c[n++] = part_text(&g.mem, p, page, (enum group)k);
		c[n] = page_text(&g.mem, p, page);
		units += p->page.v[i].units;
	}

	/* What is on no page: what nobody is charged, the bill's difference. */
	const struct cube_block *k = p->k;
	int64_t diff = 0;

	for (size_t i = 0; i < k->nrow; i++)
		if (k->row[i].is_rest) {
			int64_t rest = p->row[i];
			units += rest;
			cover_line("unallocated, charged to nobody",
				   text_or_dash(k->row[i].has_cost, format_money(&a, p, rest)),
				   GRID_FAINT, &g);
		}
	cover_line("total", text_or_dash(k->total.has_cost, format_money(&a, p, units)), GRID_TOTAL,
		   &g);
	if (k->reconcile && !p->in->where)
		diff = round_alone(p, k->total.cost + reconcile_difference(k->reconcile)) - units;
	if (diff) {
		cover_line("bill less ledger", format_money(&a, p, diff), GRID_TOTAL, &g);
		cover_line("what was to be paid", format_money(&a, p, units + diff), GRID_TOTAL,
			   &g);
	}
	grid_html(&g, arena_printf(&a, "All of them, amounts in %s", p->k->currency), out);
	page_paragraphs(out, view_reconcile(&a, p->in, p->k), "faint");
	str_addz(out, "</section>\n");
	grid_free(&g);
	arena_free(&a);
}

/* ---- all ----------------------------------------------------------------------------------- */

static void put_paper(struct paper *p, const struct report_in *detail, const struct cube *d,
		      struct str *out)
{
	const struct cube_block *k = NULL;

	for (size_t i = 0; i < d->nblock && !k; i++)
		if (!strcmp(d->block[i].currency, p->k->currency))
			k = &d->block[i];
	p->digits = view_money_digits(p->k);
	p->one = charge_unit(p->k);

	struct intern name = { 0 };

	p->row = arena_zalloc(&p->mem, (p->k->nrow + 1) * sizeof *p->row);
	charge_row_units(p->k, p->row);
	for (size_t i = 0; i < p->k->nrow; i++) {
		const struct cube_row *r = &p->k->row[i];
		if (r->is_rest)
			continue;
		uint32_t id = intern_add(&name, sv_of(r->dim[0]));
		if (id == p->page.n)
			*vec_push(&p->page) = (struct page){
				.name = r->dim[0],
				.label = filled_or(r->dim[0], "Not allocated"),
				.first = r,
			};
		page_add_row(p, &p->page.v[id], r);
		p->page.v[id].units += p->row[i];
	}
	intern_free(&name);
	for (size_t i = 0; i < p->page.n; i++) {
		struct page *page = &p->page.v[i];
		dec group[GROUPS] = { 0 };

		for (int g = 0; g < GROUPS; g++)
			group[g] = charge_lines_sum(&page->line[g]);
		round_together(p, page->units, GROUPS, group, page->part);
	}
	if (k)
		give_details(p, detail, k);
	put_cover(p, out);
	for (size_t i = 0; i < p->page.n; i++) {
		const struct page *page = &p->page.v[i];
		size_t number = p->number + i + 1;
		struct arena a = { 0 };
		const char *note = p->in->conf->invoice.note;

		str_addf(out, "<section class=\"inv\" id=\"p%zu\">\n", number);
		put_head(p, &a, page, out);
		put_lines(p, page, out);
		if (page->ndetail)
			put_details(p, detail, page, out);
		page_paragraphs(out, text_or(note, ""), "faint");
		str_addz(out, "</section>\n");
		arena_free(&a);
	}
}

int invoice_print(const struct report_in *in, const struct report_in *detail, struct str *out,
		  struct err *err)
{
	struct report_in all = *in, each = *detail;
	struct arena a = { 0 };
	struct cube c, d;
	size_t number = 0;
	int r;

	all.limit = each.limit = 0;
	each.cell = cells_by_job(&a, detail, in->ndim);
	/* only which time was a row's own is asked of the details: any split takes the rest out */
	each.split = in->split == SPLIT_NONE ? SPLIT_NONE : SPLIT_PROPORTIONAL;
	r = cube_build(&all, true, &c, err);
	if (r < 0) {
		arena_free(&a);
		return r;
	}
	r = cube_build(&each, in->split == SPLIT_NONE, &d, err);
	if (r == 0) {
		all.limit = in->limit;
		page_head("Chargeback", style, out);
		for (size_t i = 0; i < c.nblock; i++) {
			struct paper p = { .in = &all, .k = &c.block[i], .number = number };
			put_paper(&p, &each, &d, out);
			number += p.page.n;
			for (size_t k = 0; k < p.page.n; k++)
				for (int n = 0; n < GROUPS; n++)
					vec_free(&p.page.v[k].line[n]);
			vec_free(&p.page);
			arena_free(&p.mem);
		}
		page_foot(in->now_ms, out);
		cube_free(&d);
	}
	cube_free(&c);
	arena_free(&a);
	return r;
}
