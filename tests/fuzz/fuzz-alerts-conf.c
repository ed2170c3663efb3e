/* The section `alerts:` of the settings: whatever it says is taken or refused with a sentence; what
 * is taken routes. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "alerts/alerts_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct alerts_conf c;
	struct err err = { 0 };
	const char *field[ALERT_FIELD_N];

	if (alerts_conf_parse("x.yaml", (struct sv){ (const char *)data, size }, &c, &err) < 0) {
		assert(*err.msg);
		return 0;
	}
	for (int i = 0; i < ALERT_FIELD_N; i++)
		field[i] = "x";
	bool *to = xcalloc(c.receiver.n + 1, sizeof *to);
	for (size_t i = 0; i < c.rule.n; i++) {
		assert(alert_rule_check(&c.rule.v[i], &err) == 0);
		alerts_conf_route(&c, &c.rule.v[i], field, to);
	}
	free(to);
	alerts_conf_free(&c);
	return 0;
}
