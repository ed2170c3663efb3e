#include "model/known.h"
#include "plan/energy.h"

#include <math.h>
#include <string.h>

#define MS_W_KWH 3.6e9 /* ms x W in a kWh */

/* ---- of a workload --------------------------------------------------------------------------- */

/* gCO2e/kWh, NAN. */
static double energy_g_kwh(const struct energy_base *b, const char *provider, const char *region)
{
	for (size_t i = 0; i < b->conf->carbon.n && *region; i++)
		if (sv_glob(sv_of(region), sv_of(b->conf->carbon.v[i].region_glob)))
			return b->conf->carbon.v[i].g_kwh;
	for (size_t i = 0; i < b->ncarbon; i++)
		if (!strcmp(b->carbon[i].region, region) &&
		    !strcmp(b->carbon[i].provider, provider))
			return b->carbon[i].g_kwh;
	return NAN;
}

/* Of a GPU whose readings are missing, W; NAN: what nobody is known to hold may be off, or in the
 * use of somebody that nobody saw. */
static double other_power(const struct energy_base *b, const struct workload *w)
{
	const struct gpu_spec *g;

	/* Somebody is known to have held all of its time. Use without a name may have had pauses
	 * that nobody saw. */
	bool held = (w->kind == WORKLOAD_JOB && *w->job) || w->kind == WORKLOAD_SERVICE;
	if (!held)
		return NAN;
	if (w->stats.energy_ms > 0)
		return w->stats.energy_j * 1000 / w->stats.energy_ms;
	g = *w->gpu_model ? catalog_gpu(b->catalog, sv_of(w->gpu_model)) : NULL;
	if (g)
		return g->tdp_w;
	return NAN;
}

void energy_add(const struct energy_base *b, const struct workload *w, struct energy_sum *to)
{
	/* readings of time that was not paid are nobody's */
	double ms = (double)w->ms, read = fmin(ms, w->stats.energy_ms), other = other_power(b, w),
	       g = energy_g_kwh(b, w->provider, w->region), kwh = 0;

	if (w->kind == WORKLOAD_LINE || w->ms <= 0)
		return;
	to->ms += ms;
	if (read > 0) {
		double j = w->stats.energy_j * read / w->stats.energy_ms;
		to->measured_ms += read;
		to->measured_kwh += j * 1000 / MS_W_KWH * b->conf->pue;
		kwh += j * 1000 / MS_W_KWH * b->conf->pue;
	}
	if (!isnan(other)) {
		to->estimated_ms += ms - read;
		to->estimated_kwh += other * (ms - read) / MS_W_KWH * b->conf->pue;
		kwh += other * (ms - read) / MS_W_KWH * b->conf->pue;
	}
	if (!isnan(g)) {
		to->placed_kwh += kwh;
		to->co2_kg += kwh * g / 1000;
	}
}

double energy_kwh(const struct energy_sum *s)
{
	if (s->measured_ms + s->estimated_ms > 0)
		return s->measured_kwh + s->estimated_kwh;
	return NAN;
}

double energy_co2_kg(const struct energy_sum *s)
{
	if (s->placed_kwh > 0)
		return s->co2_kg;
	return NAN;
}

/* ---- of a plan --------------------------------------------------------------------------- */

struct idle_of { /* what GPUs of a model take when idle */
	const char *model;
	double w_ms, ms;
};
struct now { /* a workload as the items so far have left it */
	double ms;
	const char *model, *provider, *region;
};
struct saver {
	const struct energy_base *b;
	const struct plan *p;
	VEC(struct idle_of) idle;
	struct now *now; /* [works] */
};

static struct idle_of *idle_of(struct saver *s, const char *model)
{
	for (size_t i = 0; i < s->idle.n; i++)
		if (!strcmp(s->idle.v[i].model, model))
			return &s->idle.v[i];
	*vec_push(&s->idle) = (struct idle_of){ .model = model };
	return &s->idle.v[s->idle.n - 1];
}

static double idle_w(struct saver *s, const struct workload *w)
{
	const struct idle_of *o;

	if (!isnan(w->stats.power_idle_w))
		return w->stats.power_idle_w;
	o = idle_of(s, w->gpu_model);
	if (o->ms > 0)
		return o->w_ms / o->ms;
	return NAN;
}

