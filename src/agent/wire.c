#include "agent/wire.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/random.h>

#include "watch/rollup.h"
#include "base/jw.h"
#include "base/num.h"
#include "base/search.h"
#include "base/tm.h"

#define FLUSH_BYTES (256 * 1024)

struct wire {
	struct agentdb *db;
	const struct wire_range *range;
	struct str *out;
	wire_flush_fn *fn;
	void *ctx;
	struct arena mem;
	const char *agent_id, *node;
	struct agentdb_device *dev;
	size_t ndev;
	struct agentdb_owner *owner;
	size_t nowner;
	struct agentdb_hold *hold;
	size_t nhold;
	struct rollup roll;
	struct jw w;
};

void wire_range_all(struct wire_range *r)
{
	*r = (struct wire_range){ .minute_to = INT64_MAX,
				  .event_to = INT64_MAX,
				  .rev_to = INT64_MAX,
				  .since_ms = INT64_MIN,
				  .until_ms = INT64_MAX };
}

int wire_agent_id(struct agentdb *db, struct err *err)
{
	struct arena mem = { 0 };
	unsigned char raw[16];
	char hex[33];
	const char *have = agentdb_get(db, "agent_id", &mem);
	arena_free(&mem);
	if (have)
		return 0;
	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		return err_set(err, -EIO, "no random numbers to be had");
	for (int i = 0; i < 16; i++)
		snprintf(hex + 2 * i, 3, "%02x", raw[i]);
	return agentdb_set(db, "agent_id", hex, err);
}

/* ---- small pieces ------------------------------------------------------------------------ */

static void begin_record(struct wire *w, const char *type)
{
	jw_init(&w->w, w->out, 0);
	jw_obj(&w->w);
	jw_key(&w->w, "type");
	jw_str(&w->w, type);
}

static int end_record(struct wire *w, struct err *err)
{
	jw_end_obj(&w->w);
	str_addc(w->out, '\n');
	if (w->fn && w->out->n > FLUSH_BYTES)
		return w->fn(w->ctx, w->out, err);
	return 0;
}

static void write_text(struct wire *w, const char *key, struct sv v)
{
	if (!v.n)
		return;
	jw_key(&w->w, key);
	jw_sv(&w->w, v);
}

static void write_time(struct wire *w, const char *key, int64_t ms)
{
	if (ms == UNKNOWN_MS)
		return;
	jw_key(&w->w, key);
	jw_time(&w->w, ms);
}

static void write_number(struct wire *w, const char *key, double v, int digits)
{
	if (isnan(v))
		return;
	jw_key(&w->w, key);
	jw_num(&w->w, v, digits);
}

static void write_integer(struct wire *w, const char *key, int64_t v)
{
	jw_key(&w->w, key);
	jw_int(&w->w, v);
}

static const struct agentdb_device *find_device(const struct wire *w, int64_t id)
{
	for (size_t i = 0; i < w->ndev; i++)
		if (w->dev[i].id == id)
			return &w->dev[i];
	return NULL;
}

static bool is_host(const struct agentdb_device *d)
{
	return sv_is(d->uuid, "host") && d->index < 0;
}

/* A GPU by its uuid, where it has none by its index. */
static struct sv gpu_name(struct wire *w, const struct agentdb_device *d)
{
	if (d->uuid.n)
		return d->uuid;
	return sv_of(arena_printf(&w->mem, "%d", d->index));
}

static void name_device(struct wire *w, const struct agentdb_device *d)
{
	const struct agentdb_device *gpu = d;
	if (d->parent)
		gpu = find_device(w, d->parent);
	write_text(w, "gpu", gpu_name(w, gpu ? gpu : d));
	if (d->parent)
		write_text(w, "mig", gpu_name(w, d));
}

static bool overlaps_range(const struct wire *w, int64_t from_ms, int64_t to_ms)
{
	return to_ms > w->range->since_ms && from_ms < w->range->until_ms;
}

