/* Hand-made cells for the report tests: a small fleet whose sums can be checked with pencil and
 * paper. */
#ifndef TESTS_REPORT_CELLS_H
#define TESTS_REPORT_CELLS_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/tm.h"
#include "report/cost/report.h"

#define H(x)      ((int64_t)((x)*MS_HOUR))
#define DIMS(...) ((const char *const[]){ __VA_ARGS__ })
#define T0        1727740800000LL /* 2024-10-01T00:00:00Z */

static inline dec D(const char *s)
{
	dec v;
	assert_int_equal(dec_parse(sv_of(s), 0, &v), 0);
	return v;
}

/* GPU time in a state at a price per hour; NULL price = unpriced. Measured, but what is unknown. */
static inline struct report_cell gpu(const char *const *dim, enum state s, int64_t ms,
				     const char *price, const char *currency)
{
	bool read = s != STATE_UNALLOCATED && s != STATE_UNKNOWN && s != STATE_LOST;
	return (struct report_cell){
		.dim = dim,
		.is_gpu = true,
		.state = s,
		.currency = currency,
		.ms = ms,
		.util_ms = read ? ms / 4 : UNKNOWN_I64,
		.measured_ms = s == STATE_UNKNOWN ? 0 : ms,
		.unpriced_ms = price ? 0 : ms,
		.cost = price ? dec_muldiv(D(price), ms, MS_HOUR) : 0,
	};
}

static inline struct report_cell line(const char *const *dim, const char *cost,
				      const char *currency)
{
	return (struct report_cell){
		.dim = dim, .currency = currency, .cost = D(cost), .util_ms = UNKNOWN_I64
	};
}

/* Print, and fail with the error's own words if that fails. The caller frees. */
static inline char *printed(const struct report_in *in, enum out_format f)
{
	struct str out = { 0 };
	struct err err = { 0 };
	if (report_print(in, f, &out, &err) < 0)
		fail_msg("%s", err.msg);
	return out.p ? out.p : strdup("");
}

static inline void expect(const char *got, const char *want)
{
	if (strcmp(got, want)) {
		size_t i = 0;
		while (got[i] == want[i])
			i++;
		print_error("--- got:\n%s\n--- want:\n%s\n--- differ from byte %zu on\n", got, want,
			    i);
	}
	assert_string_equal(got, want);
}
#endif
