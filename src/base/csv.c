/*
 * The file passes through one buffer; cells are views into it. The scanner looks at 64 bytes at a
 * time and makes a bit mask of the bytes that can end something (separator, line feed, quote, NUL),
 * so that ordinary text costs a fraction of a cycle a byte. A row that does not fit what is left of
 * the buffer is moved to its front, the buffer refilled and the row read again from its start;
 * nothing is changed in place (doubled quotes) before a row is complete.
 */
#include <errno.h>
#include <stdlib.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/mem.h"
#include "base/num.h"
#include "base/utf8.h"
#include "base/str.h"
#include "base/tab.h"

#define BUF_BYTES         ((size_t)4 << 20)
#define MAX_ROW_BYTES     ((size_t)16 << 20)
#define MAX_MAX_ROW_BYTES ((size_t)1 << 30)
/* far above any bill; bounds what a row of separators can ask for */
#define MAX_COLS   ((size_t)16384)
#define PAD        64                 /* the scanner may look this far behind the end */
#define PEEK_BYTES ((size_t)64 << 10) /* enough of the header to see its separator */
#define NOTHING    SIZE_MAX

enum row {
	ROW_END_OF_FILE,
	ROW_OK,
	ROW_BLANK,
	ROW_MORE /* the buffer ends first */,
	ROW_NUL,
	ROW_QUOTE /* text behind a quote */,
	ROW_OPEN
};

struct csv {
	struct tab tab;
	struct input *in;
	char sep;
	bool ragged, growing, no_header;
	size_t max_row;
	struct sv *null;
	size_t nnull;

	char *buf;
	size_t cap, at, end; /* bytes at..end are unread */
	bool eof;
	size_t block; /* where the 64 bytes of mask begin */
	uint64_t mask;

	int64_t line; /* of the row at `at` */
	size_t lines; /* line feeds in the row just read */
	struct sv *cell;
	size_t ncell, cap_cell; /* of the row just read */
	size_t *doubled;        /* cells with doubled quotes in the row just read */
	size_t ndoubled, cap_doubled;
	bool pending; /* the row just read is the first one */

	struct arena names;
	int failed;
	struct err why;
};

/* Bit i: p[i] is one of the four. */
static inline uint64_t special_mask(const char *p, char sep)
{
#if defined(__SSE2__)
	const __m128i s = _mm_set1_epi8(sep), nl = _mm_set1_epi8('\n'), q = _mm_set1_epi8('"'),
		      z = _mm_setzero_si128();
	uint64_t mask = 0;
	for (int k = 0; k < 4; k++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + k * 16));
		__m128i hit =
			_mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, s), _mm_cmpeq_epi8(v, nl)),
				     _mm_or_si128(_mm_cmpeq_epi8(v, q), _mm_cmpeq_epi8(v, z)));
		mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(hit) << (k * 16);
	}
	return mask;
#else
	uint64_t mask = 0;
	for (int i = 0; i < 64; i++)
		mask |= (uint64_t)((p[i] == sep) | (p[i] == '\n') | (p[i] == '"') | (p[i] == 0))
			<< i;
	return mask;
#endif
}

static void load_block(struct csv *c, size_t block)
{
	c->block = block;
	c->mask = block < c->end ? special_mask(c->buf + block, c->sep) : 0;
	if (c->end - block < 64 && block < c->end)
		c->mask &= (1ULL << (c->end - block)) - 1;
}

/* Position of the next special byte, or NOTHING before the end of the buffer. */
static inline size_t next_special(struct csv *c)
{
	while (!c->mask) {
		if (c->block + 64 >= c->end)
			return NOTHING;
		load_block(c, c->block + 64);
	}
	size_t i = c->block + (size_t)__builtin_ctzll(c->mask);
	c->mask &= c->mask - 1;
	return i;
}

static inline void add_cell(struct csv *c, const char *p, size_t n)
{
	if (c->ncell == c->cap_cell) {
		c->cap_cell = c->cap_cell ? c->cap_cell * 2 : 64;
		c->cell = xrealloc(c->cell, c->cap_cell * sizeof *c->cell);
	}
	c->cell[c->ncell++] = (struct sv){ p, n };
}

static void add_unquoted(struct csv *c, const char *p, size_t n)
{
	struct sv v = { n ? p : NULL, n };
	for (size_t i = 0; i < c->nnull && n; i++)
		if (sv_eq(c->null[i], v))
			v = SV_NULL;
	add_cell(c, v.p, v.n);
}

/* At the end of the buffer inside a row. */
static enum row ran_out(const struct csv *c, enum row at_end)
{
	if (c->eof)
		return at_end;
	return ROW_MORE;
}

