#ifndef TARE_PLAN_LEVER_SCHEDULE_IN_H
#define TARE_PLAN_LEVER_SCHEDULE_IN_H
/* The two halves of the lever schedule: machines off outside the hours of use (lever_schedule.c),
 * jobs in cheaper hours (lever_shift.c). */
#include "base/tm.h"
#include "plan/lever/lever.h"

/* held so long without a break is a fleet, for a timetable; less is a job, which can be moved */
#define SCHEDULE_HELD_MS (14 * MS_DAY)

/* Appends a recommendation for each team and kind of machine whose jobs would have cost less at
 * other hours. O(works x hours of their slack). */
void schedule_shift(const struct lever_in *in, struct rec_list *out);
#endif
