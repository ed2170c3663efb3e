#ifndef TARE_PLAN_PROOF_GATE_H
#define TARE_PLAN_PROOF_GATE_H
/*
 * The one function that says whether a habit can run as proposed on a machine. Every lever that
 * moves jobs asks it and the replay of the plan asks it again for each run; nobody else judges
 * memory, shapes, host, architecture or limits.
 */
#include "plan/alone/habits.h"

enum gate { GATE_NO, GATE_TRIAL, GATE_SURE };

struct gate_offer { /* where, and how */
	const struct gpu_spec *gpu;
	const struct instance_type *type;
	int gpus;    /* of each machine, for the run */
	double slow; /* time there against now at the slow end of what is known, 1: as long */
	/* runs that need more than `gpus` ask for them or are requeued: not judged by them */
	bool is_default;
};
struct gate_verdict {
	enum gate gate;
	/* the limit it has to book there at least: longest run x slow, whole minutes */
	int64_t need_ms;
	const char *why; /* a sentence in mem: why no, or why not sure; "" */
	bool reveals;    /* a trial first has to show how much memory it needs */
};

/*
 * gates (plan.gates): memory with head-room by number of runs and fineness of readings; unknown
 * memory is no; preallocation is a trial; CPU peak and RAM of the habit against the part of the
 * machine that goes with the GPUs, unknown or too small is a trial (a job that waits for its input
 * is never sure to lose CPUs); CUDA stays with its vendor; the processor's architecture stays; a
 * gang keeps its shape; from NVLink to none is a trial; the least limit of all runs must hold the
 * longest run at the slow end.
 */
struct gate_verdict gate_check(const struct lever_in *in, const struct habit_runs *h,
			       const struct gate_offer *o);

/* What must fit for a highest reading: the factor of plan.gates; 0 where there are too few runs. */
double gate_memory_factor(const struct plan_gates *g, size_t runs, double step_s);
/* Do the GPUs of this model talk over NVLink, by its name. */
bool gate_has_nvlink(const struct gpu_spec *g);

/* A machine that is sold at a place: gate_offers() gives those of one model and count, or of
 * all. */
struct sold {
	const struct gpu_spec *gpu;
	const struct instance_type *type;
	struct rate rate;
};
struct sold_list {
	VEC(struct sold) v; /* cheapest machine first */
};
/*
 * Types sold where and as this use is bought (region, purchase, price in force now), with `gpus`
 * GPUs; model NULL: of all models of its vendor.
 */
void gate_offers(const struct lever_in *in, const struct use *u, const char *model, int gpus,
		 struct sold_list *ret);

#endif
