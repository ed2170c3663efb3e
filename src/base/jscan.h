#ifndef TARE_BASE_JSCAN_H
#define TARE_BASE_JSCAN_H
/*
 * JSON texts inside cells of a bill (tags, SKU details): checked and searched where they lie,
 * without building a tree, because every row of millions has one. A scanner of its own: jansson
 * allocates per value.
 */
#include <stdbool.h>
#include "base/str.h"

#define JSCAN_DEPTH 32

/* A whole, well-formed JSON object, at most JSCAN_DEPTH deep. */
bool jscan_is_object(struct sv text);

/*
 * Members of an object (or items of an array, key {NULL,0}), one after the other: *at starts at 0.
 * False at the end or at the first thing that is no JSON. *value is the raw text of the value: "x"
 * with its quotes, 12, {...}.
 */
bool jscan_next(struct sv text, size_t *at, struct sv *ret_key, struct sv *ret_value);

/* Raw value of a top-level member, ASCII without case; {NULL,0} if there is none. */
struct sv jscan_get(struct sv object, const char *key);
/* Text of a raw value: a string without its quotes (escapes stay as they are), a number as written;
 * null and others {NULL,0}. */
struct sv jscan_text(struct sv value);

#endif
