#ifndef TARE_REPORT_ACTION_ACTION_TEXT_H
#define TARE_REPORT_ACTION_ACTION_TEXT_H
/*
 * Actions (model/action.h) as lines that people paste, for the schedulers and clouds there are.
 * Every line that a plan prints to do or to undo something comes from here.
 */
#include "base/jw.h"
#include "model/action.h"
#include "plan/plan.h"

struct action_text {
	struct arena mem;
	struct text_list apply, undo;
};
/* The lines of v [n], in that order; each is fit for a shell (base/sh.h). Freed by
 * action_text_free(). */
void action_text_make(const struct action *v, size_t n, struct action_text *ret);
void action_text_free(struct action_text *t);

/* An array of objects: "do" is the kind, then what it is about; see docs/PLAN.md. */
void action_json(const struct action *v, size_t n, struct jw *w);
/* What a JSON Schema says of it: "type" and the shapes, into an object that is open. */
void action_shape(struct jw *w);

/* Has an action of this kind lines of its own to undo it; else *ret_by is the kind that undoes it,
 * of which one must be in the same list, or ACTION_N: it leaves nothing behind. */
bool action_has_undo(enum action_kind k, enum action_kind *ret_by);
#endif
