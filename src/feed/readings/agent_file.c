/*
 * What an agent tells, format tare.agent/1 (docs/AGENT-FORMAT.md): JSON lines. Nodes and
 * allocations become rows as they are; a minute becomes samples, one for each state it saw, as long
 * as that state lasted, with the mean of its readings: so that the ledger comes to the same
 * milliseconds in the same states. In which order the states came within the minute is not in the
 * roll-up, and not made up to mean anything. What no state decides (temperature, clocks, errors,
 * activity of parts of the chip) is known of the device over the minute, and stands in each sample
 * of it: every sum and mean over whole minutes is right.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/lines.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/spans.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/feeds.h"
#include "ledger/lost.h"

#define SCHEMA "tare.agent/1"
/* Limits of what a line may hold, far above what an agent writes. */
#define GPUS_MAX    1024 /* of a machine */
#define USES_MAX    4096 /* of a minute */
#define STATES_MAX  256  /* of a use */
#define USD_H_MAX   10000000
#define BYTES_MAX   1e18 /* and of any other reading of the device */
#define POWER_W_MAX 1e7

/* When no reading of a GPU can have been: by the events before its minutes. */
struct dark_gpu {
	struct sv gpu;
	spans dark;
	size_t nevent; /* so many of the reader's events it was made of */
};

/* A MIG instance, as its device line has it; texts in mem. */
struct instance {
	struct sv gpu, mig, profile;
};

struct reader {
	struct feed_run *r;
	struct lines lines;
	const char *field, *why; /* what is wrong with the line, or NULL */
	int64_t other;           /* lines of a type that is not known here */
	struct str ids;
	struct arena mem;
	struct sv node;             /* of the last header; what is below is of this machine */
	VEC(struct incident) event; /* texts in mem */
	VEC(struct dark_gpu) gpu;
	VEC(struct instance) instance;
};

static void set_bad(struct reader *f, const char *field, const char *why)
{
	if (!f->why) {
		f->field = field;
		f->why = why;
	}
}

static struct sv read_text(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);
	if (json_is_string(v))
		return (struct sv){ json_string_value(v), json_string_length(v) };
	return SV_NULL;
}

static struct sv need_text(struct reader *f, const json_t *o, const char *key)
{
	struct sv v = read_text(o, key);
	if (!v.n)
		set_bad(f, key, "is missing");
	return v;
}

static int64_t read_time(struct reader *f, const json_t *o, const char *key, bool needed)
{
	struct sv v = read_text(o, key);
	int64_t ms = UNKNOWN_MS;
	if (v.n && tm_parse(v, 0, &ms) < 0)
		set_bad(f, key, "is no time");
	else if (!v.n && needed)
		set_bad(f, key, "is missing");
	return ms;
}

static double read_within(struct reader *f, const json_t *o, const char *key, double lo, double hi)
{
	const json_t *v = json_object_get(o, key);
	if (!json_is_number(v))
		return NAN;
	double x = json_number_value(v);
	if (x >= lo && x <= hi)
		return x;
	set_bad(f, key, "is out of range");
	return NAN;
}

/* Money is a text. False: there is none, or it is no price. */
static bool read_money(struct reader *f, const json_t *o, const char *key, dec *ret)
{
	struct sv v = read_text(o, key);
	if (!v.n)
		return false;
	if (dec_parse(v, 0, ret) < 0 || *ret < 0 || *ret > USD_H_MAX * DEC_ONE) {
		set_bad(f, key, "is no price of an hour");
		return false;
	}
	return true;
}

/* ---- nodes and allocations --------------------------------------------------------------- */

static int give_incident(struct reader *f, const struct incident *i, struct err *err)
{
	const struct feed_sink *to = f->r->sink;
	/* of a device whose owners are not seen (blind) there are readings all the same; after any
	 * other there may be none until the opposite is told */
	if (!sv_is(i->kind, "blind") && !sv_is(i->kind, "sighted")) {
		struct incident *own = vec_push(&f->event);
		*own = *i;
		own->gpu = arena_keep(&f->mem, i->gpu);
		own->mig = arena_keep(&f->mem, i->mig);
		own->kind = arena_keep(&f->mem, i->kind);
	}
	if (to->incident)
		return to->incident(to->ctx, i, err);
	return 0;
}

