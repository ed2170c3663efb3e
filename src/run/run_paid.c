/* What an attempt has cost, where the price of its machine changes: each hour at the price it
 * had. */
#include "base/num.h"
#include "base/tm.h"
#include "run/run_priv.h"

#define NANO_MAX INT64_C(1000000000000000000) /* of an attempt; sums of two fit */

int64_t run_paid_nano(int64_t nano_hour, int64_t from, int64_t to)
{
	__int128 nano = 0;

	if (to > from)
		nano = (__int128)nano_hour * (to - from) / MS_HOUR;
	if (nano < NANO_MAX)
		return (int64_t)nano;
	return NANO_MAX;
}

static int64_t add_capped(int64_t a, int64_t b)
{
	return min_i64(a + b, NANO_MAX);
}

int64_t run_book_spent(const struct run_book *b, int64_t now_ms)
{
	if (b->usd_hour_nano < 0 || b->unpriced)
		return -1;
	return add_capped(b->spent_nano, run_paid_nano(b->usd_hour_nano, b->since_ms, now_ms));
}

void run_book_price(struct run_book *b, int64_t now_ms, int64_t usd_hour_nano)
{
	if (now_ms < b->since_ms)
		now_ms = b->since_ms;
	if (b->usd_hour_nano < 0)
		b->unpriced |= now_ms > b->start_ms;
	else
		b->spent_nano = add_capped(b->spent_nano,
					   run_paid_nano(b->usd_hour_nano, b->since_ms, now_ms));
	if (b->past.n < RUN_PRICES_MAX && now_ms > b->since_ms)
		*vec_push(&b->past) = (struct run_paid){ now_ms, b->usd_hour_nano };
	else if (b->past.n) /* too many changes: the last one is extended */
		b->past.v[b->past.n - 1].until_ms = now_ms;
	b->since_ms = now_ms;
	b->usd_hour_nano = usd_hour_nano;
}

int64_t run_paid_gpu_hour(const struct run_book *b, int64_t from, int64_t to)
{
	__int128 sum = 0;
	int64_t at = from, gpus = 0;

	if (!b->past.n && b->usd_hour_nano == b->o->usd_hour_nano && b->o->usd_gpu_hour_nano >= 0)
		return b->o->usd_gpu_hour_nano;
	if (sv_i64(sv_of(b->gpus), &gpus) < 0 || gpus <= 0 || b->usd_hour_nano < 0)
		return -1;
	if (b->unpriced || to <= from)
		return -1;
	for (size_t i = 0; i < b->past.n && at < to; i++) {
		int64_t until = min_i64(b->past.v[i].until_ms, to);
		if (until > at) {
			sum += (__int128)b->past.v[i].nano_hour * (until - at);
			at = until;
		}
	}
	sum += (__int128)b->usd_hour_nano * (to - at);
	return (int64_t)(sum / (to - from) / gpus);
}
