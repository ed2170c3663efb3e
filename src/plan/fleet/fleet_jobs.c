/* Allocations and request log: when a workload was asked for, what it booked, how it ended, who
 * holds which GPU, and whose requests it serves. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/infer.h"
#include "ledger/share.h"
#include "ledger/tagset.h"
#include "model/machine_id.h"
#include "plan/fleet/fleet_in.h"

/* Where nothing else is known a job may end this part of its run time later than it did. */
#define DEADLINE_SLACK_FRAC 0.25

/* Replace a text that is not known; ledger entries carry the resolved owner, allocations the
 * rest. */
static void learn_text(struct fleet *f, const char **text, struct sv v)
{
	if (v.n && !**text)
		*text = fleet_text(f, v);
}

/* ---- which works an allocation is -------------------------------------------------------- */

static bool same_place(const struct workload *w, const struct allocation *a)
{
	if (*w->node && a->node.n)
		return sv_is(a->node, w->node);
	return !*w->cluster || !a->cluster.n || sv_is(a->cluster, w->cluster);
}

static int64_t end_of(const struct loader *l, const struct allocation *a)
{
	if (!(a->end_ms == UNKNOWN_MS || a->open_end))
		return a->end_ms;
	if (a->end_ms != UNKNOWN_MS)
		return a->end_ms;
	return l->f->data_to_ms;
}

/* GPUs times share: what is held of the machine. 0 where the share is not declared. */
static int64_t milli_of(const struct allocation *a)
{
	if (a->share_kind == SHARE_WHOLE || a->gpus_milli < 1000)
		return a->gpus_milli;
	if (a->share_ppb >= 0)
		return (int64_t)((__int128)a->gpus_milli * a->share_ppb / 1000000000);
	return 0;
}

struct lived {
	int64_t first_ms, last_ms;
	int64_t held_ms;    /* without gaps between them */
	int attempt;        /* of the last */
	int64_t from_ms;    /* its start */
	int64_t longest_ms; /* of those before it */
	bool seen;
}; /* of the allocations of a workload */

/* The attempt of a job that is read, in order of time. */
struct attempt {
	int64_t from_ms, to_ms, wait_ms;
	int64_t before_ms; /* the end of the one before; INT64_MIN */
	int number;        /* that tare run gave it */
	bool seen;
};

/* OpenCost tells the id of the machine with the pods on it; it and lists of pods tell the kind of
 * their controller. */
static void learn_tags(struct loader *l, struct workload *w, const struct allocation *a)
{
	struct tagset t = { 0 };

	bool machine = !*w->resource && sv_has(a->tags, SV(MACHINE_TAG)),
	     kind = !w->controller && sv_has(a->tags, SV("controller_kind"));

	if (!machine && !kind)
		return;
	if (tagset_read(&l->mem, a->tags, &t)) {
		learn_text(l->f, &w->resource, tagset_get(&t, SV(MACHINE_TAG)));
		if (kind)
			w->controller = controller_of(tagset_get(&t, SV("controller_kind")));
	}
	tagset_free(&t);
}

static void describe_workload(struct loader *l, size_t wi, const struct allocation *a,
			      struct lived *s)
{
	struct fleet *f = l->f;
	struct workload *w = &f->workload.v[wi];
	int64_t end = end_of(l, a), milli = milli_of(a);

