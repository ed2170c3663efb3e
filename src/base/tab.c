#include "base/tab.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

#include "base/among.h"

struct tab_utf8 {
	struct sv *cell;  /* [ncol] of the row */
	struct str *copy; /* [ncol] */
};

void tab_close(struct tab *t)
{
	if (!t)
		return;
	if (t->own) {
		for (size_t i = 0; i < t->ncol; i++)
			str_free(&t->own->copy[i]);
		free(t->own->copy);
		free(t->own->cell);
		free(t->own);
		t->own = NULL;
	}
	t->ops->close(t);
}

int tab_next(struct tab *t, const struct sv **ret_cell, struct err *err)
{
	int r = t->ops->next(t, ret_cell, err);

	if (r != 1 || !t->high)
		return r;
	struct tab_utf8 *o = t->own;
	const struct sv *cell = *ret_cell;
	bool mended = false;
	if (!o) {
		o = t->own = xcalloc(1, sizeof *o);
		o->cell = xcalloc(t->ncol + 1, sizeof *o->cell);
		o->copy = xcalloc(t->ncol + 1, sizeof *o->copy);
	}
	for (size_t i = 0; i < t->ncol; i++) {
		o->cell[i] = cell[i];
		if (sv_is_ascii(cell[i]))
			continue;
		o->cell[i] = utf8_of(&o->copy[i], cell[i]);
		mended |= o->cell[i].p != cell[i].p;
	}
	if (mended)
		*ret_cell = o->cell;
	return 1;
}

/* ---- names of columns -------------------------------------------------------------------- */

static bool is_separator(char c)
{
	return char_among(c, " _-/.");
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* A name letter by letter, in lower case: words are parted by one '_', or run together. */
struct letters {
	struct sv name;
	size_t at;
	bool loose, parted; /* parted: the '_' before name.p[at] was given */
};

/* "gpuCount", "GPUCount": a word begins at the C. */
static bool begins_word(struct sv name, size_t at)
{
	char before = name.p[at - 1], c = name.p[at];

	if (!is_upper(c) || is_separator(before))
		return false;
	char next = 0;
	if (at + 1 < name.n)
		next = name.p[at + 1];
	return !is_upper(before) || (next >= 'a' && next <= 'z');
}

static int next_letter(struct letters *l)
{
	bool part = false;

	while (l->at < l->name.n && is_separator(l->name.p[l->at])) {
		part = l->at > 0;
		l->at++;
	}
	if (l->at == l->name.n)
		return -1;
	part = part || (l->at > 0 && begins_word(l->name, l->at));
	if (part && !l->loose && !l->parted) {
		l->parted = true;
		return '_';
	}
	l->parted = false;
	char c = l->name.p[l->at++];
	return (unsigned char)(is_upper(c) ? c - 'A' + 'a' : c);
}

static bool same_letters(struct sv a, struct sv b, bool loose)
{
	struct letters x = { .name = a, .loose = loose }, y = { .name = b, .loose = loose };
	int c;

	do {
		c = next_letter(&x);
		if (c != next_letter(&y))
			return false;
	} while (c >= 0);
	return true;
}

enum nearness { NOT_IT, LOOSE, WORDS, NO_CASE, EXACT };

static enum nearness nearness_of(struct sv col, struct sv name, bool loose)
{
	if (sv_eq(col, name))
		return EXACT;
	if (sv_ieq(col, name))
		return NO_CASE;
	if (same_letters(col, name, false))
		return WORDS;
	if (loose && same_letters(col, name, true))
		return LOOSE;
	return NOT_IT;
}

int tab_find(const struct sv *col, size_t ncol, const char *name, bool loose)
{
	enum nearness best = NOT_IT;
	int ret = -1;

	for (size_t i = 0; i < ncol; i++) {
		enum nearness n = nearness_of(col[i], sv_of(name), loose);
		bool before = n == best && ret >= 0 && sv_cmp(col[i], col[ret]) < 0;
		if (n > best || before) {
			best = n;
			ret = (int)i;
		}
	}
	return ret;
}

int tab_col(const struct tab *t, const char *name)
{
	return tab_find(t->col, t->ncol, name, false);
}
