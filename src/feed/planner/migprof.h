#ifndef TARE_FEED_PLANNER_MIGPROF_H
#define TARE_FEED_PLANNER_MIGPROF_H
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

/*
 * A table with a header of names or without one; N/A, - or nothing = not used (NAN). All rows have
 * the same width. A first line of words is the header; one of words and numbers is -EINVAL.
 */
int migtab_read(struct input *in, struct migtab *ret, struct err *err);
void migtab_free(struct migtab *t);

/* A layout with the columns gpu, start, profile, service, as `tare plan mig -o csv` prints one;
 * others are not read. -ENODATA without rows. mig_running_free() in any case. */
int mig_running_read(struct input *in, struct mig_running *ret, struct err *err);
void mig_running_free(struct mig_running *r);

/*
 * Profiles NAME.csv (.csv.gz, .csv.zst) of a folder, and their two tables, brought to a column per
 * profile in the order of names: by the header's names, where there is one (a service without a
 * column is not used), else as they stand. NAME may have dots in it. Names lie in mem. -E2BIG for
 * too many services; -EEXIST for two profiles of one name or of one column; -EINVAL for a column
 * that names no profile, a table without a header that has not a column per profile, or different
 * numbers of rows. mig_services_free() in any case.
 */
int mig_services_read(const char *dir, const char *latency, const char *rate, struct arena *mem,
		      struct mig_services *ret, struct err *err);
void mig_services_free(struct mig_services *s);

#endif
