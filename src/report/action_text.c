#include "report/action_text.h"

#include <assert.h>
#include <stdarg.h>

#include "base/sh.h"
#include "report/action_in.h"

void line_add(struct lines *l, const char *fmt, ...)
{
	struct str s = { 0 };
	va_list ap;

	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	*vec_push(l->to) = sh_line(l->mem, arena_strn(l->mem, str_z(&s), s.n));
	str_free(&s);
}

/* ---- kinds ------------------------------------------------------------------------------- */

static void put_submit(struct lines *l, const struct action *a, bool undo)
{
	slurm_submit(l, a, undo);
	kube_submit(l, a, undo);
}

static void put_trial(struct lines *l, const struct action *a, bool undo)
{
	(void)undo;
	switch (a->trial.how) {
	case TRIAL_PROFILE:
		line_add(
			l,
			"# first: run one of them on the other card and compare: tare profile -- COMMAND");
		break;
	}
}

/* How an action is taken back. */
enum undo_how {
	UNDO_LINES,   /* by lines of its own */
	UNDO_NOTHING, /* it leaves nothing behind */
};

static const struct kind_text {
	void (*put)(struct lines *l, const struct action *a, bool undo);
	enum undo_how undo;
} kinds[ACTION_N] = {
	[ACTION_SUBMIT] = { put_submit, UNDO_LINES },
	[ACTION_TRIAL] = { put_trial, UNDO_NOTHING },
};

/* An action without a line would be done without a word. */
static void put(struct arena *mem, struct text_list *to, const struct action *a, bool undo)
{
	struct lines l = { mem, to };
	size_t before = to->n;

	assert((unsigned)a->kind < ACTION_N);
	if (undo && kinds[a->kind].undo != UNDO_LINES)
		return;
	kinds[a->kind].put(&l, a, undo);
	assert(to->n > before);
}

void action_text_make(const struct action *v, size_t n, struct action_text *ret)
{
	*ret = (struct action_text){ 0 };
	for (size_t i = 0; i < n; i++) {
		put(&ret->mem, &ret->apply, &v[i], false);
		put(&ret->mem, &ret->undo, &v[i], true);
	}
}

void rec_text_make(const struct rec *r, struct action_text *ret)
{
	action_text_make(r->action.v, r->action.n, ret);
	for (size_t i = 0; i < r->apply.n; i++)
		*vec_push(&ret->apply) = r->apply.v[i];
	for (size_t i = 0; i < r->undo.n; i++)
		*vec_push(&ret->undo) = r->undo.v[i];
}

void action_text_free(struct action_text *t)
{
	vec_free(&t->apply);
	vec_free(&t->undo);
	arena_free(&t->mem);
}
