#include "watch/rollup.h"

#include <errno.h>
#include <math.h>

#include "base/num.h"

/* ---- histogram --------------------------------------------------------------------------- */

void rollup_hist_add(struct rollup_hist *h, double util_pct)
{
	if (isnan(util_pct))
		return;
	double v = clamp_double(util_pct, 0, 100);
	h->count[(int)(v + 0.5)]++;
	h->n++;
}

void rollup_hist_merge(struct rollup_hist *h, const struct rollup_hist *with)
{
	for (int i = 0; i < ROLLUP_BINS; i++)
		h->count[i] += with->count[i];
	h->n += with->n;
}

double rollup_hist_quantile(const struct rollup_hist *h, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)h->n), seen = 0;
	if (!h->n)
		return NAN;
	if (!rank)
		rank = 1;
	for (int i = 0; i < ROLLUP_BINS; i++)
		if ((seen += h->count[i]) >= rank)
			return i;
	return 100;
}

double rollup_hist_mean(const struct rollup_hist *h)
{
	double sum = 0;
	for (int i = 0; i < ROLLUP_BINS; i++)
		sum += (double)h->count[i] * i;
	if (h->n)
		return sum / (double)h->n;
	return NAN;
}

/* ---- adding ------------------------------------------------------------------------------ */

void rollup_free(struct rollup *r)
{
	vec_free(&r->use);
	*r = (struct rollup){ 0 };
}

void rollup_clear(struct rollup *r)
{
	struct rollup empty = { .use.v = r->use.v, .use.cap = r->use.cap };
	*r = empty;
}

void rollup_add_values(struct rollup *r, const double value[METRIC_N])
{
	for (int m = 0; m < METRIC_N; m++) {
		struct rollup_metric *t = &r->metric[m];
		double v = value[m];
		if (isnan(v))
			continue;
		if (!(t->n && t->min < v))
			t->min = v;
		if (!(t->n && t->max > v))
			t->max = v;
		t->sum += v;
		t->n++;
	}
}

static struct rollup_state *state_of_use(struct rollup_use *u, enum state state, enum cause cause)
{
	for (size_t i = 0; i < u->nstate; i++)
		if (u->state[i].state == state && u->state[i].cause == cause)
			return &u->state[i];
	if (u->nstate < ROLLUP_STATES) {
		u->state[u->nstate] = (struct rollup_state){ .state = state, .cause = cause };
		return &u->state[u->nstate++];
	}
	for (size_t i = 0; i < u->nstate; i++)
		if (u->state[i].state == state) {
			u->state[i].cause = CAUSE_NONE;
			return &u->state[i];
		}
	return &u->state[u->nstate - 1];
}

void rollup_use_add(struct rollup_use *u, enum state state, enum cause cause, int64_t ms,
		    const double key[ROLLUP_KEYS])
{
	struct rollup_state *s = state_of_use(u, state, cause);
	s->ms += ms;
	for (int k = 0; k < ROLLUP_KEYS; k++)
		if (!isnan(key[k])) {
			s->known_ms[k] += ms;
			s->sum[k] += key[k] * (double)ms;
		}
}

bool rollup_adds_up(const struct rollup *r)
{
	for (size_t i = 0; i < r->use.n; i++) {
		__int128 ms = 0;
		for (size_t k = 0; k < r->use.v[i].nstate; k++)
			ms += r->use.v[i].state[k].ms;
		if (ms != r->to_ms - r->from_ms)
			return false;
	}
	return true;
}

/* By cumulative rounding: the parts' sums are right after each of them, and so is the last. */
static void cut_use(struct rollup_use *u, int64_t of, int64_t to)
{
	int64_t before = 0, given = 0;
	for (size_t i = 0; i < u->nstate; i++) {
		struct rollup_state *s = &u->state[i];
		before += s->ms;
		int64_t upto = (int64_t)((__int128)before * to / of), ms = upto - given;
		for (int k = 0; k < ROLLUP_KEYS; k++) {
			int64_t known = 0;
			if (s->ms)
				known = (int64_t)((__int128)s->known_ms[k] * ms / s->ms);
			if (s->known_ms[k])
				s->sum[k] = s->sum[k] * (double)known / (double)s->known_ms[k];
			else
				s->sum[k] = 0;
			s->known_ms[k] = known;
		}
		s->ms = ms;
		given = upto;
	}
}

