#ifndef TESTS_PLAN_LINES_H
#define TESTS_PLAN_LINES_H
/* What is printed for a recommendation: its actions, in lines. */
#include <string.h>

#include "report/action_text.h"

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

static inline bool has_lines(const struct rec *r)
{
	struct action_text t;

	action_text_make(r->action.v, r->action.n, &t);
	bool ret = t.apply.n && t.undo.n;
	action_text_free(&t);
	return ret;
}
#endif
