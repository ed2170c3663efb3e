/* The head of the plan as text: today, after, and what each tier of it brings. */
#include "base/num.h"
#include "base/str.h"
#include "report/plan/plan_formats.h"

#include <math.h>

#include "report/text.h"

#define TIER_SAVES 41 /* the column in which amounts of tiers end */
#define TIER_AFTER 12 /* columns of "-58 %" behind it */

void plan_two_columns(struct str *out, const char *left, const char *right, int width)
{
	size_t from = out->n;

	str_addz(out, left);
	int at = 44;
	if (text_width(sv_of(left)) + 2 > 44)
		at = text_width(sv_of(left)) + 2;
	if (at + text_width(sv_of(right)) > width || !*right) {
		str_addz(out, text_if(*right, "\n"));
		from = out->n;
		str_addz(out, text_if(*right, "           "));
	} else {
		text_pad_to(out, from, 44);
	}
	str_addf(out, "%s\n", right);
}

void plan_put_next(const char *one, const char *two, int width, struct str *out)
{
	bool fits = text_width(sv_of(one)) + 4 + text_width(sv_of(two)) <= width;

	str_addf(out, "\n%s%s%s\n", one, fits ? "    " : "\n", two);
}

/* "$" of "$/month (730 h)" and "$/month". */
static const char *unit_up_to(struct arena *a, const struct plan *p, const char *end)
{
	const char *unit = plan_unit(a, p);

	return arena_printf(a, "%.*s", (int)strcspn(unit, end), unit);
}

const char *plan_currency_sign(struct arena *a, const struct plan *p)
{
	return unit_up_to(a, p, "/");
}

#define RECENT_FRAC 20 /* a twentieth more or less is worth a word */

const char *plan_recent(struct arena *a, const struct plan *p)
{
	dec off = p->recent_month - p->baseline_month;

	if (!p->has_recent || !plan_knows_cost(p))
		return "";
	if ((off < 0 ? -off : off) * RECENT_FRAC < p->baseline_month)
		return "";
	return arena_printf(a, "the mean of %.0f days; the last %d came to %s %s",
			    p->window_hours / 24, RECENT_DAYS,
			    plan_money(a, p->recent_month, plan_digits(p)), unit_up_to(a, p, " "));
}

void plan_put_head(struct arena *a, const struct plan_view *v, int width, struct str *out)
{
	const struct plan *p = v->plan;
	int digits = plan_digits(p);
	const char *today = plan_knows_cost(p) ? plan_money(a, p->baseline_month, digits) : "-",
		   *after = plan_money(a, p->after_month, digits);
	int w = text_width(sv_of(today)) > text_width(sv_of(after)) ? text_width(sv_of(today))
								    : text_width(sv_of(after));

	plan_two_columns(out, arena_printf(a, "Today      %*s %s", w, today, plan_unit(a, p)),
			 plan_replayed(a, p), width);
	if (*plan_recent(a, p))
		str_addf(out, "           %s\n", plan_recent(a, p));
	if (!p->rec.v.n || p->undecidable)
		return;

	/* "9 of 10 cases: -56 to -68 %" or "" */
	const char *cases = "", *lo = plan_percent(a, p->saving_frac_p05),
		   *hi = plan_percent(a, p->saving_frac_p95);
	if (strcmp(lo, hi) != 0)
		cases = arena_printf(a, "9 of 10 cases: %.*s to %s", (int)strcspn(lo, " "), lo, hi);
	plan_two_columns(out,
			 arena_printf(a, "After all  %*s %s   %s", w, after, unit_up_to(a, p, " "),
				      plan_percent(a, plan_frac(p, plan_saving(p)))),
			 cases, width);
}

/* ---- tiers ------------------------------------------------------------------------------- */

static const char *const tier_means[TIER_N] = {
	[TIER_SURE] = "(can be undone)",
	[TIER_TRIAL] = "(a trial decides)",
	[TIER_BINDS] = "(binds money)",
};
static const char *const tier_short[TIER_N] = {
	[TIER_SURE] = "Ready",
	[TIER_TRIAL] = "Try",
	[TIER_BINDS] = "Commit",
};

const char *plan_tier_means(enum tier t)
{
	return tier_means[t];
}

const char *plan_tier_short(enum tier t)
{
	return tier_short[t];
}

/* For how long what a tier commits to binds; "" where nothing says so. */
static const char *how_long(const struct plan *p, enum tier t)
{
	int64_t least = INT64_MAX, most = 0;

	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		for (size_t k = 0; r->tier == t && k < r->action.n; k++) {
			int64_t h = r->action.v[k].commit.term_h;
			if (r->action.v[k].kind != ACTION_COMMIT)
				continue;
			least = min_i64(h, least);
			most = max_i64(h, most);
		}
	}
	if (!most)
		return "";
	if (least != most)
		return " over their terms";
	if (most < 2 * 8760)
		return " for a year";
	return " for three years";
}

/* What is left as it is printed: differences of these add up. */
static dec tier_left(const struct plan *p, int t)
{
	return plan_round(t < 0 ? p->baseline_month : p->tier[t].after_month, plan_digits(p));
}

dec plan_tier_shown(const struct plan *p, enum tier t)
{
	return tier_left(p, (int)t - 1) - tier_left(p, (int)t);
}

const char *plan_tier_binds(struct arena *a, const struct plan *p, enum tier t)
{
	if (p->tier[t].bound_nano <= 0)
		return arena_printf(a, "%s", "");
	return arena_printf(a, "binds %s %s%s",
			    plan_money(a, nano_to_dec(p->tier[t].bound_nano), plan_digits(p)),
			    plan_currency_sign(a, p), how_long(p, t));
}

static void put_right(struct str *out, size_t from, int end, const char *z)
{
	text_pad_to(out, from, end - text_width(sv_of(z)));
	str_addz(out, z);
}

void plan_put_tiers(struct arena *a, const struct plan_view *v, int width, struct str *out)
{
	size_t from = out->n;

	put_right(out, from, TIER_SAVES, arena_printf(a, "saves %s", unit_up_to(a, v->plan, " ")));
	put_right(out, from, TIER_SAVES + TIER_AFTER - 1, "after it");
	str_addc(out, '\n');
	for (enum tier t = 0; t < TIER_N; t++) {
		const struct plan *p = v->plan;
		const struct plan_tier *k = &p->tier[t];
		const char *binds = plan_tier_binds(a, p, t);
		size_t start = out->n;

		str_addf(out, "  %-11s %s", tier_label(t), tier_means[t]);
		put_right(out, start, TIER_SAVES,
			  k->items ? plan_money(a, plan_tier_shown(p, t), plan_digits(p)) : "-");
		put_right(
			out, start, TIER_SAVES + TIER_AFTER,
			k->items ? plan_percent(a, plan_frac(p, p->baseline_month - k->after_month))
				 : "-");
		if (*binds) {
			int w = text_width((struct sv){ str_z(out) + start, out->n - start });
			if (w + 3 + text_width(sv_of(binds)) > width)
				str_addf(out, "\n%*s", 14, "");
			else
				str_addz(out, "   ");
			str_addz(out, binds);
		}
		str_addc(out, '\n');
	}
}
