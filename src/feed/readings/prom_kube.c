/*
 * kube-state-metrics of a Prometheus server -> allocations of pods that hold GPUs, and the nodes
 * that carry GPUs.
 *
 * A pod holds its GPUs from its first to its last step in phase Running (or, where no phases are
 * recorded, as long as its requests are there): a pod does not let go in between, so a gap in the
 * server's data does not end it.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/readings/prom_kube.h"

/* Resources that are GPUs, as kube-state-metrics writes their names. */
#define GPU_RESOURCES \
	"{resource=~\"(nvidia|amd)_com_(gpu|gpu_shared|gpucores|gpumem|gpumem_percentage|mig_.*)\"}"
#define REQUESTS "kube_pod_container_resource_requests" GPU_RESOURCES
static const char q_requests[] = "max_over_time(" REQUESTS "[%S])";
static const char q_phase[] =
	"(max_over_time(kube_pod_status_phase{phase=~\"Running|Succeeded|Failed\"}[%S]) == 1)"
	" and on(namespace,pod) max_over_time(" REQUESTS "[%S])";
static const char q_labels[] =
	"last_over_time(kube_pod_labels[%W]) and on(namespace,pod) last_over_time(" REQUESTS
	"[%W])";
static const char q_info[] =
	"last_over_time(kube_pod_info[%W]) and on(namespace,pod) last_over_time(" REQUESTS "[%W])";
/* All containers of a pod: what stands beside the one with the GPU takes CPU of the machine too. */
static const char q_host[] =
	"sum by(namespace,pod,exported_namespace,exported_pod,resource) (max_over_time(kube_pod_container_resource_requests{resource=~\"cpu|memory\"}[%W]))"
	" and on(namespace,pod) sum by(namespace,pod) (last_over_time(" REQUESTS "[%W]))";
static const char q_created[] =
	"last_over_time(kube_pod_created[%W]) and on(namespace,pod) last_over_time(" REQUESTS
	"[%W])";

/* Pods on machines with GPUs that are there to work, with a GPU or without: those of each machine
 * are left out, and those that wait or are over. */
static const char q_present[] =
	"last_over_time(kube_pod_info[%S]) and on(node,exported_node) "
	"last_over_time(" KUBE_CAPACITY "[%S]) "
	"unless on(namespace,pod,exported_namespace,exported_pod) "
	"(max_over_time(kube_pod_status_phase{phase=~\"Pending|Succeeded|Failed\"}[%S]) == 1)";

struct sv kube_keep(struct kube *k, struct sv v)
{
	if (v.n)
		return (struct sv){ arena_strn(&k->p->mem, v.p, v.n), v.n };
	return SV_NULL;
}

struct sv kube_cluster(struct kube *k, const struct prom_series *l)
{
	struct sv c = prom_label1(l, "cluster");

	if (c.n)
		return kube_keep(k, c);
	return sv_of(k->p->opt->cluster);
}

struct sv kube_label(const struct prom_series *l, const char *name, const char *exported)
{
	return prom_label(l, (const char *const[]){ exported, name, NULL });
}

/* ---- pods -------------------------------------------------------------------------------- */

static uint32_t pod_of(struct kube *k, const struct prom_series *l)
{
	struct sv ns = LABEL(l, "namespace"), name = LABEL(l, "pod");
	size_t had = k->pods.n;

	str_clear(&k->text);
	str_addf(&k->text, "%.*s/%.*s", SVF(ns), SVF(name));
	uint32_t id = intern_add(&k->pods, str_sv(&k->text));
	if (k->pods.n > had) {
		struct pod *p = xcalloc(1, sizeof *p);
		p->namespace_ = kube_keep(k, ns);
		p->name = kube_keep(k, name);
		p->created_ms = UNKNOWN_MS;
		*vec_push(&k->pod) = p;
	}
	return id;
}

/* HAMi asks for vGPUs and says beside them how much of each GPU they are: what a container holds
 * is still its vGPUs. */
static bool is_slice(struct sv resource)
{
	return sv_is(resource, "nvidia_com_gpucores") ||
	       sv_starts(resource, SV("nvidia_com_gpumem"));
}

static struct hold *hold_of(struct kube *k, const struct prom_series *l)
{
	struct sv container = LABEL(l, "container"), node = LABEL(l, "node"),
		  resource = prom_label1(l, "resource");
	uint32_t pod = pod_of(k, l);
	size_t had = k->holds.n;

	if (is_slice(resource))
		resource = SV("nvidia_com_gpu");

