/* Any bytes as the answer of a Prometheus server: an error, or series whose points lie in the steps
 * asked for. */
#include <stdlib.h>

#include "feed/readings/prom.h"

static void must(bool good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct feed_prometheus_opt opt = { .url = "fuzz" };
	struct feed_report report = { 0 };
	struct prom p = { .opt = &opt, .report = &report, .step_ms = 60000, .max_readings = 1000 };
	struct prom_matrix m;
	struct err err = { 0 };
	int rc = prom_read(&p, (struct sv){ (const char *)data, size }, 1795000020000, 100, &m,
			   &err);

	must(rc == 0 || err.msg[0]);
	for (size_t i = 0, at = 0; rc == 0 && i < m.series.n; i++) {
		const struct prom_series *s = &m.series.v[i];
		must(s->at == at && s->at + s->n <= m.v.n && m.v.n == m.step.n);
		at += s->n;
		for (size_t j = 0; j < s->nlabel; j++)
			must(s->name[j].p && s->value[j].p);
		for (size_t j = s->at; j < s->at + s->n; j++)
			must(m.step.v[j] < 100);
	}
	if (rc == 0)
		prom_matrix_free(&m);
	feed_report_free(&report);
	return 0;
}