static int64_t cut_from(const struct wire *w, int64_t ms)
{
	return max_i64(ms, w->range->since_ms);
}

static int64_t cut_to(const struct wire *w, int64_t ms)
{
	return min_i64(ms, w->range->until_ms);
}

/* ---- lines ------------------------------------------------------------------------------- */

/* An interval in which the machine was watched: it was there, and paid. */
static int write_node(struct wire *w, const struct agentdb_watched *s, struct err *err)
{
	static const char *const keys[] = { "provider",      "region",   "zone",
					    "instance_type", "cluster",  "purchase",
					    "usd_gpu_hour",  "currency", "resource_id" };
	begin_record(w, "node");
	write_text(w, "node", sv_of(w->node));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		write_text(w, keys[i], sv_of(agentdb_get(w->db, keys[i], &w->mem)));

	const char *model = NULL;
	int64_t n = 0;
	jw_key(&w->w, "gpu_ids");
	jw_arr(&w->w);
	for (size_t i = 0; i < w->ndev; i++) {
		const struct agentdb_device *d = &w->dev[i];
		if (d->parent || is_host(d) || d->first_ms > s->to_ms)
			continue;
		jw_sv(&w->w, gpu_name(w, d));
		if (!model)
			model = arena_sv(&w->mem, d->model);
		n++;
	}
	jw_end_arr(&w->w);
	write_integer(w, "gpus", n);
	write_text(w, "gpu_model", sv_of(model));
	write_time(w, "from", cut_from(w, s->from_ms));
	write_time(w, "to", cut_to(w, s->to_ms));
	return end_record(w, err);
}

static int write_device(struct wire *w, const struct agentdb_device *d, struct err *err)
{
	if (is_host(d))
		return 0;
	begin_record(w, "device");
	name_device(w, d);
	write_integer(w, "index", d->index);
	write_text(w, "name", d->name);
	write_text(w, "gpu_model", d->model);
	write_text(w, "bus_id", d->bus_id);
	write_text(w, "mig_profile", d->mig_profile);
	if (d->mig_start >= 0)
		write_integer(w, "mig_start", d->mig_start);
	write_number(w, "mem_total_bytes", d->mem_total_bytes, 0);
	write_time(w, "first", d->first_ms);
	return end_record(w, err);
}

static const struct agentdb_owner *find_owner(const struct wire *w, int64_t id)
{
	size_t at = first_where(i, w->nowner, w->owner[i].id >= id);

	if (at < w->nowner && w->owner[at].id == id)
		return &w->owner[at];
	return NULL;
}

static const struct agentdb_hold *find_hold(const struct wire *w, int64_t id)
{
	size_t at = first_where(i, w->nhold, w->hold[i].id >= id);

	if (at < w->nhold && w->hold[at].id == id)
		return &w->hold[at];
	return NULL;
}

static const char *hold_id(struct wire *w, int64_t id)
{
	return arena_printf(&w->mem, "%.8s-%lld", w->agent_id, (long long)id);
}

