/* What came of tare simulate spot: the policies beside each other. */
#include "cli/simulate_spot.h"

#include <math.h>

#include "cli/simulate_spot_zones.h"

const char *const spot_policy_name[P_N] = { "greedy", "uniform", "on_demand", "offline", "tare" };

/* Exact: whole milliseconds times prices, divided once. */
static dec mean_cost(const struct spot_sim *s, const struct spot_sum *a)
{
	return a->n ? div_half_even(s->spot * a->spot_ms + s->od * a->od_ms,
				    (__int128)3600000 * a->n)
		    : 0;
}

static void put_sum(struct jw *w, const struct spot_sim *s, const struct spot_sum *a, bool counts)
{
	jw_key(w, "scenarios");
	jw_int(w, a->n);
	jw_key(w, "mean_cost");
	jw_dec(w, mean_cost(s, a));
	jw_key(w, "late");
	jw_int(w, a->late);
	if (!counts)
		return;
	jw_key(w, "interruptions_mean");
	jw_num(w, (double)a->interruptions / (double)a->n, 3);
	jw_key(w, "restarts_mean");
	jw_num(w, (double)a->restarts / (double)a->n, 3);
}

static double above(const struct spot_sim *s, enum spot_sim_policy p, enum spot_sim_policy base)
{
	double b = dec_to_double(mean_cost(s, &s->all[base]));

	return s->want[base] && s->want[p] && b > 0
		       ? dec_to_double(mean_cost(s, &s->all[p])) / b - 1
		       : NAN;
}

void spot_put_policy(struct jw *w, const void *ctx, int policy)
{
	const struct spot_sim *s = ctx;
	enum spot_sim_policy p = (enum spot_sim_policy)policy;

	jw_obj(w);
	jw_key(w, "policy");
	jw_str(w, spot_policy_name[p]);
	put_sum(w, s, &s->all[p], p != P_OFFLINE);
	jw_key(w, "above_bound_frac");
	jw_num(w, above(s, p, P_OFFLINE), 6);
	jw_key(w, "below_uniform_frac");
	jw_num(w, -above(s, p, P_UNIFORM), 6);
	for (int h = 0; h < 2 && s->windows > 1; h++) {
		jw_key(w, h ? "odd_windows" : "even_windows");
		jw_obj(w);
		put_sum(w, s, &s->half[p][h], false);
		jw_end_obj(w);
	}
	jw_key(w, "by");
	jw_arr(w);
	for (size_t i = 0; i < s->cell.n; i++) {
		jw_obj(w);
		jw_key(w, "restart_h");
		jw_num(w, (double)s->cell.v[i].overhead_ms / 3.6e6, 6);
		jw_key(w, "deadline_h");
		jw_num(w, (double)s->cell.v[i].deadline_ms / 3.6e6, 6);
		put_sum(w, s, &s->cell.v[i].of[p], false);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

void spot_json(struct str *out, const bool *want, int n,
	       void (*put)(struct jw *w, const void *ctx, int policy), const void *ctx)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.simulate-spot/1");
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "policies");
	jw_arr(&w);
	for (int p = 0; p < n; p++)
		if (want[p])
			put(&w, ctx, p);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

void spot_percent(struct str *out, double frac)
{
	if (isnan(frac))
		str_addf(out, " %10s", "-");
	else
		str_addf(out, " %+9.2f%%", frac * 100);
}

void spot_put_table(const struct spot_sim *s, struct str *out)
{
	str_addf(out, "%-10s %10s %16s %6s %14s %10s %10s\n", "policy", "scenarios", "mean $/task",
		 "late", "interruptions", "to bound", "to uniform");
	for (int p = 0; p < P_N; p++) {
		const struct spot_sum *a = &s->all[p];
		char money[DEC_BUF];
		if (!s->want[p])
			continue;
		str_addf(out, "%-10s %10lld %16s %6lld", spot_policy_name[p], (long long)a->n,
			 dec_format_fixed(money, mean_cost(s, a), 5), (long long)a->late);
		if (p == P_OFFLINE)
			str_addf(out, " %14s", "-");
		else
			str_addf(out, " %14.2f", (double)a->interruptions / (double)a->n);
		spot_percent(out, above(s, (enum spot_sim_policy)p, P_OFFLINE));
		spot_percent(out, above(s, (enum spot_sim_policy)p, P_UNIFORM));
		str_addc(out, '\n');
	}
	if (s->want[P_OFFLINE])
		str_addz(out, "\noffline knows every tick beforehand: the bound, not a policy.\n");
}
