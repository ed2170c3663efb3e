#include "ledger/round.h"
#include "base/num.h"
#include "base/sort.h"

#include <assert.h>
#include <stdlib.h>

__int128 round_down(__int128 a, __int128 d, __int128 *ret_rem)
{
	if (!a) { /* of what has no price, which is most of some ledgers */
		*ret_rem = 0;
		return 0;
	}
	__int128 q = a / d, r = a % d;

	if (r < 0) {
		q--;
		r += d;
	}
	*ret_rem = r;
	return q;
}

int64_t round_upto(__int128 sum, __int128 one)
{
	return (int64_t)((sum + one / 2) / one);
}

static int by_remainder(const void *a, const void *b)
{
	const struct round_rem *x = a, *y = b;

	if (x->rem != y->rem)
		return cmp_dec(y->rem, x->rem);
	return cmp_size(x->i, y->i);
}

void round_parts(struct round_rem *rem, size_t n, const __int128 *weight, __int128 one,
		 int64_t total, int64_t *ret_part)
{
	int64_t left = total;

	for (size_t i = 0; i < n; i++) {
		ret_part[i] = (int64_t)round_down(weight[i], one, &rem[i].rem);
		rem[i].i = i;
		left -= ret_part[i];
	}
	assert(left >= 0 && (uint64_t)left <= n);
	if (left == 0)
		return;
	sort_items(rem, n, sizeof *rem, by_remainder);
	for (int64_t i = 0; i < left; i++)
		ret_part[rem[i].i]++;
}
