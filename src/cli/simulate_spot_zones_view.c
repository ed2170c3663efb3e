/* See simulate_spot_zones.h: how it is told. */
#include <math.h>
#include "cli/simulate_spot_zones_in.h"

static double mean_of(const struct group *g, int p)
{
	return g->of[p].usd / (double)g->of[p].n;
}

/* Mean of the groups' means. */
static double mean(const struct zones *s, int p)
{
	double sum = 0;

	for (size_t i = 0; i < s->n; i++)
		sum += mean_of(&s->g[i], p);
	return sum / (double)s->n;
}

static struct sum total(const struct zones *s, int p)
{
	struct sum t = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		t.n += s->g[i].of[p].n;
		t.late += s->g[i].of[p].late;
		t.interruptions += s->g[i].of[p].interruptions;
		t.restarts += s->g[i].of[p].restarts;
		t.moves += s->g[i].of[p].moves;
	}
	return t;
}

static double above(const struct zones *s, int p, int base)
{
	return s->ask->want[base] && mean(s, base) > 0 ? mean(s, p) / mean(s, base) - 1 : NAN;
}

static void put_counts(struct jw *w, const struct sum *t, double usd, bool counts)
{
	jw_key(w, "scenarios");
	jw_int(w, t->n);
	jw_key(w, "mean_cost");
	jw_dec(w, dec_from_double(usd));
	jw_key(w, "late");
	jw_int(w, t->late);
	if (!counts)
		return;
	jw_key(w, "interruptions_mean");
	jw_num(w, (double)t->interruptions / (double)t->n, 3);
	jw_key(w, "restarts_mean");
	jw_num(w, (double)t->restarts / (double)t->n, 3);
	jw_key(w, "moves_mean");
	jw_num(w, (double)t->moves / (double)t->n, 3);
}

void spot_zones_json(struct jw *w, const void *ctx, int p)
{
	const struct zones *s = ctx;
	struct sum t = total(s, p);

	jw_obj(w);
	jw_key(w, "policy");
	jw_str(w, s->ask->name[p]);
	put_counts(w, &t, mean(s, p), p != ZP_OFFLINE);
	jw_key(w, "above_bound_frac");
	jw_num(w, above(s, p, ZP_OFFLINE), 6);
	jw_key(w, "below_uniform_frac");
	jw_num(w, -above(s, p, ZP_UNIFORM), 6);
	jw_key(w, "by");
	jw_arr(w);
	for (size_t i = 0; i < s->n; i++) {
		jw_obj(w);
		jw_key(w, "zones");
		jw_arr(w);
		for (size_t z = 0; z < s->g[i].nzone; z++)
			jw_str(w, s->g[i].zone[z]);
		jw_end_arr(w);
		put_counts(w, &s->g[i].of[p], mean_of(&s->g[i], p), p != ZP_OFFLINE);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void put_groups(const struct zones *s, struct str *out)
{
	str_addf(out, "\n%-56s %5s", "zones together, mean $/task", "runs");
	for (int p = 0; p < ZP_N; p++)
		if (s->ask->want[p])
			str_addf(out, " %10s", s->ask->name[p]);
	str_addc(out, '\n');
	for (size_t i = 0; i < s->n; i++) {
		struct sv rest, names = sv_cut(s->g[i].text, '=', &rest);
		str_addf(out, "%-56.*s %5lld", SVF(names),
			 (long long)(s->g[i].to - s->g[i].from + 1));
		for (int p = 0; p < ZP_N; p++)
			if (s->ask->want[p])
				str_addf(out, " %10.2f", mean_of(&s->g[i], p));
		str_addc(out, '\n');
	}
}

void spot_zones_text(const struct zones *s, struct str *out)
{
	str_addf(out, "%-10s %10s %16s %6s %14s %10s %10s %10s\n", "policy", "scenarios",
		 "mean $/task", "late", "interruptions", "moves", "to bound", "to uniform");
	for (int p = 0; p < ZP_N; p++) {
		struct sum t = total(s, p);
		char money[DEC_BUF];
		if (!s->ask->want[p])
			continue;
		str_addf(out, "%-10s %10lld %16s %6lld", s->ask->name[p], (long long)t.n,
			 dec_format_fixed(money, dec_from_double(mean(s, p)), 5),
			 (long long)t.late);
		if (p == ZP_OFFLINE)
			str_addf(out, " %14s %10s", "-", "-");
		else
			str_addf(out, " %14.2f %10.2f", (double)t.interruptions / (double)t.n,
				 (double)t.moves / (double)t.n);
		spot_percent(out, above(s, p, ZP_OFFLINE));
		spot_percent(out, above(s, p, ZP_UNIFORM));
		str_addc(out, '\n');
	}
	put_groups(s, out);
	if (s->ask->want[ZP_OFFLINE])
		str_addz(
			out,
			"\nThe mean is that of the groups' means. offline knows every tick beforehand: the bound, not a policy.\n");
}