	learn_text(f, &w->name, a->name);
	learn_text(f, &w->cluster, a->cluster);
	learn_text(f, &w->namespace_, a->namespace_);
	learn_text(f, &w->queue, a->queue);
	learn_tags(l, w, a);
	learn_text(f, &w->gpu_model, a->gpu_model);
	if (a->state.n && (!s->seen || end >= s->last_ms))
		w->end_state = fleet_text(f, a->state);
	if (a->submit_ms != UNKNOWN_MS &&
	    (w->submit_ms == UNKNOWN_MS || a->submit_ms < w->submit_ms))
		w->submit_ms = a->submit_ms;
	if (a->limit_ms != UNKNOWN_MS && a->limit_ms > w->limit_ms)
		w->limit_ms = a->limit_ms;
	if (a->checkpointable >= 0)
		w->checkpointable = a->checkpointable;
	/* a part beside it is no further attempt; nor is the part of one that nothing safe came of,
	 * which tare run tells apart */
	bool goes_on = a->start_ms == s->last_ms && a->attempt == s->attempt;
	if (!s->seen || (a->start_ms >= s->last_ms && !goes_on)) {
		w->attempts++;
		if (s->seen)
			s->longest_ms = max_i64(s->last_ms - s->from_ms, s->longest_ms);
		s->from_ms = a->start_ms;
	}
	s->attempt = a->attempt;
	if (milli > 0 && (!s->seen || milli > w->gpus_milli))
		w->gpus_milli = milli;
	w->share_kind = a->share_kind;
	w->notebook |= sv_ihas(a->name, SV("jupyter")) || sv_ihas(a->name, SV("notebook"));
	if (s->seen)
		s->held_ms += max_i64(end - max_i64(a->start_ms, s->last_ms), 0);
	else
		s->held_ms = end - a->start_ms;
	if (!s->seen || a->start_ms < s->first_ms)
		s->first_ms = a->start_ms;
	if (!s->seen || end > s->last_ms)
		s->last_ms = end;
	s->seen = true;
	/* As book/post/hold.c has it: less than one GPU without a share is a share of one. */
	bool mig = a->share_kind == SHARE_MIG || a->mig_profile.n;
	struct share_use use = { .kind = a->share_kind, .ppb = a->share_ppb, .start = -1 };
	struct sv model = sv_or(a->gpu_model, sv_of(w->gpu_model));
	const struct gpu_spec *g = NULL;
	if (l->opt->catalog && model.n)
		g = catalog_gpu(l->opt->catalog, model);
	if (mig) {
		use.kind = SHARE_MIG;
		use.start = a->mig_start;
		share_slices(l->opt->catalog, g, a->mig_profile, &use.compute, &use.memory);
	} else if (a->gpus_milli < 1000 && use.ppb < 0) {
		use.ppb = a->gpus_milli * 1000000;
	}
	*vec_push(&l->hold) =
		(struct hold){ wi,
			       arena_strn(&l->mem, text_or(a->gpu_ids.p, ""), a->gpu_ids.n),
			       a->start_ms,
			       end,
			       a->gpus_milli,
			       use };
}

/* Parts of one attempt begin while it lasts; in order of start. */
static void add_attempt(struct loader *l, struct fleet_job *j, struct attempt *t,
			const struct allocation *a)
{
	int64_t end = end_of(l, a), milli = milli_of(a);

	if (!t->seen) {
		j->attempts = 1;
		j->held_ms = j->longest_ms = 0;
		*t = (struct attempt){ a->start_ms, a->start_ms, 0, INT64_MIN, 0, true };
	} else if (a->start_ms >= t->to_ms && a->start_ms > t->from_ms) {
		/* as of a workload: a part that goes on is no further attempt */
		j->attempts += a->start_ms > t->to_ms || a->attempt != t->number;
		*t = (struct attempt){ a->start_ms, a->start_ms, 0, t->to_ms, 0, true };
	}
	t->number = a->attempt;
	if (a->state.n && end >= t->to_ms)
		j->end_state = fleet_text(l->f, a->state);
	j->held_ms += max_i64(end - t->to_ms, 0);
	t->to_ms = max_i64(end, t->to_ms);
	j->longest_ms = max_i64(t->to_ms - t->from_ms, j->longest_ms);
	j->held_gpu_ms += (end - a->start_ms) / 1000 * milli;
	if (a->submit_ms == UNKNOWN_MS)
		return;
	if (j->wait_ms == UNKNOWN_MS)
		j->wait_ms = 0;
	int64_t wait = max_i64(a->start_ms - max_i64(a->submit_ms, t->before_ms), 0);
	j->wait_gpu_ms += wait / 1000 * milli;
	j->wait_ms += max_i64(wait - t->wait_ms, 0);
	t->wait_ms = max_i64(wait, t->wait_ms);
}

/* Readings know an element of an array by it. */
static void take_number(struct loader *l, uint32_t job, const struct allocation *a)
{
	struct sv number = tagset_slurm_number(&l->mem, a->tags);

	if (!number.n || intern_find(&l->job, number) >= 0)
		return;
	if (intern_add(&l->number, number) == l->number_of.n)
		*vec_push(&l->number_of) = job;
}

