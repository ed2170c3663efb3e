#ifndef TARE_REPORT_SIMULATE_SIMULATE_SPOT_H
#define TARE_REPORT_SIMULATE_SIMULATE_SPOT_H
/* Policies for spot machines beside each other, as a table or JSON ("tare.simulate-spot/1"). */
#include "answer/simulate/simulate_spot_zones.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc simulate_spot_doc;

/* Other formats than OUT_JSON print the table. */
void simulate_spot_print(const struct simulate_spot *a, const struct out_as *as, struct str *out);
void simulate_zones_print(const struct simulate_zones *a, const struct out_as *as, struct str *out);

#endif
