#ifndef TARE_ANSWER_PLAN_ASKED_H
#define TARE_ANSWER_PLAN_ASKED_H
/*
 * What a plan is asked for with. The words of the last plan are remembered in the control state
 * together with the ids it had, so that "explain 4" means what was printed as number 4.
 */
#include "base/err.h"
#include "base/mem.h"
#include "plan/plan.h"

/* The options as texts, NULL = not given. */
struct plan_asked {
	const char *lever, *risk, *effort, *min_saving, *horizon, *target_frac, *within, *seed;
	bool quality;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = open */
};
#define PLAN_ASKED_TEXTS 8
/* The i-th text [PLAN_ASKED_TEXTS]; *ret_name: its option, such as "min-saving". */
const char **plan_asked_text(struct plan_asked *a, size_t i, const char **ret_name);
/* "--risk low --lever spot", in mem */
const char *plan_asked_words(const struct plan_asked *a, struct arena *mem);

/* What the texts say. */
struct plan_want {
	struct plan_opt opt;
	double target_frac; /* NAN = no target */
	int64_t within_ms;  /* by when, from now */
};
/* Checks the texts. Returns 0 or -EINVAL, which names the option. */
int plan_asked_read(const struct plan_asked *a, struct plan_want *ret, struct err *err);
/* Names of the levers that there are, a blank behind each. */
void plan_lever_words(struct str *out);

struct plan_last {
	bool found; /* a plan was made */
	struct plan_asked asked;
	const char **id; /* [n] as they were printed, in order */
	size_t n;
};
/* Of the store's folder, in mem; not found where there is none that can be read. */
void plan_last_read(const char *dir, struct arena *mem, struct plan_last *ret);
/* Keep asked and the ids of the plan; a folder that cannot be written to forgets, which is no
 * error. */
void plan_last_keep(const char *dir, const struct plan_asked *a, const struct plan *p);
/* "4" or an id -> the id. NULL with err where the last plan has no such number. */
const char *plan_last_id(const struct plan_last *l, const char *word, struct err *err);
#endif
