/*
 * Commitments bought from day to day.
 *
 *   min  sum_t (fees paid in hour t + uncovered demand of hour t)
 *        fee of a unit: rate an hour over its term, used or not; uncovered demand costs 1 an hour
 *   a purchase at hour t may depend on the demand of the hours before t only
 *
 * Once a day, for every further unit on top of what is held, the rule asks two things of a forecast
 * P(demand k hours ahead >= level):
 *
 *   now: P of the coming days >= rate the unit pays for itself now (waiting a day would lose money)
 *   term: mean over its term of P >= rate + margin (1 - rate) and it will keep doing so, with a
 *   margin for what nobody can know
 *
 * The term counts the level above what is still held at that time, so a unit bought today also
 * steps in for those whose terms end. Of what passes both, what replaces a term that has just ended
 * is bought at once, of the rest three quarters each day: a spike of one day does not fill the
 * house, and terms end one after the other.
 *
 * The forecast mixes two histories, P = phi^k S_day + (1 - phi^k) S_month: the shares of hours at
 * or above the level in the last day and in the last 28 days. phi is the persistence of the daily
 * level, a regression of each day on the one before: where levels come and go (phi small) the month
 * decides, where they stay (a new team, a decline) the last day does. The day is widened by a
 * random walk of the logarithm, as wide as days a week apart have differed.
 *
 * Wang, Li & Liang (ICAC 2013; IEEE TPDS 26, 2015) prove 2 for buying when the past would have paid
 * ("break-even"); their rule reads only the past, and so regrets a full break-even at each rise and
 * none of the decline. Ours adds the forecast and a margin; it keeps no worst-case bound. The rules
 * of providers are quantiles of the last 7, 30 or 60 days (commit_rules.c runs these and Wang's
 * beside it).
 */
#include "opt/commit.h"
#include <assert.h>
#include <math.h>
#include "base/mem.h"
#include "opt/commit_in.h"

/*
 * Chosen on the broad flat part of a grid over 8 rows of two traces and 128 of others
 * (docs/ALGORITHMS.md): halving or doubling one of them moves the mean ratio by less than 0.02; the
 * margin is the one that matters, 0.25 and 0.75 cost 0.01 and 0.03.
 */
#define DAY         24
#define MONTH       (28 * DAY) /* four whole weeks: every hour of the week counts alike */
#define LADDER_FRAC 0.75       /* of what is missing, each day */
#define MARGIN_FRAC 0.5        /* half-way between break-even and certainty */
#define NEAR_DAYS   5          /* "now" looks so far ahead */
/* log-volatility of the level over a day, where history is short ... */
#define PRIOR_WALK      0.1
#define PRIOR_WALK_DAYS 1.0  /* ... and how many days of evidence that is worth */
#define WALK_LAG        7    /* days between two levels compared: weeks with weeks */
#define MOST_WALK       0.25 /* a ramp is no walk: it would hide the level it comes to */
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
	int64_t now;     /* hours seen */
	int64_t longest; /* of the terms */
	/* ring of longest + 1 hours: units in force at hour h, at h % (longest + 1) */
	double *held;
	struct window day, month;
	double persistence, walk; /* of the daily level; see persistence(), walk() */
	double held_before;       /* just after the last decision */
	double carry;             /* part of a unit not bought yesterday */
};

/* ---- windows ----------------------------------------------------------------------------- */

static void window_init(struct window *w, size_t size)
{
	*w = (struct window){ .size = size,
			      .ring = xcalloc(size, sizeof(double)),
			      .sorted = xcalloc(size, sizeof(double)) };
}

