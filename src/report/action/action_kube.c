/* Actions in the words of Kubernetes: kubectl, and fields of manifests. */
#include <string.h>

#include "base/str.h"
#include "base/tm.h"
#include "report/action/action_in.h"

/* ---- names ------------------------------------------------------------------------------- */

/* What keeps the replicas of a service, as kubectl is told of it: mostly a deployment. */
struct kept {
	const char *kubectl; /* "kubectl -n chat" */
	const char *name;
	const char *kind; /* "deployment" */
	enum controller controller;
};

/* Once in a list of lines. */
static void note_once(struct lines *l, const char *note)
{
	for (size_t i = 0; i < l->to->n; i++)
		if (!strcmp(l->to->v[i], note))
			return;
	line_add(l, "%s", note);
}

/* "kubectl -n chat". Without -n it would take that of the context, where another may have the name:
 * where none is known, a word that no cluster has. */
static const char *kubectl_in(struct lines *l, struct raw_name namespace_, const char *kind,
			      const char *name)
{
	if (!name_is_told(namespace_))
		note_once(
			l,
			arena_printf(
				l->mem,
				"# NAMESPACE: none is told, or several: kubectl get %s -A --field-selector metadata.name=%s",
				kind, name));
	return arena_printf(l->mem, "kubectl -n %s",
			    quoted(l, QUOTE_HOST, namespace_, "NAMESPACE"));
}

/* "chat/api" of namespace "chat" is "api" there. */
static struct kept kept_of(struct lines *l, struct raw_name service, struct raw_name namespace_,
			   enum controller controller)
{
	struct sv name, in = sv_cut(sv_of(text_or(service.z, "")), '/', &name);
	struct kept d = { .controller = controller,
			  .kind = text_or(controller_name(controller), "deployment") };

	if (name.n && sv_is(in, text_or(namespace_.z, "")))
		service = raw_name(arena_sv(l->mem, name));
	d.name = quoted(l, QUOTE_HOST, service, "DEPLOYMENT");
	d.kubectl = kubectl_in(l, namespace_, arena_printf(l->mem, "%ss", d.kind), d.name);
	return d;
}

static bool can_scale(const struct kept *d)
{
	return d->controller != CONTROLLER_DAEMONSET && d->controller != CONTROLLER_JOB;
}

/* So many replicas. A label that no machine has (tare-none) is what stops a DaemonSet. */
static void put_scale(struct lines *l, const struct kept *d, int64_t n, bool undo)
{
	if (can_scale(d)) {
		line_add(l, "%s scale %s %s --replicas=%lld", d->kubectl, d->kind, d->name,
			 (long long)n);
		return;
	}
	if (d->controller == CONTROLLER_JOB) {
		line_add(l, "%s patch job %s --type=merge -p '{\"spec\":{\"parallelism\":%lld}}'",
			 d->kubectl, d->name, (long long)n);
		return;
	}
	if (!undo && n)
		line_add(
			l,
			"# %s is a DaemonSet, one replica on each of its machines, and cannot be scaled: label %lld of them tare-on=true, then",
			d->name, (long long)n);
	const char *selector = "\"tare-on\":null,\"tare-none\":null";
	if (!undo)
		selector = n ? "\"tare-on\":\"true\"" : "\"tare-none\":\"true\"";
	line_add(
		l,
		"%s patch daemonset %s --type=merge -p '{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{%s}}}}}'",
		d->kubectl, d->name, selector);
}

static void put_wait(struct lines *l, const struct kept *d)
{
	if (d->controller == CONTROLLER_JOB)
		line_add(l, "%s wait pod -l job-name=%s --for=condition=Ready --timeout=15m",
			 d->kubectl, d->name);
	else
		line_add(l, "%s rollout status %s/%s --timeout=15m", d->kubectl, d->kind, d->name);
}

/* A copy of it in parts is no way for what cannot be scaled. */
static bool is_left_to_people(struct lines *l, const struct kept *d, const char *what)
{
	if (can_scale(d))
		return false;
	line_add(l, "# %s is a %s, of which no copy is made here: %s by its manifest", d->name,
		 d->controller == CONTROLLER_JOB ? "Job" : "DaemonSet", what);
	return true;
}

