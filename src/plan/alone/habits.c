/* See habits.h. */
#include "model/known.h"
#include "plan/alone/habits.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/alone/habit_names.h"
#include "plan/workload.h"

/* ---- which ------------------------------------------------------------------------------- */

static bool is_run(const struct fleet *f, const struct plan_conf *conf, const struct workload *w)
{
	int64_t since = f->until_ms - (int64_t)(conf->gates.history_days * MS_DAY);

	since = max_i64(since, f->since_ms);
	if (w->kind != WORKLOAD_JOB || w->notebook || !*w->job)
		return false;
	if (w->start_ms < since || w->end_ms <= w->start_ms ||
	    strcmp(w->workload, "inference") == 0)
		return false;
	return !*w->service && w->share_kind == SHARE_WHOLE && w->gpus_milli > 0;
}

struct order {
	const struct fleet *f;
	const int64_t *job_ms; /* [workload] when the first work of its job began */
};

/* A gang's works stand together, at the start of the first. */
static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct order *o = ctx;
	uint32_t i = *(const uint32_t *)pa, k = *(const uint32_t *)pb;

	if (o->job_ms[i] != o->job_ms[k])
		return cmp_i64(o->job_ms[i], o->job_ms[k]);
	int d = strcmp(o->f->workload.v[i].job, o->f->workload.v[k].job);
	if (d)
		return d;
	return cmp_u64(i, k);
}

static int64_t *job_starts(const struct fleet *f)
{
	int64_t *ret = xcalloc(f->workload.n + 1, sizeof *ret),
		*first = xcalloc(f->workload.n + 1, sizeof *first);
	struct intern job = { 0 };
	struct str s = { 0 };
	uint32_t *id = xcalloc(f->workload.n + 1, sizeof *id), n = 0;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		str_clear(&s);
		str_addf(&s, "%s\x1f%s", w->cluster, w->job);
		id[i] = intern_add(&job, str_sv(&s));
		if (id[i] == n)
			first[n++] = w->start_ms;
		first[id[i]] = min_i64(w->start_ms, first[id[i]]);
	}
	for (size_t i = 0; i < f->workload.n; i++)
		ret[i] = first[id[i]];
	str_free(&s);
	intern_free(&job);
	free(first);
	free(id);
	return ret;
}

/* ---- what its runs needed ---------------------------------------------------------------- */

/* What a workload holds of its machine's host by the job list: the most of its allocations; 0. */
struct booked {
	int64_t *cpu_milli, *ram_mib;
};

static struct booked booked_of(const struct fleet *f)
{
	struct booked b = { xcalloc(f->workload.n + 1, sizeof *b.cpu_milli),
			    xcalloc(f->workload.n + 1, sizeof *b.ram_mib) };

	for (size_t i = 0; i < f->host.n; i++) {
		const struct fleet_host *h = &f->host.v[i];
		if (h->cpu_milli > b.cpu_milli[h->workload])
			b.cpu_milli[h->workload] = h->cpu_milli;
		if (h->ram_mib > b.ram_mib[h->workload])
			b.ram_mib[h->workload] = h->ram_mib;
	}
	return b;
}

/* Read where the machine is its own, else booked; NAN. */
static double cores_of(const struct fleet *f, const struct workload *w, int64_t booked_milli)
{
	const struct fleet_node *n = NULL;

	if (w->node_index != SIZE_MAX)
		n = &f->node.v[w->node_index];
	if (n && !isnan(n->vcpu) && !isnan(w->stats.cpu_peak_pct) && workload_fills_machine(f, w) &&
	    w->stats.covered_frac >= WORKLOAD_COVERED_FRAC)
		return w->stats.cpu_peak_pct / 100 * n->vcpu;
	if (booked_milli > 0)
		return (double)booked_milli / 1000;
	return NAN;
}

/* NAN once unknown. */
static double most_known(double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return fmax(a, b);
}

static void add_mean(double *sum, double v, double *n)
{
	if (isnan(v))
		return;
	*sum += v;
	*n += 1;
}

/* A counter of the working part; what was not read stays unknown, which fmin() would make 1. */
static double of_working(double mean_frac, double part)
{
	if (isnan(mean_frac))
		return NAN;
	return fmin(1, mean_frac * part);
}

#define OVER_MS   (7 * MS_DAY)
#define OVER_GAPS 3

static bool is_over(const struct fleet *f, const struct habit_runs *h)
{
	int64_t first = h->first->start_ms, last = first, end = first;

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct workload *w = &f->workload.v[h->workload.v[i]];
		last = max_i64(w->start_ms, last);
		end = max_i64(w->end_ms, end);
	}
	int64_t gap = h->runs > 1 ? (last - first) / (int64_t)(h->runs - 1) : 0, most = OVER_MS;
	if (OVER_GAPS * gap > OVER_MS)
		most = OVER_GAPS * gap;
	return h->runs > 1 && f->until_ms - end > most;
}

