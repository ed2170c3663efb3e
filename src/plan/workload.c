#include "plan/workload.h"

#include <ctype.h>
#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/machine_id.h"

bool workload_fills_machine(const struct fleet *f, const struct workload *w)
{
	return w->node_index == SIZE_MAX || w->gpus_milli >= f->node.v[w->node_index].gpus_milli;
}

bool use_is_history(const struct workload *w, const struct use *u)
{
	if (u->gpus_milli != w->gpus_milli || u->instance_type != w->instance_type)
		return false;
	return u->gpu_model == w->gpu_model && u->end_ms > u->start_ms;
}

int64_t workload_cost_before(const struct fleet *f, const struct workload *w, int64_t at_ms)
{
	int64_t sum = 0;

	for (size_t i = 0; i < w->nhour; i++) {
		const struct workload_hour *h = &f->hour.v[w->hour0 + i];
		/* Of an hour in which the work was only partly there, its own part counts. */
		int64_t from = w->start_ms > h->hour_ms && w->start_ms < h->hour_ms + MS_HOUR
				       ? w->start_ms
				       : h->hour_ms;
		int64_t to = w->end_ms < h->hour_ms + MS_HOUR && w->end_ms > from
				     ? w->end_ms
				     : h->hour_ms + MS_HOUR;
		if (at_ms >= to)
			sum += h->nano;
		else if (at_ms > from)
			sum += (int64_t)div_half_even((__int128)h->nano * (at_ms - from),
						      to - from);
	}
	return sum;
}

bool workload_holds(const struct fleet *f, const struct workload *w, const struct use *u,
		    size_t *at, int64_t *ret_from_ms, int64_t *ret_to_ms)
{
	const struct workload_hour *h = f->hour.v + w->hour0;
	bool by_hour = w->kind == WORKLOAD_JOB && !*w->job && u->start_ms == w->start_ms &&
		       u->end_ms == w->end_ms;

	if (!by_hour) {
		*ret_from_ms = u->start_ms;
		*ret_to_ms = u->end_ms;
		return !(*at)++;
	}
	while (*at < w->nhour && h[*at].ms <= 0)
		++*at;
	if (*at >= w->nhour)
		return false;
	*ret_from_ms = h[*at].hour_ms;
	do
		*ret_to_ms = h[(*at)++].hour_ms + MS_HOUR;
	while (*at < w->nhour && h[*at].ms > 0 && h[*at].hour_ms == *ret_to_ms);
	return true;
}

int64_t use_scaled(const struct use *u, int64_t num, int64_t den)
{
	if (!den)
		return u->cost_nano;
	if (den < 0)
		return (int64_t)div_half_even(-(__int128)u->cost_nano * num, -(__int128)den);
	return (int64_t)div_half_even((__int128)u->cost_nano * num, den);
}

const char *workload_pattern(struct arena *a, const struct workload *w)
{
	const char *from = filled_or(w->name, w->job);
	char *p = arena_strn(a, from, strlen(from));
	size_t n = 0;

	for (size_t i = 0; from[i]; i++) {
		bool digit = isdigit((unsigned char)from[i]);
		bool point = from[i] == '.' && n && p[n - 1] == '#' &&
			     isdigit((unsigned char)from[i + 1]);
		if (digit && n && p[n - 1] == '#')
			continue;
		if (point)
			continue;
		p[n++] = digit ? '#' : from[i];
	}
	p[n] = 0;
	return p;
}

bool workload_jobs_are_known(const struct fleet *f)
{
	for (size_t i = 0; i < f->workload.n; i++)
		if (*f->workload.v[i].job || *f->workload.v[i].service)
			return true;
	return false;
}

const char *workload_owner(const struct workload *w)
{
	if (*w->team)
		return w->team;
	return filled_or(w->user, "nobody");
}

bool workload_is_slurm(const struct workload *w)
{
	const char *p = w->job;

	while (within_int(*p, '0', '9') || *p == '_' || *p == '.')
		p++;
	return *w->job && !*p;
}

/* Whose it is, as far as its names tell: a pod's, a job's of Slurm, a machine's of a node pool. */
static unsigned workload_scheduler(const struct workload *w)
{
	if (filled_or(w->namespace_, NULL) || filled_or(w->node_pool, NULL))
		return TO_KUBERNETES;
	if (workload_is_slurm(w))
		return TO_SLURM;
	return 0;
}

unsigned cluster_scheduler(const struct fleet *f, const char *cluster)
{
	unsigned to = 0;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];

		if (strcmp(w->cluster, cluster) != 0 || w->kind == WORKLOAD_LINE)
			continue;
		to |= workload_scheduler(w);
	}
	return to;
}

