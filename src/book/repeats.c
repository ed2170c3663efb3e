/* See repeats.h. */
#include "book/repeats.h"
#include "base/num.h"
#include "base/sort.h"

#include <stdlib.h>
#include <xxhash.h>

static uint64_t mix_hash(uint64_t h, struct sv v)
{
	return XXH3_64bits_withSeed(v.n ? v.p : "", v.n, h * 31 + v.n);
}

void repeats_add(struct repeats *r, const struct allocation *a)
{
	const struct {
		int64_t start_ms, mig_start;
	} at = { a->start_ms, a->mig_start };

	if (!a->job_id.n)
		return;
	uint64_t h = mix_hash(mix_hash(XXH3_64bits(&at, sizeof at), a->job_id), a->node);
	*vec_push(&r->row) = mix_hash(mix_hash(mix_hash(h, a->gpu_ids), a->gpu_model),
				      a->mig_profile);
}

size_t repeats_count(struct repeats *r)
{
	size_t n = 0;

	if (r->row.n)
		sort_items(r->row.v, r->row.n, sizeof *r->row.v, rising_u64);
	for (size_t i = 1; i < r->row.n; i++)
		n += r->row.v[i] == r->row.v[i - 1];
	return n;
}

void repeats_free(struct repeats *r)
{
	vec_free(&r->row);
}
