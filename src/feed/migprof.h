#ifndef TARE_FEED_MIGPROF_H
#define TARE_FEED_MIGPROF_H
/*
 * Profiles of services on MIG instances, and tables of their latency bounds and request rates, as
 * CSV: numbers for `tare plan mig` and `tare plan batch`, not rows of the store.
 */
#include "base/err.h"
#include "base/input.h"
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
/*
 * Columns by name, any case: "Mig instance", "Batch size", "Workload Number", "Throughput" (1/s),
 * "Latency" (s); or slices, batch, procs, throughput, latency_ms. Returns 0, -ENODATA for a file
 * without rows, -EINVAL for what is no number, with file, line and column.
 */
int migprof_read(struct input *in, struct migprof *ret, struct err *err);
void migprof_free(struct migprof *p);

/* A table without a header: a row per scenario, a column per service; N/A, - or nothing = not used
 * (NAN). All rows have the same width. */
struct migtab {
	size_t nrow, ncol;
	double *v; /* [nrow][ncol] */
};
int migtab_read(struct input *in, struct migtab *ret, struct err *err);
void migtab_free(struct migtab *t);

#endif