/*
 * A quoted cell whose text starts at `from`. Sets *ret_next to the separator or line feed behind
 * it, or to NOTHING at the end of the file, and adds the cell.
 */
static enum row read_quoted(struct csv *c, size_t from, size_t *ret_next)
{
	bool doubled = false;
	size_t q;
	for (;;) {
		q = next_special(c);
		if (q == NOTHING)
			return ran_out(c, ROW_OPEN);
		if (c->buf[q] == '\n') {
			c->lines++;
		} else if (c->buf[q] == 0) {
			return ROW_NUL;
		} else if (c->buf[q] == '"') {
			if (q + 1 == c->end && !c->eof)
				return ROW_MORE;
			if (q + 1 == c->end || c->buf[q + 1] != '"')
				break;
			next_special(c); /* the second of the two */
			doubled = true;
		}
	}
	if (doubled) {
		if (c->ndoubled == c->cap_doubled) {
			c->cap_doubled = c->cap_doubled ? c->cap_doubled * 2 : 16;
			c->doubled = xrealloc(c->doubled, c->cap_doubled * sizeof *c->doubled);
		}
		c->doubled[c->ndoubled++] = c->ncell;
	}
	add_cell(c, c->buf + from, q - from);
	size_t next = next_special(c);
	*ret_next = next;
	if (next == NOTHING) {
		if (!c->eof)
			return ROW_MORE;
		bool only_cr = c->end == q + 2 && c->buf[q + 1] == '\r';
		if (c->end == q + 1 || only_cr)
			return ROW_OK;
		return ROW_QUOTE;
	}
	bool crlf = next == q + 2 && c->buf[next] == '\n' && c->buf[q + 1] == '\r';
	if ((next == q + 1 || crlf) && c->buf[next] != 0)
		return ROW_OK;
	return ROW_QUOTE;
}

/* The row that starts at c->at; *ret_end is where the next one starts. */
static enum row read_row(struct csv *c, size_t *ret_end)
{
	const char *buf = c->buf;
	size_t from = c->at; /* of the cell */
	c->ncell = c->ndoubled = c->lines = 0;
	if (from == c->end)
		return ran_out(c, ROW_END_OF_FILE);
	for (;;) {
		size_t p = next_special(c);
		if (p != NOTHING && buf[p] == '"') {
			if (p != from)
				continue; /* a quote within unquoted text */
			enum row r = read_quoted(c, from + 1, &p);
			if (r != ROW_OK)
				return r;
		} else {
			if (p == NOTHING && !c->eof)
				return ROW_MORE;
			size_t stop = p;
			if (p == NOTHING)
				stop = c->end;
			if (p != NOTHING && buf[p] == 0)
				return ROW_NUL;
			if ((p == NOTHING || buf[p] == '\n') && stop > from &&
			    buf[stop - 1] == '\r')
				stop--;
			add_unquoted(c, buf + from, stop - from);
		}
		if (p == NOTHING || buf[p] == '\n') {
			*ret_end = p == NOTHING ? c->end : p + 1;
			c->lines += p != NOTHING;
			break;
		}
		if (c->ncell >= MAX_COLS)
			return ROW_OK;
		from = p + 1;
	}
	bool blank = buf[c->at] == '\n' ||
		     (buf[c->at] == '\r' && (c->at + 1 == c->end || buf[c->at + 1] == '\n'));
	if (blank)
		return ROW_BLANK;
	return ROW_OK;
}

/* Make two quotes one, in place. */
static void undouble_quotes(struct sv *cell)
{
	char *base = (char *)(uintptr_t)cell->p, *o = memchr(base, '"', cell->n);
	const char *p = o, *end = base + cell->n;
	while (p < end) {
		p++; /* the first of two; the second is kept */
		const char *q = p + 1 < end ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;
		size_t n = (size_t)(text_or(q, end) - p);
		memmove(o, p, n);
		o += n;
		p += n;
	}
	cell->n = (size_t)(o - base);
}

static int fail_csv(struct csv *c, int code)
{
	c->failed = code;
	return code;
}

static int too_long(struct csv *c, struct err *err)
{
	err_set(err, -EMSGSIZE, "'%s' line %lld: the row is longer than %zu bytes",
		input_name(c->in), (long long)c->line, c->max_row);
	err_hint(err,
		 "an unclosed quote or a file that is no CSV looks like this; look at that line");
	return fail_csv(c, -EMSGSIZE);
}

/* Move the unread bytes to the front, and fill the buffer; it grows where one row takes all of
 * it. */
