#ifndef TARE_TOP_TOP_CELLS_H
#define TARE_TOP_TOP_CELLS_H
/*
 * A page of character cells, so that what is painted can be tested, printed and shown without
 * knowing which. top_screen.h shows it on a terminal and sends only cells that changed.
 *
 * Nothing reaches a cell that could move a cursor: control characters, broken UTF-8 and what has no
 * width are replaced or dropped, whoever wrote the text.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>
#include "base/str.h"

enum style {
	/* colour adds to words, it never replaces them; without colour these are bold, dim and
	 * reverse */
	STYLE_TEXT,
	STYLE_DIM,
	STYLE_BOLD,
	STYLE_GOOD,  /* works: blue */
	STYLE_WASTE, /* is paid for nothing: orange, bold */
	STYLE_BAD,   /* wants attention: orange */
	STYLE_HEAD,  /* names of columns: reverse */
	STYLE_KEY,   /* a key to press: bold */
	STYLE_N
};
#define STYLE_SELECTED 0x80  /* with any of them */
#define STYLE_RIGHT    0x100 /* against the right end, of cells_put() */

struct cell {
	wchar_t ch;    /* 0: the right half of a wide character */
	uint8_t style; /* enum style, STYLE_SELECTED */
	uint8_t pad[3];
};
struct cells {
	int w, h;
	bool utf8;         /* else what is not ASCII becomes '?' */
	struct cell *cell; /* [h][w] */
};
/* blank; w, h at least 1 and at most 1000 */
void cells_init(struct cells *g, int w, int h, bool utf8);
void cells_free(struct cells *g);
void cells_blank(struct cells *g);

/*
 * Write text into [x, x + width) of line y, the rest of it blank. Too long a text is cut, with an
 * ellipsis in its last column; a wide character that would be halved is left out. What lies
 * outside the page is cut. Returns columns used.
 */
int cells_put(struct cells *g, int y, int x, int width, unsigned style, struct sv text);
/* or'ed to what is there */
void cells_style(struct cells *g, int y, int x, int width, unsigned style);

/* Columns that cells_put() would use for all of it. */
int cells_width(bool utf8, struct sv text);
/* The next character of text, cleaned: its columns (0: nothing to show, 1 or 2), *ret_bytes taken.
 * text not empty. */
int cells_decode(bool utf8, struct sv text, wchar_t *ret, size_t *ret_bytes);

/* As text, a line a row, blanks at the ends cut. */
void cells_text(const struct cells *g, struct str *out);

/* A level of a sparkline, frac 0..1; NAN gives the sign of a reading that is not there. UTF-8
 * bytes. */
const char *cells_spark(bool utf8, double frac);

#endif
