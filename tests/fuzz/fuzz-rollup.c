/* Roll-ups of minutes: whatever the bytes, an error or a roll-up that packs to what it was. */
#include <stdint.h>
#include <stdlib.h>

#include "watch/rollup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rollup r = { 0 };
	struct str out = { 0 };
	struct err err;
	if (rollup_unpack(data, size, &r, &err) == 0) {
		(void)rollup_hist_quantile(&r.hist, 0.5);
		rollup_pack(&r, &out);
		if (rollup_adds_up(&r)) {
			rollup_cut(&r, r.from_ms, r.from_ms + (r.to_ms - r.from_ms) / 3);
			if (!rollup_adds_up(&r))
				abort();
		}
	}
	str_free(&out);
	rollup_free(&r);
	return 0;
}
