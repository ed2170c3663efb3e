#ifndef TARE_FEED_MIGPROF_H
#define TARE_FEED_MIGPROF_H
/*
 * Profiles of services on MIG instances, and tables of their latency bounds and request rates, as
 * CSV: numbers for `tare plan mig` and `tare plan batch`, not rows of the store.
 */
#include "base/err.h"
#include "base/input.h"
#include "base/mem.h"
#include "model/migprof.h"

/*
 * Columns by name, any case: "Mig instance", "Batch size", "Workload Number", "Throughput" (1/s),
 * "Latency" (s); or slices, batch, procs, throughput, latency_ms. Returns 0, -ENODATA for a file
 * without rows, -EINVAL for what is no number, with file, line and column.
 */
int migprof_read(struct input *in, struct migprof *ret, struct err *err);
void migprof_free(struct migprof *p);

/* A table without a header; N/A, - or nothing = not used (NAN). All rows have the same width. */
int migtab_read(struct input *in, struct migtab *ret, struct err *err);
void migtab_free(struct migtab *t);

/*
 * Profiles NAME.csv (.csv.gz, .csv.zst) of a folder, and their two tables; names lie in mem. -E2BIG
 * for too many services, -EINVAL where the tables are not of a column per profile and of the same
 * rows. mig_services_free() in any case.
 */
int mig_services_read(const char *dir, const char *latency, const char *rate, struct arena *mem,
		      struct mig_services *ret, struct err *err);
void mig_services_free(struct mig_services *s);

#endif
