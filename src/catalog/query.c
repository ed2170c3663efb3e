/* Questions about prices: the list of them at an instant or over time, and the one price of a node
 * over a window. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "base/near.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "catalog/in.h"

typedef VEC(struct price_row) price_rows;

static bool in_force(const struct prow *p, int64_t at_ms)
{
	if (at_ms == UNKNOWN_MS)
		return p->to_ms == UNKNOWN_MS;
	return p->from_ms <= at_ms && (p->to_ms == UNKNOWN_MS || at_ms < p->to_ms);
}

static bool is_everywhere(const char *region)
{
	return !strcmp(region, "global");
}

/* Does a row that was added speak for the same thing as p? */
static bool covers_row(const struct prow *u, const struct prow *p)
{
	if (u->part || u->no_quote || strcmp(u->purchase, p->purchase) ||
	    strcmp(u->currency, p->currency))
		return false;
	if (!is_everywhere(u->region) && strcmp(u->region, p->region))
		return false;
	if ((*u->zone && strcmp(u->zone, p->zone)) || (*u->term && strcmp(u->term, p->term)))
		return false;
	return *u->instance_type || !strcmp(u->gpu_model, p->gpu_model);
}

/* Is there a row of a higher rank in its place? */
static bool is_overridden(const struct catalog *c, const struct prow *p, int64_t at_ms)
{
	for (int generic = 0; generic < 2; generic++) {
		size_t lo, hi;
		prices_range(&c->added, p->provider, generic ? "" : p->instance_type, &lo, &hi);
		for (; lo < hi; lo++) {
			const struct prow *u = &c->added.v[lo];
			if (u->rank > p->rank && in_force(u, at_ms) && covers_row(u, p))
				return true;
		}
		if (!*p->instance_type)
			break;
	}
	return false;
}

/* ---- the list ---------------------------------------------------------------------------- */

struct filter {
	const struct price_query *q;
	const char *provider;
	const struct gpu_spec *gpu[8]; /* any of them */
	size_t ngpu;
	const char *slice; /* a slice asked for by name, beside gpu[] */
};

/* The memory of what one unit of the row gives, GiB; NAN = not known. */
static double row_memory(const struct catalog *c, const struct prow *p)
{
	const struct instance *i = instance_find(c, p->provider, sv_of(p->instance_type));
	const struct gpu_spec *g = catalog_gpu(c, sv_of(p->gpu_model));
	const char *mig = strstr(p->gpu_model, "-MIG-");
	if (mig) {
		char model[64];
		snprintf(model, sizeof model, "%.*s", (int)(mig - p->gpu_model), p->gpu_model);
		const struct mig_profile *m = catalog_mig(c, model, sv_of(mig + 5));
		if (m)
			return m->memory_gib;
		return NAN;
	}
	/* a fraction has the memory its type says, if it does */
	if (!g || (p->num && p->num < p->den)) {
		if (i && !isnan(i->t.gpu_memory_gib))
			return i->t.gpu_memory_gib;
		if (g && p->num)
			return g->memory_gib * (double)p->num / (double)p->den;
		return NAN;
	}
	/* providers report 22.4 of an L4's 24: the GPU's own size is what people ask for */
	return g->memory_gib;
}

static bool gpu_matches(const struct filter *f, const struct prow *p)
{
	for (size_t i = 0; i < f->ngpu; i++)
		if (!strcmp(f->gpu[i]->model, p->gpu_model))
			return true;
	if (!f->slice)
		return false;
	const char *a = f->slice, *b = p->gpu_model; /* "B300 MIG 1g.34gb" is "B300-MIG-1g.34gb" */
	for (; *a && *b; a++, b++)
		if (!(strchr(" -_", *a) && strchr(" -_", *b)) && strncasecmp(a, b, 1))
			return false;
	return !*a && !*b;
}

static bool matches_filter(const struct catalog *c, const struct filter *f, const struct prow *p)
{
	const struct price_query *q = f->q;
	if ((f->provider && strcmp(f->provider, p->provider)) || (p->part && !q->parts) ||
	    (p->no_quote && !q->no_quotes))
		return false;
	if (q->gpu ? !gpu_matches(f, p) : p->no_gpu && !q->accelerators && !q->instance_type)
		return false;
	if (q->instance_type && strcasecmp(q->instance_type, p->instance_type))
		return false;
	const char *currency = text_or(q->currency, "USD");
	if (strcmp(currency, "*") && strcasecmp(currency, p->currency))
		return false;
	bool bought = q->npurchase == 0;
	for (size_t i = 0; i < q->npurchase && !bought; i++)
		bought = !strcmp(q->purchase[i], p->purchase);
	if (!bought)
		return false;
	if (q->count_milli && (!p->num || count_milli(p->num, p->den) != q->count_milli))
		return false;
	if (q->region_glob && !sv_glob(sv_of(p->region), sv_of(q->region_glob)))
		return false;
	return !(q->min_vram_gib > 0) || row_memory(c, p) >= q->min_vram_gib;
}

