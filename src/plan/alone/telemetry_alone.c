/*
 * Readings without a job list: GPUs that never work, hours in which part of them is never needed,
 * half-used ones, those that would fit together on fewer, and what the busiest minutes need. What
 * is told overlaps, and who held them is not known: advice, in no sum.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/capacity/quiet.h"
#include "opt/share/share.h"
#include "plan/alone/alone.h"
#include "plan/workload.h"

#define NAMES_SHOWN  3
#define HARDLY_FRAC  0.95 /* idle for so much of the time */
#define NIGHT_FROM_H 22
#define NIGHT_TO_H   6
#define TARGET_FRAC  0.8          /* most of a shared GPU that may be busy: see opt/share/share.h */
#define SCALE_FACTOR 1.25         /* beside what was ever needed, at the low end of what may go */
#define HOURS_MS     MS_DAY       /* so much that was read tells its hours apart */
#define HABIT_MS     (2 * MS_DAY) /* so much, its days */
#define WEEK_MS      (7 * MS_DAY)
#define FEW_FRAC     0.02 /* of the GPU time: less is not told */
#define GIB          1073741824.0

struct look {
	const struct lever_in *in;
	struct rec_list *out;
	struct alone_sum *gpu; /* [fleet.gpu.n] at whose rate each is */
	struct alone_sum read; /* all of them, while they were read */
};

static bool is_idle(const struct fleet_gpu *c)
{
	return c->ms > 0 && c->idle_ms == c->ms;
}

/* Time of the window that was read, of all GPUs. */
static int64_t read_ms(const struct fleet *f)
{
	int64_t ms = 0;

	for (size_t i = 0; i < f->gpu.n; i++)
		ms += f->gpu.v[i].ms;
	return ms;
}

static size_t gpus_read(const struct fleet *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->gpu.n; i++)
		n += f->gpu.v[i].ms > 0;
	return n;
}

/* A GPU costs what its machine does; where that is not told, what all GPUs that were read do in the
 * mean. The part without a price brings nothing. */
static void learn_rates(struct look *l)
{
	const struct fleet *f = l->in->fleet;
	struct intern node = { 0 };
	VEC(struct alone_sum) of = { 0 };
	struct alone_sum all = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		int64_t told_ms = w->state_ms[STATE_BUSY] + w->state_ms[STATE_UNDERUSED] +
				  w->state_ms[STATE_IDLE_HELD] + w->state_ms[STATE_IDLE_EMPTY];
		if (w->kind == WORKLOAD_LINE || !(w->stats.covered_frac > 0 || told_ms > 0))
			continue;
		uint32_t k = intern_add(&node, sv_of(w->node));
		if (k == of.n)
			*vec_push(&of) = (struct alone_sum){ 0 };
		alone_add(&of.v[k], w->ms, alone_of(w));
		alone_add(&all, w->ms, alone_of(w));
	}
	l->gpu = xcalloc(f->gpu.n + 1, sizeof *l->gpu);
	for (size_t i = 0; i < f->gpu.n; i++) {
		int64_t k = intern_find(&node, sv_of(f->gpu.v[i].node));
		l->gpu[i] = all;
		if (k >= 0 && *f->gpu.v[i].node)
			l->gpu[i] = of.v[k];
		alone_add(&l->read, f->gpu.v[i].ms, l->gpu[i]);
	}
	vec_free(&of);
	intern_free(&node);
}

static double percent_of(int64_t part, int64_t of)
{
	if (of > 0)
		return 100.0 * (double)part / (double)of;
	return 0;
}

static bool is_weekend(int64_t ms)
{
	int64_t day = tm_floor(ms, MS_DAY) / MS_DAY + 3; /* 1970-01-01 was a Thursday */

	return ((day % 7) + 7) % 7 >= 5;
}

/* ---- idle -------------------------------------------------------------------------------- */

/* Idle time of the hours that are picked, and all that was read in them. */
struct part {
	int64_t idle_ms, ms;
};

static void add_part(struct part *p, const struct fleet_gpus_hour *h)
{
	p->idle_ms += h->idle_ms;
	p->ms += h->ms;
}

static int hour_of_day(int64_t ms)
{
	return (int)((ms - tm_floor(ms, MS_DAY)) / MS_HOUR);
}

