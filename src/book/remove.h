#ifndef TARE_BOOK_REMOVE_H
#define TARE_BOOK_REMOVE_H
/* An import taken back: all rows of its files go out of force, and the ledger is posted again from
 * what is left, in one batch. */
#include "book/book.h"

struct book_undone_bill { /* in one currency */
	const char *file;
	const char *currency;
	int64_t rows;
	dec billed;
};

/* A file that what was taken out had taken the place of, all of it or a part: that stays out. */
struct book_gone {
	int64_t src;
	const char *path;
	bool stays;        /* a part of it counts */
	const char *other; /* a file that counts and has rows of the same days; or NULL */
};

struct book_removed {
	const struct imported_file *file; /* [nfile] what was taken out, of one batch */
	size_t nfile;
	struct book_gone *gone; /* [ngone] */
	size_t ngone;
	const struct book_undone_bill *left,
		*out; /* [nleft] of file, [nout] of gone that stays out */
	size_t nleft, nout;
	/* Commands that make gone count again; NULL: each can be imported again as it is, without
	 * that a row counts twice. */
	const char *again;
};

struct book_undo {
	const char *what;
	bool dry_run;      /* says what would go */
	const char *words; /* that name the store on a command line, " --db DIR"; NULL: none */
};
/*
 * what: "last" (import that has files in force), the number of a batch, or a file as it was named
 * or by its name alone. s: open for writing. opt->replace is set.
 * -ENOENT: nothing in force is called so; -EINVAL: several are, or rows of a file that stays count
 * through these alone. Texts in mem.
 */
int book_remove(struct store *s, const struct book_opt *opt, const struct book_undo *undo,
		struct arena *mem, struct book_removed *ret, struct err *err);

#endif
