#ifndef TARE_ANSWER_PLAN_PLAN_SPOT_IN_H
#define TARE_ANSWER_PLAN_PLAN_SPOT_IN_H
/* Inside answer/plan/plan_spot.h: places as the decision sees them. */
#include "answer/plan/plan_spot.h"

struct spot_where { /* a place: a zone as given, or an instance type in a region */
	const char *name;
	const char *type, *region; /* NULL: it is known by its name; name "": it is any */
	struct spot_seen seen;     /* that counts here */
	struct spot_place place;   /* spot_usd_h: of all machines of the job; hazards of one */
	double od_usd_h;           /* likewise; NAN: not known (then it goes elsewhere for it) */
	/* what the price may become against today's; 0: it is given, and sure */
	double move_hi;
	const char *source; /* of the price */
	double every_h;     /* checkpoint interval there */
	struct spot_outcome alone;
	int rank; /* order in which it is taken, from 1; 0 = not used */
	bool in_time;
};
struct spot_wheres {
	struct spot_where *v; /* [n] of SPOT_MAX_PLACES */
	size_t n;
	const char **left_out; /* [nleft_out] sentences on places that cannot be compared */
	size_t nleft_out;
};
/* Prices, interruptions and what was seen of each place. -EINVAL, -ENODATA. */
int plan_spot_places(const struct plan_spot_ask *q, struct spot_wheres *ret, struct err *err);
/* Mean hours between interruptions of the job there; INFINITY: never. */
double plan_spot_mtbi(const struct spot_place *p);
#endif
