/* What each input says by itself: plan.advice with a kind (plan/advice.h), largest first. */
#include "plan/workload.h"
#include "report/plan/plan_formats.h"
#include "report/text.h"

#define AMOUNT 11 /* columns of an amount */
#define SHOWN  8  /* of an input, without --all */

struct text_list plan_advice_titles(const struct plan *p, bool told)
{
	struct text_list l = { 0 };

	for (size_t i = 0; i < p->advice.v.n; i++)
		if ((p->advice.v.v[i]->kind != ADVICE_NONE) == told)
			*vec_push(&l) = p->advice.v.v[i]->title;
	return l;
}

bool plan_has_told(const struct plan *p)
{
	for (size_t i = 0; i < p->advice.v.n; i++)
		if (p->advice.v.v[i]->kind != ADVICE_NONE)
			return true;
	return false;
}

void plan_put_told(struct arena *a, const struct plan_view *v, int width, struct str *out)
{
	const struct plan *p = v->plan;
	const struct rec_list *l = &p->advice;
	/* nothing is proposed, or one input is all there is: what it says is shown unasked */
	bool alone = !p->rec.v.n || p->undecidable || !workload_jobs_are_known(p->fleet);
	bool whole = v->all || alone;

	if (!plan_has_told(v->plan))
		return;
	for (enum advice_input from = 0; from < ADVICE_INPUTS; from++) {
		size_t n = 0;

		for (size_t i = 0; i < l->v.n; i++) {
			enum advice_kind kind = l->v.v[i]->kind;
			if (kind == ADVICE_NONE || advice_kinds[kind].input != from)
				continue;
			if (!whole && !advice_kinds[kind].always)
				continue;
			if (!n)
				str_addf(out, "\n%s, %s, in no sum:\n", advice_input_says(from),
					 plan_unit(a, v->plan));
			if (v->all || n < SHOWN) {
				const struct rec *r = l->v.v[i];
				const char *much = plan_may_save(a, v->plan, r);
				const char *amount = r->has_cost ? plan_money(a, r->cost_month,
									      plan_digits(v->plan))
								 : "";
				const char *title = text_line(a, sv_of(r->title), 0);

				str_addf(out, "%*s  ", AMOUNT, amount);
				plan_fold(out,
					  *much ? arena_printf(a, "%s, may save %s", title, much)
						: title,
					  AMOUNT + 2, width);
			}
			n++;
		}
		if (n > SHOWN && !v->all)
			str_addf(out, "%*s  and %zu more: %s --all\n", AMOUNT, "", n - SHOWN,
				 plan_again_of(v));
	}
	if (!whole)
		return;
	for (size_t i = 0; i < l->v.n; i++)
		if (l->v.v[i]->kind != ADVICE_NONE && l->v.v[i]->action.n) {
			str_addf(out, "tare explain %s%s   what it rests on, and lines to paste\n",
				 l->v.v[i]->id, plan_store_of(v));
			return;
		}
	for (size_t i = 0; i < l->v.n; i++)
		if (l->v.v[i]->kind != ADVICE_NONE) {
			str_addf(out, "tare explain %s%s   what it rests on\n", l->v.v[i]->id,
				 plan_store_of(v));
			return;
		}
}
