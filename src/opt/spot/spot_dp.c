/*
 *   V_n(m, a, b, r) = min over actions x of price(x) + E[ V_{n-1}(m', a', b', r - w) ]
 *   V_n(., ., ., 0) = 0,   V_0(., ., ., r) = LATE_OD x on demand x r
 *
 *   n  ticks to go
 *   m  nothing, spot or on demand with j = 1..J ticks since its start (J = ceil(D/G)); spot only
 *      where a = 1
 *   a  spot is there in the tick about to run
 *   b  bucket of its age; turn(a,b) leads to (1-a, 0), advance(a,b) to b + 1
 *   r  work left
 *   w  max(G - restart left, 0)
 *
 * Memory, as spot_market.h remembers the runs before, rides along with a and b; turn() leads to the
 * next of it.
 *
 * Where spot_must() will decide, (n - 1) G < r + D, only its actions are open here, too: the values
 * are those of the policy inside the guarantee.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/tm.h"
#include "base/mem.h"
#include "base/num.h"
#include "opt/spot/spot_dp.h"

#if defined __GNUC__ && !defined __clang__
/* at -O2 gcc leaves the three loops below, in which all time is spent, one number at a time */
#pragma GCC optimize("O3")
#endif

#define LATE 1e6f
/* prices on demand an hour of work left at the deadline costs: the guarantee comes before it, but
 * coarse grids interpolate towards it. Zones of 195 s, windows 8 to 49: 1 is 0.3 % worse; ticks of
 * 10 min: 1 to 20 differ by 0.02 % */
#define LATE_OD    3.0
#define MAX_FLOATS ((size_t)1 << 28)

struct spot_dp {
	int64_t gap_ms, grid_ms, overhead_ms, work_ms;
	int J, nmode; /* modes: 0 nothing, 1..J on demand, J+1..2J spot */
	int nmemory;  /* classes of what is remembered: 1 or SPOT_MEMORY */
	size_t R, N;  /* grid points, ticks */
	size_t *from; /* [N + 1] first float of the rows of n ticks to go */
	/* rows of lo(n)..hi(n) for each memory, bucket, state and mode that can be in it */
	float *v;
	float late_usd; /* a grid point of work that is left at the deadline */
	size_t bytes;
};

/* Of n ticks to go only what can be left then is kept: no more work done than ticks have passed, no
 * more left than fits, and a little beyond. */
static size_t lo_of(const struct spot_dp *d, size_t n)
{
	size_t most = (d->N - n) * (size_t)((d->gap_ms + d->grid_ms - 1) / d->grid_ms);

	if (most < d->R - 1)
		return d->R - 1 - most;
	return 0;
}

static size_t hi_of(const struct spot_dp *d, size_t n)
{
	size_t r = (size_t)(((int64_t)n * d->gap_ms + d->overhead_ms) / d->grid_ms) + 2,
	       lo = lo_of(d, n);

	r = max_size(r, lo);
	if (r < d->R)
		return r;
	return d->R - 1;
}

static size_t width_of(const struct spot_dp *d, size_t n)
{
	return hi_of(d, n) - lo_of(d, n) + 1;
}

static size_t rows_of(const struct spot_dp *d)
{
	/* no spot machine where there is no spot */
	return (size_t)d->nmemory * SPOT_AGES * (size_t)(d->nmode + d->J + 1);
}

/* The values from lo(n) on; sit = where the market is. */
struct sit {
	int memory, a, b;
};
static float *value_row(const struct spot_dp *d, size_t n, struct sit s, int m)
{
	size_t at = (size_t)(s.memory * SPOT_AGES + s.b) * (size_t)(d->nmode + d->J + 1) +
		    (size_t)(s.a ? d->J + 1 : 0) + (size_t)m;

	return d->v + d->from[n] + at * width_of(d, n);
}

static struct sit turn_sit(const struct spot_dp *d, struct sit s)
{
	return (struct sit){ d->nmemory > 1 ? spot_memory_after(s.memory, s.a, s.b) : 0, !s.a, 0 };
}

static struct sit age_sit(struct sit s)
{
	return (struct sit){ s.memory, s.a, s.b + (s.b < SPOT_AGES - 1) };
}

/* Work of the next tick in ms, and the mode after it, when x is held from mode m on. */
static int64_t step_work(const struct spot_dp *d, int m, enum spot_hold x, int *ret_mode)
{
	int base = x == SPOT_OD ? 0 : d->J, j = m > base && m <= base + d->J ? m - base : 0;
	int64_t left = d->overhead_ms - (int64_t)j * d->gap_ms;

	if (x == SPOT_NONE) {
		*ret_mode = 0;
		return 0;
	}
	*ret_mode = base + (j < d->J ? j + 1 : d->J);
	left = max_i64(left, 0);
	if (left < d->gap_ms)
		return d->gap_ms - left;
	return 0;
}

struct steps {    /* of work, from the grid point lo on, up to end */
	float *v; /* [end - lo] */
	size_t lo, end;
};

