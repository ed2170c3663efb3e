/* The configuration: any text loads or is refused with a sentence. */
#include <stdlib.h>

#include "ledger/conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct conf c;
	struct err err;
	err_clear(&err);
	if (conf_parse("fuzz", (struct sv){ (const char *)p, n }, &c, &err) < 0) {
		if (!*err.msg)
			abort();
		return 0;
	}
	if (c.month_hours < 1 || c.attrib.underused_util_pct < c.attrib.idle_util_pct)
		abort();
	conf_free(&c);
	return 0;
}
