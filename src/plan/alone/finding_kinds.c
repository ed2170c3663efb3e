#include "plan/alone/finding_kinds.h"

#include <string.h>

#define CHECKPOINTS \
	"write checkpoints (docs/CHECKPOINT.md) and start it under tare run, which continues from the last one"
#define END_THE_JOB "end the job with its last work, and have an idle limit end those that do not"

const struct finding_kind finding_kinds[] = {
	/* use */
	{ "too_many_gpus", "rightsize_count", "ask for as many GPUs as the job uses" },
	{ "overbooked", "trim_time", "book the time that is used; " END_THE_JOB },
	{ "idle_after_work", "",
	  "see what it does after the last work (copies, uploads, a shell left open) and do that without GPUs; have an idle limit end it: a shorter booking would not" },
	{ "input_bound", "input_bound",
	  "more loader processes, data on a disk of the machine, or one GPU less" },
	{ "always_on", "schedule", "switch it off outside these hours" },
	{ "idle_held/warm_server", "share",
	  "fewer replicas, or let it share its GPU with a service that is busy at other hours" },
	{ "idle_held/finished", "trim_time", END_THE_JOB },
	{ "idle_held/stalled", "stop_idle",
	  "look at these jobs (tare explain JOB): what stands still for an hour is to be stopped" },
	{ "idle_held/notebook", "stop_idle",
	  "have an idle limit stop notebooks; keep the work in files, not in memory" },
	{ "idle_empty/never_launched", "stop_idle",
	  "start them on machines without GPUs, or start the work when the machine is there" },
	{ "idle_empty/exited", "trim_time", END_THE_JOB },
	{ "idle_empty/waiting", "stop_idle", "book the GPUs when the work is ready to start" },
	{ "idle", "stop_idle", "ask the owner what they are held for (tare explain JOB)" },
	{ "underused/input", "input_bound",
	  "more loader processes, or data on a disk of the machine" },
	{ "underused/small_batch", "",
	  "larger batches, as far as memory and the model's quality allow; of a service: tare plan batch" },
	{ "underused/transfer", "",
	  "pinned memory, copies beside the work, data that stays on the GPU" },
	{ "underused/bandwidth", "rightsize_gpu",
	  "a GPU with more memory bandwidth for the money, or 16 bits in place of 32" },
	{ "underused/launch", "",
	  "CUDA graphs, fused kernels, larger batches: more work for each launch" },
	{ "underused/imbalance", "rightsize_count",
	  "split the work evenly (tare explain --trace FILE says who waits for whom)" },
	{ "underused/throttled", "",
	  "look at the cooling and the power limit of these machines; drain those that stay slow" },
	{ "underused", "rightsize_gpu", "a smaller GPU; profile a run: tare profile" },
	{ "low_util_serving", "share", "fewer replicas, or a GPU shared with another service" },
	{ "lost/preempted", "advice", CHECKPOINTS },
	{ "lost/evicted", "advice", CHECKPOINTS },
	{ "lost/failed", "advice", "check the start on a small GPU first; " CHECKPOINTS },
	{ "lost/cancelled", "advice", "stop early what will not do; " CHECKPOINTS },
	{ "lost/node_failure", "advice", CHECKPOINTS "; drain machines that fail again" },
	{ "lost/hung", "advice", "a watchdog that ends what makes no progress; " CHECKPOINTS },
	{ "lost/repeated", "advice", "keep results by their settings, and look there first" },
	/* price */
	{ "on_demand_interruptible", "spot", "start them on spot machines under tare run" },
	{ "wrong_gpu", "rightsize_gpu", "try one run on a cheaper GPU: tare profile" },
	/* machines */
	{ "stranded", "share", "cut the GPU as the jobs ask for it: tare plan mig" },
	{ "stranded/cpu", "",
	  "limit the CPUs that go with each GPU, so that the last job finds some" },
	{ "stranded/memory", "",
	  "limit the memory that goes with each GPU, so that the last job finds some" },
	{ "forgotten_node", "stop_idle",
	  "ask whose it is, and give it back; where a term is paid: put work on it" },
	{ "fragmented", "rightsize_count",
	  "have the scheduler fill machines before it opens others (Slurm: CR_Pack_Nodes or a bin packing weight; Kubernetes: MostAllocated)" },
	{ "unallocated", "stop_idle",
	  "fewer machines kept for peaks, or work that can wait put on them" },
	/* lines of the bill */
	{ "commitment_unused", "",
	  "move work that is paid on demand onto it; else sell or exchange it, and let it end" },
	{ "commitment_expiring", "commit",
	  "commit again to what always runs, not to what was committed: tare plan commit" },
	{ "orphaned_storage", "storage", "archive a snapshot and delete it; else tag whose it is" },
	/* what could have been */
	{ "idle_while_queued/held", "stop_idle",
	  "end what holds GPUs and does nothing while others wait" },
	{ "idle_while_queued/free", "",
	  "let these jobs in: look at the limits of queue, account and partition that kept them out, and at backfill" },
	{ 0 },
};

const struct finding_kind *finding_kind_of(const char *cause)
{
	for (size_t i = 0; finding_kinds[i].cause; i++)
		if (!strcmp(finding_kinds[i].cause, cause))
			return &finding_kinds[i];
	return NULL;
}