	str_clear(&k->text);
	str_addf(&k->text, "%u|%.*s|%.*s|%.*s|%.*s", pod, SVF(container), SVF(node), SVF(resource),
		 SVF(LABEL(l, "uid")));
	uint32_t id = intern_add(&k->holds, str_sv(&k->text));
	if (k->holds.n > had)
		*vec_push(&k->hold) = (struct hold){ .pod = pod,
						     .container = kube_keep(k, container),
						     .node = kube_keep(k, node),
						     .resource = kube_keep(k, resource),
						     .cluster = kube_cluster(k, l),
						     .from_ms = UNKNOWN_MS,
						     .seen_from_ms = UNKNOWN_MS };
	return &k->hold.v[id];
}

/* Steps of the window in which a pod runs: [pod][step]. */
struct running {
	uint8_t *at;
	size_t npod, nstep;
};

static void widen_span(int64_t *from, int64_t *to, int64_t a, int64_t b)
{
	if (*from == UNKNOWN_MS)
		*from = a;
	*to = b;
}

static void take_phase(struct kube *k, const struct prom_matrix *m, struct running *run)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		struct sv phase = prom_label1(l, "phase");
		uint32_t id = pod_of(k, l);
		struct pod *p = k->pod.v[id];
		if (!l->n)
			continue;
		p->has_phase = true;
		if (!sv_is(phase, "Running"))
			p->phase = kube_keep(k, phase);
		else if (id < run->npod)
			for (size_t j = l->at; j < l->at + l->n; j++)
				run->at[id * run->nstep + m->step.v[j]] = 1;
	}
}

static void take_slice(struct kube *k, const struct prom_matrix *m, const struct prom_series *l)
{
	struct sv resource = prom_label1(l, "resource");
	struct hold *h = hold_of(k, l);

	h->sliced = true;
	for (size_t j = l->at; j < l->at + l->n; j++)
		if (m->v.v[j] > 0 && sv_is(resource, "nvidia_com_gpucores"))
			h->cores_pct = m->v.v[j];
		else if (m->v.v[j] > 0 && sv_is(resource, "nvidia_com_gpumem_percentage"))
			h->mem_pct = m->v.v[j];
}

static void take_requests(struct kube *k, const struct prom_matrix *m, const struct running *run,
			  int64_t from_ms)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		if (!LABEL(l, "node").n) /* waits for a place: holds nothing */
			continue;
		if (is_slice(prom_label1(l, "resource"))) {
			take_slice(k, m, l);
			continue;
		}
		struct hold *h = hold_of(k, l);
		for (size_t j = l->at; j < l->at + l->n; j++) {
			int64_t a = from_ms + (int64_t)m->step.v[j] * k->p->step_ms,
				b = a + k->p->step_ms;
			if (!(m->v.v[j] > 0))
				continue;
			h->gpus = m->v.v[j];
			widen_span(&h->seen_from_ms, &h->seen_to_ms, a, b);
			if (h->pod < run->npod && run->at[h->pod * run->nstep + m->step.v[j]])
				widen_span(&h->from_ms, &h->to_ms, a, b);
		}
	}
}

static void take_labels(struct kube *k, const struct prom_matrix *m)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		struct pod *p = k->pod.v[pod_of(k, l)];
		for (size_t j = 0; j < l->nlabel; j++)
			if (sv_starts(l->name[j], SV("label_")))
				tags_add(&p->tags, sv_from(l->name[j], 6), l->value[j]);
	}
}

static void take_info(struct kube *k, const struct prom_matrix *m)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		struct pod *p = k->pod.v[pod_of(k, l)];
		struct sv kind = prom_label1(l, "created_by_kind"),
			  name = prom_label1(l, "created_by_name");
		if (name.n && !sv_is(name, "<none>")) {
			p->controller = kube_keep(k, name);
			p->controller_kind = kube_keep(k, kind);
		}
	}
}

static void take_created(struct kube *k, const struct prom_matrix *m)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		if (l->n && m->v.v[l->at] > 0 && m->v.v[l->at] < 1e11)
			k->pod.v[pod_of(k, l)]->created_ms = llround(m->v.v[l->at] * 1000);
	}
}

static void take_host(struct kube *k, const struct prom_matrix *m)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		if (!l->n || !(m->v.v[l->at] > 0))
			continue;
		struct pod *p = k->pod.v[pod_of(k, l)];
		*(sv_is(prom_label1(l, "resource"), "cpu") ? &p->cpus
							   : &p->ram_bytes) = m->v.v[l->at];
	}
}

/* ---- windows ----------------------------------------------------------------------------- */

