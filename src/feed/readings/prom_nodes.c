/* kube-state-metrics of a Prometheus server -> the nodes that carry GPUs, and when they were there
 * (prom_kube.h). */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "feed/readings/prom_kube.h"
#include "ledger/share.h"
#include "model/machine_id.h"
#include "base/sort.h"

static const char q_capacity[] = "max_over_time(" KUBE_CAPACITY "[%S])";
static const char q_node_labels[] =
	"last_over_time(kube_node_labels[%W]) and on(node) last_over_time(" KUBE_CAPACITY "[%W])";
static const char q_node_info[] =
	"last_over_time(kube_node_info[%W]) and on(node) last_over_time(" KUBE_CAPACITY "[%W])";
static const char q_node_host[] =
	"last_over_time(kube_node_status_allocatable{resource=~\"cpu|memory\"}[%W]) and on(node) "
	"sum by(node) (last_over_time(" KUBE_CAPACITY "[%W]))";

static struct machine *machine_of(struct kube *k, const struct prom_series *l)
{
	size_t had = k->machines.n;
	uint32_t id = intern_add(&k->machines, LABEL(l, "node"));

	if (k->machines.n > had)
		*vec_push(&k->machine) = (struct machine){ .node = k->machines.text[id],
							   .cluster = kube_cluster(k, l) };
	return &k->machine.v[id];
}

/* A node is paid for while it is there. Steps in which no node at all was seen are the server's
 * gaps, not the node's. */
static void machine_step(struct kube *k, struct machine *n, int64_t a)
{
	struct interval *last = NULL;

	if (n->paid.n)
		last = &n->paid.v[n->paid.n - 1];
	if (last && (last->to_ms >= a || k->nodes_seen_ms <= last->to_ms))
		last->to_ms = a + k->p->step_ms;
	else
		*vec_push(&n->paid) = (struct interval){ a, a + k->p->step_ms };
}

/* Who holds a GPU is known as long as the exporter was scraped; up to three steps are no gap. */
static void scraped_step(struct kube *k, int64_t a)
{
	struct interval *last = NULL;

	if (k->scraped.n)
		last = &k->scraped.v[k->scraped.n - 1];
	if (last && a - last->to_ms <= 3 * k->p->step_ms)
		last->to_ms = a + k->p->step_ms;
	else
		*vec_push(&k->scraped) = (struct interval){ a, a + k->p->step_ms };
}

struct seen_at { /* what a machine offered in a step, of one resource */
	uint32_t step, machine;
	struct sv profile; /* of instances */
	bool shared;       /* several have each of them: no count of GPUs */
	double n;
};

static int by_step(const void *a, const void *b)
{
	const struct seen_at *x = a, *y = b;

	if (x->step != y->step)
		return cmp_u64(x->step, y->step);
	return cmp_u64(x->machine, y->machine);
}

/* What it offers is what it offered in its last step, all of it: whole GPUs of before are now cut
 * into instances, or the other way round. */
static void forget_offer(struct machine *n)
{
	n->gpus = 0;
	n->shared = false;
	n->cuts.n = 0;
}

static void add_offer(struct machine *n, const struct seen_at *s)
{
	if (s->shared) {
		n->shared = true;
		return;
	}
	if (!s->profile.n) {
		n->gpus = s->n;
		return;
	}
	for (size_t i = 0; i < n->cuts.n; i++)
		if (sv_eq(n->cuts.v[i].profile, s->profile)) {
			n->cuts.v[i].n = max_double(n->cuts.v[i].n, s->n);
			return;
		}
	*vec_push(&n->cuts) = (struct cut){ s->profile, s->n };
}

/* Step by step over all nodes, so that a gap of all of them is known as one. */
static void take_capacity(struct kube *k, const struct prom_matrix *m, int64_t from_ms)
{
	VEC(struct seen_at) seen = { 0 };

	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		struct sv resource = prom_label1(l, "resource");
		struct seen_at s = { .machine = (uint32_t)(machine_of(k, l) - k->machine.v),
				     .profile = kube_mig_profile(k, resource),
				     .shared = sv_ends(resource, SV("_shared")) };
		for (size_t j = l->at; j < l->at + l->n; j++) {
			s.step = m->step.v[j];
			s.n = m->v.v[j];
			if (s.n > 0)
				*vec_push(&seen) = s;
		}
	}
	if (seen.n)
		sort_items(seen.v, seen.n, sizeof *seen.v, by_step);
	for (size_t i = 0; i < seen.n; i++) {
		const struct seen_at *s = &seen.v[i];
		int64_t a = from_ms + (int64_t)s->step * k->p->step_ms;
		struct machine *n = &k->machine.v[s->machine];
		if (!i || by_step(s - 1, s) != 0) {
			forget_offer(n);
			machine_step(k, n, a);
		}
		add_offer(n, s);
		if (i + 1 == seen.n || s[1].step != s->step) {
			k->nodes_seen_ms = a + k->p->step_ms;
			scraped_step(k, a);
		}
	}
	vec_free(&seen);
}

