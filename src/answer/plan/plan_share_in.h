#ifndef TARE_ANSWER_PLAN_PLAN_SHARE_IN_H
#define TARE_ANSWER_PLAN_PLAN_SHARE_IN_H
/* What the files of plan_share.h share; nobody else includes it. */
#include "answer/plan/plan_share.h"

struct share_asked { /* a replica, or a notebook */
	const char *name, *service, *owner, *gpu_model;
	double mem_bytes, gpu_bytes, load_frac; /* NAN: not known; gpu_bytes: of the driver */
	bool interactive;
	enum plan_share share_with;
	bool told; /* share_with was said */
	/* of the store's: a latency with a limit, and by which part it may grow
	 * (opt/share/share.h) */
	bool promised;
	double room_frac;
	double nano_gpu_hour; /* what its GPU costs; NAN: not known */
};
struct share_asked_list {
	struct share_asked *v;
	size_t n, cap;
};
/* What runs at the end of the history of the store, on a GPU of its own; who does not is noted. */
int share_ask_fleet(const struct plan_share_ask *q, struct share_asked_list *ret,
		    struct plan_share_answer *a, struct err *err);
#endif
