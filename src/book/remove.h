#ifndef TARE_BOOK_REMOVE_H
#define TARE_BOOK_REMOVE_H
/* An import taken back: all rows of its files go out of force, and the ledger is posted again from
 * what is left, in one batch. */
#include "book/book.h"

struct book_removed {
	const struct imported_file *file; /* [nfile] what was taken out */
	size_t nfile;
	const char **gone; /* [ngone] files that these had taken the place of, which stay out */
	size_t ngone;
};

/*
 * what: "last" (import that has files in force), the number of a batch, or a file as it was named
 * or by its name alone. s: open for writing. dry_run: says what would go. opt->replace is set.
 * -ENOENT: nothing in force is called so; -EINVAL: several are, or rows of a file that stays count
 * through these alone. Texts in mem.
 */
int book_remove(struct store *s, const struct book_opt *opt, const char *what, bool dry_run,
		struct arena *mem, struct book_removed *ret, struct err *err);

#endif
