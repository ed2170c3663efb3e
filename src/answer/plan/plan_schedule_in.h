#ifndef TARE_ANSWER_PLAN_PLAN_SCHEDULE_IN_H
#define TARE_ANSWER_PLAN_PLAN_SCHEDULE_IN_H
/* Inside the questions of schedules: the places of the price list. */
#include "answer/plan/plan_schedule.h"

struct schedule_place {
	const char *name;
	struct price_series series;
};
struct schedule_places {
	VEC(struct schedule_place) place; /* by name, one at least */
	VEC(struct price_step) step;      /* of all places */
	const char *home;
	int64_t first_ms, end_ms; /* of all prices */
};
/* schedule_places_free() in any case. */
int schedule_places_read(const struct schedule_ask *q, struct schedule_places *ret,
			 struct err *err);
void schedule_places_free(struct schedule_places *p);
bool schedule_allowed(const struct schedule_ask *q, const char *place);
#endif
