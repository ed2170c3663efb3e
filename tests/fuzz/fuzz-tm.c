/* Times: what is read is within years 1 to 9999 (give or take the offset), and its text reads as
 * the same instant. */
#include <stdlib.h>

#include "base/tm.h"

static void check(int64_t ms)
{
	char buf[TM_BUF];
	int64_t back;
	struct civil c = tm_civil(ms);
	if (tm_from_civil(c) != ms)
		abort();
	tm_format(buf, ms);
	if (c.year >= 1 && c.year <= 9999 && (tm_parse(sv_of(buf), 0, &back) || back != ms))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv s = { (const char *)data, size };
	char z[64], buf[TM_BUF];
	int64_t ms, until;
	struct err e;
	if (tm_parse(s, 3600, &ms) == 0)
		check(ms);
	if (tm_parse_slashed(s, 0, 0, &ms) == 0)
		check(ms);
	if (tm_parse_slashed(s, 1, -3600, &ms) == 0)
		check(ms);
	if (tm_parse_number(s, 0, MS_SECOND, &ms) == 0)
		check(ms);
	if (tm_parse_span(s, &ms) == 0 && ms <= 0)
		abort();
	if (tm_parse_slurm_span(s, &ms) == 0) {
		if (ms < 0)
			abort();
		tm_format_span(buf, ms);
	}
	if (size < sizeof z) {
		memcpy(z, data, size);
		z[size] = 0;
		if (tm_window(z, NULL, 1700000000000, &ms, &until, &e) == 0 && ms >= until)
			abort();
	}
	return 0;
}
