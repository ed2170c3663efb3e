/* See profile_after.h. */
#include "profile/profile_after.h"
#include <math.h>
#include <string.h>
#include "base/str.h"
#include "plan/lever/own_speed.h"
#include "report/plan/plan_view.h"
#include "report/text.h"

void profile_after_price(const struct profile_after *a, struct profile *p)
{
	const char *model = NULL;
	int gpus = 0;
	for (size_t i = 0; i < p->ndev; i++) {
		gpus += !p->dev[i].is_mig;
		if (p->dev[i].how != PROFILE_NOT || !model)
			model = filled_or(p->dev[i].model, model);
	}
	struct rate_in in = { a->given, a->settings, NULL, a->conf,  a->catalog,
			      p->node,  model,       gpus, a->now_ms };
	struct rate_ask place;
	rate_find(&in, &p->rate);
	if (p->rate.known || !gpus)
		return;
	/* after the command, and only where nobody else knows: it may take a while */
	rate_place(a->mem, &place);
	in.place = &place;
	rate_find(&in, &p->rate);
}

/* The speed of a run that ended well; a run that failed did not do its steps. */
static int keep_speed(const struct profile_after *a, const struct profile *p,
		      const struct profile_report *r, struct str *note, struct err *err)
{
	const struct gpu_spec *g = r->ndev && *r->dev[0]->model
					   ? catalog_gpu(a->catalog, sv_of(r->dev[0]->model))
					   : NULL;
	const char *why = NULL;
	if (p->exit_code)
		why = "the command failed";
	else if (isnan(r->steps_s))
		why = "no GPU time was seen";
	else if (!g)
		why = "the catalogue does not know the GPU";
	else if (r->dev[0]->is_mig)
		why = "it ran on a MIG instance";
	for (size_t i = 1; i < r->ndev && !why; i++) {
		if (strcmp(r->dev[i]->model, r->dev[0]->model) != 0)
			why = "it ran on GPUs of different models";
		else
			why = NULL;
	}
	if (!a->work)
		return 0;
	if (why) {
		str_addf(note, "Speed not kept: %s.\n", why);
		return 0;
	}
	struct own_speed s = { a->work,
			       p->id,
			       g,
			       (double)r->ndev,
			       r->steps_s,
			       (double)p->steps,
			       (double)r->gpu_ms / 1000,
			       r->all[METRIC_MEM_USED_BYTES].p99,
			       p->start_ms };
	int res = own_speeds_append(a->dir, &s, err);
	if (res >= 0)
		str_addf(note, "Speed kept: %s on %s. Compare GPUs: tare plan gpu --workload %s\n",
			 text_line(a->mem, sv_of(a->work), 60), g->model,
			 text_line(a->mem, sv_of(a->work), 60));
	return res;
}

/* Utilisation or SM activity, whichever is lower; the one that is known; NAN. In percent. */
static double used_pct(const struct profile_report *r)
{
	return fmin(r->all[METRIC_GPU_UTIL_PCT].mean, r->all[METRIC_SM_ACTIVE_FRAC].mean * 100);
}

enum profile_enough profile_after_enough(const struct profile_after *a, const struct profile *p,
					 const struct profile_report *r)
{
	if (p->exit_code || isnan(a->fail_under_pct))
		return PROFILE_NOT_ASKED;
	if (r->judged.verdict == PROFILE_TOO_SHORT || r->judged.verdict == PROFILE_UNREAD)
		return PROFILE_UNDECIDED;
	if (r->ndev && isnan(used_pct(r)))
		return PROFILE_UNDECIDED;
	if (!r->ndev && p->problem)
		/* no GPU is seen at all: whether one was used is not known */
		return PROFILE_UNDECIDED;
	if (!r->ndev || used_pct(r) < a->fail_under_pct)
		return PROFILE_BELOW;
	return PROFILE_ENOUGH;
}

int profile_after_print(const struct profile_after *a, const struct profile_view *v,
			enum profile_enough enough, enum out_format f, struct str *out,
			struct err *err)
{
	struct str note = { 0 };
	int res;

	profile_print(v, f, out);
	res = keep_speed(a, v->p, v->r, &note, err);

	const struct profile_report *r = v->r;
	double util = r->all[METRIC_GPU_UTIL_PCT].mean,
	       sm = r->all[METRIC_SM_ACTIVE_FRAC].mean * 100;
	if (enough == PROFILE_UNDECIDED)
		str_addf(&note, "--fail-under cannot be decided: %s.\n",
			 !r->ndev ? "no GPU is seen here" : "too few readings");
	else if (enough != PROFILE_NOT_ASKED && !r->ndev)
		str_addz(&note, "--fail-under: no GPU was used.\n");
	else if (enough != PROFILE_NOT_ASKED)
		str_addf(&note, "--fail-under %g %%: %s is %.1f %%, %sbelow it.\n",
			 a->fail_under_pct, sm < util ? "SM activity" : "utilisation", used_pct(r),
			 text_if(enough != PROFILE_BELOW, "not "));

	const char *type = a->given->instance_type;

	if (v->r->ndev && type && !v->p->rate.known)
		str_addf(
			&note,
			"The catalogue has no price of the instance type '%s'%s: tare price --gpu %s has those it knows.\n",
			text_line(a->mem, sv_of(type), 60),
			text_if(a->given->provider || a->given->region || a->given->purchase,
				" as it was named"),
			filled_or(v->r->dev[0]->model, "MODEL"));
	if (f == OUT_TABLE) {
		struct sv lines = str_sv(&note);
		int width = v->width;
		struct arena mem = { 0 };

		while (lines.n)
			plan_fold(out, arena_sv(&mem, sv_cut(lines, '\n', &lines)), 2, width);
		arena_free(&mem);
	} else if (f == OUT_MD)
		str_addsv(out, str_sv(&note));
	str_free(&note);
	return res;
}
