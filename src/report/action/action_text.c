#include "report/action/action_text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>

#include "base/sh.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/mig_parted.h"
#include "report/action/action_in.h"

void line_add(struct lines *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*vec_push(l->to) = sh_line(l->mem, arena_vprintf(l->mem, fmt, ap));
	va_end(ap);
}

/* ---- what all environments have in common ------------------------------------------------ */

static void put_submit(struct lines *l, const struct action *a, bool undo)
{
	const struct action_submit *s = &a->submit;

	/* "# for team=vision user=ann name='unet-*' gpus=4": the submissions that are meant. */
	const struct {
		const char *key;
		struct raw_name name;
	} part[] = {
		{ "team", a->which.team },
		{ "user", a->which.user },
		{ "workload", a->which.workload },
		{ "cluster", a->which.cluster },
		{ "service", a->which.service },
		{ "name", a->which.name },
		{ "script", a->which.script },
		{ "image", a->which.image },
		{ "instance_type", a->which.instance_type },
		{ "gpu_model", a->which.gpu_model },
	};
	struct str words = { 0 };

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (name_is_told(part[i].name))
			str_addf(&words, " %s=\"%s\"", part[i].key,
				 quoted(l, QUOTE_PATTERN, part[i].name, ""));
	if (a->which.gpus)
		str_addf(&words, " gpus=%lld", (long long)a->which.gpus);
	if (words.n)
		line_add(l, "# for%s", str_z(&words));
	str_free(&words);

	if (s->change & SUBMIT_SPOT && s->checkpoint_min > 0 && !undo)
		line_add(
			l,
			"# save every %.0f minutes and when told to stop; start from the newest checkpoint",
			s->checkpoint_min);
	if (s->to & TO_SLURM)
		slurm_submit(l, a, undo);
	if (s->to & TO_KUBERNETES)
		kube_submit(l, a, undo);
	if (s->change & SUBMIT_REGION) {
		struct raw_name to = a->submit.now.region, from = a->submit.was.region;
		const char *env = quoted(l, QUOTE_CLOUD, undo ? from : to, "REGION");

		if (!undo) {
			const char *there = quoted(l, QUOTE_NOTE, to, "");
			line_add(
				l,
				"# copy what is read often once: aws s3 sync s3://BUCKET s3://BUCKET-%s --source-region %s --region %s",
				there, quoted(l, QUOTE_NOTE, from, ""), there);
			line_add(l, "# queue or node group of %s: region: %s",
				 quoted(l, QUOTE_NOTE, a->which.team, "these jobs"), there);
		}
		line_add(l, "export AWS_REGION=%s CLOUDSDK_COMPUTE_REGION=%s", env, env);
		if (undo)
			line_add(l, "# and the queue or node group back to region: %s",
				 quoted(l, QUOTE_NOTE, from, ""));
	}
}

static void put_trial(struct lines *l, const struct action *a, bool undo)
{
	const struct action_trial *t = &a->trial;

	switch (t->how) {
	case TRIAL_PROFILE:
		line_add(
			l,
			"# first: run one of them on the other machine and compare: tare profile -- COMMAND");
		if (t->reveals)
			line_add(
				l,
				"# with what shows its need of memory: XLA_PYTHON_CLIENT_PREALLOCATE=false (JAX), TF_FORCE_GPU_ALLOW_GROWTH=true "
				"(TensorFlow), --gpu-memory-utilization (vLLM)");
		break;
	case TRIAL_SPOT:
		line_add(l, "# one job beforehand:");
		line_add(l, "tare plan spot --hours H --instance %s --region %s%s",
			 quoted(l, QUOTE_CLOUD, t->instance_type, "TYPE"),
			 quoted(l, QUOTE_CLOUD, t->region, "REGION"),
			 text_if(!t->checkpoints, " --no-checkpoint"));
		break;
	case TRIAL_SCHEDULE:
		line_add(l, "# one job at a time, with the prices of the day:");
		line_add(l, "tare plan schedule --prices PRICES.csv --length 6h --deadline 24h");
		break;
	}
}

static void put_checkpoints(struct lines *l, const struct action *a, bool undo)
{
	if (undo) {
		line_add(l, "# nothing to undo");
		return;
	}
	line_add(
		l,
		"# save model, optimizer, step and data position every some minutes and on SIGTERM; start from the newest one");
	line_add(l, "# then tell tare: plan: {rules: [{when: {team: %s}, checkpointable: true}]}",
		 quoted(l, QUOTE_NOTE, a->which.team, ""));
	line_add(l, "# or prove it by one of them, interrupted once: tare run drill -- COMMAND");
}

