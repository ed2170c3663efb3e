#include "report/simulate_spot.h"

#include <math.h>

#include "base/jw.h"

/* ---- JSON -------------------------------------------------------------------------------- */

static void begin_policies(struct jw *w, struct str *out)
{
	jw_init(w, out, 0);
	jw_obj(w);
	jw_put_str(w, "schema", "tare.simulate-spot/1");
	jw_put_str(w, "currency", "USD");
	jw_key(w, "policies");
	jw_arr(w);
}

static void end_policies(struct jw *w, struct str *out)
{
	jw_end_arr(w);
	jw_end_obj(w);
	str_addc(out, '\n');
}

static void put_cost(struct jw *w, int64_t runs, dec mean_usd, int64_t late)
{
	jw_key(w, "scenarios");
	jw_int(w, runs);
	jw_put_dec(w, "mean_cost", true, mean_usd);
	jw_key(w, "late");
	jw_int(w, late);
}

static void put_mean(struct jw *w, const char *key, int64_t sum, int64_t n)
{
	jw_put_num(w, key, (double)sum / (double)n, 3);
}

static void put_sum(struct jw *w, const struct simulate_spot_sum *a)
{
	put_cost(w, a->n, a->mean_usd, a->late);
}

static void put_above(struct jw *w, double bound_frac, double uniform_frac)
{
	jw_put_num(w, "above_bound_frac", bound_frac, 6);
	jw_put_num(w, "below_uniform_frac", -uniform_frac, 6);
}

