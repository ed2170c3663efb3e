/* See plan_spot.h: where the job may run. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/clean.h"
#include "base/tm.h"
#include "catalog/catalog.h"
#include "cli/plan_spot.h"
#include "plan/fleet.h"

#define OPEN_BAND_HI_PCT 80 /* "> 20 %" a month has no upper end: drawn from 20 to 80 % */

int plan_spot_number(const struct cli *c, const char *name, double lo, double hi, double *ret,
		     struct err *err)
{
	const char *z = cli_value(c, name);

	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo,
			       hi);
	return 0;
}

int plan_spot_span(struct sv z, double *ret_h)
{
	int64_t ms;

	if (sv_f64(z, ret_h) >= 0 && *ret_h >= 0 && *ret_h <= 1e6)
		return 0;
	if (tm_parse_span(z, &ms) < 0)
		return -EINVAL;
	*ret_h = (double)ms / MS_HOUR;
	return 0;
}

int plan_spot_hours(const struct cli *c, const char *name, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);

	if (z && plan_spot_span(sv_trim(sv_of(z)), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no span such as 6m, 20s or 48h", name,
			       z);
	return 0;
}

/* ---- how often --------------------------------------------------------------------------- */

/* "5..10" or "7" percent a month. */
static int band(struct sv z, struct spot_place *p)
{
	const char *dots = memmem(z.p, z.n, "..", 2);
	struct sv lo = z, hi = z;

	if (dots) {
		lo.n = (size_t)(dots - z.p);
		hi = (struct sv){ dots + 2, z.n - lo.n - 2 };
	}
	if (sv_f64(sv_trim(lo), &p->month_lo_pct) < 0 || sv_f64(sv_trim(hi), &p->month_hi_pct) < 0)
		return -EINVAL;
	return p->month_lo_pct >= 0 && p->month_hi_pct >= p->month_lo_pct && p->month_hi_pct < 100
		       ? 0
		       : -EINVAL;
}

/* What the command line says of all places. */
static int given_rate(const struct cli *c, struct spot_place *p, struct err *err)
{
	const char *pct = cli_value(c, "interruption");
	double mtbf = 0;
	int r = plan_spot_hours(c, "mtbf", &mtbf, err);

	if (r >= 0 && pct && band(sv_of(pct), p) < 0) {
		err_set(err, -EINVAL,
			"--interruption: '%s' is no chance of 0 to below 100 percent a month", pct);
		err_hint(
			err,
			"as in 7 or 5..10; --mtbf 30h says the mean time between interruptions instead");
		return -EINVAL;
	}
	if (r >= 0 && cli_value(c, "mtbf") && !(mtbf > 0))
		return err_set(err, -EINVAL, "--mtbf: nothing runs for no time");
	if (r >= 0 && mtbf > 0)
		p->hazard_h = 1 / mtbf;
	return r;
}

static bool has_rate(const struct spot_place *p)
{
	return p->hazard_h > 0 || !isnan(p->month_lo_pct);
}

/* Before anything is seen of it; 0 = nobody says. */
static double mtbi(const struct spot_place *p)
{
	double h = p->hazard_h > 0          ? p->hazard_h
		   : isnan(p->month_lo_pct) ? 0
					    : (spot_hazard_of_month(p->month_lo_pct) +
					       spot_hazard_of_month(p->month_hi_pct)) /
						      2;

	return h > 0 ? 1 / (h * p->machines) : 0;
}

static bool is_there(const void *ctx, const char *place)
{
	const struct spot_where *w = ctx;

	if (w->type)
		return run_place_has(place, sv_of(w->type)) &&
		       (!*w->region || run_place_has(place, sv_of(w->region)));
	return !*w->name || run_place_has(place, sv_of(w->name));
}

static void learn(struct spot_where *w)
{
	const struct spot_seen *s = &w->seen;
	struct spot_place *p = &w->place;

	if (s->known) {
		p->hazard_h = 1 / (spot_seen_mtbi(s, mtbi(p)) * p->machines);
		p->month_lo_pct = p->month_hi_pct = 0;
	} else if (isnan(p->month_lo_pct)) {
		p->month_lo_pct = p->month_hi_pct = 0; /* --mtbf says it */
	}
}