/* First index of the sorted values that is >= v. */
static size_t lower(const struct window *w, double v)
{
	size_t lo = 0, hi = w->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (w->sorted[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void window_add(struct window *w, double v)
{
	size_t i;
	if (w->n == w->size) {
		i = lower(w, w->ring[w->at]);
		memmove(w->sorted + i, w->sorted + i + 1, (--w->n - i) * sizeof(double));
	}
	i = lower(w, v);
	memmove(w->sorted + i + 1, w->sorted + i, (w->n++ - i) * sizeof(double));
	w->sorted[i] = v;
	w->ring[w->at] = v;
	w->at = (w->at + 1) % w->size;
}

static double share_at_least(const struct window *w, double level)
{
	return level <= 0 ? 1 : (double)(w->n - lower(w, level)) / (double)w->n;
}

/* ---- forecast ---------------------------------------------------------------------------- */

/* Sums of the whole days in the window, in order of time; returns how many. */
static size_t day_sums(const struct window *m, double sum[MONTH / DAY])
{
	size_t days = m->n / DAY, first = (m->at + m->size - days * DAY) % m->size;
	for (size_t i = 0; i < days; i++) {
		sum[i] = 0;
		for (size_t k = 0; k < DAY; k++)
			sum[i] += m->ring[(first + i * DAY + k) % m->size];
	}
	return days;
}

/* Slope of the regression of a day's sum on the day before, drawn to 1 while there are few. */
static double persistence(const double *sum, size_t days)
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
	return phi < 0.01 ? 0.01 : phi > 0.999 ? 0.999 : phi;
}

/* Standard deviation of the level's logarithm over a day, from days a week apart: what comes and
 * goes within the week is no walk. */
static double walk(const double *sum, size_t days)
{
	double square = PRIOR_WALK_DAYS * PRIOR_WALK * PRIOR_WALK, n = PRIOR_WALK_DAYS;
	for (size_t i = WALK_LAG; i < days; i++) {
		if (!(sum[i] > 0 && sum[i - WALK_LAG] > 0))
			continue;
		double d = log(sum[i] / sum[i - WALK_LAG]);
		square += d * d / WALK_LAG;
		n++;
	}
	return fmin(sqrt(square / n), MOST_WALK);
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
	return hour - c->now > c->longest ? 0 : c->held[hour % (c->longest + 1)];
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
		int64_t mid = h + step / 2 < term_h ? step / 2 : 0;
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

static double needed(double rate)
{
	return rate + MARGIN_FRAC * (1 - rate);
}

/* The most units beside what is held that pass both questions. Both fall with the level, so a
 * bisection finds it. */
static int64_t supported(struct commit *c, const struct commit_term *t)
{
	double held = held_at(c, c->now), top = c->month.sorted[c->month.n - 1];
	/* lo passes, hi does not */
	int64_t lo = 0, hi = top > held ? (int64_t)(top - held) + 1 : 0;
	while (hi - lo > 1) {
		int64_t mid = lo + (hi - lo) / 2;
		if (pays_now(c, held + (double)mid, t->rate_frac) &&
		    term_use(c, t->hours, (double)mid, true) >= needed(t->rate_frac))
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

double commit_term_chance(struct commit *c, double level, int64_t term_h)
{
	return c->now < DAY ? NAN : term_use(c, term_h, level, false);
}

double commit_supported_level(struct commit *c, const struct commit_term *t)
{
	double lo = 0, hi = c->now < DAY ? 0 : c->month.sorted[c->month.n - 1];
	for (int i = 0; i < 50 && hi - lo > 1e-6; i++) {
		double mid = (lo + hi) / 2;
		bool ok = pays_now(c, mid, t->rate_frac) &&
			  term_use(c, t->hours, mid, false) >= needed(t->rate_frac);
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
	c->walk = fmin(day, MOST_WALK);
}

double commit_persistence(const struct commit *c)
{
	return c->now < DAY ? NAN : c->persistence;
}

/* ---- from hour to hour ------------------------------------------------------------------- */

struct commit *commit_new(const struct commit_term *term, size_t nterm)
{
	struct commit *c = xcalloc(1, sizeof *c);
	assert(nterm <= COMMIT_MAX_TERMS);
	c->nterm = nterm;
	for (size_t i = 0; i < nterm; i++) {
		c->term[i] = term[i];
		c->longest = term[i].hours > c->longest ? term[i].hours : c->longest;
	}
	c->held = xcalloc((size_t)c->longest + 1, sizeof(double));
	c->persistence = 1;
	c->walk = PRIOR_WALK;
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

static void look(struct commit *c)
{
	double sum[MONTH / DAY];
	size_t days = day_sums(&c->month, sum);
	c->persistence = persistence(sum, days);
	c->walk = walk(sum, days);
}

void commit_observe(struct commit *c, double demand)
{
	window_add(&c->day, demand);
	window_add(&c->month, demand);
	/* that slot is now the hour after the longest term */
	c->held[c->now % (c->longest + 1)] = 0;
	if (++c->now % DAY == 0)
		look(c);
}

/* The cheapest rate gets the lowest, surest levels; each dearer (shorter) one what it supports
 * beyond. */
int64_t commit_decide(struct commit *c, int64_t *ret_units)
{
	bool done[COMMIT_MAX_TERMS] = { false };
	int64_t bought = 0;
	for (size_t i = 0; i < c->nterm; i++)
		ret_units[i] = 0;
	if (c->now < DAY || c->now % DAY)
		return 0;
	for (size_t k = 0; k < c->nterm; k++) {
		size_t best = COMMIT_MAX_TERMS;
		for (size_t i = 0; i < c->nterm; i++)
			if (!done[i] && (best == COMMIT_MAX_TERMS ||
					 c->term[i].rate_frac < c->term[best].rate_frac))
				best = i;
		done[best] = true;
		int64_t missing = supported(c, &c->term[best]);
		if (!missing)
			continue;
		/* ended since, and needed still */
		double again = fmin((double)missing, fmax(0, c->held_before - held_at(c, c->now)));
		double want = again + LADDER_FRAC * ((double)missing - again) + c->carry;
		int64_t units = (int64_t)floor(want);
		c->carry = want - (double)units;
		ret_units[best] = units;
		bought += units;
		commit_held(c, units, c->term[best].hours);
	}
	c->held_before = held_at(c, c->now);
	return bought;
}
