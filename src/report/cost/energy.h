#ifndef TARE_REPORT_COST_ENERGY_H
#define TARE_REPORT_COST_ENERGY_H
/* tare report --energy: kWh and kgCO2e beside dollars. */
#include "answer/energy.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc energy_doc;
/* name [ndim] of the dimensions; limit: rows shown, 0 = all, the rest is summed in a line. */
void energy_print(const struct energy_answer *a, const char *const *name, size_t ndim, size_t limit,
		  const struct out_as *as, struct str *out);
/* "120 kWh and 46 kgCO2e a month less", and of what part that is known; e->kwh is known. */
const char *energy_saved_text(struct arena *mem, const struct energy_saved *e);
#endif
