/* What the agent knows of the clock: whatever the text, an error or a state that comes back from
 * its own text, and looks go on from it. */
#include <stdint.h>
#include <stdlib.h>

#include "agent/clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct clock_judge j, again;
	struct clock_ruling r;
	struct str out = { 0 };
	struct err err;
	if (clock_parse((struct sv){ (const char *)data, size }, &j, &err) < 0)
		return 0;
	clock_text(&j, &out);
	if (clock_parse(str_sv(&out), &again, &err) < 0 || again.offset_ms != j.offset_ms ||
	    again.held != j.held)
		abort();
	str_free(&out);
	clock_start(&again,
		    &(struct clock_first){ "b", INT64_C(1790000000000), 1000,
					   INT64_C(1780000000000), 0 },
		    &r);
	clock_start(&j,
		    &(struct clock_first){ j.boot, INT64_C(1790000000000), 1000,
					   INT64_C(1780000000000), 1 },
		    &r);
	clock_look(&j, INT64_C(1790000001000), 2000, &r);
	return 0;
}