static void put_feed(struct lines *l, const struct action *a, bool undo)
{
	if (undo) {
		line_add(l, "# take back the settings of the loader");
		return;
	}
	line_add(l, "# which it is: loader, decoding, storage:");
	line_add(l, "tare profile -- python train.py");
	line_add(
		l,
		"# DataLoader(..., num_workers=CORES_PER_GPU, pin_memory=True, persistent_workers=True, prefetch_factor=4)");
}

static void put_technique(struct lines *l, const struct action *a, bool undo)
{
	static const struct {
		const char *measure, *setting;
	} how[] = {
		[TECHNIQUE_STOP_EARLY] = { "the epoch at which each run came within 0.1 % of its lowest loss",
					   "EarlyStopping(monitor='val_loss', patience=5, restore_best_weights=True)" },
		[TECHNIQUE_BUDGET] = { "how the rank of trials at a quarter of the budget agrees with the end",
				       "optuna: study = create_study(pruner=HyperbandPruner())" },
		[TECHNIQUE_COMPRESS] = { "accuracy on your own test set, and p99 under load, before and after",
					 "TensorRT, vLLM --quantization, ONNX Runtime quantize_static()" },
		[TECHNIQUE_TRANSFER] = { "time to the same loss from a pretrained start, on two typical runs",
					 "load a pretrained checkpoint, train the head first, adapters (LoRA) for large models" },
		[TECHNIQUE_QUANTISE] = { "accuracy on your own test set, and p99 under load, before and after",
					 "vLLM --quantization fp8, TensorRT, ONNX Runtime quantize_static()" },
		[TECHNIQUE_MIXED_PRECISION] = { "steps/s and the final loss of one run, before and after",
						"torch.autocast('cuda', dtype=torch.bfloat16); bf16=True of a Trainer" },
		[TECHNIQUE_CHECKPOINT] = { "how long a checkpoint takes, and how often runs of this kind fail",
					   "every sqrt(2 x time of a checkpoint x time between failures): tare.Checkpointer" },
		[TECHNIQUE_REUSE] = { "whether the earlier run's model or table is still there",
				      "key results by the hash of their configuration, and look there first" },
		[TECHNIQUE_CHECK_FIRST] = { "how many of these failures one step on one GPU shows",
					    "in the job script, before the whole run: srun -n 1 --gpus=1 python train.py --max-steps 1" },
		[TECHNIQUE_SHARE] = { "a day of two of them on one GPU: waits of sessions, p99 of services",
				      "tare plan share: who goes with whom, MIG profiles, limits of MPS" },
	};
	enum technique t = a->technique.technique;

	if (undo) {
		line_add(
			l,
			a->technique.technique == TECHNIQUE_SHARE
				? "# each on a GPU of its own again"
				: "# take the setting back; models trained meanwhile stay as they are");
		return;
	}
	line_add(l, "# measure first: %s", how[t].measure);
	if (a->technique.patience > 0) {
		/* As it was replayed. */
		line_add(
			l,
			"# EarlyStopping(monitor='%s', mode='%s', patience=%lld, restore_best_weights=True)",
			quoted(l, QUOTE_NOTE, a->technique.metric, "METRIC"),
			a->technique.higher ? "max" : "min", (long long)a->technique.patience);
		if (a->technique.delta_frac > 0)
			line_add(
				l,
				"# better: by more than %g %% of the best so far (min_delta of Keras is an amount, not a part)",
				a->technique.delta_frac * 100);
	} else
		line_add(l, "# %s", how[t].setting);
}

static void put_cull(struct lines *l, const struct action *a, bool undo)
{
	if (undo)
		line_add(l, "# JupyterHub: remove the service 'cull'");
	else
		line_add(
			l,
			"# JupyterHub: c.JupyterHub.services = [{'name': 'cull', 'command': [sys.executable, '-m', 'jupyterhub_idle_culler', '--timeout=%lld']}]",
			(long long)(a->cull.idle_ms / MS_SECOND));
}

static void put_mig(struct lines *l, const struct action *a, bool undo)
{
	const struct action_mig *m = &a->mig;

	if (!undo) {
		line_add(l, "cat > %s.yaml <<'END'", m->config);
		struct str yaml = { 0 };
		mig_parted_begin(&yaml, m->config);
		mig_parted_device(&yaml, m->device, m->part, m->npart);
		for (struct sv rest = str_sv(&yaml); rest.n;) {
			struct sv one = sv_cut(rest, '\n', &rest);
			line_add(l, "%.*s", SVF(one));
		}
		str_free(&yaml);
		line_add(l, "END");
	}
	if (m->scheduler == TO_SLURM)
		slurm_mig(l, m, undo);
	else
		kube_mig(l, m, undo);
}