/* ---- of the catalogue -------------------------------------------------------------------- */

static int leave_out(struct cli *c, struct spot_ask *a, const char *name, const char *why)
{
	*vec_push(&a->left_out) = arena_printf(&c->mem, "%s: %s", name, why);
	return 0;
}

static bool rate_of(struct cli *c, const struct catalog *cat, const struct instance_type *t,
		    const char *region, const char *purchase, struct rate *ret)
{
	const char *provider = cli_value(c, "provider");

	return fleet_rate(cat, provider ? provider : t->provider, region, "", t->name, "", 0,
			  purchase, NULL, c->now_ms, ret);
}

static void set_prices(const struct cli *c, const struct instance_type *t, const struct rate *od,
		       const struct rate *spot, double gpus, struct spot_where *w)
{
	double per = (double)t->gpu_milli / 1000;
	bool old = spot->quality != QUALITY_MEASURED || spot->as_of_ms == UNKNOWN_MS ||
		   c->now_ms - spot->as_of_ms > SPOT_MOVE_OLD_DAYS * MS_DAY;

	w->place.machines = (int)ceil((gpus > 0 ? gpus : per) / per - 1e-9);
	w->od_usd_h = (double)od->nano_gpu_hour * 1e-9 * per;
	w->place.spot_usd_h = (double)spot->nano_gpu_hour * 1e-9 * per;
	w->move_hi = cli_value(c, "spot") ? 0 : old ? SPOT_MOVE_HI_OLD : SPOT_MOVE_HI;
	w->source = spot->quality == QUALITY_MEASURED ? "listed" : "advised: an estimate";
	if (spot->interruption_lo_pct >= 0 && isnan(w->place.month_lo_pct)) {
		w->place.month_lo_pct = spot->interruption_lo_pct;
		w->place.month_hi_pct = fmin(OPEN_BAND_HI_PCT, spot->interruption_hi_pct);
	}
}

/* -ENODATA: no price there. */
static int from_catalogue(struct cli *c, const struct catalog *cat, const struct instance_type *t,
			  const char *region, double gpus, struct spot_where *w, struct err *err)
{
	struct rate od = { 0 }, spot = { 0 };

	snprintf(w->name, sizeof w->name, "%s%s%s", t->name, *region ? " in " : "", region);
	w->region = region;
	if (!rate_of(c, cat, t, region, "on_demand", &od) ||
	    !rate_of(c, cat, t, region, "spot", &spot)) {
		err_set(err, -ENODATA, "no %s price is known for '%s'%s%s",
			od.nano_gpu_hour ? "spot" : "on-demand", t->name, *region ? " in " : "",
			region);
		err_hint(err, "--on-demand USD and --spot USD give the prices of a machine");
		return -ENODATA;
	}
	set_prices(c, t, &od, &spot, gpus, w);
	return 0;
}

static int type_of(const struct cli *c, const struct catalog *cat, const char *name,
		   const struct instance_type **ret, struct err *err)
{
	const struct instance_type *t = catalog_instance(cat, sv_of(cli_value(c, "provider")),
							 sv_of(name)),
				   *first = *ret;

	if (!t || t->gpu_milli <= 0) {
		err_set(err, -EINVAL,
			"--instance: '%s' is no instance type with GPUs that is known", name);
		err_hint(
			err,
			"`tare price --gpu MODEL` lists them; --on-demand and --spot give prices instead");
		return -EINVAL;
	}
	if (first && first->gpu_model && t->gpu_model &&
	    strcmp(first->gpu_model, t->gpu_model) != 0) {
		err_set(err, -EINVAL,
			"--instance: '%s' has other GPUs (%s) than '%s' (%s): the job takes other hours there",
			t->name, t->gpu_model, first->name, first->gpu_model);
		err_hint(
			err,
			"`tare plan gpu` compares cards; plan each kind by itself with its own --hours");
		return -EINVAL;
	}
	*ret = t;
	return 0;
}

/* Twice would be two places to fall back on. */
static int each_once(const struct spot_ask *a, struct err *err)
{
	for (size_t i = 0; i < a->nwhere; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(a->where[k].name, a->where[i].name))
				return err_set(err, -EINVAL, "'%s' is named twice",
					       a->where[i].name);
	return 0;
}

