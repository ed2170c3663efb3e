/* Where the job may run. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "answer/plan/plan_spot_in.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/fleet/fleet.h"

#define OPEN_BAND_HI_PCT 80 /* "> 20 %" a month has no upper end: drawn from 20 to 80 % */

/* ---- how often --------------------------------------------------------------------------- */

static bool has_rate(const struct spot_place *p)
{
	return p->hazard_h > 0 || !isnan(p->month_lo_pct);
}

double plan_spot_mtbi(const struct spot_place *p)
{
	double h = p->hazard_h > 0 ? p->hazard_h
				   : (spot_hazard_of_month(p->month_lo_pct) +
				      spot_hazard_of_month(p->month_hi_pct)) /
					     2;

	if (h > 0)
		return 1 / (h * p->machines);
	return INFINITY;
}

static bool is_there(const void *ctx, const char *place)
{
	const struct spot_where *w = ctx;

	if (w->type)
		return spot_place_has(place, sv_of(w->type)) &&
		       (!*w->region || spot_place_has(place, sv_of(w->region)));
	return !*w->name || spot_place_has(place, sv_of(w->name));
}

static void look_back(const struct plan_spot_ask *q, struct spot_where *w)
{
	if (q->seen)
		spot_seen_at(q->seen, is_there, w, &w->seen);
}

/* ---- of the catalogue -------------------------------------------------------------------- */

static int leave_out(const struct plan_spot_ask *q, struct spot_wheres *s, const char *name,
		     const char *why)
{
	s->left_out[s->nleft_out++] = arena_printf(q->ask.mem, "%s: %s", name, why);
	return 0;
}

static bool rate_of(const struct plan_spot_ask *q, const struct instance_type *t,
		    const char *region, const char *purchase, struct rate *ret)
{
	const struct price_ask ask = { .catalog = q->ask.catalog,
				       .provider = q->provider ? q->provider : t->provider,
				       .region = region,
				       .instance_type = t->name,
				       .purchase = purchase,
				       .at_ms = q->ask.now_ms };

	return fleet_rate(&ask, ret);
}

/* -ENODATA: no price there. */
static int from_catalogue(const struct plan_spot_ask *q, const struct instance_type *t,
			  struct spot_where *w, struct err *err)
{
	struct rate od = { 0 }, spot = { 0 };
	const char *in = text_if(*w->region, " in ");

	w->name = arena_printf(q->ask.mem, "%s%s%s", t->name, in, w->region);
	if (!rate_of(q, t, w->region, "on_demand", &od) ||
	    !rate_of(q, t, w->region, "spot", &spot)) {
		err_set(err, -ENODATA, "no %s price is known for '%s'%s%s",
			od.nano_gpu_hour ? "spot" : "on-demand", t->name, in, w->region);
		err_hint(err, "--on-demand USD and --spot USD give the prices of a machine");
		return -ENODATA;
	}

	double per = (double)t->gpu_milli / 1000;
	bool old = spot.quality != QUALITY_MEASURED || spot.as_of_ms == UNKNOWN_MS ||
		   q->ask.now_ms - spot.as_of_ms > SPOT_MOVE_OLD_DAYS * MS_DAY;

	w->place.machines = (int)ceil((q->gpus > 0 ? q->gpus : per) / per - 1e-9);
	w->od_usd_h = (double)od.nano_gpu_hour * 1e-9 * per;
	w->place.spot_usd_h = (double)spot.nano_gpu_hour * 1e-9 * per;
	if (isnan(q->spot_usd_h))
		w->move_hi = old ? SPOT_MOVE_HI_OLD : SPOT_MOVE_HI;
	w->source = spot.quality == QUALITY_MEASURED ? "listed" : "advised: an estimate";
	if (spot.interruption_lo_pct >= 0 && isnan(w->place.month_lo_pct)) {
		w->place.month_lo_pct = spot.interruption_lo_pct;
		w->place.month_hi_pct = fmin(OPEN_BAND_HI_PCT, spot.interruption_hi_pct);
	}
	return 0;
}

/* *ret: the type before, NULL for the first. */
static int type_of(const struct plan_spot_ask *q, const char *name,
		   const struct instance_type **ret, struct err *err)
{
	const struct instance_type *t = catalog_instance(q->ask.catalog, sv_of(q->provider),
							 sv_of(name)),
				   *first = *ret;

	if (!t || t->gpu_milli <= 0) {
		err_set(err, -EINVAL,
			"--instance: '%s' is not an instance type with GPUs that is known", name);
		err_hint(
			err,
			"`tare price --gpu MODEL` lists them; --on-demand and --spot give prices instead");
		return -EINVAL;
	}
	bool both_known = first && first->gpu_model && t->gpu_model;
	if (both_known && strcmp(first->gpu_model, t->gpu_model) != 0) {
		err_set(err, -EINVAL,
			"--instance: '%s' has other GPUs (%s) than '%s' (%s): the job takes other hours there",
			t->name, t->gpu_model, first->name, first->gpu_model);
		err_hint(
			err,
			"`tare plan gpu` compares GPUs; plan each kind by itself with its own --hours");
		return -EINVAL;
	}
	*ret = t;
	return 0;
}

static struct spot_where *new_where(struct spot_wheres *s, const struct plan_spot_rate *rate)
{
	struct spot_where *w = &s->v[s->n];

	*w = (struct spot_where){ .name = "",
				  .place = { .month_lo_pct = rate->month_lo_pct,
					     .month_hi_pct = rate->month_hi_pct,
					     .hazard_h = rate->hazard_h,
					     .spot_usd_h = NAN,
					     .machines = 1 },
				  .od_usd_h = NAN,
				  .source = "given" };
	return w;
}

