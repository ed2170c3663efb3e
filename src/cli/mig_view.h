#ifndef TARE_CLI_MIG_VIEW_H
#define TARE_CLI_MIG_VIEW_H
/* How `tare plan mig` prints: a layout, a line per scenario or mix, the table of a card. */
#include "base/jw.h"
#include "cli/cli.h"
#include "feed/migprof.h"
#include "opt/mig.h"
#include "report/grid.h"

struct mig_profiles {
	size_t n;
	const char *name[MIG_SERVICES];
	struct migprof p[MIG_SERVICES];
};
struct mig_asked { /* one problem */
	size_t n;
	size_t model[MIG_SERVICES];
	struct mig_service service[MIG_SERVICES];
	const struct migprof_row *best[MIG_SERVICES][MIG_TYPES];
};
struct mig_job {
	struct cli *c;
	struct mig_geom geom;
	const char *gpu;
	struct mig_profiles prof;
	struct migtab latency, rate;
	double slo_frac;
	bool timing;
	double worst_ms, mem_bytes[MIG_TYPES];
};

struct mig_summary {
	const char *key, *word; /* "scenarios", "scenario" */
	struct jw w;
	struct grid g;
	int64_t gpus, bound, proven, n;
};

void mig_print_one(const struct mig_job *j, size_t row, const struct mig_asked *a,
		   const struct mig_packing *p, struct str *out);
void mig_summary_begin(const struct mig_job *j, struct mig_summary *s, struct str *out);
void mig_summary_row(const struct mig_job *j, struct mig_summary *s, size_t number,
		     const struct mig_asked *a, const struct mig_packing *p);
void mig_summary_end(const struct mig_job *j, struct mig_summary *s, struct str *out);
void mig_print_table(const struct mig_job *j, struct str *out);

#endif
