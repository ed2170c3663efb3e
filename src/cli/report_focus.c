/* tare report --focus: rows go out as they come, so that memory does not grow with the window. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "answer/focus.h"
#include "base/tm.h"
#include "cli/report_views.h"
#include "report/focus.h"

#define FLUSH_BYTES (1 << 20)

struct focus_out {
	struct focus *f;
	struct str out;
	FILE *to;
	int64_t unpriced_ms; /* of the days; lines of longer periods see their entries again */
};

static int flush(struct focus_out *x, struct err *err)
{
	if (fwrite(str_z(&x->out), 1, x->out.n, x->to) != x->out.n)
		return err_set(err, -EIO, "cannot write the FOCUS rows: %s", strerror(errno));
	str_clear(&x->out);
	return 0;
}

static void put_entry(void *ctx, const struct entry *e)
{
	focus_add_entry(((struct focus_out *)ctx)->f, e);
}

static int put_line(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	struct focus_out *x = ctx;

	focus_line(x->f, b, scope, &x->out);
	return x->out.n > FLUSH_BYTES ? flush(x, err) : 0;
}

static int put_unbilled(void *ctx, struct err *err)
{
	struct focus_out *x = ctx;

	focus_unbilled(x->f, &x->out);
	x->unpriced_ms = focus_counts(x->f).unpriced_ms;
	return flush(x, err);
}

static void clear(void *ctx)
{
	focus_clear(((struct focus_out *)ctx)->f);
}

static int export_all(struct focus_out *x, const struct report_ask *q, bool quiet, struct err *err)
{
	struct focus_sink sink = { .ctx = x,
				   .entry = put_entry,
				   .line = put_line,
				   .unbilled = put_unbilled,
				   .clear = clear };
	int r;

	focus_header(&x->out);
	r = answer_focus(q, &sink, err);
	r = r < 0 ? r : flush(x, err);
	if (r == 0 && x->unpriced_ms && !quiet)
		fprintf(stderr,
			"Left out: %.1f GPU-hours without a price, which FOCUS has no row for.\n",
			(double)x->unpriced_ms / (double)MS_HOUR);
	return r;
}

int report_view_focus(struct cli *c, const struct report_ask *q, const char *file)
{
	bool to_stdout = !strcmp(file, "-");
	bool beside = !to_stdout && report_may_replace(file);
	const char *tmp = beside ? arena_printf(&c->mem, "%s.%ld.tmp", file, (long)getpid()) : file;
	struct focus_out x = { .f = focus_new(), .to = to_stdout ? stdout : fopen(tmp, "w") };
	struct err err = { 0 };
	int r = 0;

	if (!x.to)
		r = err_set(&err, -errno, "cannot write '%s': %s", file, strerror(errno));
	r = r < 0 ? r : export_all(&x, q, c->quiet, &err);
	if (x.to && !to_stdout) {
		bool bad = fflush(x.to) != 0 || (beside && fsync(fileno(x.to)) != 0);
		int e = errno;
		bool unclosed = fclose(x.to) != 0;
		if (r == 0 && (bad || unclosed || (beside && rename(tmp, file) != 0)))
			r = err_set(&err, -EIO, "cannot write '%s': %s", file,
				    strerror(bad ? e : errno));
		if (r < 0 && beside)
			unlink(tmp);
	} else if (x.to && r == 0 && fflush(stdout) != 0) {
		r = err_set(&err, -EIO, "cannot write the output: %s", strerror(errno));
	}
	if (r == 0 && !to_stdout && !c->quiet)
		fprintf(stderr, "Wrote %s (%lld FOCUS rows of %lld charges)\n", file,
			(long long)focus_counts(x.f).rows, (long long)focus_counts(x.f).lines);
	focus_free(x.f);
	str_free(&x.out);
	return r < 0 ? cli_fail(&err) : EXIT_DONE;
}