unsigned machine_scheduler(const struct fleet *f, const struct workload *of, unsigned cluster)
{
	unsigned to = 0;

	for (size_t i = 0; i < f->workload.n && cluster == TO_ANY; i++) {
		const struct workload *w = &f->workload.v[i];

		if (w->kind != WORKLOAD_LINE && !strcmp(w->node, of->node))
			to |= workload_scheduler(w);
	}
	return to ? to : cluster;
}

/* A list of pods alone tells no provider: the ids of its nodes do. */
static const char *provider_of(const struct workload *w)
{
	if (filled_or(w->provider, NULL))
		return w->provider;
	return machine_id_provider(sv_of(text_or(w->resource, ""))).p;
}

struct machine_ref workload_machine(const struct workload *w)
{
	return (struct machine_ref){ .node = raw_name(w->node),
				     .resource = raw_name(w->resource),
				     .provider = raw_name(provider_of(w)),
				     .region = raw_name(w->region),
				     .zone = raw_name(w->zone),
				     .instance_type = raw_name(w->instance_type),
				     .node_pool = raw_name(w->node_pool),
				     .pool_cluster = raw_name(w->pool_cluster) };
}

struct habit workload_habit(const struct workload *w)
{
	struct habit h = { .instance_type = raw_name(w->instance_type) };

	if (w->kind == WORKLOAD_SERVICE)
		h.service = raw_name(w->service);
	else if (*w->team)
		h.team = raw_name(w->team);
	else
		h.user = raw_name(w->user);
	return h;
}

/* Is it none other than what was seen before it? */
static bool add_namespace(const char **seen, const struct workload *w)
{
	const char *is = filled_or(w->namespace_, NULL);

	if (is && *seen && strcmp(is, *seen) != 0)
		return false;
	if (is)
		*seen = is;
	return true;
}

/* cluster: "" = any */
static bool is_replica(const struct workload *w, const char *service, const char *cluster)
{
	if (w->kind != WORKLOAD_SERVICE || strcmp(w->service, service) != 0)
		return false;
	return !*cluster || !strcmp(w->cluster, cluster);
}

enum controller service_controller(const struct fleet *f, const char *service, const char *cluster)
{
	enum controller seen = CONTROLLER_UNKNOWN;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];

		if (!w->controller || !is_replica(w, service, cluster))
			continue;
		if (seen && seen != w->controller)
			return CONTROLLER_UNKNOWN;
		seen = w->controller;
	}
	return seen;
}

const char *workload_stays_why(const struct workload *w)
{
	if (w->controller == CONTROLLER_DAEMONSET)
		return "a DaemonSet keeps one replica on each of its machines: it is not scaled, and no drain moves one";
	if (w->controller == CONTROLLER_JOB)
		return "a Job keeps its replicas: what a drain ends begins again";
	return NULL;
}

struct raw_name service_namespace(const struct fleet *f, const char *service, const char *cluster)
{
	const char *seen = NULL;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];

		if (!is_replica(w, service, cluster))
			continue;
		if (!add_namespace(&seen, w))
			return raw_name(NULL);
	}
	return raw_name(seen);
}

struct raw_name rec_namespace(const struct fleet *f, const struct rec *r)
{
	const char *seen = NULL;

	for (size_t i = 0; i < r->change.n; i++)
		if (!add_namespace(&seen, &f->workload.v[r->change.v[i].workload]))
			return raw_name(NULL);
	return raw_name(seen);
}

bool workload_is_batch(const struct workload *w)
{
	if (w->kind != WORKLOAD_JOB || w->notebook)
		return false;
	return *w->workload && strcmp(w->workload, "inference") != 0;
}

static int64_t between_ms(const struct workload *w)
{
	int64_t run = w->end_ms - w->start_ms;

	if (w->attempts < 2 || w->held_ms <= 0 || w->held_ms > run)
		return 0;
	return run - w->held_ms;
}

int64_t workload_held_ms(const struct workload *w)
{
	return w->end_ms - w->start_ms - between_ms(w);
}

int64_t workload_last_start_ms(const struct workload *w)
{
	if (w->attempts < 2)
		return w->start_ms;
	return w->last_start_ms;
}

int64_t use_between_ms(const struct workload *w, const struct use *u)
{
	int64_t between = between_ms(w);

	if (u->end_ms - u->start_ms > between)
		return between;
	return 0;
}

static bool shows_work(const struct workload *w)
{
	return w->stats.covered_frac >= WORKLOAD_COVERED_FRAC &&
	       w->stats.last_active_ms != UNKNOWN_MS;
}

