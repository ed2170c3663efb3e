#ifndef TARE_BOOK_REPLACE_H
#define TARE_BOOK_REPLACE_H
/*
 * The bills of one call as one set: which provider, account and month each file has lines of, what
 * is said where others have lines of the same, and --replace. Inside of book only.
 */
#include "book/in.h"

/* -EINVAL where the line's names cannot be parts of a key. */
int replace_check_line(const struct bill_line *l, struct err *err);
/* A line of the file being read. */
void replace_note_line(struct book_file *f, const struct bill_line *l);
/* "bill:PROVIDER:ACCOUNT:YYYYMM" where all lines of the file are of one; else NULL. In b->mem. */
const char *replace_source(struct book *b, const struct book_file *f);
/*
 * Behind the last file: notes into the reports of the files, and with --replace the earlier lines
 * of their keys out of force; what they left in the ledger is reversed or marked to be rebuilt.
 * -EINVAL where they have sub accounts or days that this call has not, and nobody said --partial or
 * --whole. A dry run (b->opt.look) says the same and changes nothing.
 */
int replace_bills(struct book *b, struct err *err);

#endif
