/* On and off hours of a fleet from its use by the hour. */
#include "answer/plan/plan_demand.h"
#include "answer/plan/plan_schedule.h"

int answer_schedule_table(const struct schedule_table_ask *q, struct schedule_table_answer *ret,
			  struct err *err)
{
	struct plan_series s;
	int r = plan_series_of(q->usage, &s, err);

	*ret = (struct schedule_table_answer){ 0 };
	if (r < 0)
		return r;
	r = timetable_make(&q->opt, &(struct timetable_history){ s.n, s.v, s.from_ms, q->offset_s },
			   &ret->t, err);
	plan_series_free(&s);
	if (r >= 0 && ret->t.enough)
		ret->n = timetable_intervals(ret->t.on, ret->on);
	return r;
}
