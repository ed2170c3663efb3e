/* Actions in the words of Slurm: lines of job scripts, scontrol. */
#include "base/str.h"
#include "base/tm.h"
#include "report/action/action_in.h"

/* Machines that slurmctld boots and gives back, and their partition: "train-g6-xlarge-1a2b". */
static const char *pool_name(struct lines *l, struct raw_name cluster, struct raw_name type,
			     bool spot, const char *tag)
{
	struct str s = { 0 };

	str_addf(&s, "%s-%s%s", quoted(l, QUOTE_HOST, cluster, "gpu"),
		 quoted(l, QUOTE_CLOUD, type, "type"), text_if(spot, "-spot"));
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '.' || s.p[i] == '_')
			s.p[i] = '-';
	if (tag)
		str_addf(&s, "-%s", tag);
	const char *z = arena_strn(l->mem, str_z(&s), s.n);
	str_free(&s);
	return z;
}

static void put_gpus(struct lines *l, const struct action_submit *s, bool undo)
{
	const struct submit_ask *to = submit_asked(s, undo);
	const struct submit_ask *from = submit_asked(s, !undo);

	const char *type = quoted(l, QUOTE_CLOUD, to->instance_type, "TYPE");

	if (!to->gpus)
		line_add(l, "#SBATCH --gres=none");
	else if (!(s->change & SUBMIT_TYPE))
		line_add(l, "#SBATCH --gres=gpu:%lld", (long long)to->gpus);
	else if (s->change & SUBMIT_GPUS)
		line_add(l, "#SBATCH --gres=gpu:%lld --constraint=%s", (long long)to->gpus, type);
	else
		line_add(l, "#SBATCH --gres=gpu:%lld --constraint=%s   # %s %s",
			 (long long)to->gpus, type, undo ? "instead of" : "was",
			 quoted(l, QUOTE_NOTE, from->instance_type, ""));
}

static void put_begin(struct lines *l, const struct action_submit *s, bool undo)
{
	int hour = s->now.begin_hour;

	if (undo) {
		line_add(
			l,
			"# take the line --begin out of the job scripts, and what waits out of atq or crontab");
		return;
	}
	line_add(l, "# Slurm: the next %02d:00 of the clock of the cluster, the hours here are UTC",
		 hour);
	line_add(l, "#SBATCH --begin=%02d:00", hour);
	line_add(
		l,
		"# anywhere else, and for every day a line '0 %d * * * sbatch job.sh' in crontab, with CRON_TZ=UTC",
		hour);
	line_add(l, "echo 'sbatch job.sh' | at %02d:00", hour);
}

void slurm_submit(struct lines *l, const struct action *a, bool undo)
{
	const struct action_submit *s = &a->submit;
	const struct submit_ask *to = submit_asked(s, undo);

	bool spot = s->change & SUBMIT_SPOT && s->now.spot;

	if (s->change & (SUBMIT_GPUS | SUBMIT_TYPE))
		put_gpus(l, s, undo);
	if (s->pool_tag || spot) {
		/* Submissions go to the partition of their pool, and back to the one that they
		 * had. */
		struct raw_name type = s->pool_type;

		if (!s->pool_type.z)
			type = a->which.instance_type;
		if (undo)
			line_add(l, "#SBATCH --partition=PARTITION   # as before%s",
				 text_if(spot, ", without --requeue, --signal and the trap"));
		else
			line_add(l, "#SBATCH --partition=%s%s",
				 pool_name(l, a->which.cluster, type, spot, s->pool_tag),
				 text_if(spot, " --requeue --open-mode=append"));
	}
	if (s->is_default && !undo) {
		/* Beside the smaller default: who asks for more gets it, and what fails goes
		 * back. */
		line_add(
			l,
			"# a default: whoever needs all %lld asks for them; a run that fails for want of them is requeued as before:",
			(long long)s->was.gpus);
		line_add(l, "#   sbatch --gres=gpu:%lld --constraint=%s job.sh",
			 (long long)s->was.gpus,
			 quoted(l, QUOTE_CLOUD, s->was.instance_type, "TYPE"));
	}
	if (s->change & SUBMIT_LIMIT) {
		/* As sbatch reads it: "09:00:00", "1-00:00:00". */
		int64_t m = to->limit_ms / MS_MINUTE;
		const char *clock_text;
		if (m >= 1440)
			clock_text = arena_printf(l->mem, "%lld-%02lld:%02lld:00",
						  (long long)(m / 1440), (long long)(m / 60 % 24),
						  (long long)(m % 60));
		else
			clock_text = arena_printf(l->mem, "%02lld:%02lld:00", (long long)(m / 60),
						  (long long)(m % 60));
		line_add(l, "#SBATCH --time=%s", clock_text);
	}
	if (s->change & SUBMIT_SPOT && to->spot) {
		/* The batch shell gets the signal and hands it on; 85 asks for the next attempt. */
		if (s->checkpoint_min > 0) {
			line_add(l, "#SBATCH --signal=B:USR1@90");
			line_add(l, "trap 'kill -USR1 $pid' USR1");
			line_add(
				l,
				"tare run --notice-signal USR1 --notice-span 90s --every %.0fm -- COMMAND & pid=$!",
				s->checkpoint_min);
			line_add(
				l,
				"wait $pid; wait $pid; [ $? = 85 ] && scontrol requeue $SLURM_JOB_ID");
		}
	}
	if (s->change & SUBMIT_BEGIN)
		put_begin(l, s, undo);
}

