/* tare agent status: what the agent has kept, and what the GPUs did. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "agent/rollup.h"
#include "agent/send.h"
#include "base/jw.h"
#include "base/percent.h"
#include "base/tm.h"
#include "cli/agent_fires.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"
#include "ledger/round.h"
#include "report/grid.h"

static const struct cli_opt opts[] = { AGENT_STATE_OPT, { 0 } };

struct hour_sums {
	int64_t hour_ms;
	__int128 weight[STATE_N]; /* ms x share, exact */
};
struct dev_sums { /* of the window */
	const struct agentdb_device *d;
	VEC(struct hour_sums) hour;
	int64_t ms[STATE_N]; /* they add up to the device's time */
	struct rollup_hist hist;
};
struct sums {
	struct dev_sums *dev;
	size_t n;
	struct rollup roll;
	int64_t minutes, from_ms, to_ms, damaged;
	int64_t held_ms; /* watched while nobody knew the time */
	struct agent_fires fires;
};

/* Minutes come in the order they were kept, which is nearly that of time. */
static struct hour_sums *hour_of(struct dev_sums *d, int64_t hour_ms)
{
	for (size_t i = d->hour.n; i-- > 0;)
		if (d->hour.v[i].hour_ms == hour_ms)
			return &d->hour.v[i];
	struct hour_sums *h = vec_push(&d->hour);
	*h = (struct hour_sums){ .hour_ms = hour_ms };
	return h;
}

static int add(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	struct sums *s = ctx;
	struct dev_sums *d = NULL;
	struct err why;
	for (size_t i = 0; i < s->n && !d; i++)
		d = s->dev[i].d->id == m->dev ? &s->dev[i] : NULL;
	if (!d || rollup_unpack(m->roll.p, m->roll.n, &s->roll, &why) < 0) {
		s->damaged++;
		return 0;
	}
	rollup_hist_merge(&d->hist, &s->roll.hist);
	struct hour_sums *h = hour_of(d, tm_floor(m->from_ms, MS_HOUR));
	for (size_t u = 0; u < s->roll.use.n; u++)
		for (size_t k = 0; k < s->roll.use.v[u].nstate; k++) {
			const struct rollup_state *t = &s->roll.use.v[u].state[k];
			h->weight[t->state] += (__int128)t->ms * s->roll.use.v[u].share_ppb;
		}
	s->from_ms = !s->minutes || m->from_ms < s->from_ms ? m->from_ms : s->from_ms;
	s->to_ms = m->to_ms > s->to_ms ? m->to_ms : s->to_ms;
	s->minutes++;
	return 0;
}

static int by_hour(const void *pa, const void *pb)
{
	const struct hour_sums *a = pa, *b = pb;

	return (a->hour_ms > b->hour_ms) - (a->hour_ms < b->hour_ms);
}

/* As the ledger does it (ledger/round.h), so that both have the same milliseconds in every state. */
static void round_times(struct dev_sums *d)
{
	__int128 sum = 0;
	int64_t before = 0;

	if (d->hour.n)
		qsort(d->hour.v, d->hour.n, sizeof *d->hour.v, by_hour);
	for (size_t i = 0; i < d->hour.n; i++) {
		struct round_rem rem[STATE_N];
		int64_t part[STATE_N];
		for (int k = 0; k < STATE_N; k++)
			sum += d->hour.v[i].weight[k];
		int64_t upto = round_upto(sum, ROLLUP_SHARE_ONE);
		round_parts(rem, STATE_N, d->hour.v[i].weight, ROLLUP_SHARE_ONE, upto - before,
			    part);
		for (int k = 0; k < STATE_N; k++)
			d->ms[k] += part[k];
		before = upto;
	}
	vec_free(&d->hour);
}