void rollup_cut(struct rollup *r, int64_t from_ms, int64_t to_ms)
{
	int64_t of = r->to_ms - r->from_ms;
	for (size_t i = 0; of > 0 && i < r->use.n; i++)
		cut_use(&r->use.v[i], of, to_ms - from_ms);
	r->from_ms = from_ms;
	r->to_ms = to_ms;
}

void rollup_drop_readings(struct rollup *r)
{
	r->hist = (struct rollup_hist){ 0 };
	memset(r->metric, 0, sizeof r->metric);
}

/* ---- blob -------------------------------------------------------------------------------- */

/*
 * u8 version  varint dev from to-from
 * varint metrics, each: u8 metric  u8 constant  varint n  f64 min [f64 max f64 sum]
 * varint bins, each: varint bin - bin before  varint count
 * varint uses, each: varint hold share states, each: u8 state cause flags varint ms per known key:
 *         [varint known ms] f64 sum
 * flags: bit k: key k is known, bit 4 + k: for less than all of the ms
 */
#define VERSION 1
/* Their numbers are in what was written: new states, causes and metrics go behind the old ones, or
 * VERSION counts up. */
_Static_assert(STATE_UNKNOWN == 8 && CAUSE_COMPILE == 32 && CAUSE_UNWATCHED == 34 &&
		       METRIC_PROC_COUNT == 23,
	       "the numbers of roll-ups have moved");

static void put_var(struct str *out, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		str_addc(out, (char)(v | 128));
	str_addc(out, (char)v);
}

static void put_f64(struct str *out, double v)
{
	str_add(out, (const char *)&v, sizeof v);
}

static void pack_state(const struct rollup_state *s, struct str *out)
{
	unsigned flags = 0;
	for (int k = 0; k < ROLLUP_KEYS; k++)
		if (s->known_ms[k])
			flags |= (s->known_ms[k] == s->ms ? 1U : 17U) << k;
	str_addc(out, (char)s->state);
	str_addc(out, (char)s->cause);
	str_addc(out, (char)flags);
	put_var(out, (uint64_t)s->ms);
	for (int k = 0; k < ROLLUP_KEYS; k++) {
		if (flags >> k & 16)
			put_var(out, (uint64_t)s->known_ms[k]);
		if (flags >> k & 1)
			put_f64(out, s->sum[k]);
	}
}

void rollup_pack(const struct rollup *r, struct str *out)
{
	str_addc(out, VERSION);
	put_var(out, (uint64_t)r->dev);
	put_var(out, (uint64_t)r->from_ms);
	put_var(out, (uint64_t)(r->to_ms - r->from_ms));

	unsigned metrics = 0;
	for (int m = 0; m < METRIC_N; m++)
		metrics += r->metric[m].n > 0;
	put_var(out, metrics);
	for (int m = 0; m < METRIC_N; m++) {
		const struct rollup_metric *t = &r->metric[m];
		if (!t->n)
			continue;
		bool constant = t->min == t->max;
		str_addc(out, (char)m);
		str_addc(out, constant);
		put_var(out, (uint64_t)t->n);
		put_f64(out, t->min);
		if (constant)
			continue;
		put_f64(out, t->max);
		put_f64(out, t->sum);
	}

	const struct rollup_hist *h = &r->hist;
	unsigned bins = 0, last = 0;
	for (int i = 0; i < ROLLUP_BINS; i++)
		bins += h->count[i] > 0;
	put_var(out, bins);
	for (unsigned i = 0; i < ROLLUP_BINS; i++)
		if (h->count[i]) {
			put_var(out, i - last);
			put_var(out, h->count[i]);
			last = i;
		}

	put_var(out, r->use.n);
	for (size_t i = 0; i < r->use.n; i++) {
		const struct rollup_use *u = &r->use.v[i];
		put_var(out, (uint64_t)u->hold);
		put_var(out, (uint64_t)u->share_ppb);
		put_var(out, u->nstate);
		for (size_t k = 0; k < u->nstate; k++)
			pack_state(&u->state[k], out);
	}
}

