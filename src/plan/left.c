/* What levers looked at and left as it is: said of each lever, also of one that has something else
 * in the plan, in its advice or refused; but of one with nothing there whose notes say why. */
#include <stdlib.h>

#include "base/str.h"
#include "plan/replay/compose.h"

void lever_left(const struct lever_in *in, const char *what, const char *why, size_t n)
{
	struct left_list *l = in->left;

	if (!l || !n)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].what, what) && !strcmp(l->v[i].why, why)) {
			l->v[i].n += n;
			return;
		}
	*vec_push(l) = (struct left){ what, why, n };
}

static bool has_lever(const struct rec_list *l, const char *name)
{
	for (size_t i = 0; i < l->v.n; i++)
		if (!strcmp(l->v.v[i]->lever, name))
			return true;
	return false;
}

/* "trim_time (runs: 14): 9 run once, 5 without a limit in the job list (limit_s)" */
static void tell_kind(const struct composer *cp, const char *lever, const struct left_list *l,
		      size_t at, struct plan *p)
{
	const char *what = l->v[at].what;
	struct str why = { 0 };
	size_t all = 0;

	for (size_t i = at; i < l->n; i++) {
		if (strcmp(l->v[i].what, what) != 0)
			continue;
		all += l->v[i].n;
		str_addf(&why, "%s%zu %s", text_if(why.n, ", "), l->v[i].n, l->v[i].why);
	}
	*vec_push(&p->left) = arena_printf(cp->mem, "%s (%s: %zu): %s", lever, what, all,
					   str_z(&why));
	str_free(&why);
}

void plan_tell_left(const struct composer *cp, struct plan *p)
{
	for (int i = 0; i < LEVER_N; i++) {
		const char *name = cp->table[i].name;
		size_t alone = 0;

		for (size_t k = 0; k < cp->alone.v.n; k++)
			alone += !strcmp(cp->alone.v.v[k]->lever, name);
		const struct left_list *l = &cp->left[i];
		bool said = has_lever(&p->rec, name) || has_lever(&p->advice, name) ||
			    has_lever(&p->refused, name);

		if (alone && !said)
			*vec_push(&p->left) = arena_printf(
				cp->mem,
				"%s: %zu proposal%s on the history as it was, none after what was chosen before",
				name, alone, plural(alone));
		for (size_t k = 0; k < l->n && (said || !cp->noted[i]); k++) {
			bool told = false;
			for (size_t j = 0; j < k; j++)
				told |= !strcmp(l->v[j].what, l->v[k].what);
			if (!told)
				tell_kind(cp, name, l, k, p);
		}
	}
}

void plan_left_free(struct composer *cp)
{
	for (int i = 0; i < LEVER_N; i++)
		vec_free(&cp->left[i]);
}
