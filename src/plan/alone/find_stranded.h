#ifndef TARE_PLAN_ALONE_FIND_STRANDED_H
#define TARE_PLAN_ALONE_FIND_STRANDED_H
/*
 * Free GPUs that no job can use because the CPU or the memory of their machine is taken
 * (opt/capacity/stranded.h), in money, with who takes it. For machines whose CPU or memory is known
 * (node list, else instance type) and whose jobs' list says what they hold of it; the measure is
 * the cluster's own median job, and only time counts in which the cluster had a job of that size,
 * running or waiting.
 */
#include "opt/capacity/stranded.h"
#include "plan/plan.h"

struct stranded_part {
	/* of one interval of free time (a work of kind WORKLOAD_FREE), by what is short and whose
	 * it is */
	size_t workload;
	/* the work that holds most beyond its part, SIZE_MAX: the machine is built so */
	size_t blamed;
	bool cpu;                        /* else memory */
	bool told;                       /* the node list says what the machine has */
	int64_t nano, gpu_ms, waited_ms; /* waited: of gpu_ms, while jobs of the cluster waited */
	/* of what is short: the machine's part that goes with a GPU, CPUs or GiB */
	double has_per_gpu;
	struct strand_ask ask;
};
/* by work; for vec_push(), vec_free() */
struct stranded_parts {
	struct stranded_part *v;
	size_t n, cap;
};

void find_stranded(const struct fleet *f, struct stranded_parts *ret);
/* Evidence and what to do, for a finding whose largest part is p. */
void tell_stranded(const struct fleet *f, const struct stranded_part *p, struct plan *plan,
		   struct finding *o);
#endif