static int write_hold(struct wire *w, const struct agentdb_hold *h, struct err *err)
{
	const struct agentdb_device *d = find_device(w, h->dev);
	const struct agentdb_owner *o = find_owner(w, h->owner);
	bool asked = h->rev > w->range->rev_after && h->rev <= w->range->rev_to;
	if (!d || !o)
		return 0;
	if (!asked || !overlaps_range(w, h->from_ms, h->to_ms))
		return 0;
	begin_record(w, "allocation");
	write_text(w, "id", sv_of(hold_id(w, h->id)));
	const struct allocation *a = &o->a;
	write_text(w, "job_id", a->job_id);
	write_text(w, "user", a->user);
	write_text(w, "team", a->team);
	write_text(w, "project", a->project);
	write_text(w, "env", a->env);
	write_text(w, "workload", a->workload);
	write_text(w, "name", a->name);
	write_text(w, "account", a->account);
	write_text(w, "namespace", a->namespace_);
	write_text(w, "queue", a->queue);
	if (a->tags.n) {
		jw_key(&w->w, "tags");
		jw_raw(&w->w, a->tags);
	}
	write_time(w, "submit", a->submit_ms);
	write_time(w, "job_start", a->start_ms);
	name_device(w, d);
	write_text(w, "mig_profile", d->mig_profile);
	if (d->mig_start >= 0)
		write_integer(w, "mig_start", d->mig_start);
	write_text(w, "share_kind", sv_of(share_kind_name(h->share_kind)));
	write_number(w, "share_frac", (double)h->share_ppb / 1e9, 9);
	write_time(w, "from", cut_from(w, h->from_ms));
	write_time(w, "to", cut_to(w, h->to_ms));
	jw_key(&w->w, "open");
	jw_bool(&w->w, h->open && h->to_ms <= w->range->until_ms);
	return end_record(w, err);
}

/* ---- minutes ----------------------------------------------------------------------------- */

static void write_use(struct wire *w, const struct rollup_use *u)
{
	const struct agentdb_hold *h = u->hold ? find_hold(w, u->hold) : NULL;
	const struct agentdb_owner *o = NULL;
	if (h)
		o = find_owner(w, h->owner);
	jw_obj(&w->w);
	if (u->hold) {
		jw_key(&w->w, "allocation");
		jw_str(&w->w, hold_id(w, u->hold));
	}
	if (o)
		write_text(w, "job_id", o->a.job_id);
	write_number(w, "share_frac", (double)u->share_ppb / 1e9, 9);
	jw_key(&w->w, "states");
	jw_arr(&w->w);
	for (size_t i = 0; i < u->nstate; i++) {
		const struct rollup_state *s = &u->state[i];
		static const char *const key[ROLLUP_KEYS] = { "gpu_util_pct", "mem_used_bytes",
							      "sm_active_frac", "power_w" };
		static const int digits[ROLLUP_KEYS] = { 6, 0, 6, 3 };
		jw_obj(&w->w);
		jw_key(&w->w, "state");
		jw_str(&w->w, state_name(s->state));
		if (s->cause != CAUSE_NONE) {
			jw_key(&w->w, "cause");
			jw_str(&w->w, cause_name(s->cause));
		}
		write_integer(w, "ms", s->ms);
		for (int k = 0; k < ROLLUP_KEYS; k++)
			if (s->known_ms[k])
				write_number(w, key[k], s->sum[k] / (double)s->known_ms[k],
					     digits[k]);
		jw_end_obj(&w->w);
	}
	jw_end_arr(&w->w);
	jw_end_obj(&w->w);
}

static int write_minute(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	struct wire *w = ctx;
	struct err ignored;
	const struct agentdb_device *d = find_device(w, m->dev);
	if (m->id > w->range->minute_to || !d ||
	    rollup_unpack(m->roll.p, m->roll.n, &w->roll, &ignored) < 0)
		return 0;
	begin_record(w, "minute");
	name_device(w, d);
	write_time(w, "from", m->from_ms);
	write_time(w, "to", m->to_ms);
	jw_key(&w->w, "uses");
	jw_arr(&w->w);
	for (size_t i = 0; i < w->roll.use.n; i++)
		write_use(w, &w->roll.use.v[i]);
	jw_end_arr(&w->w);
	const struct rollup_hist *h = &w->roll.hist;
	if (h->n) {
		jw_key(&w->w, "util_hist");
		jw_arr(&w->w);
		for (int i = 0; i < ROLLUP_BINS; i++)
			if (h->count[i]) {
				jw_arr(&w->w);
				jw_int(&w->w, i);
				jw_int(&w->w, h->count[i]);
				jw_end_arr(&w->w);
			}
		jw_end_arr(&w->w);
	}
	jw_key(&w->w, "metrics");
	jw_obj(&w->w);
	for (int i = 0; i < METRIC_N; i++) {
		const struct rollup_metric *t = &w->roll.metric[i];
		if (!t->n)
			continue;
		jw_key(&w->w, metric_name((enum metric)i));
		jw_arr(&w->w);
		jw_int(&w->w, t->n);
		jw_num(&w->w, t->min, 6);
		jw_num(&w->w, t->max, 6);
		jw_num(&w->w, t->sum, 6);
		jw_end_arr(&w->w);
	}
	jw_end_obj(&w->w);
	return end_record(w, err);
}