static struct dark_gpu *find_dark_gpu(struct reader *f, struct sv gpu)
{
	for (size_t i = 0; i < f->gpu.n; i++)
		if (sv_eq(f->gpu.v[i].gpu, gpu))
			return &f->gpu.v[i];
	struct dark_gpu *d = vec_push(&f->gpu);
	*d = (struct dark_gpu){ .gpu = arena_keep(&f->mem, gpu) };
	return d;
}

static int by_time(const void *a, const void *b)
{
	const struct incident *x = a, *y = b;
	if (x->t_ms != y->t_ms)
		return cmp_i64(x->t_ms, y->t_ms);
	/* a start first: it forgets all before it, and what comes with it is of the new one */
	return sv_is(y->kind, "start") - sv_is(x->kind, "start");
}

/* Events stand before the minutes, in one go: made again only where they have doubled since, as
 * they may where many exports are one file. */
static const spans *dark_of(struct reader *f, struct sv gpu)
{
	struct dark_gpu *d = find_dark_gpu(f, gpu);
	struct arena mem = { 0 };
	struct attrib_told *told;
	if (!f->event.n || (d->nevent && f->event.n < 2 * d->nevent))
		return &d->dark;
	sort_items(f->event.v, f->event.n, sizeof *f->event.v, by_time);
	size_t n = lost_unheld(gpu, f->event.v, f->event.n, INT64_MAX, &mem, &told);
	d->nevent = f->event.n;
	d->dark.n = 0;
	for (size_t i = 0; i < n; i++)
		*vec_push(&d->dark) = (struct span){ told[i].from_ms, told[i].to_ms };
	arena_free(&mem);
	return &d->dark;
}

/* Somebody looked: what is known of a GPU that is lost is known as long, and whoever held one was
 * seen, but where events tell of gaps and of owners that could not be seen. */
static int give_watched(struct reader *f, const struct node *n, struct err *err)
{
	const struct feed_sink *to = f->r->sink;
	struct witness w = { .node = f->node,
			     .from_ms = n->from_ms,
			     .to_ms = n->to_ms,
			     .quality = QUALITY_MEASURED };
	int r = give_incident(f,
			      &(struct incident){ .node = f->node,
						  .kind = SV("watched"),
						  .t_ms = n->from_ms,
						  .code = n->to_ms - n->from_ms },
			      err);
	if (r < 0 || !to->witness)
		return r;
	return to->witness(to->ctx, &w, err);
}

static int take_node(struct reader *f, const json_t *o, struct err *err)
{
	struct node n = { .node = need_text(f, o, "node"),
			  .provider = read_text(o, "provider"),
			  .region = read_text(o, "region"),
			  .zone = read_text(o, "zone"),
			  .instance_type = read_text(o, "instance_type"),
			  .gpu_model = read_text(o, "gpu_model"),
			  .cluster = read_text(o, "cluster"),
			  .purchase = read_text(o, "purchase"),
			  .currency = read_text(o, "currency"),
			  .resource_id = read_text(o, "resource_id"),
			  .cpu_milli = UNKNOWN_I64,
			  .ram_mib = UNKNOWN_I64 };
	const json_t *ids = json_object_get(o, "gpu_ids");
	double gpus = read_within(f, o, "gpus", 0, GPUS_MAX);
	dec hour = 0;
	n.from_ms = read_time(f, o, "from", true);
	n.to_ms = read_time(f, o, "to", true);
	str_clear(&f->ids);
	if (json_array_size(ids) > GPUS_MAX)
		set_bad(f, "gpu_ids", "are too many");
	for (size_t i = 0; i < json_array_size(ids) && !f->why; i++) {
		const json_t *v = json_array_get(ids, i);
		if (!json_is_string(v) || memchr(json_string_value(v), ';', json_string_length(v)))
			set_bad(f, "gpu_ids", "is no list of names");
		else
			str_addf(&f->ids, "%s%s", text_if(i, ";"), json_string_value(v));
	}
	n.gpu_ids = f->ids.n ? str_sv(&f->ids) : SV_NULL;
	n.gpu_milli = isnan(gpus) ? 0 : (int64_t)gpus * 1000;
	n.has_usd_hour = read_money(f, o, "usd_gpu_hour", &hour);
	n.usd_hour = hour * (n.gpu_milli / 1000);
	if (!f->why && n.to_ms < n.from_ms)
		set_bad(f, "to", "is before 'from'");
	/* a machine without GPUs costs nothing here */
	if (f->why || n.gpu_milli == 0 || n.to_ms == n.from_ms)
		return 0;
	f->r->report->rows_kept++;
	feed_cover(f->r->report, n.from_ms, n.to_ms);
	int r = f->r->sink->node(f->r->sink->ctx, &n, err);
	if (r < 0)
		return r;
	return give_watched(f, &n, err);
}

