/*
 *   V_n(m, a, b, r) = min over actions x of  price(x) + E[ V_{n-1}(m', a', b', r - w) ]      n ticks to go, r work left
 *   V_n(., ., ., 0) = 0,   V_0(., ., ., r) = LATE_OD x on demand x r
 *
 *   m  nothing, spot or on demand with j = 1..J ticks since its start (J = ceil(D/G)); spot only where a = 1
 *   a  spot is there in the tick about to run; b  bucket of its age; turn(a,b) leads to (1-a, 0), advance(a,b) to b + 1
 *   w  max(G - restart left, 0)
 *
 * Where spot_must() will decide, (n - 1) G < r + D, only its actions are open here, too: the values are those of the policy inside the guarantee.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "opt/spot_dp.h"

#define LATE 1e6f
#define LATE_OD 3.0 /* prices on demand an hour of work left at the deadline costs: the guarantee comes before it, but coarse grids interpolate
		     * towards it. Zones of 195 s, windows 8 to 49: 1 is 0.3 % worse; ticks of 10 min: 1 to 20 differ by 0.02 % */
#define MAX_FLOATS ((size_t)1 << 28)

struct spot_dp {
	int64_t gap_ms, grid_ms, overhead_ms, work_ms;
	int J, nmode;	/* modes: 0 nothing, 1..J on demand, J+1..2J spot */
	size_t R, N;	/* grid points, ticks */
	float *v;	/* [N + 1][2][SPOT_AGES][nmode][R] */
};

static size_t slot(const struct spot_dp *d, size_t n, int a, int b, int m)
{
	return (((n * 2 + (size_t)a) * SPOT_AGES + (size_t)b) * (size_t)d->nmode + (size_t)m) * d->R;
}

/* Work of the next tick in ms, and the mode after it, when x is held from mode m on. */
static int64_t step(const struct spot_dp *d, int m, enum spot_hold x, int *ret_mode)
{
	int base = x == SPOT_OD ? 0 : d->J, j = m > base && m <= base + d->J ? m - base : 0;
	int64_t left = d->overhead_ms - (int64_t)j * d->gap_ms;

	if (x == SPOT_NONE) {
		*ret_mode = 0;
		return 0;
	}
	*ret_mode = base + (j < d->J ? j + 1 : d->J);
	left = left > 0 ? left : 0;
	return left < d->gap_ms ? d->gap_ms - left : 0;
}

/* out[r] = min(out[r], price + E[r - w]) for 0 < r < end, with linear interpolation; E(r <= 0) = 0. */
static void relax(const struct spot_dp *d, const float *e, int64_t w_ms, float price, float *out, size_t end)
{
	size_t k = (size_t)(w_ms / d->grid_ms);
	float f = (float)(w_ms % d->grid_ms) / (float)d->grid_ms;

	for (size_t r = 1; r < end && r <= k; r++)
		out[r] = price < out[r] ? price : out[r];
	if (f == 0) {
		for (size_t r = k + 1; r < end; r++) {
			float c = price + e[r - k];
			out[r] = c < out[r] ? c : out[r];
		}
		return;
	}
	for (size_t r = k + 1; r < end; r++) {
		float c = price + (1 - f) * e[r - k] + f * e[r - k - 1];
		out[r] = c < out[r] ? c : out[r];
	}
}

/* Expected value after a tick for mode m of (a, b): e[r]. A spot machine that disappears leaves nothing. */
static void expect(const struct spot_dp *d, const struct spot_hazard *h, size_t n, int a, int b, int m, float *e)
{
	float q = (float)h->turn[a][b], up = (float)((1 - h->turn[a][b]) * h->advance[a][b]), stay = 1 - q - up;
	const float *turn = d->v + slot(d, n, !a, 0, a && m > d->J ? 0 : m), *next = d->v + slot(d, n, a, b + (b < SPOT_AGES - 1), m),
		    *same = d->v + slot(d, n, a, b, m);

	for (size_t r = 0; r < d->R; r++)
		e[r] = q * turn[r] + up * next[r] + stay * same[r];
}

/* First grid point from which spot_must() decides: on demand, or the spot machine that runs. */
static size_t must_from(const struct spot_dp *d, size_t n)
{
	int64_t ms = ((int64_t)n - 1) * d->gap_ms - d->overhead_ms;
	size_t r = ms < 0 ? 1 : (size_t)(ms / d->grid_ms) + 1;

	return r < d->R ? r : d->R;
}

