#ifndef TARE_CLI_PLAN_SCHEDULE_H
#define TARE_CLI_PLAN_SCHEDULE_H
/* The three questions of `tare plan schedule`: one job, many jobs, a timetable. */
#include "cli/cli.h"
#include "feed/plan_csv.h"
#include "opt/schedule.h"

struct schedule_place {
	const char *name;
	struct price_series series;
};

struct schedule_ask {
	struct cli *cli;
	VEC(struct schedule_place) place; /* by name */
	VEC(struct price_step) step;      /* of all places */
	int64_t length_ms, slot_ms, restart_ms, slack_ms;
	int64_t from_ms, deadline_ms; /* UNKNOWN_MS: not given */
	int64_t units, capacity;      /* capacity -1: no limit */
	double egress_gb, back_gb;    /* NAN: not given */
	dec egress_usd_gb;
	const char *home; /* NULL: the first place */
	const char **allow;
	size_t nallow;
};
bool schedule_allowed(const struct schedule_ask *a, const char *place);

/* Each prints its answer to out; returns an exit code, or a negative errno with err. */
int schedule_job_run(struct schedule_ask *a, struct str *out, struct err *err);
int schedule_fleet_run(struct schedule_ask *a, const char *jobs, struct str *out, struct err *err);
int schedule_timetable_run(struct schedule_ask *a, const char *usage, struct str *out,
			   struct err *err);

#endif