static void collect_rows(const struct catalog *c, const struct filter *f, const struct prices *p,
			 price_rows *out)
{
	const struct price_query *q = f->q;
	for (size_t i = 0; i < p->n; i++) {
		const struct prow *x = &p->v[i];
		if (x->to_ms == x->from_ms || (!q->history && !in_force(x, q->at_ms)) ||
		    !matches_filter(c, f, x))
			continue;
		if (!q->history && is_overridden(c, x, q->at_ms))
			continue;
		struct price_row *row = vec_push(out);
		prow_out(c, x, row);
		if (!q->history && q->at_ms != UNKNOWN_MS && row->as_of_ms > q->at_ms)
			row->as_of_ms = q->at_ms;
	}
}

static int text_cmp(const char *a, const char *b)
{
	return strcmp(text_or(a, ""), text_or(b, ""));
}

static int history_cmp(const void *a, const void *b)
{
	const struct price_row *x = a, *y = b;
	int r = text_cmp(x->provider, y->provider);
	if (!r)
		r = text_cmp(x->instance_type, y->instance_type);
	if (!r)
		r = text_cmp(x->gpu_model, y->gpu_model);
	if (!r)
		r = text_cmp(x->region, y->region);
	if (!r)
		r = text_cmp(x->zone, y->zone);
	if (!r)
		r = text_cmp(x->purchase, y->purchase);
	if (!r)
		r = text_cmp(x->term, y->term);
	if (!r)
		r = cmp_i64(x->from_ms, y->from_ms);
	if (r)
		return r;
	return text_cmp(x->source, y->source);
}

static int cheapest_cmp(const void *a, const void *b)
{
	const struct price_row *x = a, *y = b;
	int r = (int)x->no_quote - (int)y->no_quote;
	if (!r)
		r = (x->gpu_milli == 0) - (y->gpu_milli == 0);
	if (!r)
		/* amounts of different currencies do not compare */
		r = text_cmp(x->currency, y->currency);
	if (!r)
		r = cmp_dec(x->gpu_hour, y->gpu_hour);
	if (!r)
		r = cmp_dec(x->effective_hour, y->effective_hour);
	if (r)
		return r;
	return history_cmp(a, b);
}

static int unknown_gpu(const struct catalog *c, const char *name, struct err *err)
{
	const struct gpu_spec *some;
	const char *words[256], *near;
	char family[256][24]; /* "A100" of A100-SXM4-40GB: what people type */
	size_t n = 0, nfamily = 0;
	for (const struct gpu_spec *g; n < 256 && (g = catalog_gpu_at(c, n)) != NULL; n++)
		words[n] = g->model;
	near = near_word(name, words, n);
	for (size_t i = 0; !near && i < n; i++) {
		snprintf(family[nfamily], sizeof *family, "%.*s", (int)strcspn(words[i], "-"),
			 words[i]);
		words[nfamily] = family[nfamily];
		nfamily += catalog_gpu_family(c, sv_of(family[nfamily]), &some, 1) > 0;
	}
	if (!near)
		near = near_word(name, words, nfamily);
	err_set(err, -EINVAL, "the catalogue knows no GPU '%s'", name);
	if (near)
		err_hint(err, "did you mean '%s'?", near);
	else
		err_hint(err, "its names: tare price -o csv | cut -d, -f5 | sort -u");
	return -EINVAL;
}

