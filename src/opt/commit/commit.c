/*
 * Commitments bought from day to day.
 *
 *   min  sum_t (fees paid in hour t + uncovered demand of hour t)
 *        fee of a unit: rate an hour over its term, used or not; uncovered demand costs 1 an hour
 *   a purchase at hour t may depend on the demand of the hours before t only
 *
 * Once a day, for every further unit on top of what is held, the rule asks two things of a forecast
 * P(demand k hours ahead >= level), and one of the past:
 *
 *   now:  P of the coming days >= rate: the unit pays for itself now (waiting a day would lose money)
 *   term: mean over its term of P >= rate + margin (1 - rate): it will keep doing so, with a margin
 *         for what nobody can know
 *   seen: hours of the last 28 days with demand >= level at least
 *         min(14 days, (1/20 + 15 f (1 - share of these hours)) rate term)
 *         f = what the days fell below the day before, of all demand, at most a tenth
 *
 * All units that pass are bought. The term counts the level above what is still held at that time,
 * so a unit bought today also steps in for those whose terms end; hours that an ended term covered
 * count as seen, so these are replaced at once.
 *
 * The third question is break-even with a prediction (Kumar, Purohit & Svitkina, NeurIPS 2018, for
 * renting skis): where the forecast says "buy", a part of the fee must have been missed before it
 * is believed. The part is a twentieth where demand has always been at the level, or never fell (a
 * new team), and grows as it comes and goes: a burst of three days no longer buys three months.
 *
 * The forecast mixes two histories, P = phi^k S_day + (1 - phi^k) S_month: the shares of hours at
 * or above the level in the last day and in the last 28 days. phi is the persistence of the daily
 * level, a regression of each day on the one before: where levels come and go (phi small) the month
 * decides, where they stay (a new team, a decline) the last day does. The day is widened by a
 * random walk of the logarithm, as wide as days a week apart have differed.
 *
 * Wang, Li & Liang (ICAC 2013; IEEE TPDS 26, 2015) prove 2 for buying when the past would have paid
 * ("break-even"); their rule reads only the past, and so regrets a full break-even at each rise and
 * none of the decline. Ours adds the forecast and a margin, and waits for a part of what they wait
 * for; it keeps no worst-case bound, as the forecast may also say "do not buy" for ever. The rules
 * of providers are quantiles of the last 7, 30 or 60 days (commit_rules.c runs these and Wang's
 * beside it).
 */
#include "opt/commit/commit.h"
#include <assert.h>
#include <math.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "opt/commit/commit_in.h"

/*
 * Chosen on the broad flat part of a grid (docs/ALGORITHMS.md): halving or doubling one of them
 * moves the mean ratio by less than 0.02; the margin is the one that matters most.
 */
#define DAY         24
#define MONTH       (28 * DAY) /* four whole weeks: every hour of the week counts alike */
#define MARGIN_FRAC 0.5        /* half-way between break-even and certainty */
#define NEAR_DAYS   2          /* "now" looks so far ahead */
/* of the fee of a unit, in hours on demand: must have been seen of any level ... */
#define SEEN_FRAC 0.05
/* ... and of one that was hardly ever used, where demand falls much from day to day */
#define SEEN_FLEETING_FRAC 1.5
/* of all demand, between two days: that is much; also what is assumed, for three days */
#define MUCH_FALL       0.1
#define PRIOR_FALL_DAYS 3
/* nobody waits for months where two weeks were all used */
#define SEEN_MOST_H (14 * DAY)
/* log-volatility of the level over a day, where history is short ... */
#define PRIOR_WALK      0.1
#define PRIOR_WALK_DAYS 1.0  /* ... and how many days of evidence that is worth */
#define WALK_LAG        7    /* days between two levels compared: weeks with weeks */
#define WALK_FRAC_MAX   0.25 /* a ramp is no walk: it would hide the level it comes to */
/* with no history, levels are taken to stay; this many days of evidence count as much */
#define PRIOR_DAYS  7
#define TERM_POINTS 64 /* the mean over a term is taken at so many instants */

/* Gauss-Hermite, five points: nodes and weights of the standard normal (Abramowitz & Stegun
 * 25.4.46, table 25.10) */
static const double node[5] = { -2.8569700138728, -1.3556261799743, 0, 1.3556261799743,
				2.8569700138728 };
