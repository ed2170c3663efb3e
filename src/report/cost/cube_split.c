/* The cost and time of what nobody used, over the rows (ledger/split.h does the arithmetic). */
#include "base/num.h"
#include "model/known.h"
#include "report/cost/cube_build.h"

#include <errno.h>
#include <stdlib.h>

static int cmp_names(const void *a, const void *b, void *ctx)
{
	const struct build *x = ctx;

	return cube_by_dims(&x->row.v[*(const size_t *)a], &x->row.v[*(const size_t *)b],
			    x->in->ndim);
}

/*
 * What idle GPUs are split by: the cost of the GPU time a row used itself, not that of its disks
 * nor of time in which nobody is known to have held anything; its hours where nothing has a price.
 * Time that nobody watched counts in full where the row names whose machine it was, as the tags of
 * a bill do: that others have a job list does not make it free of use. Where nobody watched
 * anything, as with a bill alone, by what the bill gives each row: its machines, else all of it.
 */
enum measure { USED_COST, USED_MS, BILLED_GPUS, BILLED_ALL, MEASURES };

struct shares {            /* one currency */
	size_t *row, nrow; /* indices into build.row, in the order of their names */
	size_t *pot, npot;
	enum measure by;
	bool by_machine; /* of some rows time counts that nobody watched */
	struct split_line *line;
	struct split_pot *spot;
};

/* Does a row say whose its machines were? An owner by its dimensions, where one of them is of
 * owners; else it has a name at all. */
static bool names_owner(const struct report_in *in, const struct cube_row *r)
{
	static const char *const owner[] = { "team", "project", "env", "workload",
					     "user", "job",     "run", "service" };
	bool any = false, of_owners = false;

	for (size_t i = 0; i < in->ndim; i++) {
		bool is_owner = !strncmp(in->dim[i], "tag:", 4);

		for (size_t k = 0; k < sizeof owner / sizeof *owner; k++)
			is_owner |= !strcmp(in->dim[i], owner[k]);
		if (is_owner && *r->dim[i])
			return true;
		of_owners |= is_owner;
		any |= *r->dim[i] != 0;
	}
	return any && !of_owners;
}

static __int128 measure_of(const struct report_in *in, const struct cube_row *r, enum measure by)
{
	bool named = names_owner(in, r);
	const __int128 v[MEASURES] = {
		r->gpu.cost - dec_counted(!named, r->unwatched_cost),
		named ? r->gpu.ms : cube_watched_ms(r),
		r->gpu.cost,
		r->direct,
	};

	return max_dec(v[by], 0);
}

/* The first of them that any row has; what was used only where somebody knows who held some
 * time. */
static enum measure choose_measure(const struct build *b, const struct shares *s)
{
	enum measure first = BILLED_GPUS;

	for (size_t i = 0; i < s->nrow; i++)
		if (cube_watched_ms(&b->row.v[s->row[i]]))
			first = USED_COST;
	for (enum measure by = first; by < BILLED_ALL; by++)
		for (size_t i = 0; i < s->nrow; i++)
			if (measure_of(b->in, &b->row.v[s->row[i]], by))
				return by;
	return BILLED_ALL;
}

static void shares_collect(struct build *b, const char *currency, struct shares *s)
{
	struct arena *a = &b->out->mem;

	*s = (struct shares){ .row = arena_alloc(a, (b->row.n + 1) * sizeof(size_t)),
			      .pot = arena_alloc(a, (b->pot.n + 1) * sizeof(size_t)) };
	for (size_t i = 0; i < b->row.n; i++)
		if (!strcmp(b->row.v[i].currency, currency))
			s->row[s->nrow++] = i;
	qsort_r(s->row, s->nrow, sizeof *s->row, cmp_names, b);
	s->by = choose_measure(b, s);
	s->line = arena_zalloc(a, (s->nrow + 1) * sizeof *s->line);
	for (size_t i = 0; i < s->nrow; i++) {
		const struct cube_row *r = &b->row.v[s->row[i]];
		s->line[i].name = r->dim[0];
		s->line[i].weight = measure_of(b->in, r, s->by);
		s->by_machine |= r->unwatched_ms && names_owner(b->in, r);
	}
	s->spot = arena_zalloc(a, (b->pot.n + 1) * sizeof *s->spot);
	for (size_t i = 0; i < b->pot.n; i++)
		if (!strcmp(cube_currency(b->in, b->pot.v[i].first->currency), currency)) {
			struct split_pot *sp = &s->spot[s->npot];
			s->pot[s->npot++] = i;

			size_t n = b->in->ndim + b->in->nattr;
			struct split_attr *attr = arena_alloc(&b->out->mem, n * sizeof *attr);

			for (size_t k = 0; k < n; k++)
				attr[k] = (struct split_attr){ b->in->dim[k],
							       b->pot.v[i].first->dim[k] };
			sp->attr = attr;
			sp->nattr = n;
			sp->owner = SPLIT_NOBODY;
			for (size_t k = 0; k < s->nrow; k++)
				if (s->row[k] == b->pot.v[i].row)
					sp->owner = k;
		}
}

/* One quantity of the pots over the lines. Unused commitments are split with the idle time: both
 * were paid for and used by nobody. */
