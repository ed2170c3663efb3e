#include "opt/spot/spot_seen.h"

#include <math.h>

#include "base/num.h"
#include "base/tm.h"

double spot_mtbi_h(double before_h, double seen_h, int64_t interruptions)
{
	double prior = SPOT_PRIOR_H;

	if (isfinite(before_h) && before_h > 0)
		prior = before_h;
	return (prior + fmax(0, seen_h)) / (1 + (double)max_i64(interruptions, 0));
}

bool spot_place_has(const char *place, struct sv word)
{
	struct sv rest = sv_of(place);

	while (word.n && rest.n)
		if (sv_eq(sv_cut(rest, '/', &rest), word))
			return true;
	return false;
}

void spot_seen_at(const struct spot_seen *all, bool (*there)(const void *ctx, const char *place),
		  const void *ctx, struct spot_seen *ret)
{
	*ret = *all;
	for (size_t i = 0; i < all->nspell; i++) {
		const struct spot_spell *s = &all->spell[i];
		if (there(ctx, s->place))
			continue;
		ret->hours = fmax(0, ret->hours - (double)s->ms / MS_HOUR);
		ret->interruptions -= s->interrupted && ret->interruptions > 0;
	}
	ret->known = ret->hours > 0 || ret->interruptions > 0;
}
