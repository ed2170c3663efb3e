#ifndef TARE_ANSWER_PLAN_PLAN_DECIDE_H
#define TARE_ANSWER_PLAN_PLAN_DECIDE_H
/* What people decide about recommendations, in the control state of the store's folder. */
#include "answer/plan/plan_asked.h"

enum plan_word { PLAN_ACCEPTED, PLAN_DISMISSED, PLAN_APPLIED };
const char *plan_word_name(enum plan_word w); /* "accepted" "dismissed" "applied" */

/* What people have said to a recommendation. */
struct plan_mark {
	const char *id;
	enum plan_word word; /* the last one */
	const char *reason, *user;
	int64_t at_ms;
	/* of advice: what it said then, NULL else; it is shown again once it says something else */
	const struct plan_said *said;
	/* what stands beside the word: giving lines out takes no yes back, a yes none of the
	 * lines */
	bool accepted, given_out;
};
struct plan_marks {
	struct plan_mark *v; /* [n] by id */
	size_t n;
};
/* All there are, in mem. Returns 0 or a negative errno. */
int plan_marks_read(const char *dir, struct arena *mem, struct plan_marks *ret, struct err *err);
bool plan_marks_has(const struct plan_marks *m, const char *id);
/* Dismissed, and it still says that: the same words, and an amount within a quarter. */
bool plan_marks_hide(const struct plan_marks *m, const struct plan_said *now);

/* The id that a word means, a number in the last plan or an id; it must be in the list of the last
 * plan or have been decided about before. Returns 0 or -ENOENT, which says of advice and of what
 * was refused why it is not to be had. */
int plan_subject(const struct plan_last *l, const struct plan_marks *m, const char *word,
		 const char **ret_id, struct err *err);
/* The same, also of advice and of what was refused; ret_said: of advice, else NULL. */
int plan_subject_any(const struct plan_last *l, const struct plan_marks *m, const char *word,
		     const char **ret_id, const struct plan_said **ret_said, struct err *err);
/* Where it stands that lines were given out, and what of: answer/plan/plan_outcome.h. */
#define PLAN_KEY_APPLIED "plan.applied."
/* Keep a decision, instead of an earlier one but for what stands beside it (m->accepted and
 * m->given_out are not read). Returns 0 or a negative errno. */
int plan_decide(const char *dir, const struct plan_mark *m, struct err *err);
/* Forget what was decided; -ENOENT: nothing was, and the hint says about what it was. dry: only
 * look. */
int plan_forget(const char *dir, const struct plan_marks *m, const char *id, bool dry,
		struct err *err);
#endif