static const double weight[5] = { 0.0112574113277, 0.2220759220056, 0.5333333333333,
				  0.2220759220056, 0.0112574113277 };

struct window { /* the last `size` hours, in order of time and sorted */
	size_t size, n, at;
	double *ring, *sorted;
};

struct commit {
	struct commit_term term[COMMIT_MAX_TERMS];
	size_t nterm;
	size_t order[COMMIT_MAX_TERMS], norder; /* of those worth asking: the cheapest rate first */
	int64_t now;                            /* hours seen */
	int64_t longest;                        /* of the terms */
	/* ring of longest + 1 hours: units in force at hour h, at h % (longest + 1) */
	double *held;
	struct window day, month;
	double persistence, walk, fall; /* of the daily level; see the functions */
};

/* ---- windows ----------------------------------------------------------------------------- */

static void window_init(struct window *w, size_t size)
{
	*w = (struct window){ .size = size,
			      .ring = xcalloc(size, sizeof(double)),
			      .sorted = xcalloc(size, sizeof(double)) };
}

/* First index of the sorted values that is >= v. */
static size_t lower_bound(const struct window *w, double v)
{
	return first_where(i, w->n, w->sorted[i] >= v);
}

static void window_add(struct window *w, double v)
{
	size_t i;
	if (w->n == w->size) {
		i = lower_bound(w, w->ring[w->at]);
		memmove(w->sorted + i, w->sorted + i + 1, (--w->n - i) * sizeof(double));
	}
	i = lower_bound(w, v);
	memmove(w->sorted + i + 1, w->sorted + i, (w->n++ - i) * sizeof(double));
	w->sorted[i] = v;
	w->ring[w->at] = v;
	w->at = (w->at + 1) % w->size;
}

static double share_at_least(const struct window *w, double level)
{
	if (level <= 0)
		return 1;
	return (double)(w->n - lower_bound(w, level)) / (double)w->n;
}

/* ---- forecast ---------------------------------------------------------------------------- */

/* Slope of the regression of a day's sum on the day before, drawn to 1 while there are few. */
static double day_persistence(const double *sum, size_t days)
{
	double ax = 0, ay = 0, xx = 0, xy = 0, n = (double)days - 1;
	if (days < 3)
		return 1;
	for (size_t i = 0; i + 1 < days; i++) {
		ax += sum[i] / n;
		ay += sum[i + 1] / n;
	}
	for (size_t i = 0; i + 1 < days; i++) {
		xx += (sum[i] - ax) * (sum[i] - ax);
		xy += (sum[i] - ax) * (sum[i + 1] - ay);
	}
	double phi = ((xx > 0 ? xy / xx : 1) * n + PRIOR_DAYS) / (n + PRIOR_DAYS);
	return clamp_double(phi, 0.01, 0.999);
}

/* Standard deviation of the level's logarithm over a day, from days a week apart: what comes and
 * goes within the week is no walk. */
static double day_deviation(const double *sum, size_t days)
{
	double square = PRIOR_WALK_DAYS * PRIOR_WALK * PRIOR_WALK, n = PRIOR_WALK_DAYS;
	for (size_t i = WALK_LAG; i < days; i++) {
		if (!(sum[i] > 0 && sum[i - WALK_LAG] > 0))
			continue;
		double d = log(sum[i] / sum[i - WALK_LAG]);
		square += d * d / WALK_LAG;
		n++;
	}
	return fmin(sqrt(square / n), WALK_FRAC_MAX);
}

/* What the days fell below the day before, as a share of all demand: 0 where it only grows. */
static double day_fall(const double *sum, size_t days)
{
	double all = 0, fell = 0;
	for (size_t i = 0; i < days; i++) {
		all += sum[i];
		if (i)
			fell += fmax(0, sum[i - 1] - sum[i]);
	}
	double prior = 0;
	if (days)
		prior = PRIOR_FALL_DAYS * all / (double)days;
	if (all > 0)
		return (fell + MUCH_FALL * prior) / (all + prior);
	return MUCH_FALL;
}

double commit_chance(struct commit *c, double level, double hours_ahead)
{
	double days = hours_ahead / DAY, stays = pow(c->persistence, days),
	       wide = c->walk * sqrt(days), p = 0;
	if (c->now < DAY)
		return NAN;
	for (int i = 0; i < 5; i++)
		p += weight[i] * share_at_least(&c->day, level * exp(-wide * node[i]));
	return stays * p + (1 - stays) * share_at_least(&c->month, level);
}

