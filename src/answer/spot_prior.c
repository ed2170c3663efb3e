#include "answer/spot_prior.h"

#include <errno.h>

#include "base/num.h"
#include "base/tab.h"
#include "catalog/catalog.h"
#include "feed/planner/spot_trace.h"

static struct spot_prior_market *market_of(struct spot_prior *p, struct sv name, int64_t gap_ms)
{
	for (size_t i = 0; i < p->v.n; i++)
		if (sv_is(name, p->v.v[i].name) && p->v.v[i].gap_ms == gap_ms)
			return &p->v.v[i];
	*vec_push(&p->v) = (struct spot_prior_market){ .name = arena_strn(&p->mem, name.p, name.n),
						       .gap_ms = gap_ms };
	return &p->v.v[p->v.n - 1];
}

static int read_line(const struct tab *t, const struct sv *cell, struct spot_prior *ret,
		     struct err *err)
{
	int64_t gap, memory = 0, there, age, ticks, turns;

	int64_t *const to[] = { NULL, &gap, &memory, &there, &age, &ticks, &turns };
	bool good = true;
	for (size_t i = 1; i < sizeof to / sizeof *to; i++)
		if (i != 2 || cell[i].n) /* no memory is 0 */
			good &= sv_i64(cell[i], to[i]) >= 0;
	good = good && within_i64(gap, 1, 86400) && within_i64(memory, 0, SPOT_MEMORY - 1);
	good = good && within_i64(there, 0, 1) && within_i64(turns, 0, ticks);
	if (!good || age < 1 || spot_age_from[spot_age_bucket(age)] != age)
		return err_set(
			err, -EBADMSG,
			"line %lld is none of market, gap_seconds, memory, spot_there, age_from, ticks, turns",
			(long long)t->line);
	struct spot_prior_market *m = market_of(ret, cell[0], gap * 1000);
	struct spot_counts one = { 0 };
	one.ticks[there][spot_age_bucket(age)] = ticks;
	one.turns[there][spot_age_bucket(age)] = turns;
	spot_counts_merge(&m->counts, &one);
	if (cell[2].n)
		spot_counts_merge(&m->by_memory[memory], &one);
	return 0;
}

static int read_table(struct input *in, struct spot_prior *ret, struct err *err)
{
	struct tab_csv_opt o = { 0 };
	const struct sv *cell;
	struct tab *t;
	int r = tab_csv_open(in, &o, &t, err);

	if (r < 0)
		return r;
	if (t->ncol != 7)
		r = err_set(err, -EBADMSG, "it has %zu columns instead of 7", t->ncol);
	while (r >= 0 && (r = tab_next(t, &cell, err)) == 1) {
		if (cell[0].p)
			r = read_line(t, cell, ret, err);
		else
			r = err_set(err, -EBADMSG, "line %lld names no market", (long long)t->line);
	}
	tab_close(t);
	return r;
}

int spot_prior_shipped(struct spot_prior *ret, struct err *err)
{
	const char *dir = catalog_data_dir(err);
	struct input *in;
	int r;

	*ret = (struct spot_prior){ 0 };
	if (!dir)
		return -ENOENT;
	r = input_open(arena_printf(&ret->mem, "%s/spot_markets.csv", dir), &in, err);
	if (r >= 0) {
		if ((r = read_table(in, ret, err)) < 0)
			err_prefix(err, "'%s'", input_name(in));
		input_close(in);
	}
	if (r < 0)
		spot_prior_free(ret);
	return r;
}

int spot_prior_history(const char *path, struct spot_prior *ret, struct err *err)
{
	struct spot_traces t;
	int r = spot_traces_load(path, &t, err);

	*ret = (struct spot_prior){ 0 };
	if (r < 0)
		return r;
	for (size_t i = 0; i < t.v.n; i++) {
		struct spot_prior_market *m = market_of(ret, sv_of(t.v.v[i].market),
							t.v.v[i].gap_ms);
		spot_counts_add(&m->counts, t.v.v[i].n, t.v.v[i].has_spot);
		spot_counts_add_by_memory(m->by_memory, t.v.v[i].n, t.v.v[i].has_spot);
	}
	spot_traces_free(&t);
	return 0;
}

void spot_prior_free(struct spot_prior *p)
{
	vec_free(&p->v);
	arena_free(&p->mem);
}
