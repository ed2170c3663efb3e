#include "answer/report.h"

#include <errno.h>
#include <stdlib.h>

#include "answer/exchanged.h"
#include "answer/twice.h"
#include "base/near.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/owner.h"
#include "ledger/tagset.h"
#include "store/accounts.h"

/* ---- dimensions and filters -------------------------------------------------------------- */

/* A dimension by its name; ret_tag is the key of tag:KEY. */
static int dim_from(const char *name, enum dim *ret, const char **ret_tag, struct err *err)
{
	int d = dim_of(sv_of(name));

	bool has_tag = sv_starts(sv_of(name), SV("tag:")) && name[4];

	if (d < 0 || (d == DIM_TAG && !has_tag)) {
		const char *names[DIM_N];

		for (int i = 0; i < DIM_N; i++)
			names[i] = i == DIM_TAG ? "tag:KEY" : dim_name(i);
		err_set(err, -EINVAL, "'%s' is not a dimension", name);
		const char *near = near_word(name, names, DIM_N);
		if (near)
			err_hint(err, "Did you mean '%s'?", near);
		else
			err_hint(
				err,
				"Dimensions: kind team project env workload user job run service cluster node provider region zone\n"
				"gpu_model gpu instance_type purchase commitment cloud_service account billing_account invoice\n"
				"charge_category state cause quality hour day week month quarter or tag:KEY");
		return -EINVAL;
	}
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
		if (d->n >= REPORT_DIMS_ASKED)
			return err_set(err, -E2BIG, "more than %d dimensions", REPORT_DIMS_ASKED);
		int r = dim_from(name, &d->dim[d->n], &d->tag[d->n], err);
		if (r < 0)
			return r;
		/* the rows are the accounts, whatever two of them are called */
		if (d->dim[d->n] == DIM_ACCOUNT_NAME && !report_dims_has(d, "account")) {
			d->dim[d->n] = DIM_ACCOUNT;
			name = arena_sv(a, SV("account"));
		}
		d->name[d->n++] = name;
	}
	return 0;
}

int report_dims_add_names(struct report_dims *d, struct err *err)
{
	size_t i = 0;

	if (report_dims_has(d, "account_name"))
		return 0;
	while (i < d->n && d->dim[i] != DIM_ACCOUNT)
		i++;
	if (i == d->n)
		return 0;
	if (d->n == REPORT_DIMS_MAX)
		return err_set(err, -E2BIG, "more than %d dimensions", REPORT_DIMS_MAX);
	for (size_t k = d->n++; k > i + 1; k--) {
		d->dim[k] = d->dim[k - 1];
		d->tag[k] = d->tag[k - 1];
		d->name[k] = d->name[k - 1];
	}
	d->dim[i + 1] = DIM_ACCOUNT_NAME;
	d->tag[i + 1] = NULL;
	d->name[i + 1] = dim_name(DIM_ACCOUNT_NAME);
	return 0;
}

int report_dims_add_split(struct report_dims *d, enum idle_split split, const struct conf *conf,
			  struct arena *a, struct err *err)
{
	int r = 0;

	if (!report_dims_has(d, "kind"))
		r = report_dims_add(d, "kind", a, err);
	for (size_t i = 0; i < conf->idle_rules.n && split == SPLIT_RULE && r == 0; i++) {
		const char *field = conf->idle_rules.v[i].field;
		if (field && dim_of(sv_of(field)) >= 0 && !report_dims_has(d, field))
			r = report_dims_add(d, field, a, err);
	}
	return r;
}

/* The value before the next comma; "\\," and "\\\\" stand for a comma and a backslash of its
 * own. */
static char *next_value(struct arena *a, struct sv *rest)
{
	struct str s = { 0 };
	size_t i = 0;

	for (; i < rest->n && rest->p[i] != ','; i++) {
		char next = i + 1 < rest->n ? rest->p[i + 1] : 0;
		bool escapes = rest->p[i] == '\\' && (next == ',' || next == '\\');
		i += escapes;
		str_addc(&s, rest->p[i]);
	}
	*rest = i < rest->n ? sv_from(*rest, i + 1) : SV_NULL;
	struct sv value = sv_trim(str_sv(&s));
	char *ret = arena_strn(a, value.p, value.n);
	str_free(&s);
	return ret;
}

