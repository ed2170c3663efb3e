/* tare report --focus: rows go out as they come. */
#include <errno.h>
#include <stdio.h>

#include "base/outfile.h"
#include "base/tm.h"
#include "cli/report_views.h"
#include "report/invoice/focus_out.h"

static int put_stdout(void *ctx, struct sv text, struct err *err)
{
	(void)ctx;
	if (fwrite(text.p, 1, text.n, stdout) == text.n && fflush(stdout) == 0)
		return 0;
	return err_set(err, -EIO, "cannot write the FOCUS rows: %s", strerror(errno));
}

static int put_file(void *ctx, struct sv text, struct err *err)
{
	return outfile_put(ctx, text, err);
}

int report_view_focus(struct cli *c, const struct report_ask *q, const char *file)
{
	bool to_stdout = !strcmp(file, "-");
	struct focus_out x = { .put = put_stdout };
	struct outfile *o = NULL;
	struct err err = { 0 };
	int r = 0;

	if (!to_stdout)
		r = outfile_open(file, false, &o, &err);
	if (o) {
		x.put = put_file;
		x.ctx = o;
	}
	if (r >= 0) {
		struct focus_sink sink = focus_out_begin(&x);
		r = answer_focus(q, &sink, &err);
	}
	if (r >= 0)
		r = focus_out_flush(&x, &err);
	if (r == 0 && !c->quiet && x.unpriced_ms)
		fprintf(stderr,
			"Left out: %.1f GPU-hours without a price, which FOCUS has no row for.\n",
			(double)x.unpriced_ms / (double)MS_HOUR);
	if (o && r == 0)
		r = outfile_done(o, &err);
	else
		outfile_drop(o);
	if (r == 0 && !to_stdout && !c->quiet) {
		struct focus_counts n = focus_counts(x.f);
		fprintf(stderr, "Wrote %s (%lld FOCUS rows of %lld charges)\n", file,
			(long long)n.rows, (long long)n.lines);
	}
	focus_out_free(&x);
	if (r < 0)
		return cli_fail(&err);
	return EXIT_DONE;
}