static void tell_part(const struct lever_in *in, struct rec *r, const char *when,
		      const struct part *p)
{
	if (p->ms > 0)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						arena_printf(in->mem, "idle %s", when), .unit = "%",
						.source = ALONE_TELEMETRY },
			     "%.0f", percent_of(p->idle_ms, p->ms));
}

struct holder {
	const char *name;
	int64_t idle_ms;
};

static void tell_idle(const struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	struct alone_sum sum = { 0 };

	for (size_t i = 0; i < f->gpu.n; i++)
		alone_add(&sum, f->gpu.v[i].idle_ms, l->gpu[i]);
	if ((double)sum.ms < FEW_FRAC * (double)read_ms(f))
		return;
	struct rec *r = alone_new(in, l->out, ADVICE_GPUS_IDLE, "idle-gpus");
	alone_about(in, r, sum);
	r->title = arena_printf(in->mem, "%zu GPUs are idle %.0f %% of the time: %s", gpus_read(f),
				percent_of(sum.ms, read_ms(f)), alone_worth(in, r, sum));
	/* By the clock: nights, days, weekends, and the hour of the day that is idle most and
	 * least. */
	struct part night = { 0 }, day = { 0 }, weekend = { 0 }, hour[24] = { 0 };
	int most = 0, least = 0;

	for (size_t i = 0; i < f->ngpus_hour; i++) {
		const struct fleet_gpus_hour *c = &f->gpus_hour[i];
		int h = hour_of_day(c->hour_ms);
		struct part *when = &day;
		if (is_weekend(c->hour_ms))
			when = &weekend;
		else if (h >= NIGHT_FROM_H || h < NIGHT_TO_H)
			when = &night;
		add_part(when, c);
		add_part(&hour[h], c);
	}
	tell_part(in, r, "Monday to Friday, 06:00 to 22:00 UTC", &day);
	tell_part(in, r, "Monday to Friday, 22:00 to 06:00 UTC", &night);
	tell_part(in, r, "at weekends (UTC)", &weekend);
	for (int h = 1; h < 24; h++) {
		double now = percent_of(hour[h].idle_ms, hour[h].ms);
		if (hour[h].ms && now > percent_of(hour[most].idle_ms, hour[most].ms))
			most = h;
		if (hour[h].ms && now < percent_of(hour[least].idle_ms, hour[least].ms))
			least = h;
	}
	tell_part(in, r, arena_printf(in->mem, "from %02d:00 UTC for an hour, the most", most),
		  &hour[most]);
	tell_part(in, r, arena_printf(in->mem, "from %02d:00 UTC for an hour, the least", least),
		  &hour[least]);
	/* With a job list too: whose. */
	struct intern key = { 0 };
	VEC(struct holder) v = { 0 };
	for (size_t i = 0; f->allocations && i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		int64_t held = w->state_ms[STATE_IDLE_HELD] + w->state_ms[STATE_IDLE_EMPTY];
		if ((w->kind != WORKLOAD_JOB && w->kind != WORKLOAD_SERVICE) || !held)
			continue;
		uint32_t k = intern_add(&key, sv_of(workload_owner(w)));
		if (k == v.n)
			*vec_push(&v) = (struct holder){ workload_owner(w), 0 };
		v.v[k].idle_ms += held;
	}
	for (size_t shown = 0; shown < NAMES_SHOWN && shown < v.n; shown++) {
		size_t top = 0;
		for (size_t i = 1; i < v.n; i++)
			if (v.v[i].idle_ms > v.v[top].idle_ms)
				top = i;
		if (v.v[top].idle_ms <= 0)
			break;
		rec_evidence(in, r,
			     (struct evidence){
				     QUALITY_MEASURED,
				     arena_printf(in->mem, "%.60s: held and idle", v.v[top].name),
				     .unit = "GPU·h", .source = ALONE_TELEMETRY },
			     "%.1f", hours_of(v.v[top].idle_ms));
		v.v[top].idle_ms = 0;
	}
	vec_free(&v);
	intern_free(&key);
	rec_risk(in, r, "%s",
		 "A loaded model that waits for requests is idle too: what may go is told apart.");
}

static bool is_hardly_used(const struct fleet_gpu *c)
{
	return c->ms > 0 && (double)c->idle_ms >= HARDLY_FRAC * (double)c->ms;
}