static int take_allocation(struct reader *f, const json_t *o, struct err *err)
{
	struct allocation a = { .job_id = read_text(o, "job_id"),
				.user = read_text(o, "user"),
				.team = read_text(o, "team"),
				.project = read_text(o, "project"),
				.env = read_text(o, "env"),
				.workload = read_text(o, "workload"),
				.name = read_text(o, "name"),
				.account = read_text(o, "account"),
				.namespace_ = read_text(o, "namespace"),
				.queue = read_text(o, "queue"),
				.mig_profile = read_text(o, "mig_profile"),
				.node = f->node,
				.cluster = read_text(o, "cluster"),
				.gpus_milli = 1000,
				.share_ppb = -1,
				.mig_start = -1,
				.limit_ms = UNKNOWN_MS,
				.checkpointable = -1,
				.cpu_milli = UNKNOWN_I64,
				.ram_mib = UNKNOWN_I64 };
	const json_t *tags = json_object_get(o, "tags");
	char *dumped = json_is_object(tags) ? json_dumps(tags, JSON_COMPACT) : NULL;
	double share = read_within(f, o, "share_frac", 0, 1),
	       start = read_within(f, o, "mig_start", -1, 7);
	int kind = share_kind_of(read_text(o, "share_kind"));
	a.tags = sv_of(dumped);
	/* "GPU-...", of an instance "GPU-.../MIG-..." */
	struct sv mig = read_text(o, "mig");
	str_clear(&f->ids);
	str_addsv(&f->ids, need_text(f, o, "gpu"));
	if (mig.n) {
		str_addc(&f->ids, '/');
		str_addsv(&f->ids, mig);
	}
	a.gpu_ids = str_sv(&f->ids);
	a.share_kind = kind >= 0 ? (enum share_kind)kind : SHARE_WHOLE;
	if (kind < 0)
		set_bad(f, "share_kind", "is none of whole, mig, mps, timeslice, fraction");
	if (a.share_kind != SHARE_WHOLE && a.share_kind != SHARE_MIG && !isnan(share))
		a.share_ppb = llround(share * 1e9);
	a.mig_start = isnan(start) ? -1 : (int)start;
	/* somebody without a job holds it: the agent's own name of it is all there is */
	if (!a.job_id.n)
		a.job_id = read_text(o, "id");
	if (!a.job_id.n)
		set_bad(f, "job_id", "is missing");
	a.submit_ms = read_time(f, o, "submit", false);
	a.start_ms = read_time(f, o, "from", true);
	a.end_ms = read_time(f, o, "to", true);
	a.open_end = json_is_true(json_object_get(o, "open"));
	if (!f->why && a.end_ms < a.start_ms)
		set_bad(f, "to", "is before 'from'");
	if (a.submit_ms != UNKNOWN_MS && a.submit_ms > a.start_ms)
		a.submit_ms = UNKNOWN_MS;
	int r = 0;
	if (!f->why && a.end_ms > a.start_ms) {
		f->r->report->rows_kept++;
		feed_cover(f->r->report, a.start_ms, a.end_ms);
		r = f->r->sink->allocation(f->r->sink->ctx, &a, err);
	}
	free(dumped);
	return r;
}

