/* Saved alerts: whatever is loaded, the engine goes on, and saves what it loads again. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/tm.h"
#include "opt/alert/alert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct alerts *a = alerts_new(alert_defaults, alert_defaults_n, NULL, NULL),
		      *b = alerts_new(alert_defaults, alert_defaults_n, NULL, NULL);
	struct err err = { 0 };
	struct str text = { 0 };
	struct alert_obs o = { .field = { SV("n1"), SV("0") }, .held = 1 };

	if (alerts_load(a, (struct sv){ (const char *)data, size }, 1000 * MS_HOUR, 1782777600000,
			&err) < 0)
		assert(alerts_gpus(a) == 0 && *err.msg);
	for (int i = 0; i < ALERT_SIGNAL_N; i++)
		o.value[i] = 50;
	for (int m = 0; m < 40; m++) {
		o.from_ms = 1000 * MS_HOUR + m * MS_MINUTE;
		o.to_ms = o.from_ms + MS_MINUTE;
		alerts_observe(a, &o, 1782777600000 + m * MS_MINUTE);
	}
	alerts_tick(a, o.to_ms, 1782777600000 + MS_HOUR);
	alerts_save(a, o.to_ms, 1782777600000 + MS_HOUR, &text);
	alerts_load(b, str_sv(&text), o.to_ms, 1782777600000 + MS_HOUR, &err);
	alerts_tick(b, o.to_ms + MS_DAY * 2, 1782777600000 + 2 * MS_DAY);
	alerts_free(a), alerts_free(b);
	str_free(&text);
	return 0;
}