static void put_pool(struct lines *l, const struct action *a, bool undo)
{
	const struct action_pool *p = &a->pool;

	if (p->now < p->was) {
		if (p->to & TO_KUBERNETES)
			cloud_pool_less(l, p, undo);
		else
			line_add(l,
				 undo ? "# before that, start %lld x %s again"
				      : "# then give %lld x %s back",
				 (long long)(p->was - p->now),
				 quoted(l, QUOTE_NOTE, p->instance_type, ""));
		return;
	}
	if (p->to & TO_SLURM)
		slurm_pool(l, p, undo);
	if (p->to & TO_KUBERNETES)
		cloud_pool(l, p, undo);
}

/* Clouds that run the autoscaler themselves take no options of it. */
static void release_by_autoscaler(struct lines *l, const struct action_release *r)
{
	const char *pool = quoted(l, QUOTE_NOTE, r->pool, "POOL"),
		   *cluster = quoted(l, QUOTE_NOTE, r->cluster, "CLUSTER");
	struct sv provider = sv_of(text_or(r->provider.z, ""));

	if (sv_is(provider, "gcp")) {
		line_add(
			l,
			"# GKE: gcloud container node-pools update %s --cluster %s --enable-autoscaling --min-nodes 0 --max-nodes %lld",
			pool, cluster, (long long)r->machines);
		line_add(
			l,
			"# GKE itself says when a machine is not needed, sooner with gcloud container clusters update %s --autoscaling-profile optimize-utilization",
			cluster);
	} else if (sv_is(provider, "azure")) {
		line_add(
			l,
			"# AKS: az aks nodepool update --resource-group GROUP --cluster-name %s --name %s --enable-cluster-autoscaler --min-count 0 --max-count %lld",
			cluster, pool, (long long)r->machines);
		line_add(
			l,
			"# and az aks update --resource-group GROUP --name %s --cluster-autoscaler-profile scale-down-unneeded-time=%gm",
			cluster, r->idle_min);
	} else {
		line_add(
			l,
			"# Kubernetes: cluster-autoscaler --scale-down-unneeded-time=%gm --scale-down-enabled=true, minimum size of the group 0",
			r->idle_min);
	}
}

static void put_release(struct lines *l, const struct action *a, bool undo)
{
	const struct action_release *r = &a->release;

	if (undo && r->to == TO_SLURM) {
		line_add(l, "# slurm.conf: SuspendTime=-1, then scontrol reconfigure");
		return;
	}
	if (undo) {
		line_add(l, "# %sKubernetes: set the minimum size of the group to %lld again",
			 text_if(r->to != TO_KUBERNETES, "slurm.conf: SuspendTime=-1, and "),
			 (long long)r->machines);
		return;
	}
	if (r->to != TO_KUBERNETES)
		line_add(
			l,
			"# slurm.conf: SuspendTime=%.0f ResumeTimeout=%.0f SuspendProgram and ResumeProgram of your cloud",
			r->idle_min * 60, fmax(60, r->boot_min * 120));
	if (r->to != TO_SLURM)
		release_by_autoscaler(l, r);
	if (r->to != TO_KUBERNETES)
		line_add(l, "# then, for Slurm: scontrol reconfigure");
}

static void put_tell(struct lines *l, const struct action *a, bool undo)
{
	const struct action_tell *t = &a->tell;
	const char *who = name_is_told(t->who)
				  ? quoted(l, QUOTE_NOTE, t->who, "")
				  : arena_printf(l->mem, "whoever answers for %s",
						 quoted(l, QUOTE_NOTE, t->cluster, "them"));

	/* "n1, n2" as people read them. */
	size_t n = t->nnode;
	struct str s = { 0 };

	for (size_t i = 0; i < n; i++)
		str_addf(&s, "%s%s", text_if(i, ", "),
			 quoted(l, QUOTE_NOTE, t->node[i], "a machine"));
	const char *what = arena_strn(l->mem, str_z(&s), s.n);
	str_free(&s);

	(void)undo;
	if (t->about == TELL_STOP)
		line_add(
			l,
			"# tell %s, %g days before: %s will be stopped; what lies on its own disks is saved by then, and what is still needed stays on",
			who, t->days, what);
	else
		line_add(
			l,
			"# tell %s: %s is paid for and free; send there what waits, or what rents others, and renew none of it unused",
			who, what);
}

