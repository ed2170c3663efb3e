#ifndef TARE_ANSWER_PLAN_PLAN_MIG_H
#define TARE_ANSWER_PLAN_PLAN_MIG_H
/* What fits a MIG GPU, and the fewest GPUs for a set of services, proven (opt/mig/mig.h). */
#include "catalog/catalog.h"
#include "model/migprof.h"
#include "opt/mig/mig_move.h"

#define PLAN_MIG_PROFILES 32

struct plan_mig_gpu {
	const char *model; /* the catalogue's */
	/* what services are packed with: the smallest plain type of each number of compute slices;
	 * not worked out where the GPU's places are not known */
	struct mig_geom geom;
	double mem_bytes[MIG_TYPES]; /* [geom.gpu.ntype] */
	/* all plain types, and the sets that fill the GPU with them */
	struct mig_geom all;
	int type[MIG_TYPES]; /* [geom.gpu.ntype] in all.gpu */
	/* every profile of the GPU, also those with media engines */
	const struct mig_profile *profile[PLAN_MIG_PROFILES];
	size_t nprofile;
	bool placed; /* where instances may start is known */
};
/* Any spelling of a GPU. Returns 0, or -EINVAL: it has no MIG, or is not known. */
int answer_mig_gpu(const struct catalog *cat, const char *gpu, struct plan_mig_gpu *ret,
		   struct err *err);

/* What services were measured at, and what is asked of them: a folder of profiles and two tables
 * (feed/planner/migprof.h). Names lie in mem; answer_mig_services_free() in any case. */
int answer_mig_services(const char *dir, const char *latency, const char *rate, struct arena *mem,
			struct mig_services *ret, struct err *err);
void answer_mig_services_free(struct mig_services *s);
/* A layout that runs, as feed/planner/migprof.h reads it; answer_mig_running_free() in any case. */
int answer_mig_running(const char *path, struct mig_running *ret, struct err *err);
void answer_mig_running_free(struct mig_running *r);

struct plan_mig_ask {
	const struct plan_mig_gpu *gpu;
	const struct mig_services *services;
	/*
	 * Part of the latency bound that a batch may take, usually 0.45. A request waits for the
	 * batch that runs and then for its own: half the bound is for each (Nexus, SOSP'19). A
	 * tenth is kept for what is not the GPU, as ParvaGPU does.
	 */
	double slo_frac;
	size_t scenario; /* only this row, from 1; 0 = all */
	size_t mixes;    /* in place of scenarios so many random ones; 0 = none */
	uint64_t seed;   /* of the mixes */
	/* what runs today, for one scenario; NULL: not asked */
	const struct mig_running *running;
	const char *running_file; /* its name, for messages */
	int64_t max_drained;      /* take the fewest GPUs that drain at most so many; -1: any */
	/* time that the process has worked, in ms; NULL: nobody asks how long it took */
	double (*cpu_ms)(void);
	struct arena *mem;
};
struct plan_mig_row { /* a scenario or mix */
	size_t number, nservice;
	int gpus, lower_bound;
	bool proven; /* gpus == lower_bound */
};
struct plan_mig_use { /* of an instance */
	const char *service;
	int batch, procs;
	double rate_s; /* requests per second that it serves */
};
struct plan_mig_way { /* from today's layout to so many GPUs */
	int gpus, kept, drained, made;
	double low_frac; /* on the way, the least part of its rate a service has; INFINITY */
	const char *low_service;
	bool taken; /* the one whose layout is given */
};
struct plan_mig_running {
	int gpu, start;
	const char *profile, *service;
};
struct plan_mig_answer {
	const struct plan_mig_gpu *gpu;
	bool random;                    /* rows are mixes */
	const struct plan_mig_row *row; /* [n] */
	size_t n;
	int64_t gpus, lower_bound, proven; /* sums */
	double slowest_ms;                 /* NAN = not asked */
	/* [ninstance] the layout of one scenario, by GPU, then as they must be made */
	const struct mig_instance *instance; /* types are those of GPU->all */
	const struct plan_mig_use *use;
	size_t ninstance;
	/* where a layout runs today */
	bool from_today;
	bool none_within;  /* no way drains as few as was asked: the one that drains least */
	int gpus_today;    /* GPUs in use */
	const bool *stays; /* [ninstance] runs already */
	const struct plan_mig_running *drained; /* [ndrained] */
	size_t ndrained;
	const struct mig_step *step; /* [nstep] GPUs that change, in this order */
	size_t nstep;
	const struct plan_mig_way *way; /* [nway] by GPUs */
	size_t nway;
};
/*
 * Returns 0 or a negative errno; -EDOM: a service cannot meet its bound on any instance; -EINVAL: a
 * layout that cannot run; -E2BIG: more than MIG_MOVE_GPUS GPUs with a layout of today. Ways are
 * worked out for the fewest GPUs, the eight numbers after it, and today's. Texts are those of the
 * ask.
 */
int answer_plan_mig(const struct plan_mig_ask *q, struct plan_mig_answer *ret, struct err *err);
#endif
