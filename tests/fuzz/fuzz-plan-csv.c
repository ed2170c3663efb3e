/* Small tables of the planners: any bytes are read or refused with a sentence; what is read keeps
 * its promises. The first byte says which reader. */
#include <math.h>
#include <stdlib.h>

#include "feed/planner/plan_csv.h"
#include "model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void jobs(struct input *in, struct err *err)
{
	struct plan_jobs j;
	int r = plan_jobs_read(in, &j, err);
	for (size_t i = 0; r >= 0 && i < j.v.n; i++)
		if (j.v.v[i].length_ms < 0 || j.v.v[i].units < 0 || !j.v.v[i].team ||
		    j.v.v[i].egress_gb < 0)
			abort();
	if (r < 0 && !err->msg[0])
		abort();
	plan_jobs_free(&j);
}

static void series(struct input *in, struct err *err)
{
	struct plan_series s;
	int r = plan_series_read(in, &s, err);
	for (size_t i = 0; r >= 0 && i < s.n; i++)
		if (s.v[i] < 0 || isinf(s.v[i]))
			abort();
	if (r < 0 && !err->msg[0])
		abort();
	plan_series_free(&s);
}

static void prices(struct input *in, bool spot, struct err *err)
{
	struct plan_prices p;
	int r = plan_prices_read(in, &(struct plan_prices_opt){ .spot = spot, .window = -1 }, &p,
				 err);
	for (size_t i = 0; r >= 0 && i < p.v.n; i++)
		if (p.v.v[i].usd_hour < -DEC_ONE ||
		    (p.v.v[i].until_ms != UNKNOWN_MS && p.v.v[i].until_ms <= p.v.v[i].at_ms))
			abort();
	if (r < 0 && !err->msg[0])
		abort();
	plan_prices_free(&p);
}

static void tenants(struct input *in, struct err *err)
{
	struct plan_tenants t;
	int r = plan_tenants_read(in, &t, err);
	for (size_t i = 0; r >= 0 && i < t.v.n; i++)
		if (t.v.v[i].mem_bytes < 0 || t.v.v[i].load_frac < 0 ||
		    t.v.v[i].load_frac > 1.000001 || t.v.v[i].replicas < 1 || !t.v.v[i].name[0])
			abort();
	if (r < 0 && !err->msg[0])
		abort();
	plan_tenants_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct err err = { 0 };
	struct input *in = NULL;
	if (!n || input_from_memory("x", p + 1, n - 1, &in, &err) < 0)
		return 0;
	if (p[0] == 'j')
		jobs(in, &err);
	else if (p[0] == 's')
		series(in, &err);
	else if (p[0] == 't')
		tenants(in, &err);
	else
		prices(in, p[0] == 'q', &err);
	input_close(in);
	return 0;
}
