#ifndef TARE_PLAN_LEVER_ROOM_FIT_H
#define TARE_PLAN_LEVER_ROOM_FIT_H
/*
 * Jobs that rented machines by the hour while machines of the same GPU that are paid anyway stood
 * free: which of them would have run there, at the time at which they ran.
 *
 *   room(m, h) = GPUs of machine m that nobody held in any part of hour h, and that was watched
 *   a job fits = each of its parts on a machine of its own with room in all of its hours, first
 *                fit in order of start; all parts or none
 *
 * So no job is later, and no GPU is given twice.
 */
#include "plan/proof/settle.h"

struct room_fit {
	size_t jobs, of; /* that fit; that were rented on this GPU */
	double gpu_hours;
	/* of what was rented, over the window: what went with these jobs by itself; and with the
	 * machines that they leave given back */
	int64_t least_nano, most_nano;
};
/*
 * free [n]: works of free time on machines paid until a term ends, of one GPU model. placed
 * [fleet.workload.n]: has its room already; those that fit are marked. O(jobs x machines x hours).
 */
void room_fit(const struct lever_in *in, struct settle *s, const size_t *free, size_t n,
	      bool *placed, struct room_fit *ret);

#endif
