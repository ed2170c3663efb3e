/*
 * Energy of owned hardware, measured: joules of a GPU's power readings x $/kWh x PUE, an entry of
 * kind energy per hour and owner beside the GPU's entries. An hour's amount is rounded half-even
 * to nano and split over the hour's owners by the time they held; time without a power reading
 * costs no energy here, since none was measured.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/energy.h"

void energy_free(struct energy *e)
{
	vec_free(&e->hour);
	vec_free(&e->held);
}

void energy_start(struct energy *e)
{
	vec_clear(&e->hour);
	vec_clear(&e->held);
	e->last_ms = INT64_MIN;
}

void energy_next(struct energy *e)
{
	e->last_ms = INT64_MIN;
}

/* Readings come in time order; copies of one reading (one per job, say) have the same time and
 * count once. */
void energy_sample(struct energy *e, const struct sample *s, struct sv mig)
{
	double w = s->value[METRIC_POWER_W];
	int64_t hour = tm_floor(s->t_ms, MS_HOUR);

	if (isnan(w) || w < 0)
		return;
	if (mig.n || s->t_ms == e->last_ms)
		return;
	e->last_ms = s->t_ms;
	if (!e->hour.n || e->hour.v[e->hour.n - 1].hour_ms != hour)
		*vec_push(&e->hour) = (struct energy_hour){ hour, 0 };
	e->hour.v[e->hour.n - 1].joules += w * (double)s->step_ms / 1000;
}

void energy_held(struct energy *e, const struct attrib_entry *a)
{
	*vec_push(&e->held) = *a;
}

static int by_hour_read(const void *a, const void *b)
{
	const struct energy_hour *x = a, *y = b;

	if (x->hour_ms != y->hour_ms)
		return cmp_i64(x->hour_ms, y->hour_ms);
	return (x->joules > y->joules) - (x->joules < y->joules);
}

/* Those of several GPUs came one GPU after another. */
static void join_hours(struct energy *e)
{
	size_t n = 0;

	if (e->hour.n)
		sort_items(e->hour.v, e->hour.n, sizeof *e->hour.v, by_hour_read);
	for (size_t i = 0; i < e->hour.n; i++)
		if (n && e->hour.v[n - 1].hour_ms == e->hour.v[i].hour_ms)
			e->hour.v[n - 1].joules += e->hour.v[i].joules;
		else
			e->hour.v[n++] = e->hour.v[i];
	e->hour.n = n;
}

static int by_hour(const void *a, const void *b)
{
	const struct attrib_entry *x = a, *y = b;

	if (x->hour_ms != y->hour_ms)
		return cmp_i64(x->hour_ms, y->hour_ms);
	return cmp_size(x->owner, y->owner);
}

int energy_post(struct energy *e, const struct owned_terms *t,
		int (*post)(void *ctx, const struct attrib_entry *e, int64_t nano, struct err *err),
		void (*rest)(void *ctx, int64_t hour_ms, int64_t nano, dec rest), void *ctx,
		struct err *err)
{
	__int128 *weight = xcalloc(e->held.n + 1, sizeof *weight);
	int64_t *part = xcalloc(e->held.n + 1, sizeof *part);
	double pue = 1;
	int rc = 0;

	if (t->pue > 0)
		pue = t->pue;
	join_hours(e);
	if (e->held.n)
		sort_items(e->held.v, e->held.n, sizeof *e->held.v, by_hour);
	for (size_t h = 0, at = 0; h < e->hour.n && !rc; h++) {
		size_t n = 0;
		while (at < e->held.n && e->held.v[at].hour_ms < e->hour.v[h].hour_ms)
			at++;
		while (at + n < e->held.n && e->held.v[at + n].hour_ms == e->hour.v[h].hour_ms)
			n++;
		if (!n)
			continue; /* nothing was paid for in this hour */
		/* entries of one owner, one behind the other, as one weight each */
		struct attrib_entry *held = &e->held.v[at];
		size_t k = 0;
		for (size_t i = 0; i < n; i++)
			if (k && held[k - 1].owner == held[i].owner) {
				weight[k - 1] += held[i].ms;
			} else {
				held[k] = held[i];
				weight[k++] = held[i].ms;
			}
		dec cost = dec_muldiv(t->usd_kwh, (int64_t)llround(e->hour.v[h].joules * pue),
				      MS_HOUR);
		int64_t nano = dec_to_nano(cost);
		split_largest_remainder(nano, k, weight, part);
		for (size_t i = 0; i < k && !rc; i++)
			rc = post(ctx, &held[i], part[i], err);
		rest(ctx, e->hour.v[h].hour_ms, nano, cost - nano_to_dec(nano));
		at += n;
	}
	free(weight);
	free(part);
	return rc;
}
