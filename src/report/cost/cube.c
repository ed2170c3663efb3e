#include "base/num.h"
#include "base/str.h"
#include "model/known.h"
#include "report/cost/cube_build.h"
#include "report/text.h"

#include <errno.h>
#include <stdlib.h>

const char *report_currency(const struct report_in *in)
{
	if (in->conf && in->conf->currency && *in->conf->currency)
		return in->conf->currency;
	return "USD";
}

bool cube_is_time(const char *dim)
{
	static const char *const times[] = { "hour", "day", "week", "month", "quarter" };

	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		if (!strcmp(dim, times[i]))
			return true;
	return false;
}

const char *cube_label(const char *dim, const char *value)
{
	static const char *const owner[] = { "team", "project", "user", "job", "run" };

	if (*value)
		return value;
	for (size_t i = 0; i < sizeof owner / sizeof *owner; i++)
		if (!strcmp(dim, owner[i]))
			return "(nobody)";
	return text_or_dash(!strcmp(dim, "state"), "(no GPU time)");
}

/* ---- sums -------------------------------------------------------------------------------- */

void cube_sum_add(struct cube_sum *to, const struct cube_sum *x)
{
	to->ms += x->ms;
	to->measured_ms += x->measured_ms;
	to->estimated_ms += x->estimated_ms;
	to->unpriced_ms += x->unpriced_ms;
	to->cost += x->cost;
	if (x->util_ms != UNKNOWN_I64)
		to->util_ms = known_i64_or(to->util_ms, 0) + x->util_ms;
}

void cube_row_init(struct cube_row *r, const char *const *dim, const char *currency)
{
	*r = (struct cube_row){ .dim = dim, .currency = currency };
	r->gpu.util_ms = UNKNOWN_I64;
	for (int s = 0; s < STATE_N; s++)
		r->state[s].util_ms = UNKNOWN_I64;
}

static void row_add_cell(struct cube_row *r, const struct report_cell *c, int kind)
{
	struct cube_sum x = { c->ms,           c->util_ms,     c->measured_ms,
			      c->estimated_ms, c->unpriced_ms, c->cost };

	r->direct += c->cost;
	if (kind >= 0)
		r->kind[kind] += c->cost;
	if (!c->is_gpu) {
		r->state[STATE_NONE].cost += c->cost;
		if (c->state == STATE_UNKNOWN) {
			r->machines += c->cost;
			r->has_machines = true;
		}
		return;
	}
	/* that it was paid may be measured, what it did is not */
	if (c->state == STATE_UNKNOWN || c->state == STATE_NONE)
		x.measured_ms = x.estimated_ms = 0;
	cube_sum_add(&r->state[c->state == STATE_NONE ? STATE_UNKNOWN : c->state], &x);
	cube_sum_add(&r->gpu, &x);
	r->unwatched_ms += c->unwatched_ms;
	r->unwatched_cost += c->unwatched_cost;
}

static void row_add_row(struct cube_row *to, const struct cube_row *x)
{
	for (int s = 0; s < STATE_N; s++)
		cube_sum_add(&to->state[s], &x->state[s]);
	for (int k = 0; k < KIND_N; k++)
		to->kind[k] += x->kind[k];
	cube_sum_add(&to->gpu, &x->gpu);
	to->unwatched_ms += x->unwatched_ms;
	to->unwatched_cost += x->unwatched_cost;
	to->machines += x->machines;
	to->has_machines |= x->has_machines;
	to->cost += x->cost;
	to->direct += x->direct;
	to->idle += x->idle;
	to->shared += x->shared;
	to->waste += x->waste;
	to->has_cost |= x->has_cost;
	if (x->by_cost > to->by_cost)
		to->by_cost = x->by_cost;
	to->ends_untold |= x->ends_untold;
	cube_compare_add(&to->compare, &x->compare);
}

int64_t cube_held_ms(const struct cube_row *r)
{
	return cube_allocated_ms(r) - r->unwatched_ms;
}

int64_t cube_watched_ms(const struct cube_row *r)
{
	return r->gpu.ms - r->unwatched_ms;
}

int64_t cube_allocated_ms(const struct cube_row *r)
{
	return r->gpu.ms - r->state[STATE_UNALLOCATED].ms;
}

