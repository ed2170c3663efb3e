/* The section `plan:` of the configuration: any text loads or is refused with a sentence. */
#include <stdint.h>
#include <stdlib.h>

#include "plan/plan_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct plan_conf c;
	struct err err;
	err_clear(&err);
	if (plan_conf_parse("fuzz", (struct sv){ (const char *)p, n }, &c, &err) < 0) {
		if (!*err.msg)
			abort();
		return 0;
	}
	if (!(c.month_hours >= 1) || !(c.outdated_year_frac <= 1) || !(c.wacc_frac >= 0))
		abort();
	for (size_t i = 0; i < c.rule.n; i++)
		if (!c.rule.v[i].when.n)
			abort();
	plan_conf_free(&c);
	return 0;
}