int report_filter_add(struct report_filters *f, const char *text, struct arena *a, struct err *err)
{
	const char *eq = strchr(text, '=');
	bool negate = eq && eq > text && eq[-1] == '!';
	enum dim dim;
	const char *tag;

	if (!eq || eq == text + negate) {
		err_set(err, -EINVAL, "--where: '%s' is not a condition", text);
		err_hint(err,
			 "Write dim=value[,value...] or dim!=value, such as --where team=vision");
		return -EINVAL;
	}
	char *name = arena_sv(a, sv_trim((struct sv){ text, (size_t)(eq - text) - negate }));
	int r = dim_from(name, &dim, &tag, err);
	if (r < 0)
		return r;
	if (dim == DIM_ACCOUNT_NAME)
		dim = DIM_ACCOUNT; /* which is found by its names too */
	struct sv rest = sv_of(eq + 1);
	while (rest.p)
		*vec_push(&f->v) = (struct ledger_filter){ dim, tag, next_value(a, &rest), negate };
	str_addf(&f->words, "%s%s", text_if(f->words.n, " · "), text);
	return 0;
}

int report_filter_fits(const struct report_filters *f, enum idle_split split, struct err *err)
{
	static const enum dim owner[] = { DIM_TEAM, DIM_PROJECT, DIM_ENV,   DIM_WORKLOAD, DIM_USER,
					  DIM_JOB,  DIM_RUN,     DIM_STATE, DIM_CAUSE,    DIM_TAG };

	for (size_t i = 0; split != SPLIT_NONE && i < f->v.n; i++)
		for (size_t k = 0; k < sizeof owner / sizeof *owner; k++) {
			if (f->v.v[i].dim != owner[k])
				continue;
			err_set(err, -EINVAL,
				"--split-idle splits what nobody held, which --where %s leaves out",
				dim_name(owner[k]));
			err_hint(
				err,
				"Leave one of them out, or filter by cluster, node, provider, region, gpu_model or purchase");
			return -EINVAL;
		}
	return 0;
}

int report_find_accounts(struct report_ask *q, const struct report_dims *d, struct err *err)
{
	struct report_filters by_id = { .words = q->filter.words };
	bool asked = report_dims_has(d, dim_name(DIM_ACCOUNT));

	for (size_t i = 0; i < q->filter.v.n; i++)
		asked |= q->filter.v.v[i].dim == DIM_ACCOUNT;
	if (!asked)
		return 0;
	int r = account_names_load(q->ask.store, q->ask.mem, &q->accounts, err);
	if (r < 0)
		return r;
	const struct account_names *names = &q->accounts;
	for (size_t i = 0; i < q->filter.v.n; i++) {
		const struct ledger_filter *f = &q->filter.v.v[i];

		/* A name stands for all ids that have it. */
		bool by_name = f->dim == DIM_ACCOUNT && *f->value &&
			       !account_known(names, f->value);
		size_t before = by_id.v.n;

		for (size_t k = 0; by_name && k < names->n; k++) {
			struct ledger_filter one = *f;
			one.value = names->v[k].id;
			if (!strcmp(names->v[k].name, f->value))
				*vec_push(&by_id.v) = one;
		}
		if (by_id.v.n == before)
			*vec_push(&by_id.v) = *f;
	}
	vec_free(&q->filter.v);
	q->filter = by_id;
	return 0;
}

/* ---- window ------------------------------------------------------------------------------ */

int report_window(struct report_ask *q, bool *ret_empty, struct err *err)
{
	const struct ask *ask = &q->ask;
	int64_t from, to;

	*ret_empty = false;
	int r = store_data_span(ask->store, &from, &to, err);
	if (r < 0)
		return r;
	if (ask->since_ms != INT64_MIN && ask->until_ms != INT64_MAX) {
		/* "month" reaches to its end, what there is may not */
		bool within = to != UNKNOWN_MS && to > ask->since_ms;
		q->since_ms = ask->since_ms;
		q->until_ms = ask->until_ms;
		if (within && to < ask->until_ms)
			q->data_until_ms = to;
		return 0;
	}
	*ret_empty = from == UNKNOWN_MS;
	q->since_ms = ask->since_ms == INT64_MIN ? from : ask->since_ms;
	q->until_ms = ask->until_ms == INT64_MAX ? to : ask->until_ms;
	bool known = !*ret_empty && q->until_ms != UNKNOWN_MS && q->since_ms != UNKNOWN_MS;
	if (known && q->until_ms < q->since_ms)
		q->until_ms = q->since_ms; /* the window lies wholly behind the data */
	return 0;
}