static double held_at(const struct commit *c, int64_t hour)
{
	if (hour - c->now > c->longest)
		return 0;
	return c->held[hour % (c->longest + 1)];
}

static int64_t step_of(int64_t term_h)
{
	return (term_h + TERM_POINTS * DAY - 1) / (TERM_POINTS * DAY) * DAY;
}

static double mean_used(const struct window *w, double by, double level)
{
	double sum = 0;
	for (size_t i = 0; i < w->n; i++)
		sum += fmin(1, w->sorted[i] * by / level);
	return sum / (double)w->n;
}

/* Mean over the term of the chance that one unit above `add` and what is then held is used. */
static double term_use(struct commit *c, int64_t term_h, double add, bool beside_held)
{
	int64_t step = step_of(term_h);
	double sum = 0;
	int n = 0;
	for (int64_t h = 0; h < term_h; h += step, n++) {
		int64_t mid = 0;
		if (h + step / 2 < term_h)
			mid = step / 2;
		sum += commit_chance(c, add + (beside_held ? held_at(c, c->now + h + mid) : 0),
				     (double)h + DAY / 2);
	}
	return sum / n;
}

static bool pays_now(const struct commit *c, double level, double rate)
{
	double stays = pow(c->persistence, NEAR_DAYS);
	return stays * share_at_least(&c->day, level) +
		       (1 - stays) * share_at_least(&c->month, level) >=
	       rate;
}

static double needed_rate(double rate)
{
	return rate + MARGIN_FRAC * (1 - rate);
}

/* Hours with demand at the level were enough to believe that they will come again. */
static bool is_seen(const struct commit *c, double level, const struct commit_term *t)
{
	double share = share_at_least(&c->month, level), seen_h = share * (double)c->month.n,
	       fleeting = (1 - share) * fmin(1, c->fall / MUCH_FALL),
	       part = SEEN_FRAC + SEEN_FLEETING_FRAC * fleeting;
	return seen_h >= fmin(SEEN_MOST_H, part * t->rate_frac * (double)t->hours);
}

double commit_term_chance(struct commit *c, double level, int64_t term_h)
{
	if (c->now < DAY)
		return NAN;
	return term_use(c, term_h, level, false);
}

double commit_supported_level(struct commit *c, const struct commit_term *t)
{
	double lo = 0, hi = 0;
	if (c->now >= DAY)
		hi = c->month.sorted[c->month.n - 1];
	for (int i = 0; i < 50 && hi - lo > 1e-6; i++) {
		double mid = (lo + hi) / 2;
		bool ok = is_seen(c, mid, t) && pays_now(c, mid, t->rate_frac) &&
			  term_use(c, t->hours, mid, false) >= needed_rate(t->rate_frac);
		*(ok ? &lo : &hi) = mid;
	}
	return lo;
}

double commit_used_frac(struct commit *c, const struct commit_term *t, double level, double z)
{
	double sum = 0;
	int n = 0;
	if (c->now < DAY || level <= 0)
		return NAN;
	for (int64_t h = 0; h < t->hours; h += step_of(t->hours), n++) {
		double days = (double)h / DAY + 0.5, stays = pow(c->persistence, days),
		       by = exp(z * c->walk * sqrt(days));
		sum += stays * mean_used(&c->day, by, level) +
		       (1 - stays) * mean_used(&c->month, by, level);
	}
	return sum / n;
}

void commit_set_walk(struct commit *c, double day)
{
	c->walk = fmin(day, WALK_FRAC_MAX);
}

double commit_persistence(const struct commit *c)
{
	if (c->now < DAY)
		return NAN;
	return c->persistence;
}

/* ---- from hour to hour ------------------------------------------------------------------- */

struct commit *commit_new(const struct commit_term *term, size_t nterm)
{
	struct commit *c = xcalloc(1, sizeof *c);
	assert(nterm <= COMMIT_MAX_TERMS);
	c->nterm = nterm;
	for (size_t i = 0; i < nterm; i++) {
		c->term[i] = term[i];
		c->longest = max_i64(term[i].hours, c->longest);
	}