static void set_label(struct kube *k, struct sv *to, const struct prom_series *l,
		      const char *const *names)
{
	struct sv v = prom_label(l, names);

	if (v.n)
		*to = kube_keep(k, v);
}

/* "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb": with MIG_STRATEGY=single of NVIDIA's plug-in what is called
 * a GPU, in requests and counts, is an instance of this profile. */
static void part_product(struct machine *n)
{
	struct sv model, profile;
	bool cut = share_mig_name(n->model, &model, &profile);

	if (cut && sv_ends(profile, SV("-SHARED"))) /* of which several have each */
		return;
	n->mig = cut ? profile : SV_NULL;
	if (cut)
		n->model = model;
}

static void take_node_labels(struct kube *k, const struct prom_matrix *m)
{
	static const char *const type[] = { "label_node_kubernetes_io_instance_type",
					    "label_beta_kubernetes_io_instance_type", NULL };
	static const char *const region[] = { "label_topology_kubernetes_io_region",
					      "label_failure_domain_beta_kubernetes_io_region",
					      NULL };
	static const char *const zone[] = { "label_topology_kubernetes_io_zone",
					    "label_failure_domain_beta_kubernetes_io_zone", NULL };
	static const char *const model[] = { "label_nvidia_com_gpu_product",
					     "label_cloud_google_com_gke_accelerator",
					     "label_karpenter_k8s_aws_instance_gpu_name", NULL };
	static const char *const capacity[] = { "label_karpenter_sh_capacity_type",
						"label_eks_amazonaws_com_capacityType",
						"label_eks_amazonaws_com_capacity_type",
						"label_kubernetes_azure_com_scalesetpriority",
						NULL };
	static const char *const gke_spot[] = { "label_cloud_google_com_gke_spot",
						"label_cloud_google_com_gke_preemptible", NULL };

	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		struct machine *n = machine_of(k, l);
		int64_t real_gpus;
		set_label(k, &n->type, l, type);
		set_label(k, &n->region, l, region);
		set_label(k, &n->zone, l, zone);
		set_label(k, &n->model, l, model);
		if (prom_label(l, model).n)
			part_product(n);
		set_label(k, &n->capacity, l, capacity);
		if (sv_is(prom_label(l, gke_spot), "true"))
			n->capacity = SV("spot");
		if (sv_i64(prom_label1(l, "label_nvidia_com_gpu_count"), &real_gpus) == 0 &&
		    real_gpus > 0)
			n->real_gpus = real_gpus;
	}
}

static void take_node_host(struct kube *k, const struct prom_matrix *m)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		if (!l->n || !(m->v.v[l->at] > 0))
			continue;
		struct machine *n = machine_of(k, l);
		*(sv_is(prom_label1(l, "resource"), "cpu") ? &n->cpus
							   : &n->ram_bytes) = m->v.v[l->at];
	}
}

int kube_nodes_window(void *ctx, struct span of, struct err *err)
{
	struct kube *k = ctx;
	struct prom_matrix m[4] = { { .nstep = 0 } };
	static const char *const expr[4] = { q_capacity, q_node_labels, q_node_info, q_node_host };
	int rc = 0, n;

	for (n = 0; n < 4 && (n == 0 || m[0].series.n); n++)
		if ((rc = prom_range(k->p, expr[n], of, n >= 1, &m[n], err)) < 0)
			break;
	if (rc >= 0 && m[0].series.n) {
		take_capacity(k, &m[0], of.from_ms);
		take_node_labels(k, &m[1]);
		for (size_t i = 0; i < m[2].series.n; i++) {
			const struct prom_series *l = &m[2].series.v[i];
			set_label(k, &machine_of(k, l)->provider_id, l,
				  (const char *const[]){ "provider_id", NULL });
		}
		take_node_host(k, &m[3]);
	}
	for (int i = 0; i < n; i++)
		prom_matrix_free(&m[i]);
	return rc;
}

static struct sv purchase_of(struct sv capacity)
{
	if (sv_ieq(capacity, SV("spot")))
		return SV("spot");
	if (sv_ieq(capacity, SV("on-demand")) || sv_ieq(capacity, SV("on_demand")) ||
	    sv_ieq(capacity, SV("regular")))
		return SV("on_demand");
	if (sv_ieq(capacity, SV("reserved")))
		return capacity;
	return SV_NULL;
}

static void machine_gpus(struct kube *k, const struct machine *m, struct node *n)
{
	int64_t id = intern_find(&k->p->host, m->node);
	struct str ids = { 0 };

	if (id < 0 || m->gpus > (double)k->p->host_gpus[id].uuid.n)
		return;
	for (int i = 0; i < (int)m->gpus; i++) {
		struct sv uuid = k->p->host_gpus[id].uuid.v[i];
		if (!uuid.n) {
			str_free(&ids);
			return;
		}
		str_addf(&ids, "%s%.*s", text_if(i, ";"), SVF(uuid));
	}
	n->gpu_ids = kube_keep(k, str_sv(&ids));
	str_free(&ids);
}

/* ---- how many GPUs it has ----------------------------------------------------------------- */

struct slices {
	int compute, memory;
};

