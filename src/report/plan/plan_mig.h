#ifndef TARE_REPORT_PLAN_PLAN_MIG_H
#define TARE_REPORT_PLAN_PLAN_MIG_H
/* How `tare plan mig` prints: a layout, a line per scenario or mix, the table of a GPU. */
#include "answer/plan/plan_mig.h"
#include "report/col.h"
#include "report/cost/report.h"

/* of a GPU, with the shapes of the others */
extern const struct col_doc plan_mig_doc;
/* Which instances fill a GPU: nothing can be added to any of these sets. */
void plan_mig_print_gpu(const struct plan_mig_gpu *c, const struct out_as *as, struct str *out);
/* All scenarios or mixes, a line each. */
void plan_mig_print(const struct plan_mig_answer *a, const struct out_as *as, struct str *out);
/* The layout of one scenario as a configuration of NVIDIA's mig-parted. */
void plan_mig_print_parted(const struct plan_mig_answer *a, struct str *out);
/* One scenario, with its layout. */
void plan_mig_print_layout(const struct plan_mig_answer *a, const struct out_as *as,
			   struct str *out);
#endif
