#ifndef TARE_CLI_PROFILE_VIEW_H
#define TARE_CLI_PROFILE_VIEW_H
/* A profile in words and as JSON, for `tare profile` and `tare explain`; and the cheapest card that
 * would do, by the code of `tare plan gpu`. */
#include "agent/profile.h"
#include "cli/cli.h"
#include "cli/plan_gpu.h"

struct profile_fit {         /* of one card of those the command used, all of them alike */
	bool asked;          /* the cards are in the catalogue, memory is known */
	const char *why_not; /* asked false: a sentence */
	struct plan_gpu gpu; /* candidates in order; gpu.on: what it ran on */
	bool better;         /* the first that fits is clearly cheaper than what it ran on */
	bool sure;           /* at the slow end of the estimate too */
	double slow_now;     /* nano-dollars of an hour's work here; NAN */
};
/* max_slowdown: INFINITY = any. dir: the store's folder, for own speeds. profile_fit_free() in any
 * case. */
int profile_fit_make(struct cli *c, const struct catalog *cat, const struct profile *p,
		     const struct profile_report *r, double max_slowdown, struct profile_fit *ret,
		     struct err *err);
void profile_fit_free(struct profile_fit *f);

struct profile_view {
	struct cli *c; /* arena, output */
	const struct profile *p;
	const struct profile_report *r;
	const struct profile_fit *fit; /* NULL: not asked */
	const char *kept;              /* id under which it can be explained, NULL */
};
void profile_print(const struct profile_view *v, enum out_format o, struct str *out);

#endif
