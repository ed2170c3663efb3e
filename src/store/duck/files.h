#ifndef TARE_STORE_DUCK_FILES_H
#define TARE_STORE_DUCK_FILES_H
/*
 * The files that the facts are in, docs/design/0029-segments.md:
 *
 *   facts.duckdb        batches 0 to B
 *   facts-F-T.duckdb    batches F to T, behind those of the file before
 *   facts.duckdb.new    what is being written, by one writer
 *
 * A file with a name of its own never changes: a batch is written into facts.duckdb.new, which
 * takes its name by a rename once it is whole and durable. So who reads never waits and needs no
 * lock. A file whose batches another one has too does not count, and the next writer removes it.
 */
#include "store/duck/inside.h"

/* For reading only, all that is committed. -EBUSY: a program of before writes in it. */
int files_open(struct facts *f, struct err *err);
/* The same, and facts.duckdb.new, which is made: where the last file is small, as a copy of it. */
int files_begin(struct facts *f, struct err *err);
/* It takes its name; what it stands for goes. Closes; durable before it returns 0. */
int files_commit(struct facts *f, struct err *err);
/* All in facts.duckdb.new, as its only file, open for writing (remake.c). */
int files_gather(struct facts *f, struct err *err);
/* facts.duckdb.new is all there is. As files_commit(). */
int files_replace(struct facts *f, struct err *err);
/* What does not count any more, and what a killed writer left. */
void files_sweep(const struct facts *f);

#endif
