#include "report/cube.h"

#include <errno.h>
#include <stdlib.h>

static const char *const sort_names[] = { "cost", "gpu_seconds", "name", "waste" };

int report_sort_of(struct sv name)
{
	for (int i = 0; i < 4; i++)
		if (sv_is(name, sort_names[i]))
			return i;
	return -1;
}

const char *report_currency(const struct report_in *in)
{
	return in->conf && in->conf->currency && *in->conf->currency ? in->conf->currency : "USD";
}

bool cube_is_time(const char *dim)
{
	return !strcmp(dim, "hour") || !strcmp(dim, "day") || !strcmp(dim, "month");
}

const char *cube_label(const char *dim, const char *value)
{
	static const char *const owner[] = { "team", "project", "user", "job", "run" };

	if (*value)
		return value;
	for (size_t i = 0; i < sizeof owner / sizeof *owner; i++)
		if (!strcmp(dim, owner[i]))
			return "(nobody)";
	return !strcmp(dim, "state") ? "(no GPU time)" : "-";
}

/* ---- sums ------------------------------------------------------------------------------------------------------------------- */

static void sum_add(struct cube_sum *to, const struct cube_sum *x)
{
	to->ms += x->ms;
	to->measured_ms += x->measured_ms;
	to->estimated_ms += x->estimated_ms;
	to->unpriced_ms += x->unpriced_ms;
	to->cost += x->cost;
	if (x->util_ms != UNKNOWN_I64)
		to->util_ms = (to->util_ms == UNKNOWN_I64 ? 0 : to->util_ms) + x->util_ms;
}

static void row_init(struct cube_row *r, const char *const *dim, const char *currency)
{
	*r = (struct cube_row){ .dim = dim, .currency = currency };
	r->gpu.util_ms = UNKNOWN_I64;
	for (int s = 0; s < STATE_N; s++)
		r->state[s].util_ms = UNKNOWN_I64;
}

static void row_add_cell(struct cube_row *r, const struct report_cell *c, int kind)
{
	struct cube_sum x = { c->ms, c->util_ms, c->measured_ms, c->estimated_ms, c->unpriced_ms, c->cost };

	r->direct += c->cost;
	if (kind >= 0)
		r->kind[kind] += c->cost;
	if (!c->is_gpu) {
		r->state[STATE_NONE].cost += c->cost;
		return;
	}
	if (c->state == STATE_UNKNOWN || c->state == STATE_NONE) /* that it was paid may be measured, what it did is not */
		x.measured_ms = x.estimated_ms = 0;
	sum_add(&r->state[c->state == STATE_NONE ? STATE_UNKNOWN : c->state], &x);
	sum_add(&r->gpu, &x);
}

static void row_add_row(struct cube_row *to, const struct cube_row *x)
{
	for (int s = 0; s < STATE_N; s++)
		sum_add(&to->state[s], &x->state[s]);
	for (int k = 0; k < KIND_N; k++)
		to->kind[k] += x->kind[k];
	sum_add(&to->gpu, &x->gpu);
	to->cost += x->cost;
	to->direct += x->direct;
	to->idle += x->idle;
	to->shared += x->shared;
	to->waste += x->waste;
	to->has_cost |= x->has_cost;
}

int64_t cube_allocated_ms(const struct cube_row *r)
{
	return r->gpu.ms - r->state[STATE_UNALLOCATED].ms;
}

int64_t cube_read_ms(const struct cube_row *r)
{
	return r->state[STATE_BUSY].ms + r->state[STATE_UNDERUSED].ms + r->state[STATE_IDLE_HELD].ms + r->state[STATE_IDLE_EMPTY].ms;
}

int64_t cube_idle_ms(const struct cube_row *r)
{
	return r->state[STATE_IDLE_HELD].ms + r->state[STATE_IDLE_EMPTY].ms + r->state[STATE_UNALLOCATED].ms;
}

dec cube_idle_cost(const struct cube_row *r)
{
	return r->state[STATE_IDLE_HELD].cost + r->state[STATE_IDLE_EMPTY].cost + r->state[STATE_UNALLOCATED].cost;
}

