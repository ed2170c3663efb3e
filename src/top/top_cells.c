/* See top_cells.h. */
#include "top/top_cells.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include "base/clean.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"

#define REPLACED L'?'

void cells_init(struct cells *g, int w, int h, bool utf8)
{
	w = clamp_int(w, 1, 1000);
	h = clamp_int(h, 1, 1000);
	*g = (struct cells){ .w = w,
			     .h = h,
			     .utf8 = utf8,
			     .cell = xcalloc((size_t)w * (size_t)h, sizeof(struct cell)) };
	cells_blank(g);
}

void cells_free(struct cells *g)
{
	free(g->cell);
	*g = (struct cells){ 0 };
}

void cells_blank(struct cells *g)
{
	for (size_t i = 0; i < (size_t)g->w * (size_t)g->h; i++)
		g->cell[i] = (struct cell){ .ch = L' ' };
}

/* ---- characters -------------------------------------------------------------------------- */

int cells_decode(bool utf8, struct sv text, wchar_t *ret, size_t *ret_bytes)
{
	uint32_t c;
	size_t len = sv_utf8(text.p, text.n, &c);
	*ret_bytes = len ? len : 1;
	*ret = REPLACED;
	if (!len || c < 0x20 || c == 0x7f)
		return 1;
	if (c < 0x7f) {
		*ret = (wchar_t)c;
		return 1;
	}
	if (!utf8)
		return 1;
	/* Marks that turn the direction of what follows have no width; so have combining ones,
	 * which could pile up over other lines. */
	bool turns = within_u64(c, 0x200b, 0x200f) || within_u64(c, 0x202a, 0x202e);
	if (turns || within_u64(c, 0x2060, 0x206f) || c == 0xfeff)
		return 0;
	int w = wcwidth((wchar_t)c);
	if (w == 0)
		return 0;
	if (w < 0 || w > 2)
		return 1; /* C1 controls, unassigned */
	*ret = (wchar_t)c;
	return w;
}

int cells_width(bool utf8, struct sv text)
{
	int w = 0;
	wchar_t ch;
	for (size_t i = 0, len; i < text.n && w < 100000; i += len)
		w += cells_decode(utf8, sv_from(text, i), &ch, &len);
	return w;
}

/* ---- writing ----------------------------------------------------------------------------- */

static void set_cell(struct cells *g, int y, int x, wchar_t ch, unsigned style)
{
	if (within_int(y, 0, g->h - 1) && within_int(x, 0, g->w - 1))
		g->cell[(size_t)y * (size_t)g->w + (size_t)x] =
			(struct cell){ .ch = ch, .style = (uint8_t)style };
}

int cells_put(struct cells *g, int y, int x, int width, unsigned style, struct sv text)
{
	if (x + width > g->w)
		width = g->w - x;
	if (!within_int(y, 0, g->h - 1) || x < 0 || width <= 0)
		return 0;
	/* A text of a megabyte is looked at no further than the cells go: nobody sees the rest. */
	int whole = 0, used = 0;
	wchar_t ch;
	for (size_t i = 0, len; i < text.n && whole <= width && i < 16384; i += len)
		whole += cells_decode(g->utf8, sv_from(text, i), &ch, &len);
	bool cut = whole > width;
	int room = width, at = x;
	if (cut)
		room--;
	else if (style & STYLE_RIGHT)
		at += width - whole;
	for (int i = x; i < x + width; i++)
		set_cell(g, y, i, L' ', style);
	for (size_t i = 0, len; i < text.n && i < 16384; i += len) {
		int w = cells_decode(g->utf8, sv_from(text, i), &ch, &len);
		if (!w)
			continue;
		if (used + w > room)
			break;
		set_cell(g, y, at + used, ch, style);
		if (w == 2)
			set_cell(g, y, at + used + 1, 0, style);
		used += w;
	}
	if (cut)
		set_cell(g, y, at + used++, g->utf8 ? L'…' : L'~', style);
	return used;
}

void cells_style(struct cells *g, int y, int x, int width, unsigned style)
{
	for (int i = x; i < x + width && i < g->w; i++)
		if (y >= 0 && y < g->h && i >= 0)
			g->cell[(size_t)y * (size_t)g->w + (size_t)i].style |= (uint8_t)style;
}

/* ---- reading ----------------------------------------------------------------------------- */

void cells_text(const struct cells *g, struct str *out)
{
	for (int y = 0; y < g->h; y++) {
		const struct cell *line = &g->cell[(size_t)y * (size_t)g->w];
		char utf8[4];
		int end = g->w;
		while (end > 0 && line[end - 1].ch == L' ')
			end--;
		for (int x = 0; x < end; x++)
			if (line[x].ch)
				str_add(out, utf8, utf8_put(utf8, (uint32_t)line[x].ch));
		str_addc(out, '\n');
	}
}

const char *cells_spark(bool utf8, double frac)
{
	/* The full block is left out: lines above each other would run into one. */
	static const char *const bar[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇" };
	static const char *const ascii[] = { "_", ".", ":", "-", "=", "+", "#" };
	if (!isfinite(frac)) {
		if (utf8)
			return "·";
		return "?";
	}
	/* only nothing is the lowest */
	int level;
	if (frac <= 0)
		level = 0;
	else if (frac >= 1)
		level = 6;
	else
		level = 1 + (int)(frac * 6);
	if (utf8)
		return bar[level];
	return ascii[level];
}