/* ---- minutes ----------------------------------------------------------------------------- */

/* What the readings of a state are, in the order of state_row.value[]. */
enum { V_GPU_UTIL, V_MEM_USED, V_SM_ACTIVE, V_POWER, V_N };

static const enum metric state_metric[V_N] = { METRIC_GPU_UTIL_PCT, METRIC_MEM_USED_BYTES,
					       METRIC_SM_ACTIVE_FRAC, METRIC_POWER_W };

struct state_row {
	enum state state;
	int64_t ms;
	double value[V_N]; /* NAN: no reading */
};

static void read_state(struct reader *f, const json_t *o, struct state_row *s)
{
	int state = state_of(read_text(o, "state"));
	double ms = read_within(f, o, "ms", 0, MS_HOUR);
	if (state < 0)
		set_bad(f, "state", "is none of the ledger's states");
	if (isnan(ms))
		set_bad(f, "ms", "is missing");
	*s = (struct state_row){ .state = (enum state)max_int(state, 0),
				 .ms = isnan(ms) ? 0 : (int64_t)ms,
				 .value = { read_within(f, o, "gpu_util_pct", 0, 100),
					    read_within(f, o, "mem_used_bytes", 0, BYTES_MAX),
					    read_within(f, o, "sm_active_frac", 0, 1),
					    read_within(f, o, "power_w", 0, POWER_W_MAX) } };
}

/* A state without readings is time nobody saw: no sample. A GPU in MIG mode has no utilisation, and
 * its power is read all the same: of it alone, its instances have none. */
static bool has_reading(const struct state_row *s)
{
	bool read = !isnan(s->value[V_GPU_UTIL]) || !isnan(s->value[V_SM_ACTIVE]) ||
		    !isnan(s->value[V_POWER]);

	return s->state != STATE_UNKNOWN && read;
}

/* What a minute has of a metric: [readings, least, largest, sum]. */
enum of_minute { COUNT, LEAST, LARGEST, SUM, OF_MINUTE_N };

/* One of them; NAN where the metric has no reading. */
static double read_of_minute(const json_t *metrics, enum metric m, enum of_minute which)
{
	const json_t *v = json_object_get(metrics, metric_name(m)), *x = json_array_get(v, which);
	double n = json_number_value(json_array_get(v, COUNT)), ret = json_number_value(x);
	if (json_array_size(v) != OF_MINUTE_N || !json_is_number(x))
		return NAN;
	if (n > 0 && fabs(ret) <= BYTES_MAX)
		return ret;
	return NAN;
}

static void put_means(const json_t *metrics, const enum metric *m, size_t n, double *value)
{
	for (size_t i = 0; i < n; i++) {
		double mean = read_of_minute(metrics, m[i], SUM) /
			      read_of_minute(metrics, m[i], COUNT);
		bool possible = mean >= 0 || m[i] == METRIC_TEMP_CELSIUS;
		value[m[i]] = possible ? mean : NAN;
	}
}

/*
 * Means, but for an error of the driver, whose peak is the news, a counter, which is where it came
 * to, and a mask of bits, which is known where it was the same all the minute. Activity of the chip
 * is somebody's only where he had the device to himself.
 */