/* ... and a pod of a machine by its bare name, where it is no other's there. */
static void take_pod(struct loader *l, uint32_t job, const struct allocation *a)
{
	struct sv pod = job_pod(a->job_id, a->namespace_);
	struct str key = { 0 };

	if (!pod.n || !a->node.n)
		return;
	fleet_on_key(&key, a->node, pod, SV(""));
	uint32_t k = intern_add(&l->pod, str_sv(&key));
	str_free(&key);
	if (k == l->pod_of.n)
		*vec_push(&l->pod_of) = job;
	else if (l->pod_of.v[k] != job)
		l->pod_of.v[k] = UINT32_MAX;
}

int64_t fleet_job_on(const struct loader *l, struct sv job, struct sv node)
{
	int64_t i = fleet_job_number(l, job);
	struct str key = { 0 };

	if (i >= 0 || !job.n || !node.n)
		return i;
	fleet_on_key(&key, node, job, SV(""));
	i = intern_find(&l->pod, str_sv(&key));
	str_free(&key);
	if (i < 0 || l->pod_of.v[i] == UINT32_MAX)
		return -1;
	return l->pod_of.v[i];
}

int64_t fleet_job_number(const struct loader *l, struct sv job)
{
	int64_t i = job.n ? intern_find(&l->job, job) : -1;

	if (i >= 0 || !job.n)
		return i;
	i = intern_find(&l->number, job);
	if (i >= 0)
		return l->number_of.v[i];
	return -1;
}

static void take_allocation(struct loader *l, const struct allocation *a, struct lived *lived,
			    struct attempt *attempt)
{
	int64_t j = a->job_id.n ? intern_find(&l->job, a->job_id) : -1;
	struct fleet *f = l->f;
	size_t any = SIZE_MAX;

	if (j >= 0) {
		take_number(l, (uint32_t)j, a);
		take_pod(l, (uint32_t)j, a);
	}
	for (size_t i = j < 0 ? SIZE_MAX : l->by_job.v[j]; i != SIZE_MAX; i = l->next.v[i]) {
		if (!same_place(&f->workload.v[i], a))
			continue;
		describe_workload(l, i, a, &lived[i]);
		/* once for an allocation, however many workloads it is part of */
		if (any == SIZE_MAX && l->host_told && a->node.n)
			*vec_push(&f->host) = (struct fleet_host){ i,
								   fleet_text(f, a->node),
								   a->submit_ms,
								   a->start_ms,
								   end_of(l, a),
								   milli_of(a),
								   max_i64(a->cpu_milli, 0),
								   max_i64(a->ram_mib, 0) };
		any = i;
	}
	if (any == SIZE_MAX) {
		l->unmatched += a->job_id.n > 0;
		return;
	}
	j = (int64_t)f->workload.v[any].job_index;
	add_attempt(l, &f->job.v[j], &attempt[j], a);
	struct fleet_ask k = { fleet_text(f, a->cluster),
			       milli_of(a),
			       max_i64(a->cpu_milli, 0),
			       max_i64(a->ram_mib, 0),
			       a->share_kind != SHARE_WHOLE,
			       1,
			       0 };
	char key[192];

	if (k.gpus_milli <= 0)
		return;
	snprintf(key, sizeof key, "%p %lld %lld %lld %d", (const void *)k.cluster,
		 (long long)k.gpus_milli, (long long)k.cpu_milli, (long long)k.ram_mib, k.part);
	uint32_t id = intern_add(&l->ask, sv_of(key));
	if (id == f->ask.n)
		*vec_push(&f->ask) = k;
	else
		f->ask.v[id].jobs++;
	f->ask.v[id].gpu_ms += (end_of(l, a) - a->start_ms) / 1000 * k.gpus_milli;
}

/* ---- what follows from it ---------------------------------------------------------------- */

static void name_service(struct fleet *f, struct workload *w)
{
	const char *const is[] = { w->name, w->job, w->project };

	for (size_t k = 0; k < sizeof is / sizeof *is; k++)
		for (size_t i = 0; *is[k] && i < f->service.n; i++)
			if (f->service.v[i].service == is[k]) {
				w->service = is[k];
				if (k < 2)
					w->kind = WORKLOAD_SERVICE;
				if (w->kind == WORKLOAD_SERVICE)
					return;
			}
	if (w->kind != WORKLOAD_SERVICE)
		w->service = fleet_text(f, SV(""));
	else if (*w->service)
		w->service = w->service;
	else if (*w->name)
		w->service = w->name;
	else
		w->service = filled_or(w->project, w->job);
}

/* "research/train-a": of a pod, as readings and lists of pods call it; else nothing. */
static struct sv namespace_in(const char *name)
{
	struct sv pod, ns = sv_cut(sv_of(name), '/', &pod);