static void hardly_used(const struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	struct alone_sum sum = { 0 }, empty = { 0 };
	size_t n = 0, never = 0, held = 0;

	for (size_t i = 0; i < f->gpu.n; i++) {
		const struct fleet_gpu *c = &f->gpu.v[i];
		if (!is_hardly_used(c))
			continue;
		bool holds = c->mem_peak_bytes >= GPU_HELD_BYTES;
		n++;
		alone_add(&sum, c->ms, l->gpu[i]);
		never += is_idle(c);
		held += holds;
		if (is_idle(c) && !holds && !isnan(c->mem_peak_bytes))
			alone_add(&empty, c->ms, l->gpu[i]);
	}
	if (!n)
		return;
	struct rec *r = alone_new(in, l->out, ADVICE_GPUS_HARDLY_USED, "hardly-used-gpus");
	alone_about(in, r, sum);
	r->title = arena_printf(
		in->mem,
		"%zu of %zu GPUs work less than %.0f %% of the time, %s of them at all: %s", n,
		gpus_read(f), 100 - HARDLY_FRAC * 100,
		never < n ? arena_printf(in->mem, "%zu", n - never) : "none",
		alone_worth(in, r, sum));
	for (size_t i = 0, k = 0; i < f->gpu.n && k < NAMES_SHOWN; i++)
		if (is_hardly_used(&f->gpu.v[i]) && ++k)
			rec_evidence(in, r,
				     (struct evidence){
					     QUALITY_MEASURED,
					     arena_printf(in->mem, "%s%s%s, idle", f->gpu.v[i].node,
							  text_if(*f->gpu.v[i].node, " GPU "),
							  f->gpu.v[i].gpu),
					     .unit = "h", .source = ALONE_TELEMETRY },
				     "%.1f", hours_of(f->gpu.v[i].idle_ms));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"of them with 1 GiB or more held: a loaded model",
					.unit = "GPUs", .source = ALONE_TELEMETRY },
		     "%zu", held);
	rec_risk(in, r, "%s",
		 "A service that waits for requests looks the same: ask its owner first.");
	alone_may_save(r, empty.back_nano, sum.back_nano);
}

/* GPU time of the fleet's hours that are picked, above `need` GPUs: which of them could be off
 * nobody says, so at the mean of all. */
struct spare {
	int64_t ms, idle_ms;
	struct alone_sum above, above_safe;
};

static void add_spare(const struct look *l, struct spare *s, const struct fleet_gpus_hour *c,
		      int need)
{
	int64_t above = c->ms - (int64_t)need * MS_HOUR,
		safe = c->ms - (int64_t)ceil(need * SCALE_FACTOR) * MS_HOUR;

	s->ms += c->ms;
	s->idle_ms += c->idle_ms;
	alone_add(&s->above, max_i64(above, 0), l->read);
	alone_add(&s->above_safe, max_i64(safe, 0), l->read);
}

static void tell_spare(const struct lever_in *in, struct rec *r, const struct spare *s,
		       const struct spare *rest, const char *when, const char *else_when)
{
	alone_about(in, r, s->above);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, arena_printf(in->mem, "idle %s", when),
					.unit = "%", .source = ALONE_TELEMETRY },
		     "%.0f", percent_of(s->idle_ms, s->ms));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					arena_printf(in->mem, "idle %s", else_when), .unit = "%",
					.source = ALONE_TELEMETRY },
		     "%.0f", percent_of(rest->idle_ms, rest->ms));
	rec_risk(in, r, "Who is used in these hours may be others from day to day: %s",
		 "switch off by demand, not by name.");
	alone_may_save(r, s->above_safe.back_nano, s->above.back_nano);
}

static const char *at_most(const struct lever_in *in, int need)
{
	if (need)
		return arena_printf(in->mem, "at most %d", need);
	return "none";
}