static int refill_buffer(struct csv *c, struct err *err)
{
	size_t left = c->end - c->at;
	if (left > c->max_row)
		return too_long(c, err);
	memmove(c->buf, c->buf + c->at, left);
	c->at = 0;
	c->end = left;
	if (left > c->cap / 2) {
		c->cap = min_size(c->cap * 2, c->max_row + BUF_BYTES);
		c->buf = xrealloc(c->buf, c->cap + PAD);
	}
	while (c->end < c->cap && !c->eof) {
		int64_t got = input_read(c->in, c->buf + c->end, c->cap - c->end, err);
		if (got < 0)
			return fail_csv(c, (int)got);
		c->eof = got == 0;
		c->tab.high |= !sv_is_ascii((struct sv){ c->buf + c->end, (size_t)got });
		c->end += (size_t)got;
	}
	memset(c->buf + c->end, 'x', PAD); /* the scanner loads it, the mask leaves it out */
	load_block(c, 0);
	return 0;
}

static int tell_broken(struct csv *c, enum row r, struct err *err)
{
	const char *what = "text follows a closing quote in the row that starts here";
	if (r == ROW_NUL)
		what = "there is a NUL byte in the row that starts here";
	else if (r == ROW_OPEN)
		what = "a quote is opened in the row that starts here and never closed";
	err_set(err, -EBADMSG, "'%s' line %lld: %s", input_name(c->in), (long long)c->line, what);
	if (r == ROW_NUL)
		err_hint(err, "the file is no plain text; UTF-16 must be converted to UTF-8");
	else if (r == ROW_OPEN)
		err_hint(
			err,
			"the file is truncated there, or a quote inside quotes is not written twice");
	else
		err_hint(err, "a quote inside quotes is written twice");
	return fail_csv(c, -EBADMSG);
}

/* The next row that is not blank: 1, 0, or a negative errno. Its cells are in c->cell, its line in
 * tab.line. */
static int take_row(struct csv *c, struct err *err)
{
	size_t end = 0;
	for (;;) {
		enum row r = read_row(c, &end);
		if (r == ROW_END_OF_FILE)
			return 0;
		if (r == ROW_MORE) {
			int rc = refill_buffer(c, err);
			if (rc)
				return rc;
			continue;
		}
		if (r != ROW_OK && r != ROW_BLANK)
			return tell_broken(c, r, err);
		if (c->ncell >= MAX_COLS) {
			err_set(err, -EMSGSIZE, "'%s' line %lld: a row has more than %zu cells",
				input_name(c->in), (long long)c->line, MAX_COLS - 1);
			return fail_csv(c, -EMSGSIZE);
		}
		if (end - c->at > c->max_row)
			return too_long(c, err);
		c->tab.line = c->line;
		c->line += (int64_t)c->lines;
		c->at = end;
		if (r == ROW_OK)
			break;
	}
	for (size_t i = 0; i < c->ndoubled; i++)
		undouble_quotes(&c->cell[c->doubled[i]]);
	return 1;
}

static int csv_next(struct tab *t, const struct sv **ret_cell, struct err *err)
{
	struct csv *c = (struct csv *)t;
	int rc = 1;
	if (c->failed) {
		if (err)
			*err = c->why;
		return c->failed;
	}
	if (c->pending)
		c->pending = false;
	else
		rc = take_row(c, err);
	if (rc < 0 && err)
		c->why = *err;
	if (rc <= 0)
		return rc;

	/* bring the row to ncol cells, or say why not */
	size_t n = c->ncell, want = c->tab.ncol;
	bool last = c->eof && c->at == c->end && c->buf[c->end - 1] != '\n';
	bool cut = last && n < want && !c->growing;
	if (c->ragged && !cut) {
		while (c->ncell > want && c->cell[c->ncell - 1].n == 0)
			c->ncell--;
		while (c->ncell < want)
			add_cell(c, NULL, 0);
	}
	if (c->ncell != want)
		return err_set(err, -EDOM,
			       "'%s' line %lld: the row has %zu cell%s where the header has %zu%s",
			       input_name(c->in), (long long)c->tab.line, n, plural(n), want,
			       text_if(cut, CSV_CUT));
	*ret_cell = c->cell;
	return 1;
}

static void csv_close(struct tab *t)
{
	struct csv *c = (struct csv *)t;
	arena_free(&c->names);
	free(c->buf);
	free(c->cell);
	free(c->doubled);
	free(c);
}

static const struct tab_ops csv_ops = { csv_next, csv_close };

/* The candidate that the first line has most of, outside quotes. */
static char guess_sep(struct sv text)
{
	static const char cand[] = ",;\t|";
	size_t n[4] = { 0 };
	bool quoted = false;
	for (size_t i = 0; i < text.n && (quoted || text.p[i] != '\n'); i++) {
		quoted ^= text.p[i] == '"';
		const char *q = NULL;
		if (!(quoted || !text.p[i]))
			q = strchr(cand, text.p[i]);
		if (q)
			n[q - cand]++;
	}
	int best = 0;
	for (int i = 1; i < 4; i++)
		if (n[i] > n[best])
			best = i;
	return cand[best];
}