	if (!ns.n || ns.n > 63 || !pod.n || memchr(pod.p, '/', pod.n))
		return SV_NULL;
	for (size_t i = 0; i < ns.n; i++) {
		bool is_edge = i == 0 || i + 1 == ns.n;

		if (ns.p[i] == '-' && is_edge)
			return SV_NULL;
		if (ns.p[i] != '-' && !islower((unsigned char)ns.p[i]) &&
		    !isdigit((unsigned char)ns.p[i]))
			return SV_NULL;
	}
	return ns;
}

int fleet_read_jobs(struct loader *l, struct err *err)
{
	struct fleet *f = l->f;
	struct allocation *a;
	size_t n;
	const struct scope_span of = { NULL, f->since_ms, f->until_ms };
	int r = store_allocations(l->store, &of, &l->mem, &a, &n, err);

	if (r < 0)
		return r;
	share_part_models(a, n);
	struct lived *lived = xcalloc(f->workload.n + 1, sizeof *lived);
	struct attempt *attempt = xcalloc(l->njob + 1, sizeof *attempt);

	for (size_t i = 0; i < l->njob; i++)
		*vec_push(&f->job) = (struct fleet_job){ .held_ms = UNKNOWN_MS,
							 .longest_ms = UNKNOWN_MS,
							 .wait_ms = UNKNOWN_MS,
							 .end_state = "" };
	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].job_index != SIZE_MAX)
			f->job.v[f->workload.v[i].job_index].workloads++;
	for (size_t i = 0; i < n && !l->host_told; i++)
		l->host_told = a[i].cpu_milli > 0 || a[i].ram_mib > 0;
	for (size_t i = 0; i < n; i++) {
		if (a[i].start_ms == UNKNOWN_MS || allocation_told_again(a, n, i))
			continue;
		f->allocations++;
		if (end_of(l, &a[i]) < a[i].start_ms)
			l->odd++;
		else
			take_allocation(l, &a[i], lived, attempt);
	}
	double slack = DEADLINE_SLACK_FRAC;

	if (l->opt->deadline_slack_frac > 0)
		slack = l->opt->deadline_slack_frac;
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_JOB && w->kind != WORKLOAD_SERVICE)
			continue;
		if (lived[i].seen) {
			w->start_ms = lived[i].first_ms;
			w->end_ms = lived[i].last_ms;
			w->held_ms = lived[i].held_ms;
			w->last_start_ms = lived[i].from_ms;
			w->longer_ago_ms = lived[i].longest_ms;
		}
		name_service(f, w);
		learn_text(f, &w->namespace_, namespace_in(w->name));
		learn_text(f, &w->namespace_, namespace_in(w->job));

		int64_t run = w->end_ms - w->start_ms;
		int64_t late = run + (int64_t)((double)run * slack);

		if (w->kind == WORKLOAD_JOB && *w->job)
			w->deadline_ms = w->start_ms +
					 (w->limit_ms != UNKNOWN_MS && w->limit_ms > late
						  ? w->limit_ms
						  : late);
		l->longer += w->kind == WORKLOAD_JOB &&
			     (w->start_ms < f->data_from_ms || w->end_ms > f->data_to_ms);
	}
	free(attempt);
	free(lived);
	return 0;
}

/* ---- requests ---------------------------------------------------------------------------- */

int fleet_read_services(struct loader *l, struct err *err)
{
	struct fleet *f = l->f;
	struct request_stats q;
	int r = store_request_minutes(l->store, (struct span){ f->since_ms, f->until_ms }, &l->mem,
				      &q, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < q.n; i++) {
		const char *name = fleet_text(f, q.v[i].service);
		if (!f->service.n || f->service.v[f->service.n - 1].service != name)
			*vec_push(&f->service) = (struct fleet_service){ .service = name,
									 .min0 = i };
		struct fleet_service *s = &f->service.v[f->service.n - 1];
		s->nmin++;
		s->requests += q.v[i].count;
		*vec_push(&f->minute) = (struct fleet_minute){
			q.v[i].t_ms,           q.v[i].count,          q.v[i].ok,
			q.v[i].latency_p50_ms, q.v[i].latency_p95_ms, q.v[i].latency_p99_ms
		};
	}
	for (size_t i = 0; i < f->service.n; i++)
		fleet_log_measure(f, &f->service.v[i]);
	return 0;
}