static struct spot_where *new_where(struct spot_ask *a, const struct spot_place *p)
{
	struct spot_where *w = &a->where[a->nwhere];

	*w = (struct spot_where){ .place = *p, .od_usd_h = NAN, .source = "given" };
	w->place.machines = w->place.machines > 0 ? w->place.machines : 1;
	return w;
}

/* All types in all regions; what has no price is left out where others have one. */
static int pairs(struct cli *c, const struct catalog *cat, struct spot_ask *a,
		 const struct spot_place *p, double gpus, struct err *err)
{
	const struct instance_type *t = NULL;
	const char *regions = cli_value(c, "region");
	struct sv types = sv_of(cli_value(c, "instance"));
	bool several = memchr(types.p, ',', types.n) || (regions && strchr(regions, ','));
	int r = 0;

	while (r >= 0 && types.p) {
		const char *name = arena_sv(&c->mem, sv_trim(sv_cut(types, ',', &types)));
		struct sv rest = sv_of(regions ? regions : "");
		r = type_of(c, cat, name, &t, err);
		while (r >= 0 && rest.p) {
			const char *region = arena_sv(&c->mem, sv_trim(sv_cut(rest, ',', &rest)));
			if (!*region && regions && *regions)
				return err_set(err, -EINVAL, "--region: a name is empty in '%s'",
					       regions);
			if (a->nwhere == SPOT_MAX_PLACES)
				return err_set(
					err, -EINVAL,
					"more than %d places: name fewer instance types or regions",
					SPOT_MAX_PLACES);
			struct spot_where *w = new_where(a, p);
			r = from_catalogue(c, cat, t, region, gpus, w, err);
			w->type = name;
			spot_seen_at(&a->seen, is_there, w, &w->seen);
			if (r == -ENODATA && several)
				r = leave_out(c, a, w->name, "no price is known");
			else if (r >= 0 && several && !has_rate(&w->place) && !w->seen.known)
				r = leave_out(c, a, w->name,
					      "how often it is interrupted is not known");
			else
				a->nwhere += r >= 0;
		}
	}
	if (r >= 0 && !a->nwhere) {
		r = err_set(err, -ENODATA, "none of these places can be compared (%s)",
			    a->left_out.n ? a->left_out.v[0] : "-");
		err_hint(
			err,
			"--interruption 5..10 or --mtbf 30h says how often; --place NAME=USD@SPAN names a place by its price");
	}
	return r;
}

/* ---- as given ---------------------------------------------------------------------------- */

/* NAME=SPOT[/ON-DEMAND][@SPAN or @LO..HI%] */
static int read_place(struct spot_ask *a, const char *z, const struct spot_place *p,
		      struct err *err)
{
	struct sv rate, od, usd, name = sv_cut(sv_of(z), '=', &usd);
	struct spot_where *w = new_where(a, p);
	double mtbf = 0;
	bool fine;

	usd = sv_cut(usd.p ? usd : SV(""), '@', &rate);
	usd = sv_cut(usd, '/', &od);
	sv_clean(sv_trim(name), w->name, sizeof w->name);
	fine = *w->name && sv_f64(sv_trim(usd), &w->place.spot_usd_h) >= 0 &&
	       w->place.spot_usd_h >= 0 && w->place.spot_usd_h <= 1e6;
	if (fine && od.p)
		fine = sv_f64(sv_trim(od), &w->od_usd_h) >= 0 && w->od_usd_h >= 0 &&
		       w->od_usd_h <= 1e6;
	rate = sv_trim(rate);
	if (fine && rate.n && rate.p[rate.n - 1] == '%') {
		rate.n--;
		w->place.hazard_h = 0;
		fine = band(rate, &w->place) >= 0;
	} else if (fine && rate.n) {
		fine = plan_spot_span(rate, &mtbf) >= 0 && mtbf > 0;
		w->place.hazard_h = fine ? 1 / mtbf : 0;
	} else if (rate.p) {
		fine = false;
	}
	if (!fine) {
		err_set(err, -EINVAL, "--place: '%s' is no place with a price", z);
		err_hint(
			err,
			"NAME=USD@SPAN as in us-east-1a=0.97@10h (spot price of a machine and hour, mean time between interruptions), or us-east-1a=0.97/3.06@5..10%%");
		return -EINVAL;
	}
	a->nwhere++;
	return 0;
}