static int pods_window(void *ctx, struct span of, struct err *err)
{
	struct kube *k = ctx;
	struct prom_matrix m[6] = { { .nstep = 0 } };
	static const char *const expr[6] = { q_requests, q_phase,   q_labels,
					     q_info,     q_created, q_host };
	int rc = 0, n;

	for (n = 0; n < 6 && (n == 0 || m[0].series.n); n++)
		if ((rc = prom_range(k->p, expr[n], of, n >= 2, &m[n], err)) < 0)
			break;
	if (rc >= 0 && m[0].series.n) {
		for (size_t i = 0; i < m[0].series.n; i++)
			pod_of(k, &m[0].series.v[i]);
		struct running run = { xcalloc(k->pod.n, m[0].nstep), k->pod.n, m[0].nstep };
		take_phase(k, &m[1], &run);
		take_requests(k, &m[0], &run, of.from_ms);
		take_labels(k, &m[2]);
		take_info(k, &m[3]);
		take_created(k, &m[4]);
		take_host(k, &m[5]);
		free(run.at);
	}
	for (int i = 0; i < n; i++)
		prom_matrix_free(&m[i]);
	return rc;
}

/* ---- what comes out ---------------------------------------------------------------------- */

struct sv kube_mig_profile(struct kube *k, struct sv resource)
{
	const char *at = memmem(resource.p, resource.n, "_mig_", 5);
	char *p;

	if (!at)
		return SV_NULL;
	p = arena_strn(&k->p->mem, at + 5, resource.n - (size_t)(at + 5 - resource.p));
	for (char *c = p; *c; c++)
		if (*c == '_')
			*c = '.';
	return sv_of(p);
}

/* The GPUs that readings say the container holds; used only where their number is the number asked
 * for. */
static void hold_gpus(struct kube *k, const struct hold *h, struct allocation *a)
{
	const struct pod *p = k->pod.v[h->pod];
	struct str ids = { 0 };
	int64_t id;

	str_clear(&k->text);
	str_addf(&k->text, "%.*s/%.*s/%.*s", SVF(p->namespace_), SVF(p->name), SVF(h->container));
	if ((id = intern_find(&k->p->owner, str_sv(&k->text))) < 0)
		return;
	const struct prom_gpus *c = &k->p->owner_gpus[id];
	a->gpu_model = c->model;
	if ((double)c->id.n != h->gpus)
		return;
	for (size_t i = 0; i < c->id.n; i++)
		str_addf(&ids, "%s%.*s", text_if(i, ";"), SVF(c->id.v[i]));
	a->gpu_ids = kube_keep(k, str_sv(&ids));
	str_free(&ids);
}

/* A resource of its own for each profile, or "GPUs" of a machine that offers only such
 * instances. */
static struct sv profile_of(struct kube *k, const struct hold *h)
{
	struct sv profile = kube_mig_profile(k, h->resource);
	int64_t at = intern_find(&k->machines, h->node);

	if (profile.n || at < 0 || h->sliced || !sv_is(h->resource, "nvidia_com_gpu"))
		return profile;
	return k->machine.v[at].mig;
}

/* Declared cores before declared memory; a slice without either (memory in MiB, say) shares equally
 * with its neighbours. */
static void hold_share(struct kube *k, const struct hold *h, struct allocation *a)
{
	double pct = h->mem_pct;

	if (h->cores_pct > 0)
		pct = h->cores_pct;
	a->mig_profile = profile_of(k, h);
	if (a->mig_profile.n)
		a->share_kind = SHARE_MIG;
	else if (h->sliced || sv_ends(h->resource, SV("_shared")))
		a->share_kind = SHARE_TIMESLICE;
	else
		a->share_kind = SHARE_WHOLE;
	if (a->share_kind == SHARE_TIMESLICE && pct > 0) {
		a->share_kind = SHARE_FRACTION;
		a->share_ppb = llround(min_double(pct, 100) * 1e7);
	}
}