int64_t cube_read_ms(const struct cube_row *r)
{
	return r->state[STATE_BUSY].ms + r->state[STATE_UNDERUSED].ms +
	       r->state[STATE_IDLE_HELD].ms + r->state[STATE_IDLE_EMPTY].ms;
}

int64_t cube_idle_ms(const struct cube_row *r)
{
	return r->state[STATE_IDLE_HELD].ms + r->state[STATE_IDLE_EMPTY].ms +
	       r->state[STATE_UNALLOCATED].ms;
}

bool cube_idle_known(const struct cube_row *r)
{
	const struct cube_sum *free_ = &r->state[STATE_UNALLOCATED];

	return cost_is_known(r->idle, free_->ms, free_->unpriced_ms);
}

dec cube_idle_cost(const struct cube_row *r)
{
	return r->state[STATE_IDLE_HELD].cost + r->state[STATE_IDLE_EMPTY].cost +
	       r->state[STATE_UNALLOCATED].cost;
}

/* ---- grouping ---------------------------------------------------------------------------- */

const char *cube_currency(const struct report_in *in, const char *c)
{
	return filled_or(c, report_currency(in));
}

static struct sv key_of(struct build *b, const struct report_cell *c, size_t n)
{
	str_clear(&b->key);
	str_addz(&b->key, cube_currency(b->in, c->currency));
	for (size_t i = 0; i < n; i++) {
		str_addc(&b->key, 0);
		str_addz(&b->key, c->dim[i]);
	}
	return str_sv(&b->key);
}

size_t build_row(struct build *b, const struct report_cell *c)
{
	size_t id = intern_add(&b->row_key, key_of(b, c, b->in->ndim));

	if (id == b->row.n)
		cube_row_init(vec_push(&b->row), c->dim, cube_currency(b->in, c->currency));
	return id;
}

static int kind_of_cell(const struct build *b, const struct report_cell *c)
{
	if (b->kind_at == SIZE_MAX)
		return -1;
	return kind_of(sv_of(c->dim[b->kind_at]));
}

/* Time nobody held, and commitments nobody used, which stay their owner's where nothing is
 * split. */
static bool is_pot(const struct build *b, const struct report_cell *c)
{
	if (b->in->split == SPLIT_NONE)
		return b->charge && c->is_gpu && c->state == STATE_UNALLOCATED;
	if (c->is_gpu)
		return c->state == STATE_UNALLOCATED;
	return kind_of_cell(b, c) == KIND_COMMITMENT_UNUSED;
}

static void pot_add(struct build *b, const struct report_cell *c)
{
	struct cube_sum x = { c->ms,           c->util_ms,     c->measured_ms,
			      c->estimated_ms, c->unpriced_ms, c->cost };
	bool named = false;
	/* whose it is does not matter */
	bool one = b->in->split == SPLIT_PROPORTIONAL || b->in->split == SPLIT_NONE;
	size_t ndim = b->in->ndim + (b->in->split == SPLIT_OWNER ? 0 : b->in->nattr);

	/* only what the split looks at keeps pots apart: there may be very many cells */
	key_of(b, c, one ? 0 : ndim);
	size_t id = intern_add(&b->pot_key, str_sv(&b->key));
	if (id == b->pot.n) {
		for (size_t i = 0; i < b->in->ndim; i++)
			named |= *c->dim[i] != 0;
		*vec_push(&b->pot) = (struct pot){ .first = c,
						   .row = named && !one ? build_row(b, c)
									: SIZE_MAX };
		b->pot.v[id].sum.util_ms = UNKNOWN_I64;
	}
	if (!c->is_gpu)
		x = (struct cube_sum){ .util_ms = UNKNOWN_I64, .cost = c->cost };
	cube_sum_add(&b->pot.v[id].sum, &x);
}

int cube_by_dims(const struct cube_row *a, const struct cube_row *b, size_t ndim)
{
	int d = 0;

	for (size_t i = 0; i < ndim && !d; i++)
		d = strcmp(a->dim[i], b->dim[i]);
	return d;
}

/* ---- order and blocks -------------------------------------------------------------------- */

static int cmp_amount(__int128 a, __int128 b)
{
	return cmp_dec(b, a); /* largest first */
}

static size_t time_at(const struct report_in *in)
{
	for (size_t i = 0; i < in->ndim; i++)
		if (cube_is_time(in->dim[i]))
			return i;
	return SIZE_MAX;
}

/* By --by team,day: a team's days stand together and in their order, the most expensive team
 * first. */
