#include "ledger/spread.h"

#include <assert.h>
#include <errno.h>

#define WEIGHT_MAX (INT64_C(1) << 62)

int spread_start(struct spread *s, dec amount, int64_t total_weight_ms, dec *ret_rest)
{
	/* INT64_MIN means "unknown" in an entry, so the range is kept symmetric. */
	dec limit = nano_to_dec(INT64_MAX);
	if (amount > limit || amount < -limit || total_weight_ms > WEIGHT_MAX)
		return -ERANGE;
	if (total_weight_ms < 0)
		return -EINVAL;
	*s = (struct spread){ .total_nano = dec_to_nano(amount), .total_weight = total_weight_ms };
	*ret_rest = amount - nano_to_dec(s->total_nano);
	return 0;
}

int64_t spread_next(struct spread *s, int64_t weight_ms)
{
	assert(weight_ms >= 0 && weight_ms <= s->total_weight - s->weight);
	s->weight += weight_ms;
	/* Without weights the first piece takes all: the second sees it gone. */
	int64_t upto = s->total_weight
			       ? (int64_t)dec_muldiv(s->total_nano, s->weight, s->total_weight)
			       : s->total_nano;
	int64_t part = upto - s->nano;
	s->nano = upto;
	return part;
}

int spread_amount(dec amount, size_t n, const int64_t *weight_ms, int64_t *ret_nano, dec *ret_rest)
{
	int64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		if (weight_ms[i] < 0)
			return -EINVAL;
		if (__builtin_add_overflow(sum, weight_ms[i], &sum) || sum > WEIGHT_MAX)
			return -ERANGE;
	}
	if (n == 0)
		return -EINVAL;
	struct spread s;
	dec rest;
	int r = spread_start(&s, amount, sum, &rest);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		ret_nano[i] = spread_next(&s, weight_ms[i]);
	assert(s.nano == s.total_nano);
	*ret_rest = rest;
	return 0;
}
