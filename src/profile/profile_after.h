#ifndef TARE_PROFILE_PROFILE_AFTER_H
#define TARE_PROFILE_PROFILE_AFTER_H
/* What is asked of a run when it has ended: what it cost, whether it used its GPUs enough, how
 * fast it was; and its report with what follows from that. */
#include "profile/profile_view.h"
#include "watch/rate.h"
#include "catalog/catalog.h"

struct profile_after {
	const struct conf *conf;
	const struct catalog *catalog;
	const char *dir;                         /* the store's folder: own speeds */
	const struct rate_ask *given, *settings; /* of the price */
	const char *work;      /* its speed is kept under this name, NULL = it is not */
	double fail_under_pct; /* least mean utilisation or SM activity; NAN = none is asked */
	double max_slowdown;   /* of a cheaper GPU; INFINITY = any */
	int64_t now_ms;
	struct arena *mem; /* of texts */
};

/* Puts p->rate. Asks the cloud, up to 2 s, where nobody else knows. */
void profile_after_price(const struct profile_after *a, struct profile *p);

enum profile_enough {
	PROFILE_NOT_ASKED, /* no threshold, or the command failed */
	PROFILE_ENOUGH,
	PROFILE_BELOW,
	PROFILE_UNDECIDED, /* too few readings, or no GPU is seen at all */
};
enum profile_enough profile_after_enough(const struct profile_after *a, const struct profile *p,
					 const struct profile_report *r);

/*
 * The report of v and, in words, what was done: the speed of a run that ended well is kept in
 * a->dir, a run that failed did not do its steps. Returns 0 or a negative errno: the speed could
 * not be kept.
 */
int profile_after_print(const struct profile_after *a, const struct profile_view *v,
			enum profile_enough enough, enum out_format f, struct str *out,
			struct err *err);
#endif