static struct slices slices_of(const struct gpu_spec *gpu)
{
	struct slices of = { 7, 8 };

	if (gpu && gpu->mig_compute_slices > 0)
		of.compute = gpu->mig_compute_slices;
	if (gpu && gpu->mig_memory_slices > 0)
		of.memory = gpu->mig_memory_slices;
	return of;
}

/* GPUs, where all of them are cut alike and each instance is called a GPU. */
static double count_alike(const struct catalog *c, const struct gpu_spec *gpu,
			  const struct machine *m)
{
	struct slices of = slices_of(gpu);
	int compute, memory;

	share_slices(c, gpu, m->mig, &compute, &memory);
	if (compute <= 0 || memory <= 0)
		return m->gpus;
	int each = min_int(of.compute / compute, of.memory / memory);
	return ceil(m->gpus / max_int(each, 1));
}

/* GPUs that the instances fill at the least. */
static double count_cut(const struct catalog *c, const struct gpu_spec *gpu,
			const struct machine *m)
{
	struct slices of = slices_of(gpu);
	double compute = 0, memory = 0;

	for (size_t i = 0; i < m->cuts.n; i++) {
		struct slices s;
		share_slices(c, gpu, m->cuts.v[i].profile, &s.compute, &s.memory);
		compute += m->cuts.v[i].n * s.compute;
		/* "1c.3g.40gb": several on the memory of one instance */
		if (!sv_has(m->cuts.v[i].profile, SV("c.")))
			memory += m->cuts.v[i].n * s.memory;
	}
	return ceil(max_double(compute / of.compute, memory / of.memory) - 1e-9);
}

static double count_read(const struct kube *k, const struct machine *m)
{
	int64_t id = intern_find(&k->p->host, m->node);
	size_t n = 0;

	for (size_t i = 0; id >= 0 && i < k->p->host_gpus[id].uuid.n; i++)
		n += k->p->host_gpus[id].uuid.v[i].n > 0;
	return (double)n;
}

/*
 * The strategy "mixed" offers the GPUs that are cut under the names of their profiles, and only
 * the others as GPUs. The label and the readings each name all of them, but the one may be of an
 * older set-up and the other of some GPUs alone: where they agree it is that, else as many as any
 * of these says.
 */
static double count_mixed(const struct kube *k, double cut, const struct machine *m)
{
	double read = count_read(k, m), label = (double)m->real_gpus;

	if (label > 0 && label == read)
		return label;
	return max_double(m->gpus + cut, max_double(read, label));
}

int kube_count_gpus(const struct kube *k, struct machine *m, struct err *err)
{
	bool mixed = m->cuts.n || m->shared;
	struct catalog *c;

	if (m->real_gpus && (double)m->real_gpus < m->gpus)
		m->gpus = (double)m->real_gpus;
	if (!m->mig.n && !mixed)
		return 0;
	int rc = catalog_open(NULL, &c, err);
	if (rc < 0)
		return rc;
	const struct gpu_spec *gpu = catalog_gpu(c, m->model);
	if (m->mig.n && !m->cuts.n)
		m->gpus = count_alike(c, gpu, m);
	else
		m->gpus = count_mixed(k, count_cut(c, gpu, m), m);
	catalog_free(c);
	return 0;
}

int kube_give_machine(struct kube *k, const struct machine *m, struct err *err)
{
	struct node n = { .node = m->node,
			  .provider = machine_id_provider(m->provider_id),
			  .region = m->region,
			  .zone = m->zone,
			  .instance_type = m->type,
			  .gpu_model = m->model,
			  .cluster = m->cluster,
			  .purchase = purchase_of(m->capacity),
			  .resource_id = m->provider_id,
			  .gpu_milli = llround(m->gpus * 1000),
			  .cpu_milli = llround(fmin(m->cpus, 1e6) * 1000),
			  .ram_mib = llround(fmin(m->ram_bytes, 1e15) / 1048576) };
	int rc = 0;

	if (!n.gpu_milli) /* shares of GPUs, and nothing says of how many */
		return 0;
	if (!n.purchase.n && m->paid.n)
		feed_note(
			k->p->report,
			"nodes without a capacity type label: how they are paid for is not known");
	machine_gpus(k, m, &n);
	for (size_t i = 0; i < m->paid.n && rc >= 0; i++) {
		n.from_ms = m->paid.v[i].from_ms;
		n.to_ms = m->paid.v[i].to_ms;
		rc = k->p->sink->node(k->p->sink->ctx, &n, err);
		k->rows++;
		feed_cover(k->p->report, n.from_ms, n.to_ms);
	}
	/* its pods were listed all the while */
	const struct feed_sink *to = k->p->sink;
	for (size_t i = 0; to->witness && i < k->scraped.n && rc >= 0; i++)
		rc = to->witness(to->ctx,
				 &(struct witness){ .cluster = m->cluster,
						    .node = m->node,
						    .from_ms = k->scraped.v[i].from_ms,
						    .to_ms = k->scraped.v[i].to_ms,
						    .quality = QUALITY_MEASURED },
				 err);
	return rc;
}