static void json_device(struct jw *w, const struct dev_sums *d)
{
	jw_obj(w);
	jw_key(w, "gpu");
	jw_sv(w, d->d->uuid);
	jw_put_int(w, "index", d->d->index);
	jw_key(w, "gpu_model");
	jw_sv(w, d->d->model);
	jw_key(w, "mig_profile");
	jw_sv(w, d->d->mig_profile.n ? d->d->mig_profile : SV_NULL);
	jw_put_num(w, "util_p50_pct", rollup_hist_quantile(&d->hist, 0.5), 0);
	jw_put_num(w, "util_p95_pct", rollup_hist_quantile(&d->hist, 0.95), 0);
	jw_put_num(w, "util_mean_pct", rollup_hist_mean(&d->hist), 3);
	jw_put_int(w, "readings", (int64_t)d->hist.n);
	jw_key(w, "seconds");
	jw_obj(w);
	for (int k = 1; k < STATE_N; k++)
		if (d->ms[k])
			jw_put_num(w, state_name((enum state)k), (double)d->ms[k] / 1000, 3);
	jw_end_obj(w);
	jw_end_obj(w);
}

static void json_raw(struct jw *w, const struct agentdb_raw_size *raw)
{
	jw_key(w, "raw");
	jw_obj(w);
	jw_put_int(w, "samples", raw->samples);
	jw_put_int(w, "bytes", raw->bytes);
	jw_put_int(w, "file_bytes", raw->file_bytes);
	jw_put_num(w, "bytes_per_sample",
		   raw->samples ? (double)raw->bytes / (double)raw->samples : NAN, 4);
	jw_end_obj(w);
}

