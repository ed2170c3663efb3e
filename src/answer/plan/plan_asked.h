#ifndef TARE_ANSWER_PLAN_PLAN_ASKED_H
#define TARE_ANSWER_PLAN_PLAN_ASKED_H
/*
 * What a plan is asked for with. The words of the last plan are remembered in the control state
 * together with the ids it had, so that "explain 4" means what was printed as number 4.
 */
#include "base/err.h"
#include "base/mem.h"
#include "plan/plan.h"

/* An option of tare plan as it was given; value NULL: a flag. */
struct plan_asked_word {
	const char *name, *value;
};
struct plan_asked {
	const struct plan_asked_word *word; /* [nword] */
	size_t nword;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = open */
};
/* "--risk low --lever spot", in mem */
const char *plan_asked_words(const struct plan_asked *a, struct arena *mem);

/* What the words say. */
struct plan_want {
	struct plan_opt opt;
	bool least_given;   /* opt's least saving; else it follows the cost */
	double target_frac; /* NAN = no target */
	int64_t within_ms;  /* by when, from now */
};
/* What is wanted where nothing is asked for. */
struct plan_want plan_want_default(void);
/* Bits of the levers by name. Returns 0 or -EINVAL, which names the option. */
int plan_levers_read(const char *const *name, size_t n, uint32_t *ret, struct err *err);
/* Names of the levers that there are, a blank behind each. */
void plan_lever_words(struct str *out);

/* Advice is known again by what it says: its title without numbers, and how much it is about. */
struct plan_said {
	const char *id, *words;
	double amount; /* of a month, or hours; 0: none is known */
};
struct plan_not_taken {
	const char *id, *why;
};
struct plan_last {
	bool found; /* a plan was made */
	struct plan_asked asked;
	const char **id; /* [n] as they were printed, in order */
	size_t n;
	const struct plan_said *advice;       /* [nadvice] */
	const struct plan_not_taken *refused; /* [nrefused] */
	size_t nadvice, nrefused;
	/* " --db DIR": what a line to type wants to name the store; "" = nothing */
	const char *store;
};
/* In mem. */
struct plan_said plan_said_of(const struct plan *p, const struct rec *r, struct arena *mem);
/* Of the store's folder, in mem; not found where there is none that can be read. store: how lines
 * to type name it, kept as it is. */
void plan_last_read(const char *dir, const char *store, struct arena *mem, struct plan_last *ret);
/* Keep asked and the ids of the plan; a folder that cannot be written to forgets, which is no
 * error. */
void plan_last_keep(const char *dir, const struct plan_asked *a, const struct plan *p);
/* "4" or an id -> the id. NULL with err where the last plan has no such number. */
const char *plan_last_id(const struct plan_last *l, const char *word, struct err *err);
#endif
