#include "agent/status.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "ledger/round.h"

struct hour_sums {
	int64_t hour_ms;
	__int128 weight[STATE_N]; /* ms x share, exact */
};
struct dev_hours {
	VEC(struct hour_sums) hour;
};
struct reading {
	struct agent_status *s;
	struct dev_hours *hours; /* [s->ndev] */
	struct rollup roll;
};

/* Minutes come in the order they were kept, which is nearly that of time. */
static struct hour_sums *hour_of(struct dev_hours *d, int64_t hour_ms)
{
	for (size_t i = d->hour.n; i-- > 0;)
		if (d->hour.v[i].hour_ms == hour_ms)
			return &d->hour.v[i];
	struct hour_sums *h = vec_push(&d->hour);
	*h = (struct hour_sums){ .hour_ms = hour_ms };
	return h;
}

static int add_minute(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	struct reading *x = ctx;
	struct agent_status *s = x->s;
	struct err why;
	size_t i = 0;

	while (i < s->ndev && s->dev[i].d->id != m->dev)
		i++;
	if (i == s->ndev || rollup_unpack(m->roll.p, m->roll.n, &x->roll, &why) < 0) {
		s->damaged++;
		return 0;
	}
	rollup_hist_merge(&s->dev[i].hist, &x->roll.hist);
	struct hour_sums *h = hour_of(&x->hours[i], tm_floor(m->from_ms, MS_HOUR));
	for (size_t u = 0; u < x->roll.use.n; u++)
		for (size_t k = 0; k < x->roll.use.v[u].nstate; k++) {
			const struct rollup_state *t = &x->roll.use.v[u].state[k];
			h->weight[t->state] += (__int128)t->ms * x->roll.use.v[u].share_ppb;
		}
	if (!s->minutes || m->from_ms < s->from_ms)
		s->from_ms = m->from_ms;
	s->to_ms = max_i64(m->to_ms, s->to_ms);
	s->minutes++;
	return 0;
}

static int by_hour(const void *pa, const void *pb)
{
	const struct hour_sums *a = pa, *b = pb;

	return cmp_i64(a->hour_ms, b->hour_ms);
}

/* As the ledger does it (ledger/round.h), so that both have the same milliseconds in every
 * state. */
static void round_times(struct dev_hours *d, int64_t ms[STATE_N])
{
	__int128 sum = 0;
	int64_t before = 0;

	if (d->hour.n)
		sort_items(d->hour.v, d->hour.n, sizeof *d->hour.v, by_hour);
	for (size_t i = 0; i < d->hour.n; i++) {
		struct round_rem rem[STATE_N];
		int64_t part[STATE_N];
		for (int k = 0; k < STATE_N; k++)
			sum += d->hour.v[i].weight[k];
		int64_t upto = round_upto(sum, ROLLUP_SHARE_ONE);
		round_parts(rem, STATE_N, d->hour.v[i].weight, ROLLUP_SHARE_ONE, upto - before,
			    part);
		for (int k = 0; k < STATE_N; k++)
			ms[k] += part[k];
		before = upto;
	}
}

int agent_status_load(const struct agent_status_ask *q, struct agent_status *ret, struct err *err)
{
	struct agent_status *s = ret;
	struct agentdb_device *d;
	size_t n;

	*s = (struct agent_status){ .dir = agentdb_dir(q->db),
				    .node = agentdb_get(q->db, "node", q->mem),
				    .running = agentdb_watched(q->db) };
	int r = agentdb_devices(q->db, q->mem, &d, &n, err);
	if (r >= 0) {
		s->dev = arena_zalloc(q->mem, (n + 1) * sizeof *s->dev);
		for (size_t i = 0; i < n; i++)
			if (!sv_is(d[i].uuid, "host"))
				s->dev[s->ndev++].d = &d[i];
		struct reading x = {
			.s = s, .hours = arena_zalloc(q->mem, (s->ndev + 1) * sizeof *x.hours)
		};
		struct agentdb_window w = { .since_ms = q->since_ms, .until_ms = q->until_ms };
		r = agentdb_each_minute(q->db, &w, add_minute, &x, err);

		for (size_t i = 0; i < s->ndev; i++) {
			if (r >= 0)
				round_times(&x.hours[i], s->dev[i].ms);
			vec_free(&x.hours[i].hour);
		}
		rollup_free(&x.roll);
	}
	if (r >= 0)
		r = agentdb_held_ms(q->db, &s->held_ms, err);
	if (r >= 0)
		r = agentdb_raw_size(q->db, &s->raw, err);
	if (r >= 0)
		r = agent_fires_load(q->config, s->dir, q->mem, &s->fires, err);
	if (r < 0)
		return r;
	return send_state_load(s->dir, &s->sent, err);
}

void agent_status_free(struct agent_status *s)
{
	agent_fires_free(&s->fires);
}