static void induct(struct spot_dp *d, const struct spot_task *k, const struct spot_hazard *h, size_t n, int a, int b, float *e)
{
	float hours = (float)d->gap_ms / 3.6e6f;
	const float price[] = { 0, (float)k->spot_usd_h * hours, (float)k->od_usd_h * hours };
	size_t stride = d->R, must = must_from(d, n);

	for (int m = 0; m < d->nmode; m++)
		if (a || m <= d->J)
			expect(d, h, n - 1, a, b, m, e + (size_t)m * stride);
	for (int m = 0; m < d->nmode; m++) {
		float *out = d->v + slot(d, n, a, b, m);
		if (!a && m > d->J) /* cannot be */
			continue;
		for (size_t r = 1; r < d->R; r++)
			out[r] = LATE;
		for (int x = SPOT_NONE; x <= SPOT_OD; x++) {
			int to;
			int64_t w = step(d, m, x, &to);
			bool kept = x == SPOT_OD || (x == SPOT_SPOT && m == 2 * d->J && d->J), may = x != SPOT_SPOT || a;
			if (may)
				relax(d, e + (size_t)to * stride, w, price[x], out, kept ? d->R : must);
		}
	}
}

int spot_dp_new(const struct spot_task *k, const struct spot_hazard *h, int64_t grid_ms, struct spot_dp **ret, struct err *err)
{
	struct spot_dp d = { .gap_ms = k->gap_ms, .grid_ms = grid_ms, .overhead_ms = k->overhead_ms, .work_ms = k->work_ms };
	int r = spot_task_check(k, err);

	if (r < 0)
		return r;
	d.J = (int)((k->overhead_ms + k->gap_ms - 1) / k->gap_ms);
	d.J = d.J ? d.J : 1;
	d.nmode = 1 + 2 * d.J;
	d.R = (size_t)((k->work_ms + grid_ms - 1) / grid_ms) + 1;
	d.N = (size_t)(k->deadline_ms / k->gap_ms);
	if ((double)slot(&d, 1, 0, 0, 0) * (double)(d.N + 1) > (double)MAX_FLOATS)
		return err_set(err, -E2BIG, "%zu ticks and %zu steps of work are too many to plan for", d.N, d.R);
	d.v = xcalloc(slot(&d, d.N + 1, 0, 0, 0), sizeof *d.v);
	for (size_t i = 0; i < slot(&d, 1, 0, 0, 0); i++)
		d.v[i] = (float)(LATE_OD * k->od_usd_h * (double)((int64_t)(i % d.R) * grid_ms) / 3.6e6);
	float *e = xcalloc((size_t)d.nmode * d.R, sizeof *e);
	for (size_t n = 1; n <= d.N; n++)
		for (int a = 0; a < 2; a++)
			for (int b = 0; b < SPOT_AGES; b++)
				induct(&d, k, h, n, a, b, e);
	free(e);
	*ret = xmalloc(sizeof d);
	**ret = d;
	return 0;
}

void spot_dp_free(struct spot_dp *d)
{
	if (d)
		free(d->v);
	free(d);
}

static int mode_of(const struct spot_dp *d, const struct spot_now *s)
{
	enum spot_hold h = spot_held(s);
	int64_t j = s->overhead_left_ms > 0 ? (d->overhead_ms - s->overhead_left_ms) / d->gap_ms : d->J;

	j = j < 1 ? 1 : j > d->J ? d->J : j;
	return h == SPOT_NONE ? 0 : (int)j + (h == SPOT_OD ? 0 : d->J);
}

static double at(const struct spot_dp *d, size_t n, int a, int b, int m, size_t i, float f)
{
	const float *v = d->v + slot(d, n, a, b, m) + i;

	return f > 0 ? (double)((1 - f) * v[0] + f * v[1]) : (double)v[0];
}

static double after(const struct spot_dp *d, const struct spot_hazard *h, size_t n, int a, int b, int m, int64_t rem_ms)
{
	size_t i = (size_t)(rem_ms / d->grid_ms);
	float f = (float)(rem_ms % d->grid_ms) / (float)d->grid_ms;
	double q = h->turn[a][b], up = (1 - q) * h->advance[a][b];

	if (rem_ms <= 0)
		return 0;
	return q * at(d, n, !a, 0, a && m > d->J ? 0 : m, i, f) + up * at(d, n, a, b + (b < SPOT_AGES - 1), m, i, f) +
	       (1 - q - up) * at(d, n, a, b, m, i, f);
}

void spot_dp_cost(const struct spot_dp *d, const struct spot_hazard *h, const struct spot_task *k, const struct spot_now *s, int b, double ret_usd[3])
{
	int64_t left = k->deadline_ms / k->gap_ms - s->tick;
	double hours = (double)d->gap_ms / 3.6e6;
	const double price[] = { 0, k->spot_usd_h * hours, k->od_usd_h * hours };
	size_t n = left < 1 ? 0 : (size_t)left > d->N ? d->N : (size_t)left;
	int m = mode_of(d, s), to;

	for (int x = SPOT_NONE; x <= SPOT_OD; x++) {
		ret_usd[x] = (double)LATE;
		if (!n || (x == SPOT_SPOT && !s->has_spot))
			continue;
		int64_t w = step(d, m, x, &to);
		ret_usd[x] = price[x] + after(d, h, n - 1, s->has_spot, b, to, k->work_ms - s->done_ms - w);
	}
}