static int write_event(void *ctx, const struct agentdb_event *e, struct err *err)
{
	struct wire *w = ctx;
	const struct agentdb_device *d = NULL;
	if (e->dev)
		d = find_device(w, e->dev);
	if (e->id > w->range->event_to)
		return 0;
	begin_record(w, "event");
	write_time(w, "at", e->t_ms);
	write_text(w, "event", e->kind);
	if (d)
		name_device(w, d);
	if (e->code)
		write_integer(w, "code", e->code);
	write_text(w, "text", e->text);
	return end_record(w, err);
}

int wire_write(struct agentdb *db, const struct wire_range *range, struct str *out,
	       wire_flush_fn *fn, void *ctx, struct err *err)
{
	struct wire w = { .db = db, .range = range, .out = out, .fn = fn, .ctx = ctx };
	struct agentdb_watched *s = NULL;
	size_t n = 0;
	int r = agentdb_devices(db, &w.mem, &w.dev, &w.ndev, err);
	if (r >= 0)
		r = agentdb_owners(db, 0, &w.mem, &w.owner, &w.nowner, err);
	if (r >= 0)
		r = agentdb_holds(db, 0, &w.mem, &w.hold, &w.nhold, err);
	w.agent_id = agentdb_get(db, "agent_id", &w.mem);
	w.node = agentdb_get(db, "node", &w.mem);
	if (r >= 0 && (!w.agent_id || !w.node))
		r = err_set(err, -ENOENT, "nothing has been watched yet in '%s'", agentdb_dir(db));
	if (r >= 0) {
		jw_init(&w.w, out, 0);
		jw_obj(&w.w);
		jw_key(&w.w, "schema");
		jw_str(&w.w, "tare.agent/1");
		write_text(&w, "agent_id", sv_of(w.agent_id));
		write_text(&w, "node", sv_of(w.node));
		write_text(&w, "version", sv_of(TARE_VERSION));
		if (range->batch) {
			write_integer(&w, "batch", range->batch);
			write_text(&w, "key",
				   sv_of(arena_printf(&w.mem, "%s/%lld", w.agent_id,
						      (long long)range->batch)));
		}
		r = end_record(&w, err);
	}
	if (r >= 0)
		r = agentdb_watches(db, &w.mem, &s, &n, err);
	for (size_t i = 0; r >= 0 && i < n; i++)
		if (overlaps_range(&w, s[i].from_ms, s[i].to_ms))
			r = write_node(&w, &s[i], err);
	for (size_t i = 0; r >= 0 && i < w.ndev; i++)
		r = write_device(&w, &w.dev[i], err);
	for (size_t i = 0; r >= 0 && i < w.nhold; i++)
		r = write_hold(&w, &w.hold[i], err);
	struct agentdb_window of = { range->event_after, range->since_ms, range->until_ms, 0 };
	/* they say when in the minutes there was no reading */
	if (r >= 0)
		r = agentdb_each_event(db, &of, write_event, &w, err);
	of.after = range->minute_after;
	if (r >= 0)
		r = agentdb_each_minute(db, &of, write_minute, &w, err);
	if (r >= 0 && fn && out->n)
		r = fn(ctx, out, err);
	rollup_free(&w.roll);
	arena_free(&w.mem);
	return r;
}