int catalog_prices(const struct catalog *c, const struct price_query *q, struct price_row **ret,
		   size_t *ret_n, struct err *err)
{
	struct filter f = { .q = q,
			    .provider = q->provider ? catalog_provider(c, sv_of(q->provider))
						    : NULL };
	price_rows out = { 0 };
	if (q->gpu) {
		f.ngpu = catalog_gpu_family(c, sv_of(q->gpu), f.gpu, 8);
		if (!f.ngpu && !strcasestr(q->gpu, "mig"))
			return unknown_gpu(c, q->gpu, err);
		if (!f.ngpu)
			f.slice = q->gpu;
	}
	/* reading the files on first use shows to nobody */
	int r = price_ready((struct catalog *)c, f.provider, err);
	if (r < 0)
		return r;
	for (int i = 0; i < FILE_N; i++)
		if (price_file_serves((enum price_file)i, f.provider))
			collect_rows(c, &f, &c->shipped[i], &out);
	collect_rows(c, &f, &c->added, &out);
	if (out.n)
		sort_items(out.v, out.n, sizeof *out.v, q->history ? history_cmp : cheapest_cmp);
	*ret = out.v;
	*ret_n = out.n;
	return 0;
}

/* ---- one price over a window ------------------------------------------------------------- */

struct candidate { /* a price that may hold in a part of the window */
	struct price_row row;
	int weight; /* the heaviest wins */
	uint32_t seq;
};
typedef VEC(struct candidate) candidates;

struct want {
	const char *provider, *region, *zone, *purchase;
	const struct instance *instance; /* NULL: by model */
	const char *instance_type;       /* as asked, when the catalogue does not know it */
	const struct gpu_spec *model;
	const char *model_name;
	int64_t from_ms, to_ms;
};

static bool place_fits(const struct want *w, const struct prow *p)
{
	if (p->part || p->no_quote || strcmp(p->purchase, w->purchase))
		return false;
	if (!is_everywhere(p->region) && (!w->region || strcmp(p->region, w->region)))
		return false;
	if (*p->zone && (!w->zone || strcmp(p->zone, w->zone)))
		return false;
	int64_t to = INT64_MAX;
	if (p->to_ms != UNKNOWN_MS)
		to = p->to_ms;
	return p->from_ms < w->to_ms && to > w->from_ms && to > p->from_ms;
}

static bool model_fits(const struct want *w, const struct prow *p)
{
	const char *model;
	if (w->instance && w->instance->t.gpu_model)
		model = w->instance->t.gpu_model;
	else if (w->model)
		model = w->model->model;
	else
		model = w->model_name;
	return model && *model && !strcmp(model, p->gpu_model);
}

static void add_piece(const struct catalog *c, const struct want *w, const struct prow *p,
		      candidates *out)
{
	struct candidate *x = vec_push(out);
	prow_out(c, p, &x->row);
	/* a user's row before a fetched before a shipped one; then the nearer place; no special
	 * term before one */
	x->weight = (int)p->rank * 100 + (*p->instance_type ? 20 : 0) + (*p->zone ? 10 : 0) +
		    (is_everywhere(p->region) ? 0 : 5) + (*p->term ? 0 : 1);
	x->seq = p->seq;
	if (!*p->instance_type && w->instance && w->instance->t.gpu_milli && p->num) {
		/* as many GPUs as the type has */
		x->row.hour = dec_muldiv(dec_muldiv(x->row.hour, p->den, p->num), w->instance->num,
					 w->instance->den);
		x->row.upfront = dec_muldiv(dec_muldiv(x->row.upfront, p->den, p->num),
					    w->instance->num, w->instance->den);
		x->row.effective_hour = dec_muldiv(x->row.gpu_hour, w->instance->num,
						   w->instance->den);
		x->row.gpu_milli = w->instance->t.gpu_milli;
		x->row.instance_type = w->instance->t.name;
	}
}

static void pick_rows(const struct catalog *c, const struct want *w, const struct prices *p,
		      candidates *out)
{
	const char *type = w->instance ? w->instance->t.name : text_or(w->instance_type, "");
	size_t lo, hi;
	prices_range(p, w->provider, type, &lo, &hi);
	for (; lo < hi; lo++)
		if (place_fits(w, &p->v[lo]) && (*type || model_fits(w, &p->v[lo])))
			add_piece(c, w, &p->v[lo], out);
	if (!*type || !w->instance)
		return;
	prices_range(p, w->provider, "", &lo, &hi);
	for (; lo < hi; lo++)
		if (place_fits(w, &p->v[lo]) && model_fits(w, &p->v[lo]))
			add_piece(c, w, &p->v[lo], out);
}