static void put_score(struct jw *w, const struct simulate_spot *a,
		      const struct simulate_spot_score *x)
{
	jw_obj(w);
	jw_put_str(w, "policy", x->policy);
	put_sum(w, &x->all);
	if (!x->is_bound) {
		put_mean(w, "interruptions_mean", x->all.interruptions, x->all.n);
		put_mean(w, "restarts_mean", x->all.restarts, x->all.n);
	}
	put_above(w, x->above_bound_frac, x->above_uniform_frac);
	for (int h = 0; h < 2 && a->has_halves; h++) {
		jw_key(w, h ? "odd_windows" : "even_windows");
		jw_obj(w);
		put_sum(w, &x->half[h]);
		jw_end_obj(w);
	}
	jw_key(w, "by");
	jw_arr(w);
	for (size_t i = 0; i < a->ncell; i++) {
		jw_obj(w);
		jw_put_num(w, "restart_h", (double)a->cell[i].restart_ms / 3.6e6, 6);
		jw_put_num(w, "deadline_h", (double)a->cell[i].deadline_ms / 3.6e6, 6);
		put_sum(w, &x->by[i]);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void put_zones_sum(struct jw *w, const struct simulate_zones_sum *t, bool is_bound)
{
	put_cost(w, t->n, dec_from_double(t->mean_usd), t->late);
	if (is_bound)
		return;
	put_mean(w, "interruptions_mean", t->interruptions, t->n);
	put_mean(w, "restarts_mean", t->restarts, t->n);
	put_mean(w, "moves_mean", t->moves, t->n);
}

static void put_zones_score(struct jw *w, const struct simulate_zones *a,
			    const struct simulate_zones_score *x)
{
	jw_obj(w);
	jw_put_str(w, "policy", x->policy);
	put_zones_sum(w, &x->all, x->is_bound);
	put_above(w, x->above_bound_frac, x->above_uniform_frac);
	jw_key(w, "by");
	jw_arr(w);
	for (size_t i = 0; i < a->ngroup; i++) {
		jw_obj(w);
		jw_key(w, "zones");
		jw_arr(w);
		for (size_t z = 0; z < a->group[i].nzone; z++)
			jw_str(w, a->group[i].zone[z]);
		jw_end_arr(w);
		put_zones_sum(w, &x->by[i], x->is_bound);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

/* ---- table ------------------------------------------------------------------------------- */

static void put_percent(struct str *out, double frac)
{
	if (isnan(frac))
		str_addf(out, " %10s", "-");
	else
		str_addf(out, " %+9.2f%%", frac * 100);
}

static void put_first(struct str *out, const char *policy, int64_t runs, dec mean_usd, int64_t late)
{
	char money[DEC_BUF];

	str_addf(out, "%-10s %10lld %16s %6lld", policy, (long long)runs,
		 dec_format_fixed(money, mean_usd, 5), (long long)late);
}

static void put_last(struct str *out, double bound_frac, double uniform_frac)
{
	put_percent(out, bound_frac);
	put_percent(out, uniform_frac);
	str_addc(out, '\n');
}

static void print_table(const struct simulate_spot *a, struct str *out)
{
	bool has_bound = false;

	str_addf(out, "%-10s %10s %16s %6s %14s %10s %10s\n", "policy", "scenarios", "mean $/task",
		 "late", "interruptions", "to bound", "to uniform");
	for (size_t i = 0; i < a->n; i++) {
		const struct simulate_spot_score *x = &a->score[i];
		put_first(out, x->policy, x->all.n, x->all.mean_usd, x->all.late);
		if (x->is_bound)
			str_addf(out, " %14s", "-");
		else
			str_addf(out, " %14.2f", (double)x->all.interruptions / (double)x->all.n);
		put_last(out, x->above_bound_frac, x->above_uniform_frac);
		has_bound |= x->is_bound;
	}
	if (has_bound)
		str_addz(out, "\noffline knows every tick beforehand: the bound, not a policy.\n");
}

static void put_groups(const struct simulate_zones *a, struct str *out)
{
	str_addf(out, "\n%-56s %5s", "zones together, mean $/task", "runs");
	for (size_t p = 0; p < a->n; p++)
		str_addf(out, " %10s", a->score[p].policy);
	str_addc(out, '\n');
	for (size_t i = 0; i < a->ngroup; i++) {
		str_addf(out, "%-56s %5lld", a->group[i].label, (long long)a->group[i].windows);
		for (size_t p = 0; p < a->n; p++)
			str_addf(out, " %10.2f", a->score[p].by[i].mean_usd);
		str_addc(out, '\n');
	}
}

static void print_zones_table(const struct simulate_zones *a, struct str *out)
{
	bool has_bound = false;

	str_addf(out, "%-10s %10s %16s %6s %14s %10s %10s %10s\n", "policy", "scenarios",
		 "mean $/task", "late", "interruptions", "moves", "to bound", "to uniform");
	for (size_t i = 0; i < a->n; i++) {
		const struct simulate_zones_score *x = &a->score[i];
		put_first(out, x->policy, x->all.n, dec_from_double(x->all.mean_usd), x->all.late);
		if (x->is_bound)
			str_addf(out, " %14s %10s", "-", "-");
		else
			str_addf(out, " %14.2f %10.2f",
				 (double)x->all.interruptions / (double)x->all.n,
				 (double)x->all.moves / (double)x->all.n);
		put_last(out, x->above_bound_frac, x->above_uniform_frac);
		has_bound |= x->is_bound;
	}
	put_groups(a, out);
	if (has_bound)
		str_addz(
			out,
			"\nThe mean is that of the groups' means. offline knows every tick beforehand: the bound, not a policy.\n");
}

/* ------------------------------------------------------------------------------------------ */

void simulate_spot_print(const struct simulate_spot *a, const struct out_as *as, struct str *out)
{
	struct jw w;

	if (as->format != OUT_JSON) {
		print_table(a, out);
		return;
	}
	begin_policies(&w, out);
	for (size_t i = 0; i < a->n; i++)
		put_score(&w, a, &a->score[i]);
	end_policies(&w, out);
}

void simulate_zones_print(const struct simulate_zones *a, const struct out_as *as, struct str *out)
{
	struct jw w;

	if (as->format != OUT_JSON) {
		print_zones_table(a, out);
		return;
	}
	begin_policies(&w, out);
	for (size_t i = 0; i < a->n; i++)
		put_zones_score(&w, a, &a->score[i]);
	end_policies(&w, out);
}
