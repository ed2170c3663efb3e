#ifndef TARE_ANSWER_PLAN_MIG_H
#define TARE_ANSWER_PLAN_MIG_H
/* What fits a MIG card, and the fewest cards for a set of services, proven (opt/mig.h). */
#include "catalog/catalog.h"
#include "model/migprof.h"
#include "opt/mig.h"

struct plan_mig_card {
	const char *model; /* the catalogue's */
	struct mig_geom geom;
	double mem_bytes[MIG_TYPES]; /* [geom.card.ntype] */
};
/* Any spelling of a GPU. Returns 0, or -EINVAL: it has no MIG, or is not known. */
int answer_mig_card(const struct catalog *cat, const char *gpu, struct plan_mig_card *ret,
		    struct err *err);

/* What services were measured at, and what is asked of them: a folder of profiles and two tables
 * (feed/migprof.h). Names lie in mem; answer_mig_services_free() in any case. */
int answer_mig_services(const char *dir, const char *latency, const char *rate, struct arena *mem,
			struct mig_services *ret, struct err *err);
void answer_mig_services_free(struct mig_services *s);

struct plan_mig_ask {
	const struct plan_mig_card *card;
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
struct plan_mig_answer {
	const struct plan_mig_card *card;
	bool random;                    /* rows are mixes */
	const struct plan_mig_row *row; /* [n] */
	size_t n;
	int64_t gpus, lower_bound, proven; /* sums */
	double slowest_ms;                 /* NAN = not asked */
	/* [ninstance] the layout of one scenario, by card, then as they must be made */
	const struct mig_instance *instance;
	const struct plan_mig_use *use;
	size_t ninstance;
};
/*
 * Returns 0 or a negative errno; -EDOM: a service cannot meet its bound on any instance. Texts are
 * those of the ask.
 */
int answer_plan_mig(const struct plan_mig_ask *q, struct plan_mig_answer *ret, struct err *err);
#endif