static int named(struct cli *c, struct spot_ask *a, const struct spot_place *p, struct err *err)
{
	const char **z;
	size_t n = cli_values(c, "place", &z);
	int r = 0;

	if (cli_value(c, "instance") || cli_value(c, "spot"))
		return err_set(
			err, -EINVAL,
			"--place gives the spot prices: --instance and --spot do not go with it");
	if (n > SPOT_MAX_PLACES)
		return err_set(err, -EINVAL, "more than %d places", SPOT_MAX_PLACES);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = read_place(a, z[i], p, err);
	return r;
}

static int catalogue(struct cli *c, struct spot_ask *a, const struct spot_place *p, struct err *err)
{
	struct catalog *cat;
	double gpus = 0;
	int r = plan_spot_number(c, "gpus", 0.001, 1e6, &gpus, err);

	if (r < 0 || (r = catalog_open(NULL, &cat, err)) < 0)
		return r;
	r = pairs(c, cat, a, p, gpus, err);
	catalog_free(cat);
	return r;
}

static int given_prices(struct cli *c, struct spot_where *w, bool place, struct err *err)
{
	double machines = 0, od = NAN;
	int r = plan_spot_number(c, "machines", 1, 1e5, &machines, err);

	if (r >= 0)
		r = plan_spot_number(c, "on-demand", 0, 1e6, &od, err);
	if (r >= 0)
		r = plan_spot_number(c, "spot", 0, 1e6, &w->place.spot_usd_h, err);
	if (machines > 0)
		w->place.machines = (int)machines;
	if (!isnan(od) && (!place || isnan(w->od_usd_h)))
		w->od_usd_h = od;
	if (r >= 0 && !place && (isnan(w->od_usd_h) || isnan(w->place.spot_usd_h))) {
		r = err_set(err, -EINVAL, "prices are needed");
		err_hint(
			err,
			"--instance p3.2xlarge --region us-east-1, or --on-demand 3.06 --spot 0.97");
	}
	w->od_usd_h *= w->place.machines;
	w->place.spot_usd_h *= w->place.machines;
	return r;
}

int plan_spot_places(struct cli *c, struct spot_ask *a, struct err *err)
{
	struct spot_place p = { .month_lo_pct = NAN, .month_hi_pct = NAN, .spot_usd_h = NAN };
	const char **z;
	bool place = cli_values(c, "place", &z) > 0,
	     listed = cli_value(c, "instance") &&
		      !(cli_value(c, "on-demand") && cli_value(c, "spot"));
	int r = given_rate(c, &p, err);

	bool has_od = false;

	a->where = arena_zalloc(&c->mem, SPOT_MAX_PLACES * sizeof *a->where);
	if (r >= 0)
		r = place ? named(c, a, &p, err) : listed ? catalogue(c, a, &p, err) : 0;
	if (r >= 0)
		r = each_once(a, err);
	if (r >= 0 && !a->nwhere) {
		new_where(a, &p);
		a->nwhere = 1;
	}
	for (size_t i = 0; r >= 0 && i < a->nwhere; i++) {
		struct spot_where *w = &a->where[i];
		r = given_prices(c, w, place, err);
		spot_seen_at(&a->seen, is_there, w, &w->seen);
		if (r >= 0 && !has_rate(&w->place) && !w->seen.known) {
			err_set(err, -ENODATA, "how often %s interrupted is not known",
				a->nwhere > 1 ? "one of the places is" : "such machines are");
			err_hint(
				err,
				"--interruption 5..10 (percent a month, as the provider says) or --mtbf 30h");
			r = -ENODATA;
		}
		if (r < 0)
			break;
		has_od |= !isnan(w->od_usd_h);
		learn(w);
	}
	if (r >= 0 && !has_od) {
		r = err_set(err, -EINVAL, "the price on demand is needed");
		err_hint(err,
			 "--on-demand 3.06, or NAME=SPOT/ON-DEMAND@SPAN in one --place at least");
	}
	return r;
}
