#include "book/import.h"

#include <stdio.h>

/* The server as it is asked. */
struct asked {
	const struct book_opt *opt;
	struct feed_prometheus_opt prometheus;
};

static int ask_prometheus(void *ctx, const struct feed_sink *sink, struct feed_report *report,
			  struct err *err)
{
	struct asked *a = ctx;

	return feed_prometheus_run(&a->prometheus, sink, report, err);
}

static void on_steps(void *ctx, const char *label, int64_t done, int64_t of)
{
	const struct asked *a = ctx;
	char text[80];

	snprintf(text, sizeof text, "%s, %lld of %lld steps", label, (long long)done,
		 (long long)of);
	a->opt->progress(a->opt->progress_ctx, text, done, 0, -1);
}

int book_import(struct store *s, const struct book_import *in, struct book **ret,
		const struct book_file **ret_file, size_t *ret_n, struct err *err)
{
	struct book *b = NULL;
	size_t n = 0;
	int rc = book_begin(s, &in->opt, &b, err);

	for (size_t i = 0; i < in->nfile && !rc; i++) {
		rc = book_add_file(b, in->file[i], &ret_file[n], err);
		n += rc == 0;
	}
	if (!rc && in->prometheus) {
		struct asked a = { .opt = &in->opt, .prometheus = *in->prometheus };
		a.prometheus.progress = in->opt.progress ? on_steps : NULL;
		a.prometheus.progress_ctx = &a;
		rc = book_add_rows(b, a.prometheus.url, "prometheus", ask_prometheus, &a,
				   &ret_file[n], err);
		n += rc == 0;
	}
	if (!rc)
		rc = book_commit(b, err);
	if (rc) {
		book_free(b);
		return rc;
	}
	*ret = b;
	*ret_n = n;
	return 0;
}