static void put_device(const json_t *metrics, bool alone, double *value)
{
	static const enum metric of_gpu[] = { METRIC_MEM_TOTAL_BYTES, METRIC_TEMP_CELSIUS,
					      METRIC_SM_CLOCK_MHZ, METRIC_MEM_CLOCK_MHZ };
	static const enum metric of_owner[] = { METRIC_OCCUPANCY_FRAC,    METRIC_TENSOR_ACTIVE_FRAC,
						METRIC_DRAM_ACTIVE_FRAC,  METRIC_MEM_UTIL_PCT,
						METRIC_PCIE_RX_BYTES_S,   METRIC_PCIE_TX_BYTES_S,
						METRIC_NVLINK_RX_BYTES_S, METRIC_NVLINK_TX_BYTES_S,
						METRIC_PROC_COUNT };
	for (int m = 0; m < METRIC_N; m++)
		value[m] = NAN;
	put_means(metrics, of_gpu, sizeof of_gpu / sizeof *of_gpu, value);
	if (alone)
		put_means(metrics, of_owner, sizeof of_owner / sizeof *of_owner, value);
	value[METRIC_XID] = read_of_minute(metrics, METRIC_XID, LARGEST);
	value[METRIC_ECC_UNCORRECTED] = read_of_minute(metrics, METRIC_ECC_UNCORRECTED, LARGEST);
	double bits = read_of_minute(metrics, METRIC_THROTTLE_BITS, LEAST);
	if (bits == read_of_minute(metrics, METRIC_THROTTLE_BITS, LARGEST))
		value[METRIC_THROTTLE_BITS] = bits;
}

/* v: when, and what is of the device; the length and the readings of the state are added. */
static int give_sample(struct reader *f, const struct sample_key *k, const struct state_row *s,
		       struct sample v, struct err *err)
{
	if (s->ms <= 0 || !has_reading(s))
		return 0;
	v.step_ms = (int32_t)s->ms;
	for (int i = 0; i < V_N; i++)
		v.value[state_metric[i]] = s->value[i];
	f->r->report->rows_kept++;
	feed_cover(f->r->report, v.t_ms, v.t_ms + v.step_ms);
	return f->r->sink->sample(f->r->sink->ctx, k, &v, err);
}

/* Where the states of a use stand in their minute: one behind the other, but for the time in which
 * events say that there was no reading. */
struct places {
	spans *room;     /* the rest of the minute; what is taken shortens its front */
	size_t next;     /* of room: the first span with something left */
	int64_t dark_ms; /* without reading: states without readings are taken to lie there */
};

/* All of the minute, where its states without readings are shorter than what events say: then it
 * was read all the same. */
static void find_room(struct reader *f, const json_t *states, struct sv gpu, struct span minute,
		      struct places *at)
{
	int64_t unread_ms = 0, free_ms = 0;
	for (size_t i = 0; i < json_array_size(states); i++) {
		struct state_row s;
		read_state(f, json_array_get(states, i), &s);
		if (!has_reading(&s))
			unread_ms += s.ms;
	}
	spans_free_of(dark_of(f, gpu), minute, at->room);
	for (size_t i = 0; i < at->room->n; i++)
		free_ms += at->room->v[i].to_ms - at->room->v[i].from_ms;
	at->dark_ms = minute.to_ms - minute.from_ms - free_ms;
	if (at->dark_ms <= unread_ms)
		return;
	at->dark_ms = 0;
	at->room->n = 0;
	*vec_push(at->room) = minute;
}

static int place_state(struct reader *f, const struct sample_key *k, struct state_row s,
		       struct sample v, struct places *at, struct err *err)
{
	int r = 0;
	if (!has_reading(&s)) {
		int64_t dark = min_i64(s.ms, at->dark_ms);
		s.ms -= dark;
		at->dark_ms -= dark;
	}
	while (s.ms > 0 && at->next < at->room->n && r >= 0) {
		struct span *here = &at->room->v[at->next];
		struct state_row part = s;
		int64_t left = here->to_ms - here->from_ms;
		part.ms = min_i64(s.ms, left);
		v.t_ms = here->from_ms;
		r = give_sample(f, k, &part, v, err);
		here->from_ms += part.ms;
		s.ms -= part.ms;
		at->next += here->from_ms == here->to_ms;
	}
	if (s.ms > 0 && r >= 0)
		set_bad(f, "states", "last longer than the minute");
	return r;
}

struct minute {
	const json_t *o;
	struct sample_key key;
	struct span time;
};