static void quiet_hours(const struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	struct spare at = { 0 }, rest = { 0 };
	struct quiet q;
	int peak[24];

	/* Most GPUs at work at one instant, by hour of the day; -1: no reading. */
	if (alone_read_ms(f) < HOURS_MS)
		return;
	for (int h = 0; h < 24; h++)
		peak[h] = -1;
	for (size_t i = 0; i < f->ngpus_hour; i++) {
		const struct fleet_gpus_hour *c = &f->gpus_hour[i];
		int h = hour_of_day(c->hour_ms);
		if (c->gpus && c->worked > peak[h])
			peak[h] = c->worked;
	}

	if (!quiet_find(peak, &q))
		return;
	for (size_t i = 0; i < f->ngpus_hour; i++)
		add_spare(l,
			  ((hour_of_day(f->gpus_hour[i].hour_ms) - q.from_h + 24) % 24 < q.hours)
				  ? &at
				  : &rest,
			  &f->gpus_hour[i], q.need);
	if ((double)at.above.ms < FEW_FRAC * (double)read_ms(f))
		return;
	struct rec *r = alone_new(in, l->out, ADVICE_GPUS_QUIET, "quiet-hours");
	r->title = arena_printf(
		in->mem,
		"from %02d:00 to %02d:00 UTC %s of %zu GPUs work at once, %d in the other hours: %s above that",
		q.from_h, (q.from_h + q.hours) % 24, at_most(in, q.need), gpus_read(f), q.top,
		alone_worth(in, r, at.above));
	tell_spare(in, r, &at, &rest, "in these hours", "in the others");
}

static void tell_weekends(const struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	struct spare at = { 0 }, rest = { 0 };
	int need = 0, top = 0;

	if (f->until_ms - f->since_ms < WEEK_MS || alone_read_ms(f) < HABIT_MS)
		return;
	for (size_t i = 0; i < f->ngpus_hour; i++) {
		int *most = is_weekend(f->gpus_hour[i].hour_ms) ? &need : &top;
		*most = max_int(f->gpus_hour[i].worked, *most);
	}
	for (size_t i = 0; i < f->ngpus_hour; i++)
		add_spare(l, is_weekend(f->gpus_hour[i].hour_ms) ? &at : &rest, &f->gpus_hour[i],
			  need);
	if (need >= top || (double)at.above.ms < FEW_FRAC * (double)read_ms(f))
		return;
	struct rec *r = alone_new(in, l->out, ADVICE_GPUS_WEEKEND, "weekends");
	r->title = arena_printf(
		in->mem, "at weekends %s of %zu GPUs work at once, %d on other days: %s above that",
		at_most(in, need), gpus_read(f), top, alone_worth(in, r, at.above));
	tell_spare(in, r, &at, &rest, "at weekends (UTC)", "on other days");
}

/* ---- half used, too large ---------------------------------------------------------------- */

static void half_used(const struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	struct alone_sum under = { 0 };
	int64_t used = 0;
	double bound = f->under_pct;
	size_t n = 0;

	for (size_t i = 0; i < f->gpu.n; i++) {
		const struct fleet_gpu *c = &f->gpu.v[i];
		alone_add(&under, c->under_ms, l->gpu[i]);
		used += c->ms - c->idle_ms;
		n += c->under_ms > 0 && c->under_ms * 2 >= c->ms - c->idle_ms;
	}
	if ((double)under.ms < FEW_FRAC * (double)read_ms(f))
		return;
	struct rec *r = alone_new(in, l->out, ADVICE_GPUS_HALF, "half-used");
	alone_about(in, r, under);
	r->title = arena_printf(
		in->mem, "%zu GPU%s below %.0f %% for half of the working time or more; of all: %s",
		n, n == 1 ? " works" : "s work", bound, alone_worth(in, r, under));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"part of the working time that is below it", .unit = "%",
					.source = ALONE_TELEMETRY },
		     "%.0f", percent_of(under.ms, used));
}

static void tell_oversized(const struct lever_in *in, struct rec_list *out)
{
	const struct fleet *f = in->fleet;
	size_t n = gpus_read(f), need = (size_t)ceil(f->peak_gpus / TARGET_FRAC);
	char at[TM_BUF];

	if (!(f->peak_gpus > 0) || need >= n)
		return;
	struct rec *r = alone_new(in, out, ADVICE_GPUS_PEAK, "oversized");
	r->title = arena_printf(
		in->mem,
		"the busiest five minutes need %.1f GPUs' worth of work; %zu GPUs were there",
		f->peak_gpus, n);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "the busiest five minutes begin",
					.source = ALONE_TELEMETRY },
		     "%s", tm_format(at, f->peak_ms));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED,
					"GPUs for that at 80 % of use, if work could move",
					.unit = "GPUs", .source = "estimate" },
		     "%zu", need);
	rec_risk(
		in, r, "%s",
		"A model has to be loaded where its requests go: memory decides, see what could share.");
}

/* ---- together on fewer ------------------------------------------------------------------- */