/* GPU time after a change. Free time goes with its cost, as it is given back and comes again. */
static double ms_after(const struct saver *s, const struct rec_change *c, double before)
{
	const struct fleet *f = s->p->fleet;
	const struct workload *w = &f->workload.v[c->workload];
	struct use was = { .start_ms = w->start_ms, .end_ms = w->end_ms };

	if (was.start_ms == UNKNOWN_MS)
		was.start_ms = f->since_ms;
	if (was.end_ms == UNKNOWN_MS)
		was.end_ms = f->until_ms;
	double then = (double)use_ms(f, &was) * (double)w->gpus_milli,
	       now = (double)use_ms(f, &c->after) * (double)c->after.gpus_milli;

	if (w->kind == WORKLOAD_FREE && w->cost_nano > 0) {
		int64_t gone = c->shared ? c->base_nano - c->after.cost_nano
					 : w->cost_nano - c->after.cost_nano;
		double left = (c->shared ? before : (double)w->ms) -
			      (double)w->ms * (double)gone / (double)w->cost_nano;
		return fmax(0, left);
	}
	if (then > 0)
		return (double)w->ms * now / then;
	return before;
}

/* One change: false, nothing is known of it. */
static bool change_energy(struct saver *s, const struct rec_change *c, double *kwh, double *co2_kg,
			  double *ret_ms)
{
	const struct workload *w = &s->p->fleet->workload.v[c->workload];
	struct now *n = &s->now[c->workload];
	struct now then = *n;
	double pue = s->b->conf->pue, mean = w->stats.power_mean_w;

	n->ms = ms_after(s, c, then.ms);
	n->model = c->after.gpu_model;
	n->provider = c->after.provider;
	n->region = c->after.region;
	double gone = then.ms - n->ms, was_g = energy_g_kwh(s->b, then.provider, then.region),
	       now_g = energy_g_kwh(s->b, n->provider, n->region);
	bool moves = strcmp(then.region, n->region) != 0;
	*ret_ms = moves || strcmp(then.model, n->model) != 0 ? fmax(then.ms, n->ms) : fabs(gone);
	if (w->kind == WORKLOAD_LINE || strcmp(then.model, n->model) != 0)
		return false;
	double power = gone > 0 ? idle_w(s, w) : mean, d = gone * power / MS_W_KWH * pue;
	if (gone == 0)
		d = 0;
	if (isnan(d) || (moves && isnan(mean)))
		return false;
	*kwh = d;
	*co2_kg = d * was_g / 1000;
	if (moves) /* what is left weighs something else */
		*co2_kg += n->ms * mean / MS_W_KWH * pue * (was_g - now_g) / 1000;
	return true;
}

struct tally {
	double kwh, co2_kg, ms, known_ms, placed;
};

static void take_change(struct tally *t, bool known, double kwh, double co2_kg, double ms)
{
	t->ms += ms;
	if (!known || ms <= 0)
		return;
	t->known_ms += ms;
	t->kwh += kwh;
	if (!isnan(co2_kg)) {
		t->co2_kg += co2_kg;
		t->placed += ms;
	}
}

static struct energy_saved told_energy(const struct tally *t, double month)
{
	struct energy_saved s = { .kwh = NAN, .co2_kg = NAN, .known_frac = NAN };

	if (t->known_ms > 0)
		s.kwh = t->kwh * month;
	if (t->placed > 0)
		s.co2_kg = t->co2_kg * month;
	if (t->ms > 0)
		s.known_frac = t->known_ms / t->ms;
	return s;
}

void energy_of_plan(const struct energy_base *b, const struct plan *p, struct arena *mem,
		    struct energy_saved **ret, struct energy_saved *ret_all)
{
	struct saver s = { .b = b,
			   .p = p,
			   .now = xcalloc(p->fleet->workload.n + 1, sizeof *s.now) };
	double month = num_if(p->window_hours > 0, p->month_hours / p->window_hours);
	struct tally all = { 0 };

	*ret = arena_zalloc(mem, (p->rec.v.n + 1) * sizeof **ret);

	const struct fleet *f = s.p->fleet;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		double ms = (double)w->ms * w->stats.power_frac;
		s.now[i] = (struct now){ (double)w->ms, w->gpu_model, w->provider, w->region };
		if (isnan(w->stats.power_idle_w) || ms <= 0)
			continue;
		struct idle_of *o = idle_of(&s, w->gpu_model);
		o->w_ms += w->stats.power_idle_w * ms;
		o->ms += ms;
	}
	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		struct tally t = { 0 };
		for (size_t k = 0; k < r->change.n; k++) {
			double kwh = NAN, co2_kg = NAN, ms = 0;
			bool known = change_energy(&s, &r->change.v[k], &kwh, &co2_kg, &ms);
			take_change(&t, known, kwh, co2_kg, ms);
			take_change(&all, known, kwh, co2_kg, ms);
		}
		(*ret)[i] = told_energy(&t, month);
	}
	*ret_all = told_energy(&all, month);
	vec_free(&s.idle);
	free(s.now);
}