static int by_group(const struct report_in *in, const struct cube_row *a, const struct cube_row *b)
{
	size_t time = time_at(in);
	int d = cmp_amount(a->group, b->group);

	if (!d)
		d = cube_by_dims(a, b, time);
	if (d)
		return d;
	return strcmp(a->dim[time], b->dim[time]);
}

/* How far a row is from what it was; what cannot be compared, by what is known of it. */
static dec change_of(const struct cube_row *r)
{
	const struct cube_compare *c = &r->compare;
	dec d = c->difference;

	if (!c->has_both)
		d = c->now - c->before;
	return dec_size(d);
}

static int cmp_rows(const void *pa, const void *pb, void *ctx)
{
	const struct report_in *in = ctx;
	const struct cube_row *a = pa, *b = pb;
	enum report_sort how = SORT_COST;
	if (in->sort_given)
		how = in->sort;
	else if (in->compare)
		how = SORT_CHANGE;
	else if (in->ndim && cube_is_time(in->dim[0]) && !in->top)
		how = SORT_NAME;

	const char *first = report_currency(in);
	int d = strcmp(a->currency, b->currency);

	if (d && !strcmp(a->currency, first)) /* the configured currency first */
		return -1;
	if (d && !strcmp(b->currency, first))
		return 1;
	if (d)
		return d;
	if (a->is_rest != b->is_rest)
		return a->is_rest - b->is_rest;
	bool grouped = !in->sort_given && time_at(in) != SIZE_MAX;
	if (how == SORT_COST && grouped && !in->top)
		d = by_group(in, a, b);
	if (d)
		return d;
	if (how == SORT_COST)
		d = cmp_amount(a->cost, b->cost);
	else if (how == SORT_WASTE)
		d = cmp_amount(a->waste, b->waste);
	else if (how == SORT_CHANGE)
		d = cmp_amount(change_of(a), change_of(b));
	if (!d && how != SORT_NAME)
		d = cmp_amount(a->gpu.ms, b->gpu.ms);
	if (d)
		return d;
	return cube_by_dims(a, b, in->ndim);
}

static void add_block(struct build *b, struct cube *c, size_t from, size_t to, const char *currency)
{
	struct cube_block *k = &c->block[c->nblock++];
	size_t n = to - from;

	*k = (struct cube_block){ .currency = currency, .row = c->row + from, .nrow = n };
	for (size_t i = 0; i < b->in->nreconcile && !k->reconcile; i++)
		if (!strcmp(cube_currency(b->in, b->in->reconcile[i].currency), currency))
			k->reconcile = &b->in->reconcile[i];
	cube_row_init(&k->total, NULL, currency);
	cube_row_init(&k->left, NULL, currency);
	struct cube_cell *total = cube_columns_new(b->in, &c->mem),
			 *left = cube_columns_new(b->in, &c->mem);
	k->total.column = total;
	k->left.column = left;
	for (size_t i = from; i < to; i++) {
		const struct cube_row *r = &c->row[i];
		row_add_row(&k->total, r);
		cube_columns_add(b->in, total, r);
		if (!r->is_rest && cube_idle_cost(r) > (k->idlest ? cube_idle_cost(k->idlest) : 0))
			k->idlest = r;
	}
	size_t most = b->in->top ? b->in->top : b->in->limit;
	if (!most || n <= most)
		return;
	k->nrow = most;
	k->nleft = n - most;
	for (size_t i = from + most; i < to; i++) {
		row_add_row(&k->left, &c->row[i]);
		cube_columns_add(b->in, left, &c->row[i]);
	}
	if (b->in->top) {
		/* What --top leaves out becomes one row: the rows still add up. */
		static const char *const none[REPORT_DIMS_MAX] = { "", "", "", "", "", "", "",
								   "", "", "", "", "", "" };

		k->left.folded = k->nleft;
		k->left.dim = none;
		k->row[k->nrow++] = k->left;
		k->nleft = 0;
		cube_row_init(&k->left, NULL, k->currency);
		k->left.column = cube_columns_new(b->in, &b->out->mem);
	}
}

