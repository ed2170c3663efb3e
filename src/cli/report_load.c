#include "cli/report_load.h"

#include <errno.h>
#include <stdlib.h>

#include "base/near.h"
#include "base/tm.h"

/* ---- dimensions and filters -------------------------------------------------------------- */

static int bad_dim(const char *word, struct err *err)
{
	const char *names[DIM_N];

	for (int i = 0; i < DIM_N; i++)
		names[i] = i == DIM_TAG ? "tag:KEY" : dim_name(i);
	err_set(err, -EINVAL, "'%s' is no dimension", word);
	const char *near = near_word(word, names, DIM_N);
	if (near)
		err_hint(err, "Did you mean '%s'?", near);
	else
		err_hint(
			err,
			"Dimensions: kind team project env workload user job run service cluster node provider region zone\n"
			"gpu_model gpu instance_type purchase commitment cloud_service account state cause quality\n"
			"hour day month or tag:KEY");
	return -EINVAL;
}

/* A dimension by its name; ret_tag is the key of tag:KEY. */
static int dim_from(const char *name, enum dim *ret, const char **ret_tag, struct err *err)
{
	int d = dim_of(sv_of(name));

	if (d < 0 || (d == DIM_TAG && (!sv_starts(sv_of(name), SV("tag:")) || !name[4])))
		return bad_dim(name, err);
	*ret = (enum dim)d;
	*ret_tag = d == DIM_TAG ? name + 4 : NULL;
	return 0;
}

bool report_dims_has(const struct report_dims *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->name[i], name))
			return true;
	return false;
}

int report_dims_add(struct report_dims *d, const char *text, struct arena *a, struct err *err)
{
	struct sv rest = sv_of(text);

	while (rest.p) {
		char *name = arena_sv(a, sv_trim(sv_cut(rest, ',', &rest)));
		if (!name || !*name)
			return err_set(err, -EINVAL, "'%s' names an empty dimension", text);
		if (report_dims_has(d, name))
			return err_set(err, -EINVAL, "dimension '%s' is named twice", name);
		if (d->n == REPORT_DIMS_MAX)
			return err_set(err, -E2BIG, "more than %d dimensions", REPORT_DIMS_MAX);
		int r = dim_from(name, &d->dim[d->n], &d->tag[d->n], err);
		if (r < 0)
			return r;
		d->name[d->n++] = name;
	}
	return 0;
}

int report_filter_add(struct report_filters *f, const char *text, struct arena *a, struct err *err)
{
	const char *eq = strchr(text, '=');
	bool negate = eq && eq > text && eq[-1] == '!';
	enum dim dim;
	const char *tag;

	if (!eq || eq == text + negate) {
		err_set(err, -EINVAL, "--where: '%s' is no condition", text);
		err_hint(err,
			 "Write dim=value[,value...] or dim!=value, such as --where team=vision");
		return -EINVAL;
	}
	char *name = arena_sv(a, sv_trim((struct sv){ text, (size_t)(eq - text) - negate }));
	int r = dim_from(name, &dim, &tag, err);
	if (r < 0)
		return r;
	struct sv rest = sv_of(eq + 1);
	do {
		struct sv value = sv_trim(sv_cut(rest, ',', &rest));
		*vec_push(&f->v) = (struct ledger_filter){
			dim, tag, arena_strn(a, value.n ? value.p : "", value.n), negate
		};
	} while (rest.p);
	str_addf(&f->words, "%s%s", f->words.n ? " · " : "", text);
	return 0;
}

/* ---- cells ------------------------------------------------------------------------------- */

static struct report_reconcile *rec_of(struct report_load *l, struct report_reconcile *v, size_t *n,
				       struct sv currency)
{
	const char *home = l->c->conf.currency ? l->c->conf.currency : "USD";
	struct sv cur = currency.n ? currency : sv_of(home);

	for (size_t i = 0; i < *n; i++)
		if (sv_is(cur, v[i].currency))
			return &v[i];
	v[*n] = (struct report_reconcile){ .currency = arena_sv(&l->c->mem, cur) };
	return &v[(*n)++];
}

static const char *const *dims_z(struct arena *a, const struct ledger_row *r, size_t n)
{
	const char **dim = arena_alloc(a, (n + 1) * sizeof *dim);

	for (size_t i = 0; i < n; i++)
		dim[i] = r->dim[i].n ? arena_sv(a, r->dim[i]) : "";
	return dim;
}

static struct report_cell cell_of(struct arena *a, const struct ledger_row *r, size_t n)
{
	return (struct report_cell){
		.dim = dims_z(a, r, n),
		.is_gpu = r->is_gpu,
		.state = r->state,
		.currency = r->currency.n ? arena_sv(a, r->currency) : "",
		.ms = r->ms,
		.util_ms = r->util_ms,
		.measured_ms = r->measured_ms,
		.estimated_ms = r->estimated_ms,
		.unpriced_ms = r->unpriced_ms,
		.cost = r->nano * 1000,
		.unwatched_ms = r->unwatched_ms,
		.unwatched_cost = r->unwatched_nano * 1000,
	};
}