/* Memory of a GPU: as told, else what it is taken for. */
static double memory_of(const struct fleet_gpu *c, double most)
{
	return known_or(c->mem_total_bytes, most);
}

static bool may_join(const struct fleet_gpu *c)
{
	return c->ms > 0 && !isnan(c->mem_peak_bytes) && !isnan(c->util_high_pct);
}

struct together {
	size_t gpus, packed, most; /* most: on one */
	struct alone_sum all;      /* of these GPUs */
	bool assumed;              /* the size of the GPUs is not told */
	double bytes;
	const char *first; /* an example: "a + b + c" */
};
#define LARGE_GIB 80 /* of a GPU whose size is not told: what a large one would do */

static const char *names_of(const struct lever_in *in, const struct fleet_gpu *const *v,
			    const struct share_packed *p)
{
	struct str s = { 0 };

	for (size_t i = 0; i < p->n; i++)
		str_addf(&s, "%s%.40s%s%.12s", text_if(i, " + "), v[p->tenant[i]]->node,
			 text_if(*v[p->tenant[i]]->node, ":"), v[p->tenant[i]]->gpu);
	const char *z = arena_strn(in->mem, str_z(&s), s.n);
	str_free(&s);
	return z;
}

/* Up to SHARE_TENANTS GPUs of one size: on how many they fit. */
static void pack_gpus(const struct lever_in *in, const struct fleet_gpu *const *v, size_t n,
		      double bytes, struct together *t)
{
	struct share_gpu gpu = { .mem_bytes = bytes, .volta_or_later = true };
	struct share_tenant *tenant = xcalloc(n + 1, sizeof *tenant);
	struct share_packing p = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++)
		tenant[i] = (struct share_tenant){ .team = "?",
						   .mem_p99_bytes = v[i]->mem_peak_bytes,
						   .peak_util_frac = v[i]->util_high_pct / 100 };
	if (share_pack(&gpu, n, tenant, TARGET_FRAC, &p, &err) == 0) {
		size_t most = 0;
		t->gpus += n;
		t->packed += p.gpu.n;
		for (size_t i = 0; i < p.gpu.n; i++)
			if (p.gpu.v[i].n > p.gpu.v[most].n)
				most = i;
		if (p.gpu.n && p.gpu.v[most].n > t->most) {
			t->most = p.gpu.v[most].n;
			t->first = t->most > 1 ? names_of(in, v, &p.gpu.v[most]) : NULL;
		}
		share_packing_free(&p);
	}
	free(tenant);
}

static int by_size(const void *pa, const void *pb)
{
	const struct fleet_gpu *a = *(const struct fleet_gpu *const *)pa,
			       *b = *(const struct fleet_gpu *const *)pb;
	double x = known_or(a->mem_total_bytes, 0), y = known_or(b->mem_total_bytes, 0);

	if (x < y)
		return -1;
	if (x > y)
		return 1;
	if (strcmp(a->node, b->node))
		return strcmp(a->node, b->node);
	return strcmp(a->gpu, b->gpu);
}

/* On how few they fit; size: of those whose own is not told, bytes. v by size. */
static void pack_all(const struct lever_in *in, const struct fleet_gpu *const *v, size_t n,
		     double size, struct together *t)
{
	for (size_t i = 0, k; i < n; i = k) {
		double bytes = memory_of(v[i], size);
		for (k = i + 1; k < n && k - i < SHARE_TENANTS && memory_of(v[k], size) == bytes;
		     k++)
			;
		pack_gpus(in, v + i, k - i, bytes, t);
	}
}