/* Of each row the cost of all that have the same dimensions before its time. */
static void sum_groups(struct build *b)
{
	struct intern key = { 0 };
	VEC(dec) sum = { 0 };

	if (b->time_at == SIZE_MAX || b->time_at == 0)
		return;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < b->row.n; i++) {
			struct cube_row *r = &b->row.v[i];
			struct report_cell at = { .dim = r->dim, .currency = r->currency };
			size_t id = intern_add(&key, key_of(b, &at, b->time_at));
			if (id == sum.n)
				*vec_push(&sum) = 0;
			if (pass == 0)
				sum.v[id] += r->cost;
			else
				r->group = sum.v[id];
		}
	intern_free(&key);
	vec_free(&sum);
}

static void make_blocks(struct build *b, struct cube *c)
{
	size_t from = 0;

	for (size_t i = 0; i < b->row.n; i++) {
		struct cube_row *r = &b->row.v[i];
		r->cost = r->direct + r->idle + r->shared;

		/* Idle, unallocated and lost count in full, underused time by what it left
		 * unused. */
		const struct cube_sum *u = &r->state[STATE_UNDERUSED];
		dec waste = cube_idle_cost(r) + r->state[STATE_LOST].cost;

		if (u->ms > 0 && u->util_ms != UNKNOWN_I64 && u->util_ms <= u->ms)
			waste += dec_muldiv(u->cost, u->ms - u->util_ms, u->ms);
		r->waste = waste;
		r->ends_untold = b->in->ends_untold;

		r->has_cost = !r->unrecorded &&
			      cost_is_known(r->cost, r->gpu.ms, r->gpu.unpriced_ms);
	}
	sum_groups(b);
	c->nrow = b->row.n;
	c->row = arena_alloc(&c->mem, (c->nrow + 1) * sizeof *c->row);
	if (b->row.n)
		memcpy(c->row, b->row.v, b->row.n * sizeof *c->row);
	qsort_r(c->row, c->nrow, sizeof *c->row, cmp_rows, (void *)b->in);
	c->block = arena_zalloc(&c->mem, (c->nrow + b->in->nreconcile + 1) * sizeof *c->block);
	for (size_t i = 1; i <= c->nrow; i++)
		if (i == c->nrow || strcmp(c->row[i].currency, c->row[from].currency)) {
			add_block(b, c, from, i, c->row[from].currency);
			from = i;
		}

	/* Currencies that only a bill has are blocks too: their reconcile line is the point. Not
	 * those that a filter has emptied beside others. */
	if (!b->in->where || !c->nblock)
		for (size_t i = 0; i < b->in->nreconcile; i++) {
			const char *cur = cube_currency(b->in, b->in->reconcile[i].currency);
			size_t k = 0;
			while (k < c->nblock && strcmp(c->block[k].currency, cur))
				k++;
			if (k == c->nblock)
				add_block(b, c, c->nrow, c->nrow, cur);
		}

	if (!c->nblock)
		add_block(b, c, 0, 0, report_currency(b->in));
}

int cube_build(const struct report_in *in, bool with_shared_teams, struct cube *ret,
	       struct err *err)
{
	struct build b = { .in = in, .charge = with_shared_teams, .kind_at = SIZE_MAX };
	struct cube c = { 0 };
	int r = 0;

	if (!in->ndim)
		return err_set(err, -EINVAL, "a report needs at least one dimension");
	bool has_rules = !strcmp(in->dim[0], "team") || !strcmp(in->dim[0], "project");
	if (in->split == SPLIT_RULE && (in->ndim != 1 || !has_rules)) {
		err_set(err, -EINVAL, "idle cost can be split by rule only over teams or projects");
		err_hint(err, "Use --by team or --by project");
		return -EINVAL;
	}
	b.out = &c;
	for (size_t i = 0; i < in->ndim + in->nattr; i++)
		if (!strcmp(in->dim[i], "kind"))
			b.kind_at = i;
	for (size_t i = 0; i < in->ncell; i++) {
		if (is_pot(&b, &in->cell[i])) {
			pot_add(&b, &in->cell[i]);
		} else {
			size_t id = build_row(&b, &in->cell[i]);
			row_add_cell(&b.row.v[id], &in->cell[i], kind_of_cell(&b, &in->cell[i]));
		}
	}
	b.time_at = time_at(in);
	if (in->steps)
		build_steps(&b);
	if (in->compare)
		build_compare(&b);
	if (cube_series(in))
		r = build_columns(&b, err);
	if (r == 0 && (in->split != SPLIT_NONE || with_shared_teams))
		r = build_split(&b, with_shared_teams, err);
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
