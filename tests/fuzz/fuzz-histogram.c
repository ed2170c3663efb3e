/* Latency histograms: as text of a log, and packed as a store has them. What was read packs to
 * something that reads the same. */
#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "store/hist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_packed(struct hist *h)
{
	struct hist back = { 0 };
	struct str blob = { 0 };

	hist_pack(h, &blob);
	if (h->total <= INT64_MAX / 8) {
		assert(hist_merge(&back, blob.p, blob.n));
		assert(back.total == h->total && back.nrange == h->nrange);
		double a = hist_quantile(h, 0.99), b = hist_quantile(&back, 0.99);
		assert(isnan(a) ? isnan(b) : a == b);
	}
	hist_free(&back);
	str_free(&blob);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hist h = { 0 };

	if (hist_add_text(&h, (struct sv){ (const char *)data, size }))
		check_packed(&h);
	hist_free(&h);
	if (hist_merge(&h, data, size))
		check_packed(&h);
	hist_free(&h);
	return 0;
}
