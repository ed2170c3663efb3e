#ifndef TESTS_PLAN_LINES_H
#define TESTS_PLAN_LINES_H
/* What is printed for a recommendation: its actions, in lines. */
#include <string.h>

#include "plan/action.h"
#include "report/action/action_text.h"

/* Line i to do it (undo: to undo it), in a; NULL: there are not so many. */
static inline const char *line_of(struct arena *a, const struct rec *r, bool undo, size_t i)
{
	struct action_text t;
	const char *ret = NULL;

	action_text_make(r->action.v, r->action.n, &t);
	const struct text_list *l = undo ? &t.undo : &t.apply;
	if (i < l->n)
		ret = arena_printf(a, "%s", l->v[i]);
	action_text_free(&t);
	return ret;
}

/* Does a line to do it have this in it. */
static inline bool says(const struct rec *r, const char *part)
{
	struct action_text t;
	bool ret = false;

	action_text_make(r->action.v, r->action.n, &t);
	for (size_t i = 0; i < t.apply.n; i++)
		ret |= strstr(t.apply.v[i], part) != NULL;
	action_text_free(&t);
	return ret;
}

static inline bool is_meant(const struct fleet *f, const struct rec *r, const struct rec_change *c)
{
	for (size_t i = 0; i < r->action.n; i++)
		if (action_means(&r->action.v[i], &f->workload.v[c->workload], &c->after))
			return true;
	return false;
}

static inline bool has_kind(const struct rec *r, enum action_kind k)
{
	for (size_t i = 0; i < r->action.n; i++)
		if (r->action.v[i].kind == k)
			return true;
	return false;
}

/* Each work that it changes is meant by an action, and each action can be undone. */
static inline void check_actions(const struct fleet *f, const struct rec *r)
{
	enum action_kind by;

	if (!r->action.n)
		fail_msg("%s does nothing", r->id);
	for (size_t i = 0; i < r->change.n; i++)
		if (!is_meant(f, r, &r->change.v[i]))
			fail_msg("%s: no action for '%s' on '%s'", r->id,
				 f->workload.v[r->change.v[i].workload].name,
				 f->workload.v[r->change.v[i].workload].node);
	for (size_t i = 0; i < r->action.n; i++)
		if (!action_has_undo(r->action.v[i].kind, &by) && by != ACTION_N &&
		    !has_kind(r, by))
			fail_msg("%s: nothing undoes '%s'", r->id,
				 action_name(r->action.v[i].kind));
}

static inline bool has_lines(const struct rec *r)
{
	struct action_text t;

	action_text_make(r->action.v, r->action.n, &t);
	bool ret = t.apply.n && t.undo.n;
	action_text_free(&t);
	return ret;
}
#endif
