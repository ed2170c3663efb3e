#ifndef TARE_BASE_JSTREAM_H
#define TARE_BASE_JSTREAM_H
/*
 * JSON as it comes in, for files that do not fit the memory: text is pushed in pieces of any size,
 * each scalar and each end of an object or array is told with its path. Checks the grammar; depth
 * at most 64, a single text at most 1 MiB.
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/str.h"

struct jstream;
struct jstream_ops {
	/* A text (quoted, unescaped), number, true, false or null; valid during the call. May be
	 * NULL. */
	int (*scalar)(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		      struct err *err);
	/* An object or array ended; the path is its own. May be NULL. */
	int (*close)(void *ctx, const struct jstream *j, struct err *err);
};
struct jstream *jstream_new(const struct jstream_ops *ops, void *ctx);
void jstream_free(struct jstream *j); /* NULL is fine */
/* Cut texts at about `max` bytes instead of refusing those of more than 1 MiB: for texts that
 * strangers chose. Before the first feed. */
void jstream_cut(struct jstream *j, size_t max);

/* Take more text. 0, -EBADMSG with the place in bytes, or what a callback returned; after an error
 * only jstream_free(). */
int jstream_feed(struct jstream *j, struct sv text, struct err *err);
/* No more text: -EBADMSG when the document is not complete. */
int jstream_end(struct jstream *j, struct err *err);

/* Path of the value told: number of keys, and the key at a depth ("" for items of an array). */
size_t jstream_depth(const struct jstream *j);
struct sv jstream_key(const struct jstream *j, size_t i);
/* there is a key i and it is this */
bool jstream_at(const struct jstream *j, size_t i, const char *key);

#endif