/* out[r - lo] = min(out[r - lo], price + E[r - w]) for lo <= r < end, with linear interpolation;
 * E(r <= 0) = 0. */
static void relax_values(const struct spot_dp *d, const float *restrict e, int64_t w_ms,
			 float price, const struct steps *to)
{
	float *restrict out = to->v;
	const size_t lo = to->lo, end = to->end;
	size_t k = (size_t)(w_ms / d->grid_ms), r = lo;
	float f = (float)(w_ms % d->grid_ms) / (float)d->grid_ms;

	for (; r < end && r <= k; r++)
		out[r - lo] = r && price < out[r - lo] ? price : out[r - lo];
	if (f == 0) {
		for (; r < end; r++) {
			float c = price + e[r - k];
			out[r - lo] = c < out[r - lo] ? c : out[r - lo];
		}
		return;
	}
	for (; r < end; r++) {
		float c = price + (1 - f) * e[r - k] + f * e[r - k - 1];
		out[r - lo] = c < out[r - lo] ? c : out[r - lo];
	}
}

/*
 * Expected value after a tick with n more to go, mode m, in e->v[lo(n)..end). A spot machine that
 * disappears leaves nothing. Beyond what is kept only on demand is open and all of it is late: a
 * straight line.
 */
static void add_expected(const struct spot_dp *d, const struct spot_hazard *h, size_t n,
			 struct sit s, int m, const struct steps *to)
{
	float *restrict e = to->v;
	const size_t end = to->end;
	float q = (float)h[s.memory].turn[s.a][s.b],
	      up = (float)((1 - h[s.memory].turn[s.a][s.b]) * h[s.memory].advance[s.a][s.b]),
	      stay = 1 - q - up;
	const float *restrict turn = value_row(d, n, turn_sit(d, s), s.a && m > d->J ? 0 : m),
			      *restrict next = value_row(d, n, age_sit(s), m),
			      *restrict same = value_row(d, n, s, m);
	size_t lo = lo_of(d, n), hi = hi_of(d, n), stop = min_size(end, hi + 1);

	for (size_t r = lo; r < stop; r++)
		e[r] = q * turn[r - lo] + up * next[r - lo] + stay * same[r - lo];
	for (size_t r = stop; r < end; r++)
		e[r] = e[r - 1] + d->late_usd;
}

/* First grid point from which spot_must() decides: on demand, or the spot machine that runs. */
static size_t must_from(const struct spot_dp *d, size_t n)
{
	int64_t ms = ((int64_t)n - 1) * d->gap_ms - d->overhead_ms;
	size_t r = 1;

	if (ms >= 0)
		r = (size_t)(ms / d->grid_ms) + 1;
	return min_size(r, d->R);
}

/* In mode m only these may begin where the guarantee decides. */
static bool is_kept(const struct spot_dp *d, int m, enum spot_hold x)
{
	return x == SPOT_OD || (x == SPOT_SPOT && m == 2 * d->J && d->J);
}

static void induct_tick(struct spot_dp *d, const struct spot_task *k, const struct spot_hazard *h,
			size_t n, struct sit s, float *e)
{
	float hours = (float)d->gap_ms / MS_HOUR;
	const float price[] = { 0, (float)k->spot_usd_h * hours, (float)k->od_usd_h * hours };
	size_t stride = d->R, lo = lo_of(d, n), all = hi_of(d, n) + 1, must = all;

	if (must_from(d, n) < all)
		must = must_from(d, n);
	for (int m = 0; m < (s.a ? d->nmode : d->J + 1); m++) {
		struct steps steps = { e + (size_t)m * stride, 0, must };
		if ((m && m <= d->J) || m == 2 * d->J)
			steps.end = all;
		add_expected(d, h, n - 1, s, m, &steps);
	}
	for (int m = 0; m < (s.a ? d->nmode : d->J + 1); m++) {
		float *out = value_row(d, n, s, m);
		for (size_t r = lo; r < all; r++)
			out[r - lo] = r ? LATE : 0;
		for (int x = SPOT_NONE; x <= SPOT_OD; x++) {
			int to;
			int64_t w = step_work(d, m, (enum spot_hold)x, &to);
			struct steps steps = { out, lo, must };
			if (is_kept(d, m, (enum spot_hold)x))
				steps.end = all;
			if (x != SPOT_SPOT || s.a)
				relax_values(d, e + (size_t)to * stride, w, price[x], &steps);
		}
	}
}

