#ifndef TARE_BASE_JSONL_SCAN_H
#define TARE_BASE_JSONL_SCAN_H
/* A line of JSON taken apart: for jsonl.c. Nothing is copied or changed until it is asked for. */
#include <stdbool.h>
#include <stddef.h>
#include "base/str.h"

#define JSONL_MAX_KEYS ((size_t)16384)

enum value_type { VALUE_NULL, VALUE_TEXT, VALUE_SCALAR, VALUE_NESTED };

struct member {
	struct sv key, value; /* texts without their quotes */
	enum value_type type;
	bool key_escaped, value_escaped;
};
struct members {
	struct member *v;
	size_t n, cap;
}; /* v is the caller's to free() */

/* The members of the object that is the line, as views into it; NULL, or what is wrong with it.
 * Escapes are checked, numbers stay as they were written. */
const char *jsonl_scan(struct members *ret, struct sv line);
void jsonl_unescape(struct sv *v); /* in place, it can only shrink; of a text that was scanned */
void jsonl_compact(struct sv *v);  /* blanks outside texts out, in place; of a nested value */
#endif
