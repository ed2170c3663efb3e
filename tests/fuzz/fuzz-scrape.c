/* Any bytes as the answer of a metrics endpoint: what it says about GPUs and about requests. */
#include <math.h>
#include <stdlib.h>

#include "device/scrape_gpu.h"
#include "device/serving.h"

static void must(int good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv text = { (const char *)data, size };
	struct scraped *s = scraped_new();
	struct serving *v = serving_new();
	const struct scraped_dev *d;
	const struct serving_reading *r;
	size_t n;

	scraped_parse(s, text);
	n = scraped_all(s, &d);
	must(n <= 4096);
	for (size_t i = 0; i < n; i++) {
		double u = d[i].value[METRIC_GPU_UTIL_PCT];
		must(isnan(u) || (u >= 0 && u <= 100));
		must(memchr(d[i].uuid, 0, sizeof d[i].uuid) &&
		     memchr(d[i].name, 0, sizeof d[i].name) &&
		     memchr(d[i].mig, 0, sizeof d[i].mig));
	}
	for (int k = 0; k < 2; k++) {
		serving_take(v, text, 1000 * (k + 1), &r, &n);
		for (size_t i = 0; i < n; i++) {
			must(!(r[i].waiting < 0) && !(r[i].requests_s < 0) &&
			     !(r[i].cache_frac > 1));
			must(k == 0 ? isnan(r[i].requests_s) : 1);
		}
	}
	serving_close(v);
	scraped_free(s);
	return 0;
}
