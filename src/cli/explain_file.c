#include "cli/explain_file.h"

#include "answer/samples.h"
#include "answer/trace.h"
#include "report/cost/samples.h"
#include "report/trace.h"

/* Without a catalogue the GPUs are not known, which is no reason to say nothing. */
static struct catalog *catalog_or_none(void)
{
	struct catalog *cat = NULL;
	struct err quiet = { 0 };

	if (catalog_open(NULL, &cat, &quiet) == 0)
		return cat;
	return NULL;
}

/* ---- samples ----------------------------------------------------------------------------- */

static void put_window(void *ctx, const struct samples_window *w)
{
	samples_csv_window(w, ctx);
}

int explain_samples(struct cli *c, const char *file, int64_t window_ms)
{
	struct catalog *cat = catalog_or_none();
	struct samples_ask q = { .ask = cli_ask(c, NULL, cat),
				 .file = file,
				 .window_ms = window_ms };
	struct samples_answer a;
	struct str out = { 0 };
	struct err err = { 0 };
	bool csv = c->output == OUT_CSV;
	int r, rc;

	if (csv) {
		samples_csv_head(&out);
		q.window = put_window;
		q.ctx = &out;
	}
	r = answer_samples(&q, &a, &err);
	if (r >= 0 && !csv)
		samples_print(&a, file, c->output, &out);
	rc = cli_end(r, &err, &out);
	catalog_free(cat);
	return rc;
}

/* ---- a profiler's trace ------------------------------------------------------------------ */

int explain_trace(struct cli *c, const char *file, double usd_gpu_hour)
{
	struct trace *t = NULL;
	struct catalog *cat = catalog_or_none();
	struct trace_ask q = { .catalog = cat, .usd_gpu_hour = usd_gpu_hour };
	struct trace_answer a;
	struct out_as as = cli_out_as(c);
	struct str out = { 0 };
	struct err err = { 0 };
	int r = answer_trace_file(file, &q, &c->mem, &t, &a, &err), rc;

	if (r >= 0) {
		trace_print(&a, file, &as, &out);
		rc = cli_write(&out);
		if (rc == EXIT_DONE && !a.r.ngpu)
			rc = EXIT_INCOMPLETE;
	} else {
		rc = cli_fail(&err);
	}
	str_free(&out);
	catalog_free(cat);
	trace_free(t);
	return rc;
}