/* Idle, unallocated and lost count in full, underused time by what it left unused. */
static dec waste_of(const struct cube_row *r)
{
	const struct cube_sum *u = &r->state[STATE_UNDERUSED];
	dec waste = cube_idle_cost(r) + r->state[STATE_LOST].cost;

	if (u->ms > 0 && u->util_ms != UNKNOWN_I64 && u->util_ms <= u->ms)
		waste += dec_muldiv(u->cost, u->ms - u->util_ms, u->ms);
	return waste;
}

static void row_finish(struct cube_row *r)
{
	r->cost = r->direct + r->idle + r->shared;
	r->waste = waste_of(r);
	r->has_cost = r->cost || !r->gpu.ms || r->gpu.unpriced_ms < r->gpu.ms;
}

/* ---- grouping --------------------------------------------------------------------------------------------------------------- */

struct pot { /* cost of time that nobody used, with what rules look at */
	const struct report_cell *first;
	size_t row; /* the row its dimensions name */
	struct cube_sum sum;
};

struct build {
	const struct report_in *in;
	struct cube *out;
	size_t kind_at; /* where "kind" is among the dimensions, or SIZE_MAX */
	struct intern row_key, pot_key;
	VEC(struct cube_row) row;
	VEC(struct pot) pot;
	struct str key;
};

static const char *currency_of(const struct report_in *in, const char *c)
{
	return c && *c ? c : report_currency(in);
}

static struct sv key_of(struct build *b, const struct report_cell *c, size_t n)
{
	str_clear(&b->key);
	str_addz(&b->key, currency_of(b->in, c->currency));
	for (size_t i = 0; i < n; i++) {
		str_addc(&b->key, 0);
		str_addz(&b->key, c->dim[i]);
	}
	return str_sv(&b->key);
}

static size_t row_of(struct build *b, const struct report_cell *c)
{
	size_t id = intern_add(&b->row_key, key_of(b, c, b->in->ndim));

	if (id == b->row.n)
		row_init(vec_push(&b->row), c->dim, currency_of(b->in, c->currency));
	return id;
}

static int kind_of_cell(const struct build *b, const struct report_cell *c)
{
	return b->kind_at == SIZE_MAX ? -1 : kind_of(sv_of(c->dim[b->kind_at]));
}

/* Time nobody held, and commitments nobody used. */
static bool is_pot(const struct build *b, const struct report_cell *c)
{
	if (b->in->split == SPLIT_NONE)
		return false;
	return c->is_gpu ? c->state == STATE_UNALLOCATED : kind_of_cell(b, c) == KIND_COMMITMENT_UNUSED;
}

static void pot_add(struct build *b, const struct report_cell *c)
{
	struct cube_sum x = { c->ms, c->util_ms, c->measured_ms, c->estimated_ms, c->unpriced_ms, c->cost };
	bool named = false;

	/* only what the split looks at keeps pots apart: there may be very many cells */
	key_of(b, c, b->in->split == SPLIT_PROPORTIONAL ? 0 : b->in->split == SPLIT_OWNER ? b->in->ndim : b->in->ndim + b->in->nattr);
	size_t id = intern_add(&b->pot_key, str_sv(&b->key));
	if (id == b->pot.n) {
		for (size_t i = 0; i < b->in->ndim; i++)
			named |= *c->dim[i] != 0;
		*vec_push(&b->pot) = (struct pot){ .first = c, .row = named && b->in->split != SPLIT_PROPORTIONAL ? row_of(b, c) : SIZE_MAX };
		b->pot.v[id].sum.util_ms = UNKNOWN_I64;
	}
	if (!c->is_gpu)
		x = (struct cube_sum){ .util_ms = UNKNOWN_I64, .cost = c->cost };
	sum_add(&b->pot.v[id].sum, &x);
}

static int by_dims(const struct cube_row *a, const struct cube_row *b, size_t ndim)
{
	int d = 0;

	for (size_t i = 0; i < ndim && !d; i++)
		d = strcmp(a->dim[i], b->dim[i]);
	return d;
}

/* ---- the split of idle cost -------------------------------------------------------------------------------------------------- */

struct shares { /* one currency */
	size_t *row, nrow; /* indices into build.row, in the order of their names */
	size_t *pot, npot;
	struct split_line *line;
	struct split_pot *spot;
};

static int cmp_names(const void *a, const void *b, void *ctx)
{
	const struct build *x = ctx;

	return by_dims(&x->row.v[*(const size_t *)a], &x->row.v[*(const size_t *)b], x->in->ndim);
}