static int take_use(struct reader *f, const struct minute *m, const json_t *use, bool alone,
		    struct err *err)
{
	struct sample_key k = m->key;
	const json_t *states = json_object_get(use, "states");
	bool held = read_text(use, "allocation").n > 0;
	struct sample v = { .t_ms = m->time.from_ms };
	spans room = { 0 };
	struct places at = { .room = &room };
	if (!alone && !held) /* the part nobody has: what is left of a recorded GPU */
		return 0;
	if (!alone)
		k.job_id = read_text(use, "job_id").n ? read_text(use, "job_id")
						      : read_text(use, "allocation");
	put_device(json_object_get(m->o, "metrics"), alone, v.value);
	find_room(f, states, k.gpu, m->time, &at);
	int r = 0;
	for (size_t i = 0; i < json_array_size(states) && r >= 0; i++) {
		struct state_row s;
		read_state(f, json_array_get(states, i), &s);
		r = f->why ? 0 : place_state(f, &k, s, v, &at, err);
		if (f->why)
			break;
	}
	vec_free(&room);
	return r;
}

/* Every use is looked at before the first sample is given: a line is taken in whole or not at
 * all. */
static void check_uses(struct reader *f, const json_t *uses, int64_t from_ms, int64_t to_ms)
{
	for (size_t u = 0; u < json_array_size(uses); u++) {
		const json_t *states = json_object_get(json_array_get(uses, u), "states");
		int64_t ms = 0;
		if (json_array_size(states) > STATES_MAX)
			set_bad(f, "states", "are too many");
		for (size_t i = 0; i < json_array_size(states) && !f->why; i++) {
			struct state_row s;
			read_state(f, json_array_get(states, i), &s);
			ms += s.ms;
		}
		if (ms > to_ms - from_ms)
			set_bad(f, "states", "last longer than the minute");
	}
}

static struct instance *find_instance(struct reader *f, struct sv gpu, struct sv mig)
{
	for (size_t i = 0; i < f->instance.n && mig.n; i++) {
		struct instance *x = &f->instance.v[i];
		if (sv_eq(x->mig, mig) && sv_eq(x->gpu, gpu))
			return x;
	}
	return NULL;
}

static void take_device(struct reader *f, const json_t *o)
{
	struct sv gpu = read_text(o, "gpu"), mig = read_text(o, "mig");
	struct instance *x = find_instance(f, gpu, mig);

	if (!mig.n)
		return;
	if (!x) {
		x = vec_push(&f->instance);
		x->gpu = arena_keep(&f->mem, gpu);
		x->mig = arena_keep(&f->mem, mig);
	}
	x->profile = arena_keep(&f->mem, read_text(o, "mig_profile"));
}

static int take_minute(struct reader *f, const json_t *o, struct err *err)
{
	const json_t *uses = json_object_get(o, "uses");
	struct sample_key k = { .node = f->node,
				.gpu = need_text(f, o, "gpu"),
				.mig = read_text(o, "mig") };
	const struct instance *instance = find_instance(f, k.gpu, k.mig);
	if (instance)
		k.mig_profile = instance->profile;
	int64_t from = read_time(f, o, "from", true), to = read_time(f, o, "to", true);
	size_t nheld = 0;
	for (size_t i = 0; i < json_array_size(uses); i++)
		nheld += read_text(json_array_get(uses, i), "allocation").n > 0;
	if (!f->why && (to < from || to - from > MS_MINUTE))
		set_bad(f, "to", "is not within a minute of 'from'");
	if (json_array_size(uses) > USES_MAX)
		set_bad(f, "uses", "are too many");
	if (!f->why)
		check_uses(f, uses, from, to);
	const struct minute m = { o, k, { from, to } };
	int r = 0;
	for (size_t i = 0; !f->why && r >= 0 && i < json_array_size(uses); i++) {
		const json_t *use = json_array_get(uses, i);
		bool held = read_text(use, "allocation").n > 0;
		/* the one who holds it has all of it; where nobody does, nobody's part is all */
		bool alone = nheld == held;
		r = take_use(f, &m, use, alone, err);
	}
	return r;
}

/* ---- events ------------------------------------------------------------------------------ */