void slurm_pool(struct lines *l, const struct action_pool *p, bool undo)
{
	const char *name = pool_name(l, p->cluster, p->instance_type, p->spot, p->tag),
		   *type = quoted(l, QUOTE_CLOUD, p->instance_type, "TYPE");
	long long n = (long long)(p->now - p->was);

	if (undo) {
		line_add(
			l,
			"# when nothing runs there: take %s-[1-%lld] and its partition out of slurm.conf",
			name, n);
		return;
	}

	/* What slurmctld must know of a machine that it has not seen: it takes one CPU and 1 MiB
	 * else. */
	const char *cpus = text_if(p->cpus, arena_printf(l->mem, " CPUs=%lld", (long long)p->cpus));
	const char *host = cpus;
	if (p->ram_mib)
		host = arena_printf(l->mem, "%s RealMemory=%lld", cpus,
				    (long long)(p->ram_mib / 100 * 95));

	line_add(
		l,
		"# slurm.conf: NodeName=%s-[1-%lld] Gres=gpu:%lld%s Feature=%s State=CLOUD   # booted when asked for, given back when free",
		name, n, (long long)p->gpus, host, type);

	line_add(l, "# slurm.conf: PartitionName=%s Nodes=%s-[1-%lld]%s", name, name, n,
		 text_if(p->spot, " PreemptMode=REQUEUE   # spot machines"));
	line_add(l, "scontrol reconfigure");
}

void slurm_mig(struct lines *l, const struct action_mig *m, bool undo)
{
	const char *node = quote_names(l, QUOTE_NODES, &m->at.node, 1, "MACHINE");

	if (undo) {
		line_add(l, "# drain it first, and resume it when gres.conf names whole GPUs");
		line_add(
			l,
			"ssh %s 'nvidia-smi mig -i %d -dci && nvidia-smi mig -i %d -dgi && nvidia-smi -i %d -mig 0'",
			node, m->device, m->device, m->device);
		return;
	}
	line_add(l, "scontrol update nodename=%s state=drain reason='MIG layout %s'", node,
		 m->config);
	for (size_t i = 0; i < m->nends; i++)
		line_add(l, "# wait for %s to end, or move it: the change would kill it",
			 quoted(l, QUOTE_NOTE, m->ends[i], "what runs there"));
	line_add(l, "# must show nothing: monitoring holds GPUs too, stop it first");
	line_add(l, "ssh %s 'fuser -v /dev/nvidia[0-9]*'", node);
	line_add(l, "# resets the GPUs where MIG mode changes");
	line_add(l, "ssh %s 'nvidia-mig-parted apply -f %s.yaml -c %s'", node, m->config,
		 m->config);
	line_add(l, "# the instances are there: they do not outlive a reboot");
	line_add(l, "ssh %s 'nvidia-smi mig -lgi'", node);
	line_add(l, "# after gres.conf names the instances");
	line_add(l, "scontrol update nodename=%s state=resume", node);
}