static int give_hold(struct kube *k, const struct hold *h, struct err *err)
{
	struct pod *p = k->pod.v[h->pod];
	struct allocation a = { .share_ppb = -1,
				.mig_start = -1,
				.checkpointable = -1,
				.limit_ms = UNKNOWN_MS,
				.node = h->node,
				.cluster = h->cluster };
	int rc;

	a.start_ms = p->has_phase ? h->from_ms : h->seen_from_ms;
	a.end_ms = p->has_phase ? h->to_ms : h->seen_to_ms;
	if (a.start_ms == UNKNOWN_MS)
		return 0;
	a.job_id = k->pods.text[h->pod];
	a.gpus_milli = llround(h->gpus * 1000);
	/* the pod's CPU and memory go with its GPUs */
	double part = 1;
	if (p->gpus > 0)
		part = h->gpus / p->gpus;
	a.cpu_milli = llround(fmin(p->cpus, 1e6) * 1000 * part);
	a.ram_mib = llround(fmin(p->ram_bytes, 1e15) / 1048576 * part);
	hold_share(k, h, &a);
	a.open_end = a.end_ms == k->p->until_ms;
	if (a.open_end)
		a.state = SV("RUNNING");
	else if (sv_is(p->phase, "Failed"))
		a.state = SV("FAILED");
	else if (sv_is(p->phase, "Succeeded"))
		a.state = SV("COMPLETED");
	else
		a.state = SV_NULL;
	a.user = tags_get(&p->tags, tags_user);
	a.team = tags_get(&p->tags, tags_team);
	a.project = tags_get(&p->tags, tags_project);
	a.env = tags_get(&p->tags, tags_env);
	a.workload = tags_get(&p->tags, tags_workload);
	if (p->controller_kind.n)
		tags_add(&p->tags, SV("controller_kind"), p->controller_kind);
	a.tags = tags_json(&p->tags);
	a.name = sv_or(p->controller, p->name);
	a.namespace_ = p->namespace_;
	a.submit_ms = p->created_ms;
	hold_gpus(k, h, &a);
	if ((rc = k->p->sink->allocation(k->p->sink->ctx, &a, err)) < 0)
		return rc;
	k->rows++;
	feed_cover(k->p->report, a.start_ms, a.end_ms);
	return 0;
}

/* After all pods with GPUs are known: these are allocations. */
static int present_window(void *ctx, struct span of, struct err *err)
{
	struct kube *k = ctx;
	struct prom_matrix m = { .nstep = 0 };
	int rc = prom_range(k->p, q_present, of, false, &m, err);

	for (size_t i = 0; i < m.series.n && rc >= 0; i++) {
		const struct prom_series *l = &m.series.v[i];
		struct presence p = { .cluster = kube_cluster(k, l), .node = LABEL(l, "node") };
		struct sv ns = LABEL(l, "namespace"), kind = prom_label1(l, "created_by_kind");
		str_clear(&k->text);
		str_addf(&k->text, "%.*s/%.*s", SVF(ns), SVF(LABEL(l, "pod")));
		if (!presences_is_work(ns, kind) || intern_find(&k->pods, str_sv(&k->text)) >= 0)
			continue;
		for (size_t j = l->at; j < l->at + l->n; j++) {
			p.from_ms = of.from_ms + (int64_t)m.step.v[j] * k->p->step_ms;
			p.to_ms = p.from_ms + k->p->step_ms;
			p.goes_on = p.to_ms >= k->p->until_ms;
			presences_add(&k->presences, &p);
		}
	}
	prom_matrix_free(&m);
	return rc;
}

int prom_kube(struct prom *p, int64_t *ret_rows, struct err *err)
{
	struct kube k = { .p = p, .nodes_seen_ms = INT64_MIN };
	int rc = prom_walk(p, "nodes", kube_nodes_window, &k, err);

	if (rc >= 0)
		rc = prom_walk(p, "pods", pods_window, &k, err);
	if (rc >= 0 && k.machines.n)
		rc = prom_walk(p, "pods without GPUs", present_window, &k, err);
	if (rc >= 0)
		rc = presences_give(&k.presences, p->sink, err);
	for (size_t i = 0; i < k.machine.n && rc >= 0; i++) {
		struct machine *m = &k.machine.v[i];
		rc = kube_count_gpus(&k, m, err);
		if (rc >= 0)
			rc = kube_give_machine(&k, m, err);
	}
	for (size_t i = 0; i < k.hold.n; i++)
		k.pod.v[k.hold.v[i].pod]->gpus += k.hold.v[i].gpus;
	for (size_t i = 0; i < k.hold.n && rc >= 0; i++)
		rc = give_hold(&k, &k.hold.v[i], err);
	p->report->rows_kept += k.rows;
	*ret_rows = k.rows;
	for (size_t i = 0; i < k.pod.n; i++) {
		tags_free(&k.pod.v[i]->tags);
		free(k.pod.v[i]);
	}
	for (size_t i = 0; i < k.machine.n; i++) {
		vec_free(&k.machine.v[i].paid);
		vec_free(&k.machine.v[i].cuts);
	}
	vec_free(&k.pod);
	vec_free(&k.hold);
	vec_free(&k.machine);
	vec_free(&k.scraped);
	intern_free(&k.pods);
	intern_free(&k.holds);
	intern_free(&k.machines);
	presences_free(&k.presences);
	str_free(&k.text);
	return rc;
}
