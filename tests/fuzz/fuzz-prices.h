#ifndef TARE_FUZZ_PRICES_H
#define TARE_FUZZ_PRICES_H
/* A world for the parsers of price interfaces: a catalogue, a sink that only looks at what it
 * gets. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include "feed/prices/prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int fuzz_price(void *ctx, const struct price *p, struct err *err)
{
	(void)ctx;
	(void)err;
	assert(p->hour >= 0 && p->upfront >= 0 && p->from_ms != UNKNOWN_MS && p->provider.n &&
	       p->purchase.n && p->source.n);
	assert(p->instance_type.n || p->gpu_model.n);
	return 0;
}

struct fuzz_world {
	struct price_fetch f;
	struct feed_sink sink;
	struct feed_report report;
	struct str next;
	struct err err;
};

static inline void fuzz_start(struct fuzz_world *w)
{
	static struct catalog *catalog; /* once: it does not change */
	if (!catalog && catalog_open(NULL, &catalog, &w->err) < 0)
		abort();
	w->sink = (struct feed_sink){ .price = fuzz_price };
	w->f = (struct price_fetch){ .catalog = catalog,
				     .sink = &w->sink,
				     .report = &w->report,
				     .now_ms = 1795255200000,
				     .source = "prices:fuzz" };
	w->report.from_ms = w->report.to_ms = UNKNOWN_MS;
}

static inline void fuzz_stop(struct fuzz_world *w)
{
	feed_report_free(&w->report);
	str_free(&w->next);
}

#define FUZZ_TEXT(data, size) ((struct sv){ (size) ? (const char *)(data) : "", (size) })

#endif