static void pot_attrs(struct build *b, const struct pot *p, struct split_pot *to)
{
	size_t n = b->in->ndim + b->in->nattr;
	struct split_attr *attr = arena_alloc(&b->out->mem, n * sizeof *attr);

	for (size_t i = 0; i < n; i++)
		attr[i] = (struct split_attr){ b->in->dim[i], p->first->dim[i] };
	to->attr = attr;
	to->nattr = n;
}

/* What idle GPUs are split by: the cost of the GPU time a row used itself, not that of its disks. */
static dec gpu_use(const struct cube_row *r)
{
	return r->gpu.cost > 0 ? r->gpu.cost : 0;
}

static void shares_collect(struct build *b, const char *currency, struct shares *s)
{
	struct arena *a = &b->out->mem;
	dec priced = 0;

	*s = (struct shares){ .row = arena_alloc(a, (b->row.n + 1) * sizeof(size_t)), .pot = arena_alloc(a, (b->pot.n + 1) * sizeof(size_t)) };
	for (size_t i = 0; i < b->row.n; i++)
		if (!strcmp(b->row.v[i].currency, currency)) {
			s->row[s->nrow++] = i;
			priced += gpu_use(&b->row.v[i]);
		}
	qsort_r(s->row, s->nrow, sizeof *s->row, cmp_names, b);
	s->line = arena_zalloc(a, (s->nrow + 1) * sizeof *s->line);
	for (size_t i = 0; i < s->nrow; i++) {
		const struct cube_row *r = &b->row.v[s->row[i]];
		s->line[i].name = r->dim[0];
		s->line[i].weight = priced ? gpu_use(r) : r->gpu.ms; /* nothing has a price: by time */
	}
	s->spot = arena_zalloc(a, (b->pot.n + 1) * sizeof *s->spot);
	for (size_t i = 0; i < b->pot.n; i++)
		if (!strcmp(currency_of(b->in, b->pot.v[i].first->currency), currency)) {
			struct split_pot *sp = &s->spot[s->npot];
			s->pot[s->npot++] = i;
			pot_attrs(b, &b->pot.v[i], sp);
			sp->owner = SPLIT_NOBODY;
			for (size_t k = 0; k < s->nrow; k++)
				if (s->row[k] == b->pot.v[i].row)
					sp->owner = k;
		}
}

/* What stays with nobody is a row of its own, beside use without an owner. */
static void add_rest(struct build *b, const char *currency, const struct cube_sum *gpu)
{
	const char **none;
	struct cube_row *r;

	if (!gpu->cost && !gpu->ms)
		return;
	none = arena_alloc(&b->out->mem, b->in->ndim * sizeof *none);
	for (size_t i = 0; i < b->in->ndim; i++)
		none[i] = "";
	r = vec_push(&b->row);
	row_init(r, none, currency);
	r->is_rest = true;
	r->idle = gpu->cost;
	sum_add(&r->state[STATE_UNALLOCATED], gpu);
	sum_add(&r->gpu, gpu);
}

/* One quantity of the pots over the lines. Unused commitments are split with the idle time: both were paid for and used by nobody. */
enum part { PART_COST, PART_MS, PART_MEASURED_MS, PART_ESTIMATED_MS, PART_UNPRICED_MS, PART_N };

static __int128 part_of(const struct cube_sum *s, enum part what)
{
	const __int128 v[PART_N] = { s->cost, s->ms, s->measured_ms, s->estimated_ms, s->unpriced_ms };

	return v[what];
}

static struct cube_sum sum_of_parts(const __int128 *v)
{
	return (struct cube_sum){ .cost = v[PART_COST], .ms = (int64_t)v[PART_MS], .measured_ms = (int64_t)v[PART_MEASURED_MS],
				  .estimated_ms = (int64_t)v[PART_ESTIMATED_MS], .unpriced_ms = (int64_t)v[PART_UNPRICED_MS], .util_ms = UNKNOWN_I64 };
}