static void look_at_habit(const struct fleet *f, const struct plan_conf *conf,
			  const struct booked *b, struct habit_runs *h)
{
	double ms = 0, watched = 0, util = 0, nutil = 0, sm = 0, nsm = 0, tensor = 0, ntensor = 0,
	       dram = 0, ndram = 0;
	size_t held = 0, machines = 0;
	const char *job = NULL;

	h->runs = 0;
	h->machines = h->most_needed = 0;
	h->longest_ms = 0;
	h->preallocates = false;
	h->mem_peak_bytes = h->cpu_cores = h->ram_gib = 0;
	h->starved_frac = h->step_s = NAN;
	h->whole = h->checkpointable = true;
	for (size_t i = 0; i < h->workload.n; i++) {
		const struct workload *w = &f->workload.v[h->workload.v[i]];
		const struct workload_stats *s = &w->stats;
		bool same = job && !strcmp(job, w->job);
		h->runs += !same;
		machines = same ? machines + 1 : 1;
		h->machines = max_int((int)machines, h->machines);
		job = w->job;
		ms += (double)w->ms;
		watched += (double)w->ms * s->covered_frac;
		h->whole &= workload_fills_machine(f, w);
		h->longest_ms = max_i64(workload_attempt_ms(w), h->longest_ms);
		if (!i)
			h->limit_ms = w->limit_ms;
		else if (h->limit_ms == UNKNOWN_MS || w->limit_ms == UNKNOWN_MS)
			h->limit_ms = UNKNOWN_MS;
		else
			h->limit_ms = min_i64(w->limit_ms, h->limit_ms);
		held += w->limit_ms != UNKNOWN_MS &&
			w->end_ms - workload_last_start_ms(w) + MS_MINUTE >= w->limit_ms &&
			workload_held_ms(w) - workload_used_ms(w) > 5 * MS_MINUTE;
		h->mem_peak_bytes = most_known(h->mem_peak_bytes, s->mem_peak_bytes);
		h->preallocates |= s->mem_flat_frac >= conf->gates.prealloc_frac;
		h->step_s = fmax(h->step_s, s->step_ms / 1000);
		h->cpu_cores = most_known(h->cpu_cores,
					  cores_of(f, w, b->cpu_milli[h->workload.v[i]]));
		double ram = NAN;
		if (b->ram_mib[h->workload.v[i]] > 0)
			ram = (double)b->ram_mib[h->workload.v[i]] / 1024;

		h->ram_gib = most_known(h->ram_gib, ram);
		h->starved_frac = fmax(h->starved_frac, workload_starved_frac(w));
		h->checkpointable &= w->checkpointable == 1;
		h->most_needed = max_int(s->gpus_needed, h->most_needed);
		/* counters are means over all GPUs and time: of the working part they are more */
		double part = 1;
		if (s->util_mean_pct > 0)
			part = s->work_util_mean_pct / s->util_mean_pct;
		add_mean(&util, s->work_util_mean_pct / 100, &nutil);
		add_mean(&sm, of_working(s->sm_mean_frac, part), &nsm);
		add_mean(&tensor, of_working(s->tensor_mean_frac, part), &ntensor);
		add_mean(&dram, of_working(s->dram_mean_frac, part), &ndram);
	}
	h->weeks = (double)(f->workload.v[h->workload.v[h->workload.n - 1]].start_ms -
			    h->first->start_ms) /
		   (7.0 * MS_DAY);
	h->watched_frac = ms > 0 ? watched / ms : 0;
	h->is_over = is_over(f, h);
	h->holds = held * 2 > h->workload.n;
	h->util_frac = num_if(nutil, util / nutil);
	h->sm = num_if(nsm, sm / nsm);
	h->tensor = num_if(ntensor, tensor / ntensor);
	h->dram = num_if(ndram, dram / ndram);
}

/* [workload] part of a job whose machines are not all of one kind: it has no one shape to change.
 *  */
static bool *parts_of_mixed_jobs(const struct fleet *f)
{
	bool *ret = xcalloc(f->workload.n + 1, sizeof *ret), *mixed;
	struct intern job = { 0 };
	VEC(const struct workload *) first = { 0 };

	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].kind == WORKLOAD_JOB && *f->workload.v[i].job &&
		    intern_add(&job, sv_of(f->workload.v[i].job)) == first.n)
			*vec_push(&first) = &f->workload.v[i];
	mixed = xcalloc(first.n + 1, sizeof *mixed);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < f->workload.n; i++) {
			const struct workload *w = &f->workload.v[i];
			if (w->kind != WORKLOAD_JOB || !*w->job)
				continue;
			uint32_t id = intern_add(&job, sv_of(w->job));
			mixed[id] |= strcmp(w->instance_type, first.v[id]->instance_type) != 0;
			ret[i] = mixed[id];
		}
	free(mixed);
	vec_free(&first);
	intern_free(&job);
	return ret;
}