static void tell_share(const struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	const struct fleet_gpu **v = xcalloc(f->gpu.n + 1, sizeof(*v));
	struct together t = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < f->gpu.n; i++) {
		const struct fleet_gpu *c = &f->gpu.v[i];
		if (!may_join(c) || is_idle(c))
			continue;
		v[n++] = c;
		alone_add(&t.all, c->ms, l->gpu[i]);
		t.bytes = fmax(t.bytes, c->mem_peak_bytes);
		t.assumed |= isnan(c->mem_total_bytes);
	}
	sort_items(v, n, sizeof(*v), by_size);
	pack_all(in, v, n, t.bytes * SHARE_MEM_FACTOR, &t);
	if (t.packed < t.gpus) {
		struct rec *r = alone_new(in, l->out, ADVICE_GPUS_SHARE, "share-gpus");
		r->effort_days = 5;
		/* Which of them would go nobody says: at the mean of these. */
		double part = (double)(t.gpus - t.packed) / (double)t.gpus;
		struct alone_sum gone = { 0 };
		alone_add(&gone, (int64_t)((double)t.all.ms * part), t.all);
		alone_about(in, r, gone);
		r->title = arena_printf(
			in->mem,
			"%zu GPUs that work fit together on %zu, by their highs of use and memory: %s",
			t.gpus, t.packed, alone_worth(in, r, gone));
		if (t.first)
			rec_evidence(
				in, r,
				(struct evidence){
					QUALITY_MEASURED,
					arena_printf(in->mem, "for example together: %s", t.first),
					.unit = "GPUs", .source = ALONE_TELEMETRY },
				"%zu", t.most);
		rec_evidence(
			in, r,
			(struct evidence){
				QUALITY_ASSUMED,
				"of a shared GPU in use at most, as the sum of 99th percentiles",
				.unit = "%", .source = "estimate" },
			"%.0f", TARGET_FRAC * 100);
		if (!t.assumed)
			rec_evidence(in, r,
				     (struct evidence){ QUALITY_MEASURED,
							"most memory that one held", .unit = "GiB",
							.source = ALONE_TELEMETRY },
				     "%.1f", t.bytes / GIB);
		else
			rec_evidence(
				in, r,
				(struct evidence){
					QUALITY_ASSUMED,
					"memory of a GPU: not told (gpu_model, mem_total_bytes); the most that any held, and a tenth",
					.unit = "GiB", .source = ALONE_TELEMETRY },
				"%.1f", t.bytes * SHARE_MEM_FACTOR / GIB);
		if (t.assumed && t.bytes * SHARE_MEM_FACTOR < LARGE_GIB * GIB) {
			struct together large = { 0 };
			pack_all(in, v, n, LARGE_GIB * GIB, &large);
			rec_evidence(in, r,
				     (struct evidence){ QUALITY_ASSUMED,
							"if they have 80 GiB: GPUs that would do",
							.unit = "GPUs", .source = "estimate" },
				     "%zu", large.packed);
		}
		rec_risk(
			in, r, "%s",
			"Neighbours wait for each other and share one fault: try one pair for a day, with latencies beside it.");
		alone_may_save(r, 0, gone.back_nano);
	}
	if (!n)
		plan_note(
			in,
			"the readings do not tell memory (mem_used_bytes): which GPUs could share is not known");
	free(v);
}

/* How much smaller a GPU would do, by memory. */
static void tell_smaller(const struct lever_in *in, struct rec_list *out)
{
	static const int sizes[] = { 16, 24, 40, 48 };
	const struct fleet *f = in->fleet;
	size_t n = 0, below[4] = { 0 };
	double most = 0;

	for (size_t i = 0; i < f->gpu.n; i++) {
		const struct fleet_gpu *c = &f->gpu.v[i];
		if (!may_join(c))
			continue;
		n++;
		most = fmax(most, known_or(c->mem_total_bytes, c->mem_peak_bytes));
		for (int k = 0; k < 4; k++)
			below[k] += c->mem_peak_bytes * SHARE_MEM_FACTOR <= sizes[k] * GIB;
	}
	for (int k = 0; k < 4; k++) {
		if (below[k] * 4 < n || !n || sizes[k] * GIB >= most)
			continue;
		struct rec *r = alone_new(in, out, ADVICE_GPUS_SMALLER, "smaller-gpus");
		r->title = arena_printf(
			in->mem,
			"%zu of %zu GPUs never hold more than a GPU of %d GiB has, a tenth to spare",
			below[k], n, sizes[k]);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "most memory of any",
						.unit = "GiB", .source = ALONE_TELEMETRY },
			     "%.1f", most / GIB);
		return;
	}
}

void telemetry_alone(const struct lever_in *in, struct rec_list *out)
{
	const struct fleet *f = in->fleet;

	if (!f->gpu.n || (f->allocations && alone_not(f)))
		return;
	if (read_ms(f) <= 0)
		return;
	struct look l = { .in = in, .out = out };
	learn_rates(&l);
	tell_idle(&l);
	hardly_used(&l);
	quiet_hours(&l);
	tell_weekends(&l);
	tell_share(&l);
	tell_oversized(in, out);
	half_used(&l);
	tell_smaller(in, out);
	free(l.gpu);
}
