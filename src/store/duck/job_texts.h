#ifndef TARE_STORE_DUCK_JOB_TEXTS_H
#define TARE_STORE_DUCK_JOB_TEXTS_H
/*
 * The tuples of allocations by their number (tuples.h), for who reads rows back: no join, and a
 * text that many rows have is copied once for each who asks.
 *
 * The texts are read once and kept until the files are closed; later ones of the open batch are
 * read when they are there.
 */
#include "base/mem.h"
#include "store/duck/tuples.h"

#define JOB_TUPLES 3 /* TUPLE_PLACE to TUPLE_SHAPE */

struct job_texts;                         /* kept in struct facts */
void job_texts_free(struct job_texts *t); /* NULL is fine */

/* One who reads rows into an arena. */
struct job_reader {
	const struct job_texts *all;
	struct sv **copy[JOB_TUPLES]; /* [number] in the arena; NULL: not met yet */
};
/* Call duck_settle() before. Close it in any case. */
int job_reader_open(struct job_reader *r, struct facts *f, struct err *err);
void job_reader_close(struct job_reader *r);
/* The texts of a tuple in the order of its columns, in the arena, which is one for all calls; of no
 * such number: none. */
const struct sv *job_reader_texts(struct job_reader *r, enum tuple t, int64_t id, struct arena *a);
const struct shape *job_reader_shape(const struct job_reader *r, int64_t id);

#endif