/* All habits of a level into v; of_workload of the finest. */
static void collect_habits(const struct fleet *f, const struct plan_conf *conf,
			   enum habit_level level, const bool *mixed, const char *const *names,
			   struct habits *ret)
{
	struct intern key = { 0 };
	struct str s = { 0 };
	size_t first = ret->v.n;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		const char *name = "";
		if (level <= HABIT_NAME)
			name = names[i];
		if (mixed[i] || !is_run(f, conf, w))
			continue;
		if (level == HABIT_TEAM && !*w->team && !*w->user)
			continue;
		str_clear(&s);
		str_addf(&s, "%d\x1f%s\x1f%s\x1f%lld\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s", (int)level,
			 w->cluster, w->team, (long long)w->gpus_milli, w->instance_type,
			 w->gpu_model, w->region, w->provider, w->purchase);
		if (level <= HABIT_NAME)
			str_addf(&s, "\x1f%s\x1f%s", w->workload, name);
		if (level == HABIT_USER || !*w->team)
			str_addf(&s, "\x1f%s", w->user);
		size_t id = first + intern_add(&key, str_sv(&s));
		if (id == ret->v.n)
			*vec_push(&ret->v) =
				(struct habit_runs){ .level = level, .first = w, .name = name };
		*vec_push(&ret->v.v[id].workload) = (uint32_t)i;
		if (level == HABIT_USER)
			ret->of_workload[i] = id;
	}
	str_free(&s);
	intern_free(&key);
}

void habits_make(const struct fleet *f, const struct plan_conf *conf, struct arena *mem,
		 struct habits *ret)
{
	*ret = (struct habits){ .of_workload = xcalloc(f->workload.n + 1,
						       sizeof *ret->of_workload) };
	for (size_t i = 0; i < f->workload.n; i++)
		ret->of_workload[i] = SIZE_MAX;
	bool *mixed = parts_of_mixed_jobs(f);
	const char **names = habit_names(f, mem);
	for (int l = 0; l < HABIT_LEVELS; l++)
		collect_habits(f, conf, (enum habit_level)l, mixed, names, ret);
	free(mixed);
	size_t *last = xcalloc(f->workload.n + 1, sizeof *last), kept = 0;
	for (size_t i = 0; i < ret->v.n; i++) {
		struct habit_runs h = ret->v.v[i];
		/* A coarser habit that has the runs of a finer one and no more says nothing new. */
		if (h.level != HABIT_USER &&
		    (ret->v.v[last[h.workload.v[0]]].workload.n == h.workload.n)) {
			vec_free(&h.workload);
			continue;
		}

		for (size_t k = 0; k < h.workload.n; k++)
			last[h.workload.v[k]] = kept;
		ret->v.v[kept++] = h;
	}
	ret->v.n = kept;
	free(last);
	struct booked b = booked_of(f);
	int64_t *job_ms = job_starts(f);
	struct order order = { f, job_ms };
	for (size_t i = 0; i < ret->v.n; i++) {
		struct habit_runs *h = &ret->v.v[i];
		qsort_r(h->workload.v, h->workload.n, sizeof *h->workload.v, by_start, &order);
		h->first = &f->workload.v[h->workload.v[0]];
		h->asks_type = h->first->instance_type;
		h->asks_milli = h->first->gpus_milli;
		/* One name of all runs is its own pattern, unless it would be read as one. */
		const char *name = h->first->name;
		bool one = h->level != HABIT_TEAM && *name && !strpbrk(name, "*?[");
		for (size_t k = 1; one && k < h->workload.n; k++)
			one = !strcmp(f->workload.v[h->workload.v[k]].name, name);
		if (one)
			h->name = name;
		look_at_habit(f, conf, &b, h);
	}

	/* Those that only their place or kind of work tells apart: their ids say it. */
	struct intern id = { 0 };
	struct arena scratch = { 0 };
	size_t *of = xcalloc(ret->v.n + 1, sizeof *of), n = 0;

	for (size_t i = 0; i < ret->v.n; i++) {
		uint32_t k = intern_add(&id, sv_of(habit_id(&scratch, &ret->v.v[i])));
		if (k == n) {
			of[n++] = i;
			continue;
		}
		ret->v.v[i].alike = ret->v.v[of[k]].alike = true;
	}
	free(of);
	intern_free(&id);
	arena_free(&scratch);

	free(job_ms);
	free(b.cpu_milli);
	free(b.ram_mib);
}