/* ---- spot -------------------------------------------------------------------------------- */

static const char *spot_selector(struct raw_name provider)
{
	static const struct {
		const char *provider, *selector;
	} known[] = {
		{ "gcp", "cloud.google.com/gke-spot: \"true\"" },
		{ "azure", "kubernetes.azure.com/scalesetpriority: spot" },
		{ "aws", "eks.amazonaws.com/capacityType: SPOT" },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (name_is(provider, known[i].provider))
			return known[i].selector;
	return "karpenter.sh/capacity-type: spot";
}

static void put_spot(struct lines *l, const struct action_submit *s)
{
	const char *kubectl = kubectl_in(l, s->namespace_, "jobs", "JOB");

	line_add(l, "# where it says CONTAINER, COMMAND or FOLDER: as it is in job.yaml");
	line_add(l, "cat > spot.yaml <<'END'");
	line_add(l, "spec:");
	if (s->checkpoint_min > 0) {
		/* 85 and a lost node make a new pod and count as no failure (podFailurePolicy wants
		 * restartPolicy Never); tare is process 1 and gets the SIGTERM. */
		double every_min = s->checkpoint_min;
		line_add(l, "  podFailurePolicy:");
		line_add(l, "    rules:");
		line_add(l, "    - {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}");
		line_add(
			l,
			"    - {action: Ignore, onExitCodes: {containerName: CONTAINER, operator: In, values: [85]}}");
		line_add(l, "  template:");
		line_add(l, "    spec:");
		line_add(l, "      restartPolicy: Never");
		line_add(l,
			 "      terminationGracePeriodSeconds: 120   # longer than saving takes");
		line_add(l, "      containers:");
		line_add(l, "      - name: CONTAINER");
		line_add(
			l,
			"        command: [\"tare\", \"run\", \"--every\", \"%.0fm\", \"--\", \"COMMAND\"]   # in its image; and the arguments in args",
			every_min);
		line_add(
			l,
			"        env: [{name: TARE_CHECKPOINT_DIR, value: FOLDER}]   # of a volume that outlives the node");
	} else {
		line_add(l, "  template:");
		line_add(l, "    spec:");
		line_add(l, "      restartPolicy: OnFailure");
	}
	line_add(l, "      nodeSelector: {%s}", spot_selector(s->provider));
	if (name_is(s->provider, "azure"))
		line_add(
			l,
			"      tolerations: [{key: kubernetes.azure.com/scalesetpriority, value: spot, effect: NoSchedule}]");
	line_add(l, "END");
	line_add(l, "# a Job is made again: its pods cannot be changed");
	line_add(
		l,
		"kubectl patch --local -f job.yaml --patch-file spot.yaml -o yaml | %s replace --force -f -",
		kubectl);
}

void kube_submit(struct lines *l, const struct action *a, bool undo)
{
	const struct action_submit *s = &a->submit;
	const struct submit_ask *to = submit_asked(s, undo);

	/* To no GPU at all and back is another resource list: not told here. */
	if (s->change & (SUBMIT_GPUS | SUBMIT_TYPE) && s->was.gpus && s->now.gpus) {
		const char *type = quoted(l, QUOTE_NOTE, to->instance_type, "");

		if (!(s->change & SUBMIT_TYPE))
			line_add(l, "# Kubernetes: resources: {limits: {nvidia.com/gpu: %lld}}",
				 (long long)to->gpus);
		else if (s->change & SUBMIT_GPUS)
			line_add(
				l,
				"# Kubernetes: resources: {limits: {nvidia.com/gpu: %lld}}, nodeSelector: {node.kubernetes.io/instance-type: %s}",
				(long long)to->gpus, type);
		else
			line_add(
				l,
				"# Kubernetes: nodeSelector: {node.kubernetes.io/instance-type: %s}",
				type);
	}
	if (s->change & SUBMIT_LIMIT)
		line_add(l, "# Kubernetes Job: spec: {activeDeadlineSeconds: %lld}",
			 (long long)(to->limit_ms / MS_SECOND));
	if (s->change & SUBMIT_SPOT && to->spot)
		put_spot(l, s);
	else if (s->change & SUBMIT_SPOT)
		line_add(l, "%s replace --force -f job.yaml",
			 kubectl_in(l, s->namespace_, "jobs", "JOB"));
}

/* ---- services ---------------------------------------------------------------------------- */

/* First those on spot work beside the others, then the others become fewer. */
static void put_floor_and_spot(struct lines *l, const struct action_replicas *r, bool undo)
{
	const struct kept d = kept_of(l, r->service, r->namespace_, r->controller);

	if (is_left_to_people(l, &d, "replicas on spot machines"))
		return;
	if (undo) {
		put_scale(l, &d, r->was, true);
		put_wait(l, &d);
		line_add(l, "%s delete %s %s-spot", d.kubectl, d.kind, d.name);
		return;
	}
	line_add(l, "# a copy of it on spot machines, behind the same service");
	line_add(l, "cat > spot-copy.yaml <<'END'");
	line_add(l, "metadata: {name: \"%s-spot\", uid: null, resourceVersion: null}", d.name);
	line_add(l, "spec:");
	line_add(l, "  replicas: %lld", (long long)r->spot);
	line_add(l, "  selector: {matchLabels: {tare-capacity: spot}}");
	line_add(l, "  template:");
	line_add(l, "    metadata: {labels: {tare-capacity: spot}}");
	line_add(l, "    spec: {nodeSelector: {%s}}", spot_selector(r->provider));
	line_add(l, "END");
	line_add(
		l,
		"%s get %s %s -o yaml | kubectl patch --local -f - --patch-file spot-copy.yaml -o yaml | %s create -f -",
		d.kubectl, d.kind, d.name, d.kubectl);
	line_add(l, "%s rollout status %s/%s-spot --timeout=15m", d.kubectl, d.kind, d.name);
	line_add(l, "# on demand: the floor");
	put_scale(l, &d, r->now - r->spot, false);
}

/* A deployment of one name is in each of its clusters: kubectl knows them by contexts of its
 * own. */
static void put_context(struct lines *l, const struct action_replicas *r)
{
	if (r->cluster.z)
		line_add(l, "# in cluster %s alone: kubectl config use-context ...",
			 quoted(l, QUOTE_NOTE, r->cluster, ""));
}

void kube_replicas(struct lines *l, const struct action *a, bool undo)
{
	const struct action_replicas *r = &a->replicas;

	put_context(l, r);
	if (r->spot) {
		put_floor_and_spot(l, r, undo);
		return;
	}
	const struct kept d = kept_of(l, r->service, r->namespace_, r->controller);

	put_scale(l, &d, undo ? r->was : r->now, undo);
}

void kube_rollout(struct lines *l, const struct action *a, bool undo)
{
	const struct action_replicas *r = &a->replicas;
	const struct kept d = kept_of(l, r->service, r->namespace_, r->controller);

	put_wait(l, &d);
}

/* The controller of a deployment takes away from the machine with most of them, a StatefulSet the
 * newest. */
void kube_spread(struct lines *l, const struct action *a, bool undo)
{
	const struct action_replicas *r = &a->replicas;

	put_context(l, r);
	const struct kept d = kept_of(l, r->service, r->namespace_, r->controller);
	if (d.controller == CONTROLLER_STATEFULSET || !can_scale(&d)) {
		line_add(
			l,
			"# %s is no deployment: more of it and fewer again moves none. What is drained goes elsewhere",
			d.name);
		return;
	}
	put_scale(l, &d, r->was, undo);
	put_wait(l, &d);
	put_scale(l, &d, r->now, undo);
}

void kube_replica_move(struct lines *l, const struct action *a, bool undo)
{
	const struct action_replica_move *m = &a->replica_move;
	const struct kept d = kept_of(l, m->service, m->namespace_, m->controller);
	const char *node = quoted(l, QUOTE_HOST, m->node, "MACHINE");

	if (is_left_to_people(l, &d, "a replica on a part of a GPU"))
		return;
	if (undo) {
		line_add(l, "%s delete %s %s-part", d.kubectl, d.kind, d.name);
		if (m->share == SHARE_MPS && m->first)
			line_add(l, "kubectl label node %s nvidia.com/device-plugin.config-", node);
		return;
	}
	if (m->share == SHARE_MPS && m->first) {
		/* The device plugin starts the daemon of MPS on machines with this label. */
		line_add(l, "cat > tare-mps.yaml <<'END'");
		line_add(l, "version: v1");
		line_add(l, "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}");
		line_add(l, "END");
		line_add(
			l,
			"kubectl -n gpu-operator create configmap tare-mps --from-file=tare-mps=tare-mps.yaml");
		line_add(
			l,
			"kubectl label node %s nvidia.com/device-plugin.config=tare-mps --overwrite",
			node);
		line_add(
			l,
			"# a machine without that plugin: nvidia-cuda-mps-control -d, as root, before them");
		line_add(l, "kubectl uncordon %s", node);
	}
	line_add(l, "# one replica of %s beside one of %s on a GPU by %s: %s",
		 quoted(l, QUOTE_NOTE, m->service, ""), quoted(l, QUOTE_NOTE, m->beside, ""),
		 share_kind_name(m->share), m->why);
	line_add(l, "cat > part.yaml <<'END'   # CONTAINER: as the %s calls it", d.kind);
	line_add(l, "metadata: {name: \"%s-part\", uid: null, resourceVersion: null}", d.name);
	line_add(l, "spec:");
	line_add(l, "  replicas: 1");
	line_add(l, "  selector: {matchLabels: {tare-share: part}}");
	line_add(l, "  template:");
	line_add(l, "    metadata: {labels: {tare-share: part}}");
	line_add(l, "    spec:");
	line_add(l, "      nodeSelector: {kubernetes.io/hostname: \"%s\"}", node);
	line_add(l, "      containers:");
	line_add(l, "      - name: CONTAINER");
	if (m->share == SHARE_MIG)
		line_add(
			l,
			"        resources: {limits: {nvidia.com/gpu: null, nvidia.com/mig-%s: 1}, requests: {nvidia.com/gpu: null, nvidia.com/mig-%s: 1}}",
			text_or(m->profile, "PROFILE"), text_or(m->profile, "PROFILE"));
	else
		line_add(
			l,
			"        env: [{name: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE, value: \"%d\"}, {name: CUDA_MPS_PINNED_DEVICE_MEM_LIMIT, value: \"0=%lldM\"}]",
			m->threads_pct, (long long)m->mem_mib);
	line_add(l, "END");
	line_add(
		l,
		"%s get %s %s -o yaml | kubectl patch --local -f - --patch-file part.yaml -o yaml | %s create -f -",
		d.kubectl, d.kind, d.name, d.kubectl);
	line_add(l, "%s rollout status %s/%s-part --timeout=15m", d.kubectl, d.kind, d.name);
	line_add(
		l,
		"# for 24 h: go on if the 99th percentile of its latency stays below %.0f ms and it does not restart; else undo",
		m->limit_ms);
}

/* ---- machines ---------------------------------------------------------------------------- */

void kube_mig(struct lines *l, const struct action_mig *m, bool undo)
{
	const char *node = quoted(l, QUOTE_HOST, m->at.node, "MACHINE");

	if (undo) {
		line_add(l, "# cordon and drain it first");
		line_add(l, "kubectl label node %s nvidia.com/mig.config=all-disabled --overwrite",
			 node);
		return;
	}
	line_add(l, "kubectl cordon %s", node);
	for (size_t i = 0; i < m->nends; i++)
		line_add(l, "# wait for %s to end, or move it: the change would kill it",
			 quoted(l, QUOTE_NOTE, m->ends[i], ""));
	line_add(l, "kubectl drain %s --ignore-daemonsets --delete-emptydir-data", node);
	line_add(l, "kubectl label node %s nvidia.com/mig.config=%s --overwrite", node, m->config);
	line_add(
		l,
		"kubectl wait node/%s --for=jsonpath='{.metadata.labels.nvidia\\.com/mig\\.config\\.state}'=success --timeout=15m",
		node);
	line_add(
		l,
		"# failed or a part of it done: label it with the old layout, and look at the log of the MIG manager");
	line_add(l, "kubectl uncordon %s", node);
}
