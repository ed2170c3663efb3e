#ifndef TARE_REPORT_COST_FIGURES_H
#define TARE_REPORT_COST_FIGURES_H
/*
 * What is known of a row of the report, as every format prints it: this is the one place that
 * decides whether a figure is 0 or unknown. Table, CSV, JSON, workbook and KPIs print what stands
 * here, so that `-`, an empty cell and null are the same figures everywhere.
 */
#include "report/col.h"
#include "report/cost/cube.h"

struct figure {     /* time and cost of a row in one state */
	int64_t ms; /* UNKNOWN_MS: nobody can know it */
	dec cost;
	bool has_cost;
};
struct figures {
	int64_t gpu_ms, unpriced_ms, measured_ms; /* UNKNOWN_MS: of a time that nobody recorded */
	dec cost, direct, idle, other, waste;
	bool has_cost, has_idle, has_other, has_waste; /* has_cost: of direct too */
	struct figure state[STATE_N];                  /* by enum state; STATE_NONE is not used */
};

/*
 * Unknown is not zero. How busy time was, or how it idled while held, is known where anything was
 * read; what was lost, where somebody is known to have held it and anybody told how jobs ended;
 * what nobody held, where all of it was watched, or some of it was seen to be free. Of no time at
 * all everything is known: nothing.
 */
struct figure figure_of(const struct cube_row *r, enum state s);
struct figures figures_of(const struct cube_row *r);

/* The columns of struct figures in CSV and workbook, with the time and cost of each state. */
extern const struct col figures_cols[];
#endif
