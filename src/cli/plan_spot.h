#ifndef TARE_CLI_PLAN_SPOT_H
#define TARE_CLI_PLAN_SPOT_H
/* What cmd_plan_spot.c and plan_spot_*.c share: one job that may run on spot, the places where it
 * may run, and what its past attempts have shown. */
#include "base/str.h"
#include "cli/cli.h"
#include "opt/spot_job.h"
#include "spot/run_known.h"

/* What `tare run` left in a folder of checkpoints. */
struct spot_seen {
	bool known;
	int64_t attempts, interruptions;
	double hours, lost_h;      /* lost_h: of those hours, not saved; NAN = not told */
	double stall_h, restart_h; /* measured; NAN */
	/* attempts of which it is known where they were; the others count for every place */
	struct run_known at;
};
/* measured (spot/run_known.h) and attempts.csv. -ENOENT where the folder has neither. */
int spot_seen_read(const char *dir, struct spot_seen *ret, struct err *err);
/*
 * Of all of it what counts for one place: attempts that were there, and those of which nobody knows
 * where they were. there(ctx, place): is it this one? hours and interruptions are set, the rest is
 * as it was.
 */
void spot_seen_at(const struct spot_seen *all, bool (*there)(const void *ctx, const char *place),
		  const void *ctx, struct spot_seen *ret);
/* Mean hours between interruptions of the job, from what was expected before (> 0) and what was
 * seen (spot/run_when.h). */
double spot_seen_mtbi(const struct spot_seen *s, double before_h);

#define SPOT_WHERE_NAME 128
struct spot_where { /* a place: a zone as given, or an instance type in a region */
	char name[SPOT_WHERE_NAME];
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
struct spot_ask {
	struct spot_job job; /* of the place in front; places set where there are several */
	double notice_h, finish_frac;
	int64_t runs, seed;
	bool checkpoints, chosen; /* chosen: the interval is ours */
	const char *every;
	struct spot_where *where; /* [nwhere], by the order in which they are told */
	size_t nwhere, nused;
	const char *od_name;        /* where on demand is cheapest */
	VEC(const char *) left_out; /* sentences on places that were named and cannot be compared */
	struct spot_seen seen;
};
struct spot_answer {
	struct spot_outcome out;
	bool spot;
	const char *why;
};

/* Places of --place, or of --instance and --region, or the one of --on-demand and --spot. Texts and
 * the array are in c->mem. */
int plan_spot_places(struct cli *c, struct spot_ask *a, struct err *err);
/* Shared by the readers of options. */
int plan_spot_number(const struct cli *c, const char *name, double lo, double hi, double *ret,
		     struct err *err);
int plan_spot_hours(const struct cli *c, const char *name, double *ret, struct err *err);
int plan_spot_span(struct sv z, double *ret_h); /* 6m, or hours; -EINVAL */

void plan_spot_text(const struct spot_ask *a, const struct spot_answer *x, struct str *out);
void plan_spot_json(const struct spot_ask *a, const struct spot_answer *x, struct str *out);

#endif