static int split_part(struct build *b, const struct conf *conf, struct shares *s, enum part what, __int128 *ret_rest, struct err *err)
{
	for (size_t i = 0; i < s->nrow; i++)
		s->line[i].direct = what == PART_COST ? b->row.v[s->row[i]].direct : 0;
	for (size_t i = 0; i < s->npot; i++)
		s->spot[i].amount = part_of(&b->pot.v[s->pot[i]].sum, what);
	if (split_lines(conf, b->in->split, b->in->dim[0], what == PART_COST ? 1000 : 1, s->line, s->nrow, s->spot, s->npot, ret_rest) < 0)
		return err_set(err, -EINVAL, "the idle cost cannot be split: the amounts are too large");
	for (size_t i = 0; i < s->nrow; i++) {
		struct cube_row *r = &b->row.v[s->row[i]];
		__int128 share[PART_N] = { 0 };
		share[what] = s->line[i].idle;
		struct cube_sum add = sum_of_parts(share);
		if (what == PART_COST) {
			r->idle = s->line[i].idle;
			r->shared = s->line[i].shared;
			r->is_shared = s->line[i].is_shared;
		}
		sum_add(&r->state[STATE_UNALLOCATED], &add);
		sum_add(&r->gpu, &add);
	}
	return 0;
}

static int split_currency(struct build *b, const char *currency, bool with_shared, struct err *err)
{
	static const struct conf empty = { 0 };
	struct conf conf = b->in->conf ? *b->in->conf : empty;
	struct shares s;
	__int128 rest[PART_N] = { 0 };

	shares_collect(b, currency, &s);
	if (!with_shared)
		conf.shared_teams.n = 0;
	for (enum part p = PART_COST; p < PART_N; p++) {
		int r = split_part(b, &conf, &s, p, &rest[p], err);
		if (r < 0)
			return r;
	}
	struct cube_sum left = sum_of_parts(rest);
	add_rest(b, currency, &left);
	return 0;
}

/* Teams that only a rule names have to be there before the split. */
static void add_rule_lines(struct build *b, const char *currency)
{
	const struct conf *c = b->in->conf;
	bool team = !strcmp(b->in->dim[0], "team");

	for (size_t i = 0; c && b->in->split == SPLIT_RULE && i < c->idle_rules.n; i++) {
		const char *to = team ? c->idle_rules.v[i].to_team : c->idle_rules.v[i].to_project;
		if (!to || !*to || !strcmp(to, "*"))
			continue;
		const char **dim = arena_alloc(&b->out->mem, (1 + b->in->nattr) * sizeof *dim);
		for (size_t k = 0; k <= b->in->nattr; k++)
			dim[k] = "";
		dim[0] = to;
		row_of(b, &(struct report_cell){ .dim = dim, .currency = currency });
	}
}

static int split_all(struct build *b, bool with_shared, struct err *err)
{
	struct intern cur = { 0 };
	int r = 0;

	for (size_t i = 0; i < b->in->ncell; i++)
		intern_add(&cur, sv_of(currency_of(b->in, b->in->cell[i].currency)));
	for (size_t i = 0; i < cur.n && r == 0; i++) {
		const char *name = arena_sv(&b->out->mem, cur.text[i]);
		add_rule_lines(b, name);
		r = split_currency(b, name, with_shared, err);
	}
	intern_free(&cur);
	return r;
}

/* ---- order and blocks -------------------------------------------------------------------------------------------------------- */

static int cmp_amount(__int128 a, __int128 b)
{
	return (a < b) - (a > b); /* largest first */
}

static int cmp_rows(const void *pa, const void *pb, void *ctx)
{
	const struct report_in *in = ctx;
	const struct cube_row *a = pa, *b = pb;
	enum report_sort how = in->sort_given ? in->sort : in->ndim && cube_is_time(in->dim[0]) ? SORT_NAME : SORT_COST;
	const char *first = report_currency(in);
	int d = strcmp(a->currency, b->currency);

	if (d) /* the configured currency first */
		return !strcmp(a->currency, first) ? -1 : !strcmp(b->currency, first) ? 1 : d;
	if (a->is_rest != b->is_rest)
		return a->is_rest - b->is_rest;
	if (how == SORT_COST)
		d = cmp_amount(a->cost, b->cost);
	else if (how == SORT_WASTE)
		d = cmp_amount(a->waste, b->waste);
	if (!d && how != SORT_NAME)
		d = cmp_amount(a->gpu.ms, b->gpu.ms);
	return d ? d : by_dims(a, b, in->ndim);
}

