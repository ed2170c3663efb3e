/* See job_line.h. */
#include "agent/job_line.h"

#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "watch/rollup.h"
#include "base/tm.h"
#include "report/text.h"

/* Shares that are said, in this order. */
enum part { PART_BUSY, PART_UNDERUSED, PART_IDLE, PART_LOST, PART_UNKNOWN, PARTS };
static const char *const part_name[] = { "busy", "underused", "idle", "lost", "unknown" };

struct job {
	struct arena mem;
	const struct agentdb_hold **hold; /* [n] of the job */
	size_t n;
	struct rollup roll;
	VEC(int64_t) dev; /* ids of devices it held */
	int64_t from_ms, to_ms;
	/* ms x share in 10^-9 of a GPU: of each part, and together */
	__int128 part[PARTS], whole;
	__int128 cause[CAUSE_N]; /* of the idle part */
};

static enum part part_of_state(enum state s)
{
	switch (s) {
	case STATE_BUSY: return PART_BUSY;
	case STATE_UNDERUSED: return PART_UNDERUSED;
	case STATE_IDLE_HELD:
	case STATE_IDLE_EMPTY: return PART_IDLE;
	case STATE_LOST: return PART_LOST;
	default: return PART_UNKNOWN;
	}
}

static int find_holds(struct job *j, struct agentdb *db, const char *job, struct err *err)
{
	struct agentdb_owner *owner;
	struct agentdb_hold *hold;
	size_t nowner, nhold;
	int r = agentdb_owners(db, 0, &j->mem, &owner, &nowner, err);

	if (r >= 0)
		r = agentdb_holds(db, 0, &j->mem, &hold, &nhold, err);
	if (r < 0)
		return r;
	j->hold = arena_alloc(&j->mem, (nhold + 1) * sizeof *j->hold);
	for (size_t i = 0; i < nhold; i++)
		for (size_t k = 0; k < nowner; k++)
			if (owner[k].id == hold[i].owner && sv_is(owner[k].a.job_id, job))
				j->hold[j->n++] = &hold[i];
	if (!j->n)
		return err_set(err, -ENOENT, "the agent has seen no job '%s' on this machine", job);
	return 0;
}

static int add_minute(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	struct job *j = ctx;
	struct err why;

	(void)err;
	if (rollup_unpack(m->roll.p, m->roll.n, &j->roll, &why) < 0)
		return 0; /* tare agent status counts the damaged ones */
	for (size_t u = 0; u < j->roll.use.n; u++) {
		const struct rollup_use *use = &j->roll.use.v[u];
		size_t held = 0, d = 0;
		while (held < j->n && j->hold[held]->id != use->hold)
			held++;
		if (held == j->n)
			continue;
		while (d < j->dev.n && j->dev.v[d] != m->dev)
			d++;
		if (d == j->dev.n)
			*vec_push(&j->dev) = m->dev;
		if (!(j->whole && j->from_ms < m->from_ms))
			j->from_ms = m->from_ms;
		j->to_ms = max_i64(m->to_ms, j->to_ms);
		for (size_t k = 0; k < use->nstate; k++) {
			__int128 ms = (__int128)use->state[k].ms * use->share_ppb;
			enum part p = part_of_state(use->state[k].state);
			j->part[p] += ms;
			j->whole += ms;
			if (p == PART_IDLE)
				j->cause[use->state[k].cause] += ms;
		}
	}
	return 0;
}

static dec cost_of(const struct watch_rate *rate, __int128 ms_ppb)
{
	return dec_muldiv(rate->usd_gpu_hour, (int64_t)(ms_ppb / ROLLUP_SHARE_ONE), MS_HOUR);
}

/* The model of the GPUs that it held; NULL: not known, or several. */
static const char *model_of(const struct job *j, const struct agentdb_device *d, size_t n)
{
	struct sv model = SV_NULL;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < j->dev.n; k++) {
			if (d[i].id != j->dev.v[k])
				continue;
			if (!d[i].model.n || (model.n && !sv_eq(model, d[i].model)))
				return NULL;
			model = d[i].model;
		}
	if (!model.n)
		return NULL;
	return model.p;
}