static int name_columns(struct csv *c, struct err *err)
{
	struct intern seen = { 0 };
	struct sv *col = arena_alloc(&c->names, (c->ncell + 1) * sizeof *col);
	int rc = 0;
	for (size_t i = 0; i < c->ncell && !rc; i++) {
		struct sv v = sv_trim(c->cell[i]);
		if (c->no_header) {
			col[i] = sv_of(arena_printf(&c->names, "%zu", i + 1));
			continue;
		}
		col[i] = (struct sv){ arena_strn(&c->names, v.p, v.n), v.n };
		if (v.n && intern_find(&seen, v) >= 0)
			rc = err_set(err, -EEXIST,
				     "'%s' line %lld: the header names the column '%.*s' twice",
				     input_name(c->in), (long long)c->tab.line, SVF(v));
		intern_add(&seen, v);
	}
	intern_free(&seen);
	c->tab.col = col;
	c->tab.ncol = c->ncell;
	return rc;
}

/* What the first bytes tell: the encoding and the separator. */
static int look_ahead(struct csv *c, char sep, struct err *err)
{
	struct sv first;
	char bom[3];
	int rc = input_peek(c->in, PEEK_BYTES, &first, err);
	if (rc)
		return rc;
	if (sv_starts(first, SV("\xff\xfe")) || sv_starts(first, SV("\xfe\xff"))) {
		err_set(err, -EBADMSG, "'%s' is UTF-16 text", input_name(c->in));
		err_hint(err, "convert it first: iconv -f UTF-16 -t UTF-8");
		return -EBADMSG;
	}
	/* lines that end with CR alone, as old spreadsheets write them, are one line to us */
	const char *cr = first.n ? memchr(first.p, '\r', first.n - 1) : NULL;
	if (cr && !memchr(first.p, '\n', first.n)) {
		err_set(err, -EBADMSG, "'%s': its lines end with CR alone, as of an old Macintosh",
			input_name(c->in));
		err_hint(err, "convert it first: tr '\\r' '\\n' < FILE");
		return -EBADMSG;
	}
	bool has_bom = sv_starts(first, SV("\xef\xbb\xbf"));
	if (has_bom)
		first = sv_from(first, 3);
	c->sep = sep ? sep : guess_sep(sv_trim(first));
	for (size_t n = 0; has_bom && n < sizeof bom;) /* peeked, so it is there */
		n += (size_t)input_read(c->in, bom, sizeof bom - n, err);
	return 0;
}

static int read_header(struct csv *c, char sep, struct err *err)
{
	int rc = look_ahead(c, sep, err);
	if (!rc)
		rc = refill_buffer(c, err);
	if (rc)
		return rc;
	rc = take_row(c, err);
	/* "sep=;": what a spreadsheet writes before the header; the separator was guessed from
	 * it */
	bool two = rc > 0 && c->ncell == 2;
	if (two && !c->cell[1].n && sv_is(c->cell[0], "sep="))
		rc = take_row(c, err);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return err_set(err, -ENODATA, "'%s' is empty: there is not even a header line",
			       input_name(c->in));
	c->pending = c->no_header;
	return name_columns(c, err);
}

int tab_csv_open(struct input *in, const struct tab_csv_opt *opt, struct tab **ret, struct err *err)
{
	static const struct tab_csv_opt none;
	if (!opt)
		opt = &none;
	struct csv *c = xcalloc(1, sizeof *c);
	c->tab.ops = &csv_ops;
	c->tab.format = "csv";
	c->in = in;
	c->ragged = opt->ragged;
	c->growing = opt->growing;
	c->no_header = opt->no_header;
	c->max_row = opt->max_row_bytes ? opt->max_row_bytes : MAX_ROW_BYTES;
	if (c->max_row > MAX_MAX_ROW_BYTES)
		c->max_row = MAX_MAX_ROW_BYTES;
	c->line = 1;
	c->cap = opt->buf_bytes ? opt->buf_bytes : BUF_BYTES;
	c->buf = xmalloc(c->cap + PAD);
	c->null = arena_alloc(&c->names, (opt->nnull + 1) * sizeof *c->null);
	for (size_t i = 0; i < opt->nnull; i++)
		c->null[i] = (struct sv){ arena_strn(&c->names, opt->null[i].p, opt->null[i].n),
					  opt->null[i].n };
	c->nnull = opt->nnull;
	int rc = read_header(c, opt->sep, err);
	if (rc)
		csv_close(&c->tab);
	else
		*ret = &c->tab;
	return rc;
}
