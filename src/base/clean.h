#ifndef TARE_BASE_CLEAN_H
#define TARE_BASE_CLEAN_H
/*
 * Texts that strangers chose (names of containers, labels, comments of jobs) made fit to be kept, printed and exported: well-formed
 * UTF-8, one line, no control characters, no characters that turn the direction of writing, bounded.
 */
#include "base/mem.h"

#define CLEAN_MAX \
	256 /* bytes of one text from outside, with the final NUL one more: give arrays of CLEAN_MAX + 1 */

/*
 * Write at most cap - 1 bytes of `in` to out and end them with NUL; returns how many. A run of blanks and control characters (C0, DEL, C1, line
 * and paragraph separators) becomes one blank, characters without width that change how their neighbours are shown are left out, a byte that
 * is no UTF-8 becomes U+FFFD. Blanks at both ends go. Cut between characters; looks at no more than 8 x cap bytes of `in`.
 */
size_t sv_clean(struct sv in, char *out, size_t cap);
struct sv arena_clean(
	struct arena *a,
	struct sv in); /* the same, kept, of up to CLEAN_MAX bytes; nothing left: {NULL,0} */

/* Length of the well-formed UTF-8 character at p (n bytes left, n > 0) and its code point, or 0. */
size_t sv_utf8(const char *p, size_t n, uint32_t *ret_code);

#endif