struct scan {
	const unsigned char *p, *end;
	bool bad;
};

static uint64_t get_var(struct scan *s, uint64_t max)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 63 && s->p < s->end; shift += 7) {
		unsigned char c = *s->p++;
		v |= (uint64_t)(c & 127) << shift;
		if (c < 128) {
			s->bad |= v > max;
			if (s->bad)
				return 0;
			return v;
		}
	}
	s->bad = true;
	return 0;
}

static unsigned get_u8(struct scan *s, unsigned max)
{
	if (s->p >= s->end || *s->p > max) {
		s->bad = true;
		return 0;
	}
	return *s->p++;
}

static double get_f64(struct scan *s)
{
	double v = 0;
	if (s->end - s->p < (ptrdiff_t)sizeof v) {
		s->bad = true;
		return 0;
	}
	memcpy(&v, s->p, sizeof v);
	s->p += sizeof v;
	s->bad |= isnan(v);
	return v;
}

static void unpack_state(struct scan *s, struct rollup_state *t)
{
	t->state = (enum state)get_u8(s, STATE_N - 1);
	t->cause = (enum cause)get_u8(s, CAUSE_N - 1);
	unsigned flags = get_u8(s, 255);
	t->ms = (int64_t)get_var(s, INT64_MAX / 2);
	for (int k = 0; k < ROLLUP_KEYS; k++) {
		if (!(flags >> k & 1))
			continue;
		t->known_ms[k] = flags >> k & 16 ? (int64_t)get_var(s, (uint64_t)t->ms) : t->ms;
		t->sum[k] = get_f64(s);
	}
}

int rollup_unpack(const void *p, size_t n, struct rollup *r, struct err *err)
{
	struct scan s = { .p = p, .end = p ? (const unsigned char *)p + n : NULL };
	rollup_clear(r);
	s.bad = get_u8(&s, VERSION) != VERSION;
	r->dev = (int64_t)get_var(&s, INT64_MAX / 2);
	r->from_ms = (int64_t)get_var(&s, INT64_MAX / 4);
	r->to_ms = r->from_ms + (int64_t)get_var(&s, INT64_MAX / 4);

	for (uint64_t metrics = get_var(&s, METRIC_N); metrics-- && !s.bad;) {
		struct rollup_metric *t = &r->metric[get_u8(&s, METRIC_N - 1)];
		bool constant = get_u8(&s, 1);
		t->n = (int64_t)get_var(&s, UINT32_MAX);
		t->min = t->max = get_f64(&s);
		t->sum = t->min * (double)t->n;
		if (constant)
			continue;
		t->max = get_f64(&s);
		t->sum = get_f64(&s);
	}

	uint64_t bin = 0;
	for (uint64_t bins = get_var(&s, ROLLUP_BINS); bins-- && !s.bad;) {
		bin += get_var(&s, ROLLUP_BINS);
		uint32_t count = (uint32_t)get_var(&s, UINT32_MAX);
		if (bin >= ROLLUP_BINS) {
			s.bad = true;
			break;
		}
		r->hist.count[bin] += count;
		r->hist.n += count;
	}

	for (uint64_t uses = get_var(&s, 65536); uses-- && !s.bad;) {
		struct rollup_use *u = vec_push(&r->use);
		*u = (struct rollup_use){ 0 };
		u->hold = (int64_t)get_var(&s, INT64_MAX / 2);
		u->share_ppb = (int64_t)get_var(&s, 1000000000);
		u->nstate = get_var(&s, ROLLUP_STATES);
		for (size_t k = 0; k < u->nstate && !s.bad; k++)
			unpack_state(&s, &u->state[k]);
	}
	if (s.bad || s.p != s.end)
		return err_set(err, -EBADMSG, "a roll-up is damaged");
	return 0;
}
