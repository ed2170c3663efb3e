#ifndef TARE_BASE_JSCAN_H
#define TARE_BASE_JSCAN_H
/*
 * JSON texts in memory: checked and taken apart where they lie, as views into the text, without a
 * tree: cells of a bill, a line of a table, an answer of a metadata service. Numbers stay as they
 * were written, texts as they were escaped. A scanner of its own, because every row of millions has
 * one and jansson allocates per value. What comes in pieces is for jstream.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

#define JSCAN_DEPTH    32 /* of what is in a cell; a line may be 64 deep */
#define JSCAN_MAX_KEYS ((size_t)16384)

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

/* ---- all members of an object at once ---------------------------------------------------- */

enum jscan_type { JSCAN_NULL, JSCAN_TEXT, JSCAN_SCALAR, JSCAN_NESTED };

struct jscan_member {
	struct sv key, value; /* texts without their quotes */
	enum jscan_type type;
	bool key_escaped, value_escaped;
};
struct jscan_members {
	struct jscan_member *v;
	size_t n, cap;
}; /* vec_free() after use */

/* The members of the object that is the line; NULL, or what is wrong with it. */
const char *jscan_members(struct jscan_members *ret, struct sv line);
void jscan_unescape(struct sv *v); /* in place, it can only shrink; of a text that was scanned */
void jscan_compact(struct sv *v);  /* blanks outside texts out, in place; of a nested value */

#endif
