#include "ledger/compare.h"

#include <errno.h>

#include "model/model.h"

const char *compare_part_name(enum compare_part p)
{
	static const char *const name[] = { "volume", "efficiency", "mix", "price", "other" };

	return name[p];
}

/* ---- amounts finer than a dec ------------------------------------------------------------ */

/*
 * whole + rest / 2^120 in units of a dec, rest in [0, 2^120): quotients are cut there, so that a
 * sum of fewer than 2^20 of them is exact to 2^-100. Ties of the rounding are told up to that.
 */
struct fine {
	dec whole;
	unsigned __int128 rest;
};
#define FINE_ONE  ((unsigned __int128)1 << 120)
#define FINE_NEAR ((unsigned __int128)1 << 20)

static struct fine fine_of(dec v)
{
	return (struct fine){ v, 0 };
}

/* v x num / den; num >= 0, den > 0 */
static int fine_muldiv(dec v, int64_t num, int64_t den, struct fine *ret)
{
	dec q = v / den, r = v % den, whole;

	if (r < 0) { /* towards minus infinity */
		r += den;
		q--;
	}
	if (__builtin_mul_overflow(q, (dec)num, &whole) || whole >= DEC_LIMIT ||
	    whole <= -DEC_LIMIT)
		return -ERANGE;
	dec left = r * num; /* below 2^126 */
	unsigned __int128 d = (unsigned __int128)den, rest = (unsigned __int128)(left % den) << 60;
	ret->whole = whole + left / den;
	ret->rest = rest / d << 60 | (rest % d << 60) / d;
	return 0;
}

static struct fine fine_add(struct fine a, struct fine b)
{
	struct fine s = { a.whole + b.whole, a.rest + b.rest };

	if (s.rest >= FINE_ONE) {
		s.rest -= FINE_ONE;
		s.whole++;
	}
	return s;
}

static struct fine fine_sub(struct fine a, struct fine b)
{
	struct fine d = { a.whole - b.whole, a.rest - b.rest };

	if (a.rest < b.rest) {
		d.rest += FINE_ONE;
		d.whole--;
	}
	return d;
}

/* Half-even. */
static dec fine_round(struct fine f)
{
	unsigned __int128 half = FINE_ONE / 2;
	unsigned __int128 off = f.rest > half ? f.rest - half : half - f.rest;

	if (off < FINE_NEAR)
		return f.whole + (f.whole & 1);
	return f.whole + (f.rest > half);
}

/* ---- the parts --------------------------------------------------------------------------- */

/* GPU cost without any GPU time (a credit, say) has no price an hour: it is no GPU time. */
static struct compare_side settle_side(struct compare_side s)
{
	if (s.gpu_ms <= 0) {
		s.other += s.cost;
		s.cost = 0;
		s.gpu_ms = 0;
	}
	return s;
}

/* G1 x p*: the classes of now at the price each had before, or at its new one. */
static int old_prices(const struct compare_class *klass, size_t n, struct fine *ret)
{
	*ret = fine_of(0);
	for (size_t i = 0; i < n; i++) {
		const struct compare_class *k = &klass[i];
		struct fine at = fine_of(k->cost[1]);
		int r = 0;
		if (k->gpu_ms[0] > 0)
			r = fine_muldiv(k->cost[0], k->gpu_ms[1], k->gpu_ms[0], &at);
		if (r < 0)
			return r;
		*ret = fine_add(*ret, at);
	}
	return 0;
}

/*
 * With s the ratio of the hours: s C0 is what the row cost before, C0 x B1 / B0 what the work of
 * now would have cost then, C0 x G1 / G0 its hours at the old price. Each part is a step from one
 * to the next, and s stands in the first alone.
 */
struct steps {
	struct fine before, by_work, by_hours, by_class;
	bool busy; /* B is known and not 0 in both windows */
};

static int steps_of(const struct compare_side *was, const struct compare_side *is,
		    const int64_t hours[2], const struct compare_class *klass, size_t nclass,
		    struct steps *ret)
{
	bool was_busy = was->busy_ms != UNKNOWN_I64 && was->busy_ms > 0,
	     is_busy = is->busy_ms != UNKNOWN_I64 && is->busy_ms > 0;
	int r = fine_muldiv(was->cost, hours[1], hours[0], &ret->before);

	ret->by_work = ret->by_hours = ret->by_class = fine_of(is->cost);
	ret->busy = false;
	if (r < 0 || !was->gpu_ms)
		return r; /* it was not there: all that it costs is volume */
	ret->busy = was_busy && is_busy && is->gpu_ms > 0;
	r = fine_muldiv(was->cost, is->gpu_ms, was->gpu_ms, &ret->by_hours);
	if (r == 0 && ret->busy)
		r = fine_muldiv(was->cost, is->busy_ms, was->busy_ms, &ret->by_work);
	if (r == 0 && is->gpu_ms)
		r = old_prices(klass, nclass, &ret->by_class);
	return r;
}

int compare_row(const struct compare_side side[2], const int64_t hours[2],
		const struct compare_class *klass, size_t nclass, struct compare_parts *ret)
{
	struct compare_side was = settle_side(side[0]), is = settle_side(side[1]);
	struct compare_parts p = { .known = { true, true, true, true, true } };
	struct fine part[COMPARE_PARTS], other;
	struct steps s;
	int r = steps_of(&was, &is, hours, klass, nclass, &s);

	if (r >= 0)
		r = fine_muldiv(was.other, hours[1], hours[0], &other);
	if (r < 0)
		return r;
	struct fine first = s.busy ? s.by_work : s.by_hours;
	part[COMPARE_VOLUME] = fine_sub(first, s.before);
	part[COMPARE_EFFICIENCY] = fine_sub(s.by_hours, first);
	part[COMPARE_MIX] = fine_sub(s.by_class, s.by_hours);
	part[COMPARE_PRICE] = fine_sub(fine_of(is.cost), s.by_class);
	part[COMPARE_OTHER] = fine_sub(fine_of(is.other), other);
	p.before = fine_round(fine_add(s.before, other));
	p.now = is.cost + is.other;
	p.difference = p.now - p.before;
	for (int i = 0; i < COMPARE_PARTS; i++)
		p.part[i] = fine_round(part[i]);
	p.known[COMPARE_EFFICIENCY] = s.busy;
	/* what rounding left goes to the largest */
	dec sum = 0, most = -1;
	int largest = COMPARE_OTHER;
	for (int i = 0; i < COMPARE_PARTS; i++) {
		dec size = p.part[i] < 0 ? -p.part[i] : p.part[i];
		if (!p.known[i])
			continue;
		sum += p.part[i];
		if (size > most) {
			most = size;
			largest = i;
		}
	}
	p.part[largest] += p.difference - sum;
	*ret = p;
	return 0;
}
