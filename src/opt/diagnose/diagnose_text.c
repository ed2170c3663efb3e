/* Words of the diagnosis. */
#include <math.h>

#include "base/str.h"
#include "opt/diagnose/diagnose.h"

static const struct words {
	const char *name, *title, *change;
	enum cause ledger;
} WORDS[DIAG_N] = {
	[DIAG_SMALL_BATCH] = { "small_batch", "batch too small",
			       "Raise the batch size (or batch requests dynamically): the kernels fill a part of the GPU; double it until memory or latency says stop.",
			       CAUSE_SMALL_BATCH },
	[DIAG_CPU] = { "cpu_preprocessing", "waits for preprocessing on the CPU",
		       "Give it more processors and loader workers, prepare the data once beforehand, or move decoding and augmentation to the GPU.",
		       CAUSE_INPUT },
	[DIAG_LOADER] = { "loader_stall", "waits for data",
			  "The loaders wait too, for disk or network: cache the data set on local disk, use fewer and larger files, prefetch further ahead.",
			  CAUSE_INPUT },
	[DIAG_BANDWIDTH] = { "memory_bandwidth", "bound by memory bandwidth",
			     "Do more arithmetic for each byte: larger batches, fused kernels, lower precision; or take a GPU with more bandwidth for the money.",
			     CAUSE_BANDWIDTH },
	[DIAG_PCIE] = { "pcie_transfer", "waits for copies from the host",
			"Pin host memory, copy ahead on another stream, send smaller types (bytes, not floats), keep what is used again on the GPU.",
			CAUSE_TRANSFER },
	[DIAG_CONCURRENCY] = { "concurrency_cap", "limit of requests at a time too low",
			       "Raise the server's limit of concurrent requests (or instances per GPU): requests wait while the GPU has room.",
			       CAUSE_SMALL_BATCH },
	[DIAG_CHECKPOINT] = { "checkpoint_pause", "stands still while it writes checkpoints",
			      "Write checkpoints in the background from a copy in host memory, to local disk first, or less often.",
			      CAUSE_UNKNOWN },
	[DIAG_LAUNCH] = { "launch_bound", "kernels too short for the host to keep up",
			  "Fuse or capture them: torch.compile, CUDA graphs, larger batches, no .item() or print in the step.",
			  CAUSE_LAUNCH },
	[DIAG_COMM] = { "communication", "waits for other GPUs",
			"Send less or hide it: larger local batch or gradient accumulation, overlap of backward and reduction, jobs on GPUs with faster links.",
			CAUSE_TRANSFER },
	[DIAG_THERMAL] = { "thermal_throttle", "clocks held back by heat",
			   "Look at fans, air flow and room temperature of this machine; move the job until it is cool.",
			   CAUSE_THROTTLED },
	[DIAG_POWER] = { "power_throttle", "clocks held back by the power limit",
			 "Raise the power limit where cooling allows it (nvidia-smi -pl), or accept the speed and pay for it knowingly.",
			 CAUSE_THROTTLED },
	[DIAG_STRAGGLER] = { "straggler", "one GPU of several is out of step",
			     "Look at the GPU that differs: its clocks, its data shard, its link; drain it, or give the job fewer GPUs if it has nothing to do.",
			     CAUSE_IMBALANCE },
	[DIAG_HUNG] = { "hung", "claims to be busy and does nothing",
			"Look where it stands (py-spy dump, NCCL_DEBUG=INFO), then kill it; set a timeout for collectives so that the next one ends by itself.",
			CAUSE_UNKNOWN },
	[DIAG_LOW_LOAD] = { "low_load", "fewer requests than the GPU could serve",
			    "Share the GPU with other services (MIG, MPS), take a smaller one, or fewer replicas.",
			    CAUSE_UNKNOWN },
};

const char *diag_cause_name(enum diag_cause c)
{
	if ((unsigned)c < DIAG_N)
		return WORDS[c].name;
	return "";
}

const char *diag_cause_title(enum diag_cause c)
{
	if ((unsigned)c < DIAG_N)
		return WORDS[c].title;
	return "";
}

const char *diag_change(enum diag_cause c)
{
	if ((unsigned)c < DIAG_N)
		return WORDS[c].change;
	return "";
}

enum cause diag_ledger_cause(enum diag_cause c)
{
	if ((unsigned)c < DIAG_N)
		return WORDS[c].ledger;
	return CAUSE_UNKNOWN;
}

const char *diag_verdict_name(enum diag_verdict v)
{
	static const char *const name[] = { [DIAG_HEALTHY] = "healthy",
					    [DIAG_FOUND] = "found",
					    [DIAG_IDLE] = "idle",
					    [DIAG_UNKNOWN] = "unknown" };

	if ((unsigned)v < sizeof name / sizeof *name)
		return name[v];
	return "";
}

const char *diag_extra_name(enum diag_extra x)
{
	static const char *const name[DIAG_X_N] = {
		[DIAG_X_MAIN_CPU_PCT] = "main_cpu_pct",
		[DIAG_X_LOADER_CPU_PCT] = "loader_cpu_pct",
		[DIAG_X_LOADERS] = "loaders",
		[DIAG_X_HOST_CPU_PCT] = "host_cpu_pct",
		[DIAG_X_DISK_READ_BYTES_S] = "disk_read_bytes_s",
		[DIAG_X_DISK_WRITE_BYTES_S] = "disk_write_bytes_s",
		[DIAG_X_STEP_S] = "step_s",
		[DIAG_X_QUEUE] = "queue",
		[DIAG_X_RUNNING] = "running",
		[DIAG_X_BATCH] = "batch",
	};

	if ((unsigned)x < DIAG_X_N)
		return name[x];
	return "";
}

double diag_cost_day(const struct diag_finding *f, size_t ndev, double usd_gpu_hour)
{
	return f->lost_frac * (double)(f->dev >= 0 && f->cause != DIAG_STRAGGLER ? 1 : ndev) * 24 *
	       usd_gpu_hour;
}

void diag_evidence_text(const struct diag_finding *f, struct str *out)
{
	for (int i = 0; i < f->nevidence; i++) {
		const struct diag_evidence *e = &f->evidence[i];
		str_addf(out, "%s%s %.4g %s %.4g", text_if(i, ", "), e->metric, e->value,
			 e->above ? ">" : "<", e->limit);
	}
}

void diag_step_init(struct diag_step *s)
{
	*s = (struct diag_step){ 0 };
	for (int m = 0; m < METRIC_N; m++)
		s->value[m] = NAN;
	for (int x = 0; x < DIAG_X_N; x++)
		s->extra[x] = NAN;
}

void diag_facts_init(struct diag_facts *f)
{
	*f = (struct diag_facts){ .tdp_w = NAN,
				  .power_limit_w = NAN,
				  .mem_total_bytes = NAN,
				  .pcie_bytes_s = NAN,
				  .nvlink_bytes_s = NAN,
				  .nic_bytes_s = NAN,
				  .sm_clock_max_mhz = NAN,
				  .temp_slowdown_celsius = NAN,
				  .cpus = NAN,
				  .running_max = NAN,
				  .batch_max = NAN };
}
