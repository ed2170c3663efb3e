#ifndef TARE_ANSWER_PLAN_PLAN_SPOT_H
#define TARE_ANSWER_PLAN_PLAN_SPOT_H
/* One job on spot machines before it runs: is it worth it, where, and how often to save; see
 * opt/spot/spot_job.h. */
#include "answer/ask.h"
#include "opt/spot/spot_job.h"
#include "opt/spot/spot_seen.h"

struct plan_spot_rate {  /* how often a machine is interrupted */
	double hazard_h; /* an hour; 0 = not told */
	/* else the chance in percent that it is taken away in a month, a band; NAN = not told */
	double month_lo_pct, month_hi_pct;
};
struct plan_spot_named { /* a place as given; prices of a machine and hour */
	const char *name;
	double spot_usd_h, od_usd_h; /* od NAN: as the others */
	struct plan_spot_rate rate;
};
struct plan_spot_ask {
	struct ask ask; /* memory and now; the catalogue where types are named */
	double work_h, deadline_h, restart_h, stall_h, notice_h;
	double away_h;      /* NAN: an hour where there are several places, else none */
	double every_h;     /* work between two checkpoints; 0: it is chosen */
	bool checkpoints;   /* else an interrupted run starts from zero */
	double finish_frac; /* in time less often is late */
	int64_t runs, seed;
	const struct spot_seen *seen; /* by past attempts; NULL: none */
	/* where: places as given, or types in regions, or one that is known by its prices */
	const struct plan_spot_named *named; /* [nnamed] */
	size_t nnamed;
	const char *const *type; /* [ntype] instance types, of the same GPUs */
	size_t ntype;
	const char *const *region; /* [nregion]; "": the cheapest */
	size_t nregion;
	const char *provider;        /* NULL: of any */
	double gpus;                 /* of the job: so many machines of the type; 0: one machine */
	int machines;                /* 0: not told */
	double od_usd_h, spot_usd_h; /* of a machine and hour, before the catalogue's; NAN */
	struct plan_spot_rate rate;  /* of every place that has none of its own */
};
/* What is asked where nothing is told. */
void plan_spot_ask_init(struct plan_spot_ask *q);

struct plan_spot_place {
	const char *name; /* "": it is any */
	int rank;         /* order in which it is taken, from 1; 0 = not used */
	int machines;
	double spot_usd_h, od_usd_h; /* of all machines of the job; od NAN: not known */
	double mtbi_h;               /* of the job; INFINITY: never */
	double every_h;              /* checkpoint interval there */
	const char *source;          /* of the price */
	struct spot_outcome alone;   /* all of it there */
	struct spot_seen seen;       /* that counts here */
	bool all_seen;               /* and that is all that was seen */
};
struct plan_spot {
	bool on_spot;
	const char *why; /* "cheaper, and in time" */
	struct spot_outcome out;
	double work_h, deadline_h, away_h; /* deadline INFINITY: none */
	int machines;                      /* of the place in front, as every_h and mtbi_h */
	double mtbi_h;
	double stall_h, every_h; /* of a checkpoint; work between two */
	bool checkpoints, chosen;
	double young_h, daly_h, exact_h;     /* theories of every_h; NAN, or no checkpoints */
	const struct plan_spot_place *place; /* [nplace] the first nused in the order of use */
	size_t nplace, nused;
	const char *od_name;         /* where on demand is cheapest */
	const char *const *left_out; /* [nleft_out] places that cannot be compared, and why */
	size_t nleft_out;
	struct spot_seen seen;
};
/*
 * Returns 0 or a negative errno: -ENODATA where prices or interruptions are not known, -EINVAL for
 * what makes no sense. O(places^3 runs interruptions), for more than six places O(places^2 ...).
 */
int answer_plan_spot(const struct plan_spot_ask *q, struct plan_spot *ret, struct err *err);
#endif
