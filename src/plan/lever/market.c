/* See market.h. */
#include "plan/lever/market.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "sim/boot.h"

#define WEEK_MS   (7.0 * MS_DAY)
#define RECENT_MS (28 * MS_DAY)
#define NORMAL95  1.645
/* a month to come differs from the weeks seen by at least this part, however still they were */
#define LEAST_MOVE 0.05

struct in_force { /* a recorded price and when it was in force, in the time that counts */
	int64_t from_ms, to_ms;
	double usd; /* nano of a GPU and hour */
};
struct spans {
	VEC(struct in_force) v;
	bool yours; /* some of it from the customer's own files */
};

static bool counts_as_market(const struct price_row *p, const struct use *u)
{
	if (p->gpu_milli <= 0 || p->gpu_hour <= 0 || !dec_fits_nano(p->gpu_hour))
		return false;
	if (price_row_quality(p) != QUALITY_MEASURED)
		return false;
	if (p->term && sv_ihas(sv_of(p->term), SV("advis")))
		return false;
	if (!*u->zone || !p->zone)
		return true;
	return !*p->zone || !strcmp(p->zone, u->zone);
}

static bool same_place(const struct price_row *a, const struct price_row *b)
{
	return !strcmp(text_or(a->zone, ""), text_or(b->zone, "")) &&
	       !strcmp(a->currency, b->currency);
}

/* Moves of the exchange are none of the market's: all of it at the newest rate, which of spot
 * prices follows from the currency alone. */
static void collect_rows(const struct lever_in *in, const struct use *u,
			 const struct price_row *row, size_t n, const struct price_row *of,
			 struct spans *ret)
{
	int64_t since = in->fleet->until_ms - (int64_t)(in->conf->gates.history_days * MS_DAY),
		last = since;
	struct rate_scale scale;

	if (!fleet_rate_scale(in->fleet, of, in->now_ms, &scale))
		return;
	for (size_t i = 0; i < n; i++) {
		int64_t from = row[i].from_ms, to = row[i].to_ms;
		if (to == UNKNOWN_MS)
			to = row[i].as_of_ms;
		if (to == UNKNOWN_MS)
			to = in->now_ms;
		if (!counts_as_market(&row[i], u) || !same_place(&row[i], of))
			continue;
		if (from == UNKNOWN_MS || from < last)
			from = last;
		to = min_i64(to, in->now_ms);
		if (to <= from)
			continue;
		*vec_push(&ret->v) = (struct in_force){
			from, to, (double)dec_to_nano(row[i].gpu_hour) * scale.factor
		};
		ret->yours |= row[i].own;
		last = to;
	}
}

/* Mean of its logarithm from an instant on, and how far it was from that. */
static double mean_log(const struct spans *s, int64_t from_ms, double about, double *ret_ms)
{
	double sum = 0, ms = 0;

	for (size_t i = 0; i < s->v.n; i++) {
		const struct in_force *x = &s->v.v[i];
		double part = (double)(x->to_ms - max_i64(x->from_ms, from_ms)),
		       off = log(x->usd) - about;
		if (part <= 0)
			continue;
		sum += part * (isnan(about) ? log(x->usd) : off * off);
		ms += part;
	}
	*ret_ms = ms;
	if (ms > 0)
		return sum / ms;
	return NAN;
}

static bool is_enough(const struct lever_in *in, const struct market *m)
{
	return m->records >= 2 && m->weeks >= in->conf->gates.spot_market_weeks - 1e-9;
}

/* Recorded well enough, then of the customer's own files, then the cheaper. */
static bool is_better(const struct lever_in *in, const struct market *a, const struct market *best)
{
	bool ok = is_enough(in, a), had = is_enough(in, best);

	if (!a->records || !best->records)
		return a->records > 0;
	if (ok != had)
		return ok;
	if (a->yours != best->yours)
		return a->yours;
	return a->nano_gpu_hour < best->nano_gpu_hour;
}

bool market_of(const struct lever_in *in, const struct use *u, struct market *ret)
{
	static const char *const spot = "spot";
	struct price_query q = { .provider = u->provider,
				 .region_glob = filled_or(u->region, NULL),
				 .instance_type = u->instance_type,
				 .purchase = &spot,
				 .npurchase = 1,
				 .currency = "*",
				 .at_ms = in->now_ms,
				 .history = true };
	struct price_row *row = NULL;
	struct err err;
	size_t n = 0;

	*ret = (struct market){ .instance_type = "", .zone = "", .source = "" };
	if (!in->catalog || !*u->provider)
		return false;
	if (!*u->instance_type || catalog_prices(in->catalog, &q, &row, &n, &err) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		bool first = counts_as_market(&row[i], u);
		for (size_t k = 0; k < i && first; k++)
			first = !counts_as_market(&row[k], u) || !same_place(&row[k], &row[i]);
		if (first) {
			const struct price_row *of = &row[i];
			struct spans s = { 0 };
			struct market m = { .instance_type = text_or(of->instance_type, ""),
					    .zone = text_or(of->zone, ""),
					    .source = text_or(of->source, ""),
					    .gpus_milli = of->gpu_milli,
					    .interruption_lo_pct = of->interruption_lo_pct,
					    .interruption_hi_pct = of->interruption_hi_pct };

			collect_rows(in, u, row, n, of, &s);
			if (s.v.n) {
				const struct in_force *last = &s.v.v[s.v.n - 1];
				double ms, all, move,
					mean = mean_log(&s, last->to_ms - RECENT_MS, NAN, &ms),
					middle = mean_log(&s, INT64_MIN, NAN, &all);
				int seen;

				m.records = s.v.n;
				m.yours = s.yours;
				m.weeks = all / WEEK_MS;
				/* prices of one week are not told apart: they move together */
				seen = (int)fmin((double)s.v.n, ceil(m.weeks));
				move = sqrt(mean_log(&s, INT64_MIN, middle, &all)) * NORMAL95 *
				       (seen > 1 ? boot_widen(seen) : 1);
				move = fmax(move, LEAST_MOVE);
				m.nano_gpu_hour = llround(exp(mean));
				m.lo = exp(-move);
				m.hi = exp(move);
			}
			vec_free(&s.v);
			if (is_better(in, &m, ret))
				*ret = m;
		}
	}
	free(row);
	return is_enough(in, ret);
}