static int query(struct report_load *l, const struct report_dims *d, bool filtered,
		 struct ledger_row **ret, size_t *ret_n, struct err *err)
{
	struct ledger_query q = {
		.dim = d->dim,
		.tag = d->tag,
		.ndim = d->n,
		.since_ms = l->c->since_ms,
		.until_ms = l->c->until_ms,
		.basis = l->basis,
		.filter = filtered ? l->filter.v.v : NULL,
		.nfilter = filtered ? l->filter.v.n : 0,
	};

	return store_ledger(l->s, &q, &l->c->mem, ret, ret_n, err);
}

int report_load_cells(struct report_load *l, const struct report_dims *d, bool filtered,
		      struct report_cell **ret, size_t *ret_n, struct report_reconcile **ret_rec,
		      size_t *ret_nrec, struct err *err)
{
	struct arena *a = &l->c->mem;
	struct ledger_row *row;
	size_t n, nrec = 0;
	int r = query(l, d, filtered, &row, &n, err);

	if (r < 0)
		return r;
	struct report_cell *cell = arena_alloc(a, (n + 1) * sizeof *cell);
	/* at most one per row */
	struct report_reconcile *rec = arena_alloc(a, (n + 1) * sizeof *rec);
	for (size_t i = 0; i < n; i++) {
		struct report_reconcile *x = rec_of(l, rec, &nrec, row[i].currency);
		cell[i] = cell_of(a, &row[i], d->n);
		x->ledger += row[i].bill_nano * 1000;
		x->unbilled += (row[i].nano - row[i].bill_nano) * 1000;
		x->unpriced_ms += row[i].unpriced_ms;
	}
	*ret = cell;
	*ret_n = n;
	if (ret_rec) {
		*ret_rec = rec;
		*ret_nrec = nrec;
	}
	return 0;
}

/* ---- reconcile --------------------------------------------------------------------------- */

/* The whole window's sums with room for `more` further currencies. */
static int rec_whole(struct report_load *l, struct report_reconcile **rec, size_t *n, size_t more,
		     struct err *err)
{
	struct report_dims kind = { 0 };
	struct report_cell *cell;
	size_t ncell;

	if (l->filter.v.n) { /* the rows have a filter, the bill has none */
		int r = report_dims_add(&kind, "kind", &l->c->mem, err);
		r = r < 0 ? r : report_load_cells(l, &kind, false, &cell, &ncell, rec, n, err);
		if (r < 0)
			return r;
	}
	struct report_reconcile *v = arena_alloc(&l->c->mem, (*n + more + 1) * sizeof *v);
	if (*n)
		memcpy(v, *rec, *n * sizeof *v);
	*rec = v;
	return 0;
}

static int load_reconcile(struct report_load *l, struct report_in *in, struct report_reconcile *rec,
			  size_t n, struct err *err)
{
	struct arena *a = &l->c->mem;
	struct bill_total *bill;
	struct remainder *rest;
	size_t nbill, nrest;
	int r = store_bill_totals(l->s, l->c->since_ms, l->c->until_ms, a, &bill, &nbill, err);

	r = r < 0 ? r
		  : store_remainders(l->s, l->c->since_ms, l->c->until_ms, a, &rest, &nrest, err);
	r = r < 0 ? r : rec_whole(l, &rec, &n, nbill + nrest, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < nbill; i++) {
		struct report_reconcile *x = rec_of(l, rec, &n, bill[i].currency);
		x->has_bill = x->has_bill || bill[i].rows > 0;
		x->billed += bill[i].cost[l->basis];
		x->partial |= bill[i].partial;
	}
	for (size_t i = 0; i < nrest; i++) {
		if (rest[i].basis != l->basis)
			continue;
		struct report_reconcile *x = rec_of(l, rec, &n, sv_of(rest[i].currency));
		x->rest_num += rest[i].amount * MS_HOUR + rest[i].pico_ms;
		x->remainder = div_half_even(x->rest_num, MS_HOUR);
	}
	in->reconcile = rec;
	in->nreconcile = n;
	return 0;
}

int report_load_in(struct report_load *l, const struct report_dims *d, size_t ndim,
		   struct report_in *ret, struct err *err)
{
	struct report_cell *cell;
	struct report_reconcile *rec;
	size_t n, nrec;
	int r = report_load_cells(l, d, true, &cell, &n, &rec, &nrec, err);

	if (r < 0)
		return r;
	struct report_in in = {
		.dim = d->name,
		.ndim = ndim,
		.nattr = d->n - ndim,
		.cell = cell,
		.ncell = n,
		.since_ms = l->since_ms,
		.until_ms = l->until_ms,
		.basis = l->basis,
		.conf = &l->c->conf,
		.where = l->filter.words.n ? str_z(&l->filter.words) : NULL,
		.colour = l->c->colour,
		.width = l->c->width,
		.now_ms = l->c->now_ms,
	};
	r = load_reconcile(l, &in, rec, nrec, err);
	if (r == 0)
		*ret = in;
	return r;
}
