#include "ckpt/push_turn.h"

#include <math.h>

#define REQUESTS 6 /* list, claim, list, manifest, size, latest */

int64_t push_need_ms(const struct push_turn *t, uint64_t bytes)
{
	if (isnan(t->bytes_s) || !(t->bytes_s > 0))
		return -1;
	return (int64_t)(((double)bytes / t->bytes_s * 1000 + (double)(REQUESTS * t->answer_ms)) *
			 (1 + t->margin_frac)) +
	       t->margin_ms;
}

bool push_turn_cut(const struct push_turn *t)
{
	int64_t both = push_need_ms(t, t->old_left + t->new_after);

	if (both < 0 || both <= t->left_ms)
		return false;
	if (push_need_ms(t, t->new_now) <= t->left_ms)
		return true;
	if (push_need_ms(t, t->old_left) <= t->left_ms)
		return false;
	return t->new_now < t->old_left;
}