static void print_json(struct agentdb *db, const struct sums *s, const struct agentdb_raw_size *raw,
		       const struct send_state *sent, struct arena *a, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", "tare.agent-status/1");
	jw_put_str(&w, "state_dir", agentdb_dir(db));
	jw_put_str(&w, "node", agentdb_get(db, "node", a));
	int runs = agentdb_watched(db);
	jw_key(&w, "running");
	if (runs < 0)
		jw_null(&w);
	else
		jw_bool(&w, runs);
	jw_put_time(&w, "from", s->minutes ? s->from_ms : UNKNOWN_MS);
	jw_put_time(&w, "to", s->minutes ? s->to_ms : UNKNOWN_MS);
	jw_put_int(&w, "minutes", s->minutes);
	jw_put_num(&w, "held_seconds", (double)s->held_ms / 1000, 3);
	json_raw(&w, raw);
	jw_put_int(&w, "sent_batches", send_state_accepted(sent));
	jw_put_int(&w, "refused_batches", sent->refused);
	agent_fires_json(&s->fires, &w);
	jw_key(&w, "gpus");
	jw_arr(&w);
	for (size_t i = 0; i < s->n; i++)
		json_device(&w, &s->dev[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void pct_cell(char buf[24], double v)
{
	if (isnan(v))
		snprintf(buf, 24, "-");
	else
		snprintf(buf, 24, "%.0f %%", v);
}

/* Texts of drivers are no terminal output: what is not printable ASCII becomes a question mark. */
static const char *clean(struct arena *a, struct sv v)
{
	char *t = arena_strn(a, v.n ? v.p : "-", v.n ? v.n : 1);
	for (char *p = t; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return t;
}

static const enum state shown[] = { STATE_BUSY,       STATE_UNDERUSED,   STATE_IDLE_HELD,
				    STATE_IDLE_EMPTY, STATE_UNALLOCATED, STATE_UNKNOWN };
enum { SHOWN_N = sizeof shown / sizeof *shown, SHARES_IN = 48 /* where shares stand */ };

static int64_t all_ms(const struct dev_sums *d)
{
	int64_t all = 0;

	for (int k = 0; k < STATE_N; k++)
		all += d->ms[k];
	return all;
}

/* " busy 71.7 % unknown 3.7 %", going on below itself where the line is full. */
static void put_shares(const struct dev_sums *d, int width, struct str *out)
{
	char piece[64];
	int64_t all = all_ms(d), tenths[SHOWN_N];
	__int128 part[SHOWN_N];
	char share[PERCENT_BUF];
	int at = SHARES_IN;

	for (size_t k = 0; k < SHOWN_N; k++)
		part[k] = d->ms[shown[k]];
	percent_split(all, SHOWN_N, part, PERCENT_TENTHS, tenths);
	for (size_t k = 0; all && k < SHOWN_N; k++) {
		if (!d->ms[shown[k]])
			continue;
		int n = snprintf(piece, sizeof piece, " %s %s", state_name(shown[k]),
				 percent_text(share, tenths[k], PERCENT_TENTHS, part[k], all));
		if (at > SHARES_IN && at + n > width) {
			str_addf(out, "\n%*s", SHARES_IN, "");
			at = SHARES_IN;
		}
		str_addz(out, piece);
		at += n;
	}
}

/* For programs, and for pages: the same columns. */
static void fill_grid(const struct sums *s, struct grid *g)
{
	static const char *const heads[] = { "gpu",          "index",         "gpu_model",
					     "mig_profile",  "util_mean_pct", "util_p50_pct",
					     "util_p95_pct", "readings" };
	struct arena *a = &g->mem;

	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
		grid_add_col(g, heads[i], i > 3 ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t k = 0; k < SHOWN_N; k++)
		grid_add_col(g, arena_printf(a, "%s_s", state_name(shown[k])), GRID_RIGHT, false);
	for (size_t i = 0; i < s->n; i++) {
		const struct dev_sums *d = &s->dev[i];
		const double util[] = { rollup_hist_mean(&d->hist),
					rollup_hist_quantile(&d->hist, 0.5),
					rollup_hist_quantile(&d->hist, 0.95) };
		const char **cell = grid_add_row(g, GRID_PLAIN);
		cell[0] = clean(a, d->d->uuid);
		cell[1] = arena_printf(a, "%d", d->d->index);
		cell[2] = clean(a, d->d->model);
		cell[3] = d->d->mig_profile.n ? clean(a, d->d->mig_profile) : "";
		for (size_t k = 0; k < 3; k++)
			cell[4 + k] = isnan(util[k]) ? "" : arena_printf(a, "%.3f", util[k]);
		cell[7] = arena_printf(a, "%" PRIu64, (uint64_t)d->hist.n);
		for (size_t k = 0; k < SHOWN_N; k++)
			cell[8 + k] = arena_printf(a, "%.3f", (double)d->ms[shown[k]] / 1000);
	}
}

static void print_grid(const struct cli *c, const struct sums *s, struct str *out)
{
	struct grid g = { 0 };

	fill_grid(s, &g);
	if (c->output == OUT_MD)
		grid_md(&g, out);
	else
		grid_csv(&g, out);
	grid_free(&g);
}

static void print_table(struct agentdb *db, const struct sums *s,
			const struct agentdb_raw_size *raw, const struct send_state *sent,
			struct arena *a, int width, struct str *out)
{
	char from[TM_BUF], to[TM_BUF], p50[24], p95[24], mean[24];
	const char *node = agentdb_get(db, "node", a);
	int runs = agentdb_watched(db);
	str_addf(out, "node      %s\nkept in   %s\nagent     %s\n",
		 node ? clean(a, sv_of(node)) : "-", agentdb_dir(db),
		 runs > 0    ? "running"
		 : runs == 0 ? "not running: nothing is seen now"
			     : "-");
	if (s->minutes)
		str_addf(out, "minutes   %s to %s\n", tm_format(from, s->from_ms),
			 tm_format(to, s->to_ms));
	else
		str_addz(out, "minutes   none yet\n");
	if (s->held_ms)
		str_addf(out, "clock     was set: %s wait until it has been steady for 10 min\n",
			 tm_format_span(from, s->held_ms));
	if (raw->samples)
		str_addf(out, "readings  %" PRId64 " in %.*f MB, %.2f bytes each\n", raw->samples,
			 raw->bytes < 1000000 ? 3 : 1, (double)raw->bytes / 1e6,
			 (double)raw->bytes / (double)raw->samples);
	if (sent->batch || sent->under_way_batch)
		str_addf(out, "sent      %" PRId64 " batches%s\n", send_state_accepted(sent),
			 sent->under_way_batch ? ", one under way" : "");
	if (sent->refused)
		str_addf(out,
			 "refused   %" PRId64 " batch%s, the last with status %" PRId64
			 ": kept in\n          %s/refused with what the server said\n",
			 sent->refused, sent->refused == 1 ? "" : "es", sent->refused_status,
			 agentdb_dir(db));
	agent_fires_text(&s->fires, out);
	if (!s->n) {
		str_addz(out, "\nNo GPU was seen. tare doctor says what is missing.\n");
		return;
	}
	str_addf(out, "\n%-4s %-20s %6s %6s %6s  share of the time seen\n", "GPU", "model", "mean",
		 "p50", "p95");
	for (size_t i = 0; i < s->n; i++) {
		const struct dev_sums *d = &s->dev[i];
		pct_cell(mean, rollup_hist_mean(&d->hist));
		pct_cell(p50, rollup_hist_quantile(&d->hist, 0.5));
		pct_cell(p95, rollup_hist_quantile(&d->hist, 0.95));
		str_addf(out, "%-4d %-20.20s %6s %6s %6s ", d->d->index,
			 clean(a, d->d->mig_profile.n ? d->d->mig_profile : d->d->model), mean, p50,
			 p95);
		put_shares(d, width, out);
		str_addc(out, '\n');
	}
}

static int look(struct cli *c, struct agentdb *db, struct sums *s, struct agentdb_raw_size *raw,
		struct send_state *sent, struct err *err)
{
	struct agentdb_device *d;
	size_t n;
	int r = agentdb_devices(db, &c->mem, &d, &n, err);
	if (r < 0)
		return r;
	s->dev = arena_zalloc(&c->mem, (n + 1) * sizeof *s->dev);
	for (size_t i = 0; i < n; i++)
		if (!sv_is(d[i].uuid, "host"))
			s->dev[s->n++].d = &d[i];
	r = agentdb_each_minute(db, 0, c->since_ms, c->until_ms, 0, add, s, err);
	for (size_t i = 0; r >= 0 && i < s->n; i++)
		round_times(&s->dev[i]);
	if (r >= 0)
		r = agentdb_held_ms(db, &s->held_ms, err);
	if (r >= 0)
		r = agentdb_raw_size(db, raw, err);
	if (r >= 0)
		r = agent_fires_load(c, agentdb_dir(db), &s->fires, err);
	return r < 0 ? r : send_state_load(agentdb_dir(db), sent, err);
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct agentdb *db;
	struct sums s = { 0 };
	struct agentdb_raw_size raw;
	struct send_state sent;
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (agent_open(c, &db, &err) < 0)
		return cli_fail(&err);
	int r = look(c, db, &s, &raw, &sent, &err);
	if (r >= 0 && c->output == OUT_JSON)
		print_json(db, &s, &raw, &sent, &c->mem, &out);
	else if (r >= 0 && c->output != OUT_TABLE)
		print_grid(c, &s, &out);
	else if (r >= 0)
		print_table(db, &s, &raw, &sent, &c->mem, c->width, &out);
	agentdb_close(db);
	rollup_free(&s.roll);
	agent_fires_free(&s.fires);
	int code = r < 0 ? cli_fail(&err) : cli_write(&out);
	str_free(&out);
	return code;
}

const struct cli_cmd cmd_agent_status_def = {
	.name = "agent status",
	.group = "",
	.summary = "what the agent has kept, and what the GPUs did",
	.usage = "[--since T] [--until T] [-o json]",
	.examples = "tare agent status\ntare agent status --since today -o json",
	.about =
		"Percentiles are exact where the driver gives whole percents. Works beside a running agent; which alerts fire is at most a minute old,\n"
		"by the rules of --config.",
	.common = CLI_CONFIG | CLI_OUTPUT | CLI_WINDOW,
	.opt = opts,
	.run = run,
};
