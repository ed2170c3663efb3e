/* What attempts have measured: as it comes, and with a hash put below it that fits, so that the
 * lines are reached. What is taken comes back the same after it was written. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include "run/run_known.h"
#include "run/run_price.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void both_ways(struct sv text)
{
	struct run_known k, again;
	struct str s = { 0 }, t = { 0 };
	struct err err;

	if (run_known_parse(text, &k, &err) == 0) {
		run_known_write(&k, &s);
		if (run_known_parse(str_sv(&s), &again, &err) < 0)
			abort();
		run_known_write(&again, &t);
		if (s.n != t.n || memcmp(s.p, t.p, s.n))
			abort();
	}
	str_free(&s);
	str_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { 0 };
	struct err err;
	int64_t nano;

	both_ways((struct sv){ (const char *)data, size });
	if (size < 2 * RUN_KNOWN_MAX) {
		str_addz(&s, "tare-run-measured 1\n");
		str_add(&s, (const char *)data, size);
		if (s.p[s.n - 1] != '\n')
			str_addc(&s, '\n');
		str_addf(&s, "xxh3 %016" PRIx64 "\n", (uint64_t)XXH3_64bits(s.p, s.n));
		both_ways(str_sv(&s));
	}
	if (run_price_parse((struct sv){ (const char *)data, size }, &nano, &err) == 0 && nano < 0)
		abort();
	str_free(&s);
	return 0;
}