static void put_cordon(struct lines *l, const struct action *a, bool undo)
{
	const char *node = quoted(l, QUOTE_HOST, a->machine.node, "MACHINE");
	const char *note = text_if(a->machine.to == TO_ANY, "# Kubernetes: ");

	if (a->machine.to != TO_SLURM)
		line_add(l, "%skubectl %s %s", note, undo ? "uncordon" : "cordon", node);
	if (a->machine.to & TO_SLURM)
		line_add(l, "%sscontrol update nodename=%s state=%s", text_if(*note, "# Slurm: "),
			 node, undo ? "resume" : "drain reason='fewer machines'");
}

static void put_drain(struct lines *l, const struct action *a, bool undo)
{
	const char *node = quoted(l, QUOTE_HOST, a->machine.node, "MACHINE");
	const char *note = text_if(a->machine.to == TO_ANY, "# Kubernetes: ");

	if (a->machine.to & TO_SLURM && !undo)
		line_add(l, "%suntil this shows nothing: squeue -w %s", *note ? "# Slurm, " : "# ",
			 node);
	if (a->machine.to & TO_SLURM && undo)
		line_add(l, "%sscontrol update nodename=%s state=resume",
			 text_if(*note, "# Slurm: "), node);
	if (a->machine.to == TO_SLURM)
		return;
	if (!undo) {
		line_add(
			l,
			"# a drain evicts what still runs, jobs too: wait until this shows none of theirs: kubectl get pods -A --field-selector spec.nodeName=%s",
			node);
		line_add(l, "%skubectl drain %s --ignore-daemonsets --delete-emptydir-data", note,
			 node);
		return;
	}
	if (name_is_told(a->machine.node_pool)) {
		line_add(
			l,
			"# the machine that comes in place of %s has another name and takes pods at once",
			quoted(l, QUOTE_NOTE, a->machine.node, ""));
		return;
	}
	line_add(l, "%skubectl wait node/%s --for=condition=Ready --timeout=15m", note, node);
	line_add(l, "%skubectl uncordon %s", note, node);
}

static void put_pack(struct lines *l, const struct action *a, bool undo)
{
	if (undo) {
		line_add(
			l,
			"# Kubernetes: scoringStrategy: {type: LeastAllocated}; Slurm: CR_LLN again");
		return;
	}
	line_add(
		l,
		"# slurm.conf: SelectType=select/cons_tres, SelectTypeParameters=CR_Core_Memory without CR_LLN: fill a node before the next");
	line_add(
		l,
		"# Kubernetes: KubeSchedulerConfiguration: NodeResourcesFit scoringStrategy: {type: MostAllocated, resources: [{name: nvidia.com/gpu, weight: 5}]}");
}

static void put_host_share(struct lines *l, const struct action *a, bool undo)
{
	const struct action_host_share *h = &a->host_share;

	if (undo) {
		line_add(
			l,
			"# scontrol update with the JobDefaults of before: scontrol show partition tells them now");
		return;
	}
	line_add(l, "# Slurm: %s a GPU, where a job does not say: more only with a reason",
		 h->cpu ? "what goes with" : "MiB that go with");
	if (h->cpu) {
		line_add(l, "scontrol update PartitionName=PARTITION JobDefaults=DefCpuPerGPU=%lld",
			 (long long)h->cpus);
		line_add(
			l,
			"# Kubernetes: resources: {requests: {cpu: \"%lld\", nvidia.com/gpu: 1}}, and a LimitRange with max cpu for the namespace",
			(long long)h->cpus);
	} else {
		line_add(l, "scontrol update PartitionName=PARTITION JobDefaults=DefMemPerGPU=%lld",
			 (long long)h->mib);
		line_add(
			l,
			"# Kubernetes: resources: {requests: {memory: %lldMi, nvidia.com/gpu: 1}}, and a LimitRange with max memory for the namespace",
			(long long)h->mib);
	}
	line_add(
		l,
		"# Packing: work that needs much of the host onto machines without GPUs, or together on few of these. kube-scheduler: NodeResourcesFit, MostAllocated, a weight on nvidia.com/gpu");
	line_add(
		l,
		"# Slurm, where jobs without GPUs share these machines: MaxCPUsPerNode on their partition keeps CPUs for the GPUs");
	if (h->machines_short)
		line_add(
			l,
			"# No job takes more than its part: the machines have too little of it for these jobs; the next ones are bought with more a GPU, or jobs ask for less");
}