void habits_free(struct habits *h)
{
	for (size_t i = 0; i < h->v.n; i++)
		vec_free(&h->v.v[i].workload);
	vec_free(&h->v);
	free(h->of_workload);
}

static bool asks_same(const struct use *a, const struct use *b)
{
	if (strcmp(a->instance_type, b->instance_type) || a->gpus_milli != b->gpus_milli)
		return false;
	return !strcmp(a->purchase, b->purchase) && !strcmp(a->region, b->region);
}

bool habit_now(const struct lever_in *in, const struct habit_runs *h, struct habit_runs *ret)
{
	/* The use that most of them share: of two shapes at most, as it was, and the default. */
	const struct use *most = NULL;
	size_t shared = 0, ahead = 0;

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct use *u = &in->use[h->workload.v[i]];
		if (u->end_ms <= u->start_ms)
			continue;
		if (!ahead)
			most = u;
		ahead = asks_same(u, most) ? ahead + 1 : ahead - 1;
	}
	for (size_t i = 0; most && i < h->workload.n; i++)
		shared += asks_same(&in->use[h->workload.v[i]], most);
	if (!shared)
		most = NULL;

	*ret = *h;
	memset(&ret->workload, 0, sizeof ret->workload);
	for (size_t i = 0; i < h->workload.n && most; i++)
		if (asks_same(&in->use[h->workload.v[i]], most) &&
		    in->use[h->workload.v[i]].end_ms > in->use[h->workload.v[i]].start_ms)
			*vec_push(&ret->workload) = h->workload.v[i];
	if (!most || !ret->workload.n)
		return false;
	ret->first = &in->fleet->workload.v[ret->workload.v[0]];
	ret->asks_type = most->instance_type;
	ret->asks_milli = most->gpus_milli;
	if (ret->workload.n == h->workload.n)
		return true;
	struct booked b = booked_of(in->fleet);
	look_at_habit(in->fleet, in->conf, &b, ret);
	free(b.cpu_milli);
	free(b.ram_mib);
	return true;
}

size_t habit_more_than(const struct fleet *f, const struct habit_runs *h, int k)
{
	const char *counted = NULL;
	size_t n = 0;

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct workload *w = &f->workload.v[h->workload.v[i]];
		if (w->stats.gpus_needed <= k || (counted && !strcmp(counted, w->job)))
			continue;
		counted = w->job;
		n++;
	}
	return n;
}

#define LAST_PART  4
#define LAST_LEAST 4

bool habit_grows_beyond(const struct fleet *f, const struct habit_runs *h, int k)
{
	size_t n = h->workload.n / LAST_PART, more = 0;

	n = max_size(n, LAST_LEAST);
	n = min_size(n, h->workload.n);
	for (size_t i = h->workload.n - n; i < h->workload.n; i++)
		more += f->workload.v[h->workload.v[i]].stats.gpus_needed > k;
	return more * 2 >= n && more;
}

/* ---- as an action says it ---------------------------------------------------------------- */

struct habit habit_of(const struct habit_runs *h)
{
	const struct workload *w = h->first;

	return (struct habit){
		.team = raw_name(w->team),
		.user = raw_name(h->level == HABIT_USER || !*w->team ? w->user : ""),
		.workload = raw_name(h->level <= HABIT_NAME ? w->workload : ""),
		.cluster = raw_name(w->cluster),
		.name = raw_name(h->name),
		.instance_type = raw_name(h->asks_type),
		.gpu_model = raw_name(*h->asks_type ? "" : w->gpu_model),
		.gpus = (h->asks_milli + 999) / 1000,
	};
}

unsigned habit_submits_to(const struct fleet *f, const struct habit_runs *h)
{
	unsigned to = 0;

	for (size_t i = 0; i < h->workload.n; i++) {
		bool slurm = workload_is_slurm(&f->workload.v[h->workload.v[i]]);

		to |= slurm ? TO_SLURM : TO_KUBERNETES;
	}
	return to;
}

const char *habit_title(const struct habit_runs *h)
{
	if (*h->name)
		return h->name;
	return workload_owner(h->first);
}

const char *habit_id(struct arena *a, const struct habit_runs *h)
{
	const struct workload *w = h->first;
	const char *id = arena_printf(
		a, "%s%s%s%s%s-%lldx%s", workload_owner(w), text_if(*h->name, "-"), h->name,
		text_if(h->level == HABIT_USER && *w->user, "-"),
		h->level == HABIT_USER ? w->user : "", (long long)((w->gpus_milli + 999) / 1000),
		filled_or(w->instance_type, w->gpu_model));

	if (!h->alike)
		return id;
	return arena_printf(a, "%s-%s-%s-%s-%s-%d", id, w->cluster, w->workload, w->region,
			    w->purchase, (int)h->level);
}