/* No row for the bare model: the one type at this place that holds it, if there is just one. */
static void pick_only_type(const struct catalog *c, const struct want *w, const struct prices *p,
			   candidates *out)
{
	const char *only = NULL;
	size_t before = out->n;
	for (size_t i = 0; i < p->n; i++) {
		const struct prow *x = &p->v[i];
		if (strcmp(x->provider, w->provider) || !*x->instance_type || !place_fits(w, x) ||
		    !model_fits(w, x))
			continue;
		if (only && strcmp(only, x->instance_type)) {
			out->n = before;
			return;
		}
		only = x->instance_type;
		add_piece(c, w, x, out);
	}
}

static bool beats_candidate(const struct candidate *a, const struct candidate *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	/* several terms on offer and nothing says which one was bought: the most expensive, so that
	 * no saving is claimed that may not be */
	if (text_cmp(a->row.term, b->row.term) && a->row.effective_hour != b->row.effective_hour)
		return a->row.effective_hour > b->row.effective_hour;
	if (a->row.from_ms != b->row.from_ms)
		return a->row.from_ms > b->row.from_ms;
	return a->seq > b->seq;
}

/* Cut the window at every start and end; the best row of each part; neighbours of one row are
 * joined again. */
static void sweep_candidates(const struct want *w, const candidates *in, price_rows *out)
{
	VEC(int64_t) cut = { 0 };
	*vec_push(&cut) = w->from_ms;
	*vec_push(&cut) = w->to_ms;
	for (size_t i = 0; i < in->n; i++) {
		int64_t end[2] = { in->v[i].row.from_ms, in->v[i].row.to_ms };
		for (int k = 0; k < 2; k++)
			if (end[k] != UNKNOWN_MS && end[k] > w->from_ms && end[k] < w->to_ms)
				*vec_push(&cut) = end[k];
	}
	sort_items(cut.v, cut.n, sizeof *cut.v, rising_i64);
	const struct candidate *last = NULL;
	for (size_t k = 0; k + 1 < cut.n; k++) {
		const struct candidate *best = NULL;
		int64_t t = cut.v[k];
		if (t == cut.v[k + 1])
			continue;
		for (size_t i = 0; i < in->n; i++) {
			const struct price_row *r = &in->v[i].row;
			if (r->from_ms <= t && (r->to_ms == UNKNOWN_MS || t < r->to_ms) &&
			    (!best || beats_candidate(&in->v[i], best)))
				best = &in->v[i];
		}
		if (best && best == last && out->v[out->n - 1].to_ms == t) {
			out->v[out->n - 1].to_ms = cut.v[k + 1];
		} else if (best) {
			struct price_row *row = vec_push(out);
			*row = best->row;
			row->from_ms = t;
			row->to_ms = cut.v[k + 1];
		}
		last = best;
	}
	vec_free(&cut);
}

int catalog_price_over(const struct catalog *c, const struct price_over *q, struct price_row **ret,
		       size_t *ret_n, struct err *err)
{
	struct want w = { .provider = catalog_provider(c, sv_of(text_or(q->provider, ""))),
			  .zone = filled_or(q->zone, NULL),
			  .purchase = text_or(q->purchase, ""),
			  .instance_type = filled_or(q->instance_type, NULL),
			  .model = catalog_gpu(c, sv_of(q->gpu_model)),
			  .model_name = q->gpu_model,
			  .from_ms = q->from_ms,
			  .to_ms = q->to_ms };
	candidates found = { 0 };
	price_rows out = { 0 };
	*ret = NULL;
	*ret_n = 0;
	if (q->from_ms >= q->to_ms)
		return 0;
	int r = price_ready((struct catalog *)c, w.provider, err); /* as in catalog_prices() */
	if (r < 0)
		return r;
	if (q->region && *q->region)
		w.region = region_id(c, w.provider, sv_of(q->region));
	w.instance = w.instance_type ? instance_find(c, w.provider, sv_of(w.instance_type)) : NULL;
	const struct prices *tables[FILE_N + 1] = { &c->added };
	for (int i = 0; i < FILE_N; i++) {
		if (price_file_serves((enum price_file)i, w.provider))
			tables[i + 1] = &c->shipped[i];
		else
			tables[i + 1] = NULL;
	}
	for (int i = 0; i <= FILE_N; i++)
		if (tables[i])
			pick_rows(c, &w, tables[i], &found);
	for (int i = 0; i <= FILE_N && !found.n && !w.instance_type; i++)
		if (tables[i])
			pick_only_type(c, &w, tables[i], &found);
	sweep_candidates(&w, &found, &out);
	vec_free(&found);
	*ret = out.v;
	*ret_n = out.n;
	return 0;
}
