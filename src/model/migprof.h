#ifndef TARE_MODEL_MIGPROF_H
#define TARE_MODEL_MIGPROF_H
/* Services measured on MIG instances, and what is asked of them, as feed/planner/migprof.h reads
 * it. */
#include "base/mem.h"

/* One measurement: throughput of one process at this batch size, with `procs` processes on the
 * instance at once. */
struct migprof_row {
	int slices;        /* compute slices of the instance, 1 .. 64 */
	int batch, procs;  /* 1 .. 65,536 */
	double rate_s;     /* requests per second of each process; 0 = did not fit into memory */
	double latency_ms; /* of a batch */
};
struct migprof {
	VEC(struct migprof_row) row;
};

/* A row per scenario, a column per service; NAN = not used in it. */
struct migtab {
	size_t nrow, ncol;
	double *v;   /* [nrow][ncol] */
	char **name; /* [ncol] of the header; NULL: it had none */
};

/* Instances as they run today. */
struct mig_running_row {
	int64_t line; /* of the file */
	int gpu, start;
	char *profile, *service;
};
struct mig_running {
	VEC(struct mig_running_row) row;
};

#define MIGPROF_MAX 64 /* services of a question */
struct mig_services {
	size_t n;
	const char *name[MIGPROF_MAX]; /* [n] in order */
	struct migprof prof[MIGPROF_MAX];
	struct migtab latency, rate; /* bounds in ms, requests per second; of the same shape */
};
#endif
