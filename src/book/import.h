#ifndef TARE_BOOK_IMPORT_H
#define TARE_BOOK_IMPORT_H
/* One import: files and the history of a Prometheus server, all of it or nothing. */
#include "book/book.h"
#include "feed/readings/prometheus.h"

struct book_import {
	struct book_opt opt;
	const char *const *file; /* [nfile] paths, "-" is standard input */
	size_t nfile;
	const struct feed_prometheus_opt
		*prometheus; /* or NULL; its progress goes to opt.progress */
};

/*
 * s: open for writing, or NULL: a dry run. ret_file [nfile + 1]: what was done with each, owned by
 * *ret, which the caller frees with book_free(). Returns 0 or a negative errno; then nothing was
 * imported and *ret is as it was.
 */
int book_import(struct store *s, const struct book_import *in, struct book **ret,
		const struct book_file **ret_file, size_t *ret_n, struct err *err);

#endif