enum part { PART_COST, PART_MS, PART_MEASURED_MS, PART_ESTIMATED_MS, PART_UNPRICED_MS, PART_N };

static struct cube_sum sum_of_parts(const __int128 *v)
{
	return (struct cube_sum){ .cost = v[PART_COST],
				  .ms = (int64_t)v[PART_MS],
				  .measured_ms = (int64_t)v[PART_MEASURED_MS],
				  .estimated_ms = (int64_t)v[PART_ESTIMATED_MS],
				  .unpriced_ms = (int64_t)v[PART_UNPRICED_MS],
				  .util_ms = UNKNOWN_I64 };
}

static enum cube_by_cost shares_known(const struct shares *s)
{
	if (s->by >= BILLED_GPUS)
		return BY_COST_ALL;
	if (s->by_machine)
		return BY_COST_UNWATCHED;
	return BY_COST_NONE;
}

static int split_part(struct build *b, const struct conf *conf, struct shares *s, enum part what,
		      __int128 *ret_rest, struct err *err)
{
	for (size_t i = 0; i < s->nrow; i++)
		s->line[i].direct = dec_counted(what == PART_COST, b->row.v[s->row[i]].direct);
	for (size_t i = 0; i < s->npot; i++) {
		const struct cube_sum *sum = &b->pot.v[s->pot[i]].sum;
		const __int128 v[PART_N] = { sum->cost, sum->ms, sum->measured_ms,
					     sum->estimated_ms, sum->unpriced_ms };
		s->spot[i].amount = v[what];
	}
	struct split_by how = { .conf = conf,
				.how = b->in->split,
				.by = b->in->dim[0],
				.unit = what == PART_COST ? 1000 : 1 };
	if (split_lines(&how, s->line, s->nrow, s->spot, s->npot, ret_rest) < 0)
		return err_set(err, -EINVAL,
			       "the idle cost cannot be split: the amounts are too large");
	for (size_t i = 0; i < s->nrow; i++) {
		struct cube_row *r = &b->row.v[s->row[i]];
		__int128 share[PART_N] = { 0 };
		share[what] = s->line[i].idle;
		struct cube_sum add = sum_of_parts(share);
		if (what == PART_COST) {
			r->idle = s->line[i].idle;
			r->shared = s->line[i].shared;
			r->is_shared = s->line[i].is_shared;
			if (r->idle || r->shared)
				r->by_cost = shares_known(s);
		}
		cube_sum_add(&r->state[STATE_UNALLOCATED], &add);
		cube_sum_add(&r->gpu, &add);
	}
	return 0;
}

static int split_currency(struct build *b, const char *currency, bool with_shared, struct err *err)
{
	static const struct conf empty = { 0 };
	struct conf conf = empty;
	struct shares s;
	__int128 rest[PART_N] = { 0 };

	if (b->in->conf)
		conf = *b->in->conf;
	shares_collect(b, currency, &s);
	if (!with_shared)
		conf.shared_teams.n = 0;
	for (enum part p = PART_COST; p < PART_N; p++) {
		int r = split_part(b, &conf, &s, p, &rest[p], err);
		if (r < 0)
			return r;
	}
	struct cube_sum left = sum_of_parts(rest);

	/* What stays with nobody is a row of its own, beside use without an owner. */
	const char **none;
	struct cube_row *r;
	if (left.cost || left.ms) {
		none = arena_alloc(&b->out->mem, b->in->ndim * sizeof *none);
		for (size_t i = 0; i < b->in->ndim; i++)
			none[i] = "";
		r = vec_push(&b->row);
		cube_row_init(r, none, currency);
		r->is_rest = true;
		r->idle = left.cost;
		cube_sum_add(&r->state[STATE_UNALLOCATED], &left);
		cube_sum_add(&r->gpu, &left);
	}

	return 0;
}

int build_split(struct build *b, bool with_shared, struct err *err)
{
	struct intern cur = { 0 };
	int r = 0;

	for (size_t i = 0; i < b->in->ncell; i++)
		intern_add(&cur, sv_of(cube_currency(b->in, b->in->cell[i].currency)));
	for (size_t i = 0; i < cur.n && r == 0; i++) {
		const char *name = arena_sv(&b->out->mem, cur.text[i]);

		/* Teams that only a rule names have to be there before the split. */
		const struct conf *c = b->in->conf;
		bool team = !strcmp(b->in->dim[0], "team");

		for (size_t j = 0; c && b->in->split == SPLIT_RULE && j < c->idle_rules.n; j++) {
			const char *to = team ? c->idle_rules.v[j].to_team
					      : c->idle_rules.v[j].to_project;
			if (!to || !*to || !strcmp(to, "*"))
				continue;
			const char **dim = arena_alloc(&b->out->mem,
						       (1 + b->in->nattr) * sizeof *dim);
			for (size_t k = 0; k <= b->in->nattr; k++)
				dim[k] = "";
			dim[0] = to;
			build_row(b, &(struct report_cell){ .dim = dim, .currency = name });
		}

		r = split_currency(b, name, with_shared, err);
	}
	intern_free(&cur);
	return r;
}
