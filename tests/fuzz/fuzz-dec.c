/* Decimals: what is read and written reads as the same again; the first byte chooses the flags. */
#include <stdlib.h>

#include "base/dec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	dec v, back;
	double f;
	int64_t i;
	char buf[DEC_BUF];
	if (size == 0)
		return 0;
	struct sv s = { (const char *)data + 1, size - 1 };
	if (dec_parse(s, data[0] & 3, &v) == 0) {
		if (v >= DEC_LIMIT || v <= -DEC_LIMIT)
			abort();
		if (dec_parse(sv_of(dec_format(buf, v)), 0, &back) || back != v)
			abort();
		if (dec_parse(sv_of(dec_format_people(buf, v, 12)), DEC_GROUPED, &back) ||
		    back != v)
			abort();
		if (dec_fits_nano(v))
			dec_to_nano(v);
		dec_from_double(dec_to_double(v));
	}
	if (sv_i64(s, &i) == 0 && sv_f64(s, &f))
		abort();
	if (sv_f64(s, &f) == 0 &&
	    dec_parse(s, 0, &v) == -22 /* EINVAL: every such number is a decimal */)
		abort();
	return 0;
}