int spot_dp_new(const struct spot_task *k, const struct spot_hazard *h, int nmemory,
		int64_t grid_ms, struct spot_dp **ret, struct err *err)
{
	struct spot_dp d = { .gap_ms = k->gap_ms,
			     .grid_ms = grid_ms,
			     .overhead_ms = k->overhead_ms,
			     .work_ms = k->work_ms,
			     .nmemory = nmemory };
	int r = spot_task_check(k, err);

	if (r < 0)
		return r;
	d.J = (int)((k->overhead_ms + k->gap_ms - 1) / k->gap_ms);
	if (!d.J)
		d.J = 1;
	d.nmode = 1 + 2 * d.J;
	d.R = (size_t)((k->work_ms + grid_ms - 1) / grid_ms) + 1;
	d.N = (size_t)(k->deadline_ms / k->gap_ms);
	d.late_usd = (float)(LATE_OD * k->od_usd_h * (double)grid_ms / MS_HOUR);
	/* Where the rows of each n begin. */
	size_t all = 0;
	d.from = xcalloc(d.N + 2, sizeof *d.from);
	for (size_t n = 0; n <= d.N && all <= MAX_FLOATS; n++) {
		d.from[n] = all;
		all += rows_of(&d) * width_of(&d, n);
	}
	if (all > MAX_FLOATS) {
		free(d.from);
		return err_set(err, -E2BIG,
			       "%zu ticks and %zu steps of work are too many to plan for", d.N,
			       d.R);
	}
	d.bytes = all * sizeof *d.v;
	d.v = xmalloc(d.bytes);
	float *e = xcalloc((size_t)d.nmode * d.R, sizeof *e);
	for (size_t i = 0; i < rows_of(&d); i++)
		for (size_t w = lo_of(&d, 0); w <= hi_of(&d, 0); w++)
			d.v[i * width_of(&d, 0) + w - lo_of(&d, 0)] = d.late_usd * (float)w;
	for (size_t n = 1; n <= d.N; n++)
		for (int i = 0; i < d.nmemory * 2 * SPOT_AGES; i++)
			induct_tick(&d, k, h, n,
				    (struct sit){ i / (2 * SPOT_AGES), i / SPOT_AGES % 2,
						  i % SPOT_AGES },
				    e);
	free(e);
	*ret = xmalloc(sizeof d);
	**ret = d;
	return 0;
}

size_t spot_dp_bytes(const struct spot_dp *d)
{
	return d->bytes;
}

void spot_dp_free(struct spot_dp *d)
{
	if (d) {
		free(d->v);
		free(d->from);
	}
	free(d);
}

static int mode_of(const struct spot_dp *d, const struct spot_now *s)
{
	enum spot_hold h = spot_held(s);
	int64_t j = s->overhead_left_ms > 0 ? (d->overhead_ms - s->overhead_left_ms) / d->gap_ms
					    : d->J;

	j = clamp_i64(j, 1, d->J);
	if (h == SPOT_NONE)
		return 0;
	return (int)j + (h == SPOT_OD ? 0 : d->J);
}

/* Below what is kept (more done than there was time for): a straight line to nothing. */
static double value_at(const struct spot_dp *d, size_t n, struct sit s, int m, double r)
{
	size_t lo = lo_of(d, n), hi = hi_of(d, n), i = (size_t)r;
	const float *v = value_row(d, n, s, m);
	float f = (float)(r - (double)i);

	if (i < lo)
		return (double)v[0] * r / (double)lo;
	if (i >= hi)
		return (double)v[hi - lo] + (double)d->late_usd * (r - (double)hi);
	return (double)((1 - f) * v[i - lo] + f * v[i - lo + 1]);
}

static double value_after(const struct spot_dp *d, const struct spot_hazard *h, size_t n,
			  struct sit s, int m, int64_t rem_ms)
{
	double q = h[s.memory].turn[s.a][s.b], up = (1 - q) * h[s.memory].advance[s.a][s.b],
	       r = (double)rem_ms / (double)d->grid_ms;

	if (rem_ms <= 0)
		return 0;
	return q * value_at(d, n, turn_sit(d, s), s.a && m > d->J ? 0 : m, r) +
	       up * value_at(d, n, age_sit(s), m, r) + (1 - q - up) * value_at(d, n, s, m, r);
}

void spot_dp_cost(const struct spot_dp *d, const struct spot_hazard *h, const struct spot_task *k,
		  const struct spot_now *s, struct spot_past past, double ret_usd[3])
{
	int64_t left = k->deadline_ms / k->gap_ms - s->tick;
	double hours = (double)d->gap_ms / MS_HOUR;
	const double price[] = { 0, k->spot_usd_h * hours, k->od_usd_h * hours };
	size_t n = left < 1 ? 0 : min_size((size_t)left, d->N);
	struct sit sit = { d->nmemory > 1 ? past.memory : 0, s->has_spot, past.age_bucket };
	int m = mode_of(d, s), to;

	for (int x = SPOT_NONE; x <= SPOT_OD; x++) {
		ret_usd[x] = (double)LATE;
		if (!n || (x == SPOT_SPOT && !s->has_spot))
			continue;
		int64_t w = step_work(d, m, (enum spot_hold)x, &to);
		ret_usd[x] = price[x] +
			     value_after(d, h, n - 1, sit, to, k->work_ms - s->done_ms - w);
	}
}