/* From an instant to the last sign of work. */
static int64_t used_since(const struct workload *w, int64_t from_ms, int64_t held_ms)
{
	if (!shows_work(w))
		return held_ms;
	return max_i64(min_i64(w->stats.last_active_ms - from_ms, held_ms), 0);
}

int64_t workload_used_ms(const struct workload *w)
{
	int64_t held_ms = workload_held_ms(w);
	bool requeued = w->attempts >= 2 && shows_work(w);

	if (requeued &&
	    w->stats.last_active_ms < w->last_start_ms) /* the last attempt did nothing */
		return used_since(w, w->start_ms, held_ms - (w->end_ms - w->last_start_ms));
	return used_since(w, w->start_ms + between_ms(w), held_ms);
}

int64_t workload_attempt_ms(const struct workload *w)
{
	if (w->attempts < 2)
		return workload_used_ms(w);
	return max_i64(used_since(w, w->last_start_ms, w->end_ms - w->last_start_ms),
		       w->longer_ago_ms);
}

bool workload_completed(const struct workload *w)
{
	return sv_ieq(sv_of(w->end_state), SV("COMPLETED")) ||
	       sv_ieq(sv_of(w->end_state), SV("SUCCEEDED")) ||
	       sv_ieq(sv_of(w->end_state), SV("DONE"));
}

struct rec *rec_find_or_new(const struct lever_in *in, struct rec_list *out, size_t first,
			    const char *lever, const char *id_tail)
{
	/* asked once a workload: nothing is made that stays in the plan's memory */
	for (size_t i = first; i < out->v.n; i++)
		if (!strcmp(out->v.v[i]->lever, lever) && !strcmp(out->v.v[i]->about, id_tail))
			return out->v.v[i];
	return rec_new(in, out, lever, id_tail);
}

void rec_risk_by_misses(struct rec *r)
{
	enum risk by = RISK_HIGH;

	if (!r->replay.deadline_misses)
		by = RISK_LOW;
	else if (r->replay.deadline_misses * 100 <= r->replay.jobs)
		by = RISK_MEDIUM;
	r->risk = max_int(r->risk, by);
}

int workload_seen_idle(const struct workload *w)
{
	if (w->stats.covered_frac < WORKLOAD_COVERED_FRAC || isnan(w->stats.idle_frac))
		return 0;
	if (w->stats.idle_frac >= 0.99)
		return 1;
	return -1;
}

double workload_hour_use(const struct workload_hour *h)
{
	/* A second of each GPU: less is the end of a reading that began before the hour mark. */
	if (h->cpu_worked || h->busy_ms * (MS_HOUR / MS_SECOND) >= max_i64(h->ms, 1))
		return 1;
	return h->unknown_ms > 0 ? NAN : 0;
}

double hours_of(int64_t ms)
{
	return (double)ms / MS_HOUR;
}

double workload_starved_frac(const struct workload *w)
{
	const struct workload_stats *s = &w->stats;
	double low = 0, all = 0, run = (double)(w->end_ms - w->start_ms);

	if (!s->util_hist || s->covered_frac < WORKLOAD_COVERED_FRAC || !s->gpus_used)
		return NAN;
	if (s->first_busy_ms == UNKNOWN_MS || run <= 0)
		return NAN;
	for (int i = 0; i <= 100; i++) {
		all += s->util_hist[i];
		if (i < 5)
			low += s->util_hist[i];
	}
	/* GPUs that were never used are low all the time, and so is what comes before the first
	 * and after the last work. */
	double used = all * s->gpus_used / s->gpus;
	double active = fmin(1, fmax(0, (double)(s->last_busy_ms - s->first_busy_ms) / run));
	double starved = low - (all - used) - used * (1 - active);
	if (used * active > 0)
		return fmax(0, starved / (used * active));
	return NAN;
}

enum diagnosis workload_diagnose(const struct workload *w)
{
	const struct workload_stats *s = &w->stats;

	return rightsize_diagnose(&(struct gpu_means){
		.util = s->active_util_mean_pct / 100,
		.sm = s->sm_mean_frac,
		.occupancy = s->occupancy_mean_frac,
		.tensor = s->tensor_mean_frac,
		.dram = s->dram_mean_frac,
		.pcie = NAN,
		.nvlink = NAN,
		.cpu = s->cpu_mean_pct / 100,
		.io_wait = NAN,
		.starved = workload_starved_frac(w),
		.zero_s = 0,
		.spread_pct = NAN,
	});
}