/* Where nobody says what the machine costs: what the cheapest one on demand of the same model
 * does. *ret stays unknown where the catalogue has none. */
static int find_list_price(struct job *j, const struct job_ask *q, struct watch_rate *ret,
			   const char **ret_source, struct err *err)
{
	static const char *const on_demand[] = { "on_demand" };
	struct agentdb_device *d;
	struct price_row *row = NULL;
	size_t n, nrow = 0;
	int r = agentdb_devices(q->db, &j->mem, &d, &n, err);

	if (r < 0)
		return r;
	const char *model = model_of(j, d, n);
	struct price_query p = {
		.gpu = model, .purchase = on_demand, .npurchase = 1, .at_ms = q->now_ms
	};
	struct err none = { 0 };
	if (!model || !q->catalog || catalog_prices(q->catalog, &p, &row, &nrow, &none) < 0)
		return 0;
	if (nrow && row->gpu_milli > 0) {
		*ret = (struct watch_rate){ .known = true, .usd_gpu_hour = row->gpu_hour };
		*ret_source = arena_printf(&j->mem,
					   " at %s $/GPU-h, the cheapest %s on demand of the "
					   "catalogue (%s %s); its own price: --usd-gpu-hour",
					   text_money(&j->mem, row->gpu_hour, 2), model,
					   row->provider, text_or(row->region, ""));
	}
	free(row);
	return 0;
}

static void print_line(struct job *j, const char *job, const struct watch_rate *rate,
		       const char *source, struct str *out)
{
	char *share[PARTS];
	const char *gap = " ";
	enum cause most = CAUSE_NONE;
	int64_t ms = j->to_ms - j->from_ms;

	for (int c = 0; c < CAUSE_N; c++)
		if (j->cause[c] > j->cause[most])
			most = (enum cause)c;
	text_shares(&j->mem, j->whole, PARTS, j->part, share);
	str_addf(out, "job %s: %zu GPU%s for ", text_line(&j->mem, sv_of(job), 60), j->dev.n,
		 plural(j->dev.n));
	if (ms < MS_MINUTE)
		str_addf(out, "%.0f s:", (double)ms / 1000);
	else if (ms < MS_HOUR)
		str_addf(out, "%.0f min:", (double)ms / MS_MINUTE);
	else
		str_addf(out, "%.1f h:", (double)ms / MS_HOUR);
	for (int p = 0; p < PARTS; p++) {
		if (!j->part[p])
			continue;
		str_addf(out, "%s%s %s", gap, part_name[p], share[p]);
		if (p == PART_IDLE && most != CAUSE_NONE)
			str_addf(out, " (%s)", cause_name(most));
		gap = ", ";
	}
	if (rate->known) {
		const char *money = text_money(&j->mem, cost_of(rate, j->whole), 2);
		str_addf(out, " · %s%s %s, %s of it idle%s", text_if(*source, "about "), money,
			 filled_or(rate->currency, "USD"),
			 text_money(&j->mem, cost_of(rate, j->part[PART_IDLE]), 2), source);
	}
	str_addz(out, "\n");
}

int job_line(const struct job_ask *q, struct str *out, struct err *err)
{
	struct job j = { 0 };
	struct watch_rate rate = *q->rate;
	const char *source = "";
	int r = find_holds(&j, q->db, q->job, err);

	if (r >= 0)
		r = agentdb_each_minute(q->db, &AGENTDB_ALL, add_minute, &j, err);
	if (r >= 0 && !j.whole)
		r = err_set(err, -ENOENT, "of job '%s' no minute is kept yet", q->job);
	if (r >= 0 && !rate.known)
		r = find_list_price(&j, q, &rate, &source, err);
	if (r >= 0)
		print_line(&j, q->job, &rate, source, out);
	rollup_free(&j.roll);
	vec_free(&j.dev);
	arena_free(&j.mem);
	return min_int(r, 0);
}