int report_bill_lines(const struct report_ask *q, int64_t *ret, struct err *err)
{
	struct bill_total *bill;
	size_t n;
	int r = store_bill_totals(q->ask.store, SPAN_ALL, q->ask.mem, &bill, &n, err);

	if (r < 0)
		return r;
	*ret = 0;
	for (size_t i = 0; i < n; i++)
		*ret += bill[i].rows;
	return 0;
}

/* ---- cells ------------------------------------------------------------------------------- */

static struct report_reconcile *rec_of(const struct report_ask *q, struct report_reconcile *v,
				       size_t *n, struct sv currency)
{
	const char *home = text_or(q->ask.conf->currency, "USD");
	struct sv cur = currency;

	if (!currency.n)
		cur = sv_of(home);
	for (size_t i = 0; i < *n; i++)
		if (sv_is(cur, v[i].currency))
			return &v[i];
	v[*n] = (struct report_reconcile){ .currency = arena_sv(q->ask.mem, cur) };
	return &v[(*n)++];
}

static struct report_cell cell_of(const struct report_ask *q, const struct report_dims *d,
				  const struct ledger_row *r)
{
	struct arena *a = q->ask.mem;
	const char **dim = arena_alloc(a, (d->n + 1) * sizeof *dim), *account = "";
	size_t k = 0;

	/* the store has no names of accounts */
	for (size_t i = 0; i < d->n; i++) {
		if (d->dim[i] == DIM_ACCOUNT_NAME) {
			dim[i] = account_name(&q->accounts, account);
			continue;
		}
		dim[i] = r->dim[k].n ? arena_sv(a, r->dim[k]) : "";
		if (d->dim[i] == DIM_ACCOUNT)
			account = dim[i];
		k++;
	}
	return (struct report_cell){
		.dim = dim,
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

struct cells {
	struct report_cell *cell;
	size_t n;
	struct report_reconcile *rec; /* room for one per cell */
	size_t nrec;
	struct exchanged_sums exchanged;
};

static int load_cells(const struct report_ask *q, const struct report_dims *d, bool filtered,
		      struct cells *ret, struct err *err)
{
	struct arena *a = q->ask.mem;
	struct ledger_row *row;
	struct cells x = { 0 };

	/* With an exchange each row has its day behind its dimensions. */
	enum dim dim[REPORT_DIMS_MAX + 1];
	const char *tag[REPORT_DIMS_MAX + 1];
	struct ledger_query query = {
		.dim = dim,
		.tag = tag,
		.since_ms = q->ask.since_ms,
		.until_ms = q->ask.until_ms,
		.basis = q->basis,
		.by_price = q->by_price,
	};

	for (size_t i = 0; i < d->n; i++) {
		if (d->dim[i] == DIM_ACCOUNT_NAME)
			continue;
		dim[query.ndim] = d->dim[i];
		tag[query.ndim++] = d->tag[i];
	}
	if (filtered) {
		query.filter = q->filter.v.v;
		query.nfilter = q->filter.v.n;
	}
	if (q->exchange) {
		dim[query.ndim] = DIM_DAY;
		tag[query.ndim++] = NULL;
	}
	int r = store_ledger(q->ask.store, &query, q->ask.mem, &row, &x.n, err);

	if (r < 0)
		return r;
	x.cell = arena_alloc(a, (x.n + 1) * sizeof *x.cell);
	/* at most one per row */
	x.rec = arena_alloc(a, (x.n + 1) * sizeof *x.rec);
	for (size_t i = 0; i < x.n; i++) {
		struct report_reconcile *rec = rec_of(q, x.rec, &x.nrec, row[i].currency);
		x.cell[i] = cell_of(q, d, &row[i]);
		rec->ledger += row[i].bill_nano * 1000;
		rec->unbilled += (row[i].nano - row[i].bill_nano) * 1000;
		rec->unpriced_ms += row[i].unpriced_ms;
	}
	if (q->exchange) {
		/* In the one currency that is asked for. The reconcile line was added up before. */
		int64_t *day_ms = arena_alloc(a, (x.n + 1) * sizeof *day_ms);
		size_t day = d->n - report_dims_has(d, dim_name(DIM_ACCOUNT_NAME));

		for (size_t i = 0; i < x.n; i++)
			if (tm_parse(row[i].dim[day], 0, &day_ms[i]) < 0)
				day_ms[i] = 0;
		exchange_cells(q, d->n, day_ms, x.cell, &x.n, &x.exchanged);
	}
	*ret = x;
	return 0;
}

int report_cells(const struct report_ask *q, const struct report_dims *d, bool filtered,
		 struct report_cell **ret, size_t *ret_n, struct err *err)
{
	struct cells x;
	int r = load_cells(q, d, filtered, &x, err);

	if (r < 0)
		return r;
	*ret = x.cell;
	*ret_n = x.n;
	return 0;
}

/* ---- reconcile --------------------------------------------------------------------------- */

/* The whole window's sums with room for `more` further currencies. */
static int rec_whole(const struct report_ask *q, struct report_reconcile **rec, size_t *n,
		     size_t more, struct err *err)
{
	struct report_dims kind = { 0 };
	struct cells x;

	if (q->filter.v.n) { /* the rows have a filter, the bill has none */
		int r = report_dims_add(&kind, "kind", q->ask.mem, err);
		if (r >= 0)
			r = load_cells(q, &kind, false, &x, err);
		if (r < 0)
			return r;
		*rec = x.rec;
		*n = x.nrec;
	}
	struct report_reconcile *v = arena_alloc(q->ask.mem, (*n + more + 1) * sizeof *v);
	if (*n)
		memcpy(v, *rec, *n * sizeof *v);
	*rec = v;
	return 0;
}

static int load_reconcile(const struct report_ask *q, struct report_answer *ret,
			  struct report_reconcile *rec, size_t n, struct err *err)
{
	struct arena *a = q->ask.mem;
	const struct span window = { q->ask.since_ms, q->ask.until_ms };
	struct bill_total *bill;
	struct remainder *rest;
	size_t nbill, nrest;
	int r = store_bill_totals(q->ask.store, window, a, &bill, &nbill, err);

	if (r >= 0)
		r = store_remainders(q->ask.store, window, a, &rest, &nrest, err);
	if (r >= 0)
		r = rec_whole(q, &rec, &n, nbill + nrest, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < nbill; i++) {
		struct report_reconcile *x = rec_of(q, rec, &n, bill[i].currency);
		x->has_bill = x->has_bill || bill[i].rows > 0;
		x->billed += bill[i].cost[q->basis];
		x->lines += bill[i].rows;
		x->lines_unknown += bill[i].unknown[q->basis];
		x->invoiced += bill[i].cost[BASIS_BILLED];
		x->used += bill[i].used;
		x->used_unbilled += bill[i].used_unbilled;
		x->partial |= bill[i].partial;
	}
	for (size_t i = 0; i < nrest; i++) {
		if (rest[i].basis != q->basis)
			continue;
		struct report_reconcile *x = rec_of(q, rec, &n, sv_of(rest[i].currency));
		x->rest_num += rest[i].amount * MS_HOUR + rest[i].pico_ms;
		x->remainder = div_half_even(x->rest_num, MS_HOUR);
	}
	ret->reconcile = rec;
	ret->nreconcile = n;
	return 0;
}

/* Why a filter leaves nothing: a value that nothing has is mostly one that is written otherwise. */
static int find_unknown(const struct report_ask *q, const struct ledger_filter *f,
			struct report_answer *ret, struct err *err)
{
	struct report_dims d = {
		.dim = { f->dim }, .tag = { f->tag }, .name = { dim_name(f->dim) }, .n = 1
	};
	struct report_cell *cell;
	size_t n;
	int r = report_cells(q, &d, false, &cell, &n, err);

	if (r < 0)
		return r;
	const struct account_names *names = &q->accounts;
	size_t nname = f->dim == DIM_ACCOUNT ? names->n : 0;
	const char **name = arena_alloc(q->ask.mem, (n + nname + 1) * sizeof *name);
	for (size_t i = 0; i < n; i++) {
		name[i] = cell[i].dim[0];
		if (!strcmp(name[i], f->value))
			return 0;
	}
	for (size_t i = 0; i < nname; i++)
		name[n++] = names->v[i].name;
	if (f->dim == DIM_TAG)
		ret->unknown_dim = arena_printf(q->ask.mem, "tag:%s", f->tag);
	else
		ret->unknown_dim = dim_name(f->dim);
	ret->unknown_value = f->value;
	ret->near_value = near_word(f->value, name, n);
	return 0;
}

static bool has_tag(const struct report_answer *a, size_t dim)
{
	for (size_t i = 0; i < a->ncell; i++)
		if (*a->cell[i].dim[dim])
			return true;
	return false;
}

/* A tag that no row has is mostly another one's name written otherwise. */
static int find_unknown_tag(const struct report_ask *q, const struct report_dims *d,
			    struct report_answer *a, struct err *err)
{
	for (size_t i = 0; i < d->n && !a->unknown_tag; i++)
		if (d->dim[i] == DIM_TAG && a->ncell && !has_tag(a, i))
			a->unknown_tag = d->tag[i];
	for (size_t i = 0; i < q->filter.v.n && !a->unknown_tag; i++)
		if (q->filter.v.v[i].dim == DIM_TAG && !a->ncell)
			a->unknown_tag = q->filter.v.v[i].tag;
	if (!a->unknown_tag)
		return 0;
	int r = store_tag_keys(q->ask.store, q->ask.mem, &a->tag_key, &a->ntag_key, err);
	if (r < 0)
		return r;
	/* it is there, and in this window nobody has it */
	for (size_t i = 0; i < a->ntag_key && a->unknown_tag; i++)
		if (tagset_same_key(sv_of(a->tag_key[i]), sv_of(a->unknown_tag)))
			a->unknown_tag = NULL;
	if (a->unknown_tag)
		a->near_tag = near_word(a->unknown_tag, a->tag_key, a->ntag_key);
	return 0;
}

int answer_report(const struct report_ask *q, const struct report_dims *d,
		  struct report_answer *ret, struct err *err)
{
	struct report_answer a = { .ledger_from_ms = UNKNOWN_MS, .ledger_to_ms = UNKNOWN_MS };
	struct cells x;
	int r = load_cells(q, d, true, &x, err);

	if (r >= 0)
		r = load_reconcile(q, &a, x.rec, x.nrec, err);
	if (r >= 0) {
		a.cell = x.cell;
		a.ncell = x.n;
	}
	if (r >= 0 && q->exchange) {
		/* Each currency that rows or bills are in, with what its bills say in it. */
		size_t n = x.exchanged.n;
		struct report_exchanged *v = arena_zalloc(q->ask.mem,
							  (n + a.nreconcile + 1) * sizeof *v);
		if (n)
			memcpy(v, x.exchanged.v, n * sizeof *v);
		for (size_t i = 0; i < a.nreconcile; i++) {
			const struct report_reconcile *rec = &a.reconcile[i];
			size_t k = 0;
			while (k < n && strcmp(v[k].currency, rec->currency) != 0)
				k++;
			if (k == n)
				v[n++] = (struct report_exchanged){ .currency = rec->currency,
								    .from_ms = UNKNOWN_MS,
								    .to_ms = UNKNOWN_MS,
								    .left_from_ms = UNKNOWN_MS,
								    .left_to_ms = UNKNOWN_MS };
			v[k].reconcile = rec;
		}
		a.exchanged = v;
		a.nexchanged = n;
	}
	bool told = false;
	if (r >= 0)
		r = store_ends_told(q->ask.store, q->ask.since_ms, q->ask.until_ms, &told, err);
	a.ends_untold = !told;
	if (r >= 0 && report_dims_has(d, "team") && !owner_accounts_are_teams(q->ask.conf))
		r = store_accounts_without_team(q->ask.store, q->ask.since_ms, q->ask.until_ms,
						&a.accounts_teamless, err);
	struct twice twice = { 0 };
	if (r >= 0 && a.ncell)
		r = answer_twice(&q->ask, q->since_ms, q->until_ms, &twice, err);
	a.nameless = twice.nameless;
	if (twice.named)
		a.nameless = arena_printf(q->ask.mem, "%s%s%s", text_or(twice.nameless, ""),
					  text_if(twice.nameless, ". "), twice.named);
	if (r == 0 && !a.ncell)
		r = store_data_span(q->ask.store, &a.ledger_from_ms, &a.ledger_to_ms, err);
	for (size_t i = 0; r == 0 && !a.ncell && i < q->filter.v.n; i++)
		if (!q->filter.v.v[i].negate && !a.unknown_dim)
			r = find_unknown(q, &q->filter.v.v[i], &a, err);
	if (r >= 0)
		r = find_unknown_tag(q, d, &a, err);
	if (r >= 0)
		*ret = a;
	return r;
}

int answer_report_days(const struct report_ask *q, const struct report_cell **ret, size_t *ret_n,
		       struct err *err)
{
	struct report_dims day = { 0 };
	struct report_cell *cell;
	int r = report_dims_add(&day, "day", q->ask.mem, err);

	if (r >= 0)
		r = report_cells(q, &day, true, &cell, ret_n, err);
	if (r >= 0)
		*ret = cell;
	return r;
}

void report_ask_free(struct report_ask *q)
{
	vec_free(&q->filter.v);
	str_free(&q->filter.words);
}
