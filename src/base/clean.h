#ifndef TARE_BASE_CLEAN_H
#define TARE_BASE_CLEAN_H
/*
 * Texts that strangers chose (names of containers, labels, comments of jobs) made fit to be kept,
 * printed and exported: well-formed UTF-8, one line, no control characters, no characters that turn
 * the direction of writing, bounded.
 */
#include "base/mem.h"

/* bytes of one text from outside, with the final NUL one more: give arrays of CLEAN_MAX + 1 */
#define CLEAN_MAX 256

/*
 * Write at most cap - 1 bytes of `in` to out and end them with NUL; returns how many. A run of
 * blanks and control characters (C0, DEL, C1, line and paragraph separators) becomes one blank,
 * characters without width that change how their neighbours are shown are left out, a byte that is
 * no UTF-8 becomes U+FFFD. Blanks at both ends go. Cut between characters; looks at no more than 8
 * x cap bytes of `in`.
 */
size_t sv_clean(struct sv in, char *out, size_t cap);
/* the same, kept, of up to CLEAN_MAX bytes; nothing left: {NULL,0} */
struct sv arena_clean(struct arena *a, struct sv in);

/*
 * True for characters that act on a terminal or turn the text beside them: C0 with ESC, DEL, C1,
 * line and paragraph separators, overrides and isolates of direction. The one rule of all doors:
 * errors, tables, CSV, HTML.
 */
bool char_acts(uint32_t code);

/*
 * Spreadsheets run a cell that begins with = + - @ TAB CR or LF as a formula. Such a text is
 * written with a quote before it, which they take as "this is text"; numbers ("-3.00", "-12 %") and
 * a lone "-" are no formulas. A text that has quotes before such a character gets one more, so that
 * cell_plain() takes away exactly what cell_wants_quote() asked for.
 */
bool cell_wants_quote(struct sv text);
/* The text of a cell that was written so. */
struct sv cell_plain(struct sv cell);

/* Is it what it looks like: well-formed UTF-8 without control characters, line separators and
 * characters that hide or turn text? */
bool sv_is_clean(struct sv in);

/* Length of the well-formed UTF-8 character at p (n bytes left, n > 0) and its code point, or 0. */
size_t sv_utf8(const char *p, size_t n, uint32_t *ret_code);

#endif
