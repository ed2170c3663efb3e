#ifndef TARE_CLI_PLAN_LOAD_H
#define TARE_CLI_PLAN_LOAD_H
/*
 * From the store to a plan, for tare plan, tare explain and tare plan accept/dismiss/apply. What a
 * plan was asked for with is remembered in the control state together with the ids it printed, so
 * that "explain 4" means what was printed as number 4.
 */
#include "cli/cli.h"
#include "plan/own_speed.h"
#include "plan/plan.h"
#include "report/plan_view.h"

/* The options as texts, NULL = not given. */
struct plan_asked {
	const char *lever, *risk, *effort, *min_saving, *horizon, *target_frac, *within, *seed;
	bool quality;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = open */
};

struct plan_load {
	struct cli *c;
	struct store *s;
	struct catalog *cat;
	struct plan_conf conf;
	struct own_speeds own; /* what tare profile measured */
	struct fleet fleet;
	struct plan plan;
	struct plan_asked asked;
	struct plan_opt opt;
	double target_frac; /* NAN */
	int64_t within_ms;
	struct plan_step *step;
	size_t nstep; /* of the target, in c->mem */
	double reached_frac, most_frac;
	VEC(struct plan_mark) mark; /* what people have decided, by id */
	VEC(const char *) dismissed;
	bool remembered;        /* asked comes from the last plan */
	VEC(const char *) last; /* ids the last plan printed, in order */
	bool has_conf, has_fleet, has_plan;
};

/* The options of the command line. */
void plan_asked_of(struct cli *c, struct plan_asked *ret);
/* From the last plan; false when there is none. */
bool plan_load_last(struct plan_load *l);
/* "--risk low --lever spot" */
const char *plan_asked_words(struct plan_load *l);

/* Each does what is still missing before it. -ENODATA: nothing can be decided, exit 3.
 * plan_load_free() in any case. */
int plan_load_opt(struct plan_load *l, struct err *err);   /* checks the options; no store */
int plan_load_marks(struct plan_load *l, struct err *err); /* opens the store, reads decisions */
/* history, catalogue with the store's prices */
int plan_load_fleet(struct plan_load *l, struct err *err);
int plan_load_plan(struct plan_load *l, struct err *err);
void plan_load_free(struct plan_load *l);

/* How the printing room wants it. */
struct plan_view plan_load_view(const struct plan_load *l);
/* Keep asked and the ids of the plan; a store that cannot be written to forgets, which is no
 * error. */
void plan_load_remember(struct plan_load *l);
/* "4" or an id -> the id; number and id are looked up in the last plan. NULL with err where there
 * is no such. */
const char *plan_load_id(struct plan_load *l, const char *word, struct err *err);
/* Place in the plan, SIZE_MAX = not in it. */
size_t plan_load_place(const struct plan_load *l, const char *id);
/* Keep or (word < 0) forget a decision. */
int plan_load_decide(struct plan_load *l, const char *id, int word, const char *reason,
		     struct err *err);
/* Message and exit code of a failure: EXIT_INCOMPLETE for -ENODATA. */
int plan_load_fail(int r, const struct err *err);
#endif