static void put_alias(struct lines *l, const char *field, struct raw_name key,
		      const struct raw_name *before, size_t nbefore)
{
	const char *list = "";

	if (!name_is_told(key))
		return;
	for (size_t i = 0; i < nbefore; i++)
		list = arena_printf(l->mem, "%s\"%s\", ", list,
				    quoted(l, QUOTE_YAML, before[i], ""));
	line_add(l, "    %s: [%s\"%s\"]", field, list, quoted(l, QUOTE_YAML, key, ""));
}

static void put_tag_alias(struct lines *l, const struct action *a, bool undo)
{
	if (undo) {
		line_add(l, "# take the lines out of the settings, and import the bill once more");
		return;
	}
	line_add(
		l,
		"# into the settings (tare config says which file; a new one begins with: version: 1)");
	line_add(l, "cat <<'END'");
	line_add(l, "tags:");
	line_add(l, "  alias:");
	const struct action_tag_alias *t = &a->tag_alias;
	put_alias(l, "team", t->team, t->team_before, t->nteam_before);
	put_alias(l, "project", t->project, t->project_before, t->nproject_before);
	line_add(l, "END");
	line_add(l, "# settings act when the ledger is written: tare import --repost");
}

/* ---- kinds ------------------------------------------------------------------------------- */

#define BY_ITSELF ACTION_N /* has lines to undo it, or nothing to undo */

static const struct kind_text {
	void (*put)(struct lines *l, const struct action *a, bool undo);
	bool has_undo;
	/* else: the action of the same recommendation that undoes it */
	enum action_kind undone_by;
} kinds[ACTION_N] = {
	[ACTION_SUBMIT] = { put_submit, true, BY_ITSELF },
	[ACTION_TRIAL] = { put_trial, false, BY_ITSELF },
	[ACTION_CHECKPOINTS] = { put_checkpoints, true, BY_ITSELF },
	[ACTION_FEED] = { put_feed, true, BY_ITSELF },
	[ACTION_TECHNIQUE] = { put_technique, true, BY_ITSELF },
	[ACTION_CULL] = { put_cull, true, BY_ITSELF },
	[ACTION_REPLICAS] = { kube_replicas, true, BY_ITSELF },
	[ACTION_SPREAD] = { kube_spread, false, BY_ITSELF },
	[ACTION_ROLLOUT] = { kube_rollout, false, BY_ITSELF },
	[ACTION_REPLICA_MOVE] = { kube_replica_move, true, BY_ITSELF },
	[ACTION_MIG] = { put_mig, true, BY_ITSELF },
	[ACTION_TELL] = { put_tell, false, BY_ITSELF },
	[ACTION_STOP] = { cloud_stop, true, BY_ITSELF },
	[ACTION_CORDON] = { put_cordon, false, ACTION_DRAIN },
	[ACTION_DRAIN] = { put_drain, true, BY_ITSELF },
	[ACTION_POOL] = { put_pool, true, BY_ITSELF },
	[ACTION_RELEASE] = { put_release, true, BY_ITSELF },
	[ACTION_TIMETABLE] = { cloud_timetable, true, BY_ITSELF },
	[ACTION_PACK] = { put_pack, true, BY_ITSELF },
	[ACTION_HOST_SHARE] = { put_host_share, true, BY_ITSELF },
	[ACTION_ARCHIVE] = { cloud_archive, true, BY_ITSELF },
	[ACTION_EXPIRE] = { cloud_expire, true, BY_ITSELF },
	[ACTION_COMMIT] = { cloud_commit, true, BY_ITSELF },
	[ACTION_TAG_ALIAS] = { put_tag_alias, true, BY_ITSELF },
};

bool action_has_undo(enum action_kind k, enum action_kind *ret_by)
{
	*ret_by = kinds[k].undone_by;
	return kinds[k].has_undo;
}

/* An action without a line would be done without a word. */
static void put_lines(struct arena *mem, struct text_list *to, const struct action *a, bool undo)
{
	struct lines l = { mem, to };
	size_t before = to->n;

	assert((unsigned)a->kind < ACTION_N);
	if (undo && !kinds[a->kind].has_undo)
		return;
	kinds[a->kind].put(&l, a, undo);
	assert(to->n > before);
}

void action_text_make(const struct action *v, size_t n, struct action_text *ret)
{
	*ret = (struct action_text){ 0 };
	for (size_t i = 0; i < n; i++) {
		put_lines(&ret->mem, &ret->apply, &v[i], false);
		put_lines(&ret->mem, &ret->undo, &v[n - 1 - i], true); /* last in, first out */
	}
}

void action_text_free(struct action_text *t)
{
	vec_free(&t->apply);
	vec_free(&t->undo);
	arena_free(&t->mem);
}