static const struct report_reconcile *reconcile_of(const struct report_in *in, const char *currency)
{
	for (size_t i = 0; i < in->nreconcile; i++)
		if (!strcmp(currency_of(in, in->reconcile[i].currency), currency))
			return &in->reconcile[i];
	return NULL;
}

static void add_block(struct build *b, struct cube *c, size_t from, size_t to, const char *currency)
{
	struct cube_block *k = &c->block[c->nblock++];
	size_t n = to - from;

	*k = (struct cube_block){ .currency = currency, .row = c->row + from, .nrow = n, .reconcile = reconcile_of(b->in, currency) };
	row_init(&k->total, NULL, currency);
	row_init(&k->left, NULL, currency);
	for (size_t i = from; i < to; i++)
		row_add_row(&k->total, &c->row[i]);
	if (b->in->limit && n > b->in->limit) {
		k->nrow = b->in->limit;
		k->nleft = n - b->in->limit;
		for (size_t i = from + k->nrow; i < to; i++)
			row_add_row(&k->left, &c->row[i]);
	}
}

/* Currencies that only a bill has are blocks too: their reconcile line is the point. */
static void add_bill_blocks(struct build *b, struct cube *c)
{
	for (size_t i = 0; i < b->in->nreconcile; i++) {
		const char *cur = currency_of(b->in, b->in->reconcile[i].currency);
		size_t k = 0;
		while (k < c->nblock && strcmp(c->block[k].currency, cur))
			k++;
		if (k == c->nblock)
			add_block(b, c, c->nrow, c->nrow, cur);
	}
}

static void make_blocks(struct build *b, struct cube *c)
{
	size_t from = 0;

	for (size_t i = 0; i < b->row.n; i++)
		row_finish(&b->row.v[i]);
	c->nrow = b->row.n;
	c->row = arena_alloc(&c->mem, (c->nrow + 1) * sizeof *c->row);
	if (c->nrow)
		memcpy(c->row, b->row.v, c->nrow * sizeof *c->row);
	qsort_r(c->row, c->nrow, sizeof *c->row, cmp_rows, (void *)b->in);
	c->block = arena_zalloc(&c->mem, (c->nrow + b->in->nreconcile + 1) * sizeof *c->block);
	for (size_t i = 1; i <= c->nrow; i++)
		if (i == c->nrow || strcmp(c->row[i].currency, c->row[from].currency)) {
			add_block(b, c, from, i, c->row[from].currency);
			from = i;
		}
	add_bill_blocks(b, c);
	if (!c->nblock)
		add_block(b, c, 0, 0, report_currency(b->in));
}

static int check(const struct report_in *in, struct err *err)
{
	if (!in->ndim)
		return err_set(err, -EINVAL, "a report needs at least one dimension");
	if (in->split == SPLIT_RULE && (in->ndim != 1 || (strcmp(in->dim[0], "team") && strcmp(in->dim[0], "project")))) {
		err_set(err, -EINVAL, "idle cost can be split by rule only over teams or projects");
		err_hint(err, "Use --by team or --by project");
		return -EINVAL;
	}
	return 0;
}

int cube_build(const struct report_in *in, bool with_shared_teams, struct cube *ret, struct err *err)
{
	struct build b = { .in = in, .kind_at = SIZE_MAX };
	struct cube c = { 0 };
	int r = check(in, err);

	if (r < 0)
		return r;
	b.out = &c;
	for (size_t i = 0; i < in->ndim + in->nattr; i++)
		if (!strcmp(in->dim[i], "kind"))
			b.kind_at = i;
	for (size_t i = 0; i < in->ncell; i++) {
		if (is_pot(&b, &in->cell[i])) {
			pot_add(&b, &in->cell[i]);
		} else {
			size_t id = row_of(&b, &in->cell[i]);
			row_add_cell(&b.row.v[id], &in->cell[i], kind_of_cell(&b, &in->cell[i]));
		}
	}
	if (in->split != SPLIT_NONE || with_shared_teams)
		r = split_all(&b, with_shared_teams, err);
	if (r == 0) {
		make_blocks(&b, &c);
		*ret = c;
	} else {
		cube_free(&c);
	}
	intern_free(&b.row_key);
	intern_free(&b.pot_key);
	vec_free(&b.row);
	vec_free(&b.pot);
	str_free(&b.key);
	return r;
}

void cube_free(struct cube *c)
{
	arena_free(&c->mem);
	*c = (struct cube){ 0 };
}