/* A type in a region; where there are several pairs, what cannot be compared is left out. */
static int add_pair(const struct plan_spot_ask *q, const struct instance_type *t, const char *name,
		    const char *region, struct spot_wheres *s, struct err *err)
{
	bool several = q->ntype > 1 || q->nregion > 1;
	struct spot_where *w;
	int r;

	if (s->n == SPOT_MAX_PLACES)
		return err_set(err, -EINVAL,
			       "more than %d places: name fewer instance types or regions",
			       SPOT_MAX_PLACES);
	w = new_where(s, &q->rate);
	w->type = name;
	w->region = region;
	r = from_catalogue(q, t, w, err);
	look_back(q, w);
	if (r == -ENODATA && several)
		return leave_out(q, s, w->name, "no price is known");
	bool rate_known = has_rate(&w->place) || w->seen.known;
	if (r >= 0 && several && !rate_known)
		return leave_out(q, s, w->name, "how often it is interrupted is not known");
	s->n += r >= 0;
	return r;
}

/* ---- as given ---------------------------------------------------------------------------- */

static int set_place(const struct plan_spot_ask *q, const struct spot_wheres *s,
		     struct spot_where *w, struct err *err)
{
	/* What is given for all places wins over the catalogue, not over what a place has of its
	 * own. */
	bool named = q->nnamed > 0;

	if (q->machines > 0)
		w->place.machines = q->machines;
	if (!isnan(q->od_usd_h) && (!named || isnan(w->od_usd_h)))
		w->od_usd_h = q->od_usd_h;
	if (!isnan(q->spot_usd_h))
		w->place.spot_usd_h = q->spot_usd_h;
	if (!named && (isnan(w->od_usd_h) || isnan(w->place.spot_usd_h))) {
		err_set(err, -EINVAL, "prices are needed");
		err_hint(
			err,
			"--instance p3.2xlarge --region us-east-1, or --on-demand 3.06 --spot 0.97");
		return -EINVAL;
	}
	w->od_usd_h *= w->place.machines;
	w->place.spot_usd_h *= w->place.machines;

	look_back(q, w);
	if (!has_rate(&w->place) && !w->seen.known) {
		err_set(err, -ENODATA, "how often %s interrupted is not known",
			s->n > 1 ? "one of the places is" : "such machines are");
		err_hint(
			err,
			"--interruption 5..10 (percent a month, as the provider says) or --mtbf 30h");
		return -ENODATA;
	}

	const struct spot_seen *seen = &w->seen;
	struct spot_place *p = &w->place;

	if (seen->known) {
		double mtbi_h = spot_mtbi_h(plan_spot_mtbi(p), seen->hours, seen->interruptions);
		p->hazard_h = 1 / (mtbi_h * p->machines);
		p->month_lo_pct = p->month_hi_pct = 0;
	} else if (isnan(p->month_lo_pct)) {
		p->month_lo_pct = p->month_hi_pct = 0; /* the hazard says it */
	}
	return 0;
}

int plan_spot_places(const struct plan_spot_ask *q, struct spot_wheres *ret, struct err *err)
{
	bool has_od = false;
	int r = 0;

	*ret = (struct spot_wheres){ .v = arena_zalloc(q->ask.mem,
						       SPOT_MAX_PLACES * sizeof *ret->v) };
	if (q->nnamed > SPOT_MAX_PLACES)
		return err_set(err, -EINVAL, "more than %d places", SPOT_MAX_PLACES);
	for (; ret->n < q->nnamed; ret->n++) {
		const struct plan_spot_named *x = &q->named[ret->n];
		struct spot_where *w = new_where(ret, &x->rate);
		w->name = x->name;
		w->place.spot_usd_h = x->spot_usd_h;
		w->od_usd_h = x->od_usd_h;
	}
	if (!q->nnamed && q->ntype) {
		const struct instance_type *t = NULL;

		ret->left_out = arena_alloc(q->ask.mem,
					    q->ntype * q->nregion * sizeof *ret->left_out);
		for (size_t i = 0; r >= 0 && i < q->ntype; i++) {
			r = type_of(q, q->type[i], &t, err);
			for (size_t k = 0; r >= 0 && k < q->nregion; k++)
				r = add_pair(q, t, q->type[i], q->region[k], ret, err);
		}
		if (r >= 0 && !ret->n) {
			r = err_set(err, -ENODATA, "none of these places can be compared (%s)",
				    ret->nleft_out ? ret->left_out[0] : "-");
			err_hint(
				err,
				"--interruption 5..10 or --mtbf 30h says how often; --place NAME=USD@SPAN names a place by its price");
		}
	}

	/* Twice would be two places to fall back on. */
	for (size_t i = 0; r >= 0 && i < ret->n; i++)
		for (size_t k = 0; r >= 0 && k < i; k++)
			if (!strcmp(ret->v[k].name, ret->v[i].name))
				r = err_set(err, -EINVAL, "'%s' is named twice", ret->v[i].name);
	if (r >= 0 && !ret->n) {
		new_where(ret, &q->rate);
		ret->n = 1;
	}
	for (size_t i = 0; r >= 0 && i < ret->n; i++) {
		r = set_place(q, ret, &ret->v[i], err);
		has_od |= !isnan(ret->v[i].od_usd_h);
	}
	if (r >= 0 && !has_od) {
		r = err_set(err, -EINVAL, "the price on demand is needed");
		err_hint(err,
			 "--on-demand 3.06, or NAME=SPOT/ON-DEMAND@SPAN in one --place at least");
	}
	return r;
}
