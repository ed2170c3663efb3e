#include "cli/explain_file.h"

#include <errno.h>
#include <math.h>

#include "answer/samples.h"
#include "answer/trace.h"
#include "base/tm.h"
#include "report/samples.h"
#include "report/trace.h"

/* Without a catalogue the cards are not known, which is no reason to say nothing. */
static struct catalog *catalog_or_none(void)
{
	struct catalog *cat = NULL;
	struct err quiet = { 0 };

	return catalog_open(NULL, &cat, &quiet) == 0 ? cat : NULL;
}

/* ---- samples ----------------------------------------------------------------------------- */

static int read_window(struct cli *c, int64_t *ret, struct err *err)
{
	const char *w = cli_value(c, "window");

	*ret = 10 * MS_MINUTE;
	if (w && (tm_parse_span(sv_of(w), ret) < 0 || *ret < MS_MINUTE))
		return err_set(err, -EINVAL,
			       "'%s' is no window: a span of a minute or more, such as 10m", w);
	return 0;
}

static void put_window(void *ctx, const struct samples_window *w)
{
	samples_csv_window(w, ctx);
}

int explain_samples(struct cli *c, const char *file)
{
	struct catalog *cat = catalog_or_none();
	struct samples_ask q = { .ask = cli_ask(c, NULL, cat), .file = file };
	struct samples_answer a;
	struct str out = { 0 };
	struct err err = { 0 };
	bool csv = c->output == OUT_CSV;
	int r = read_window(c, &q.window_ms, &err), rc;

	if (csv) {
		samples_csv_head(&out);
		q.window = put_window;
		q.ctx = &out;
	}
	r = r < 0 ? r : answer_samples(&q, &a, &err);
	if (r >= 0 && !csv)
		samples_print(&a, file, c->output, &out);
	rc = r < 0 ? cli_fail(&err) : cli_write(&out);
	catalog_free(cat);
	str_free(&out);
	return rc;
}

/* ---- a profiler's trace ------------------------------------------------------------------ */

static int read_rate(struct cli *c, double *ret, struct err *err)
{
	const char *v = cli_value(c, "usd-gpu-hour");

	*ret = NAN;
	if (v && (sv_f64(sv_of(v), ret) || !(*ret >= 0)))
		return err_set(err, -EINVAL, "'%s' is no price of a GPU-hour", v);
	return 0;
}

int explain_trace(struct cli *c, const char *file)
{
	struct trace *t = NULL;
	struct catalog *cat = catalog_or_none();
	struct trace_ask q = { .catalog = cat };
	struct trace_answer a;
	struct out_as as = cli_out_as(c);
	struct str out = { 0 };
	struct err err = { 0 };
	int r = read_rate(c, &q.usd_gpu_hour, &err), rc;

	r = r < 0 ? r : answer_trace_file(file, &q, &c->mem, &t, &a, &err);
	if (r >= 0) {
		trace_print(&a, file, &as, &out);
		rc = cli_write(&out);
		rc = rc == EXIT_DONE && !a.r.ncard ? EXIT_INCOMPLETE : rc;
	} else {
		rc = cli_fail(&err);
	}
	str_free(&out);
	catalog_free(cat);
	trace_free(t);
	return rc;
}