	/* Terms that others beat are never asked. */
	for (size_t i = 0; i < c->nterm; i++) {
		size_t at = c->norder;
		if (commit_is_beaten(c->term, c->nterm, i))
			continue;
		for (; at && c->term[c->order[at - 1]].rate_frac > c->term[i].rate_frac; at--)
			c->order[at] = c->order[at - 1];
		c->order[at] = i;
		c->norder++;
	}

	c->held = xcalloc((size_t)c->longest + 1, sizeof(double));
	c->persistence = 1;
	c->walk = PRIOR_WALK;
	c->fall = MUCH_FALL;
	window_init(&c->day, DAY);
	window_init(&c->month, MONTH);
	return c;
}

void commit_free(struct commit *c)
{
	if (!c)
		return;
	free(c->held);
	free(c->day.ring);
	free(c->day.sorted);
	free(c->month.ring);
	free(c->month.sorted);
	free(c);
}

void commit_held(struct commit *c, int64_t units, int64_t hours_left)
{
	for (int64_t h = c->now; h < c->now + hours_left && h <= c->now + c->longest; h++)
		c->held[h % (c->longest + 1)] += (double)units;
}

void commit_observe(struct commit *c, double demand)
{
	window_add(&c->day, demand);
	window_add(&c->month, demand);
	/* that slot is now the hour after the longest term */
	c->held[c->now % (c->longest + 1)] = 0;
	if (++c->now % DAY == 0) {
		double sum[MONTH / DAY];

		/* Sums of the whole days in the window, in order of time; days: how many. */
		const struct window *m = &c->month;
		size_t days = m->n / DAY, first = (m->at + m->size - days * DAY) % m->size;
		for (size_t i = 0; i < days; i++) {
			sum[i] = 0;
			for (size_t k = 0; k < DAY; k++)
				sum[i] += m->ring[(first + i * DAY + k) % m->size];
		}

		c->persistence = day_persistence(sum, days);
		c->walk = day_deviation(sum, days);
		c->fall = day_fall(sum, days);
	}
}

/* The cheapest rate gets the lowest, surest levels; each more expensive (shorter) one what it
 * supports beyond, and what the cheaper one waits to see but not long enough to matter. */
int64_t commit_decide(struct commit *c, int64_t *ret_units)
{
	int64_t bought = 0, waiting[COMMIT_MAX_TERMS];
	for (size_t i = 0; i < c->nterm; i++)
		ret_units[i] = 0;
	if (c->now < DAY || c->now % DAY)
		return 0;
	for (size_t k = 0; k < c->norder; k++) {
		const struct commit_term *t = &c->term[c->order[k]];
		int64_t ahead = 0;
		for (size_t j = 0; j < k; j++) {
			/* Two weeks on demand and then the cheaper term cost less than the more
			 * expensive one now. */
			if ((t->rate_frac - c->term[c->order[j]].rate_frac) * (double)t->hours >
			    (1 - c->term[c->order[j]].rate_frac) * SEEN_MOST_H)
				ahead += waiting[j];
		}

		/* The most units beside what is held, and `ahead` of them, that pay by the
		 * forecast. Both questions fall with the level, so a bisection finds it. */
		double held = held_at(c, c->now) + (double)ahead,
		       top = c->month.sorted[c->month.n - 1];
		/* lo passes, hi does not */
		int64_t lo = 0, hi = 0;
		if (top > held)
			hi = (int64_t)(top - held) + 1;
		while (hi - lo > 1) {
			int64_t mid = lo + (hi - lo) / 2;
			if (pays_now(c, held + (double)mid, t->rate_frac) &&
			    term_use(c, t->hours, (double)(ahead + mid), true) >=
				    needed_rate(t->rate_frac))
				lo = mid;
			else
				hi = mid;
		}
		int64_t units = lo;

		/* Of these, the most that were seen for long enough. */
		for (lo = 0, hi = units + 1; hi - lo > 1;) {
			int64_t mid = lo + (hi - lo) / 2;
			if (is_seen(c, held + (double)mid, t))
				lo = mid;
			else
				hi = mid;
		}
		int64_t now = lo;

		waiting[k] = units - now;
		ret_units[c->order[k]] = now;
		bought += now;
		commit_held(c, now, t->hours);
	}
	return bought;
}