static int take_event(struct reader *f, const json_t *o, struct err *err)
{
	struct incident i = { .node = f->node,
			      .gpu = read_text(o, "gpu"),
			      .mig = read_text(o, "mig"),
			      .kind = need_text(f, o, "event"),
			      .t_ms = read_time(f, o, "at", true) };
	double code = read_within(f, o, "code", -1e15, 1e15);
	i.code = isnan(code) ? 0 : (int64_t)code;
	if (f->why)
		return 0;
	return give_incident(f, &i, err);
}

/* ---- lines ------------------------------------------------------------------------------- */

/* Events and devices are of one machine; "0" is a GPU of every one. */
static void forget_machine(struct reader *f)
{
	for (size_t i = 0; i < f->gpu.n; i++)
		vec_free(&f->gpu.v[i].dark);
	f->gpu.n = 0;
	f->event.n = 0;
	f->instance.n = 0;
}

static int take_head(struct reader *f, const json_t *o, struct err *err)
{
	struct sv schema = read_text(o, "schema");
	if (!sv_is(schema, SCHEMA)) {
		err_set(err, -EINVAL,
			"'%s' line %lld: schema is '%.*s', this program reads " SCHEMA,
			f->r->report->file, (long long)f->lines.line, SVF(schema));
		return -EINVAL;
	}
	struct sv node = need_text(f, o, "node");
	if (!sv_eq(node, f->node))
		forget_machine(f);
	f->node = node.n ? arena_keep(&f->mem, node) : SV_NULL;
	return 0;
}

static int take_line(struct reader *f, const json_t *o, struct err *err)
{
	struct sv type = read_text(o, "type");
	if (json_object_get(o, "schema"))
		return take_head(f, o, err);
	if (!f->node.n)
		return err_set(err, -EINVAL,
			       "'%s' line %lld: there is no header with \"schema\":\"" SCHEMA
			       "\" before it",
			       f->r->report->file, (long long)f->lines.line);
	if (sv_is(type, "node"))
		return take_node(f, o, err);
	if (sv_is(type, "allocation"))
		return take_allocation(f, o, err);
	if (sv_is(type, "minute"))
		return take_minute(f, o, err);
	if (sv_is(type, "event"))
		return take_event(f, o, err);
	if (sv_is(type, "device"))
		take_device(f, o);
	else
		f->other++; /* newer agents may know more */
	return 0;
}

static int read_line(struct reader *f, struct sv line, struct err *err)
{
	json_error_t why;
	line = sv_trim(line);
	if (!line.n)
		return 0;
	feed_tick(f->r);
	json_t *o = json_loadb(line.p, line.n, JSON_REJECT_DUPLICATES, &why);
	if (!json_is_object(o)) {
		json_decref(o);
		return feed_reject(f->r, f->lines.line, "line", err, "is no JSON object");
	}
	f->why = NULL;
	int r = take_line(f, o, err);
	if (r >= 0 && f->why)
		r = feed_reject(f->r, f->lines.line, f->field, err, "%s", f->why);
	json_decref(o);
	return r;
}

static int agent_run(struct feed_run *r, struct err *err)
{
	struct reader f = { .r = r };
	struct sv line;
	int rc;
	lines_open(&f.lines, r->in);
	while ((rc = lines_next(&f.lines, &line, err)) > 0)
		if ((rc = read_line(&f, line, err)) < 0)
			break;
	if (f.other)
		feed_note(r->report,
			  "%lld lines are of a type this version does not know; they were left out",
			  (long long)f.other);
	forget_machine(&f);
	vec_free(&f.gpu);
	vec_free(&f.instance);
	vec_free(&f.event);
	lines_free(&f.lines);
	str_free(&f.ids);
	arena_free(&f.mem);
	return rc;
}

static int agent_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)col;
	(void)ncol;
	struct sv rest, line = sv_cut(head, '\n', &rest);
	if (sv_has(line, SV("\"schema\"")) && sv_has(line, SV("\"tare.agent/")))
		return 100;
	return 0;
}

const struct feed feed_agent = {
	.kind = "agent",
	.group = "telemetry",
	.about = "what `tare agent export` wrote: nodes, allocations and minutes of a machine",
	.detect = agent_detect,
	.run = agent_run,
};
