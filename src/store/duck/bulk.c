#include "store/duck/bulk.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/duck/slab.h"
#include "store/duck/sql.h"
#include "store/duck/writer.h"

#define SMALL 8 /* slabs appended as they come; what is larger is worth a thread */

struct bulk {
	duckdb_connection con;
	struct writer **writer; /* the store's, started when first needed; NULL: never */
	struct lane *lane;      /* NULL until there are many rows */
	char *table;
	size_t pushed;
	char *types;
	size_t ncol, c; /* c: next column of the row */
	struct slab *cur;
	duckdb_appender app;
	duckdb_data_chunk out;
	int64_t rows;
	struct str fixed; /* a text made valid */
};

int bulk_new(duckdb_connection con, const char *table, struct writer **writer, struct bulk **ret,
	     struct err *err)
{
	struct bulk *b = xcalloc(1, sizeof *b);
	b->con = con;
	b->writer = writer;
	assert(duck.vector_size() >= SLAB_ROWS);
	if (duck.appender_create(con, NULL, table, &b->app) != DuckDBSuccess) {
		int r = sql_error(err, "write to the store",
				  b->app ? duck.appender_error(b->app) : "cannot append");
		if (b->app)
			duck.appender_destroy(&b->app);
		free(b);
		return r;
	}
	b->ncol = duck.appender_column_count(b->app);
	b->types = xcalloc(b->ncol + 1, 1);
	duckdb_logical_type *lt = xcalloc(b->ncol, sizeof *lt);
	for (size_t c = 0; c < b->ncol; c++) {
		lt[c] = duck.appender_column_type(b->app, c);
		b->types[c] = slab_letter(lt[c]);
	}
	b->out = duck.create_data_chunk(lt, b->ncol);
	for (size_t c = 0; c < b->ncol; c++)
		duck.destroy_logical_type(&lt[c]);
	free(lt);
	b->cur = slab_new(b->types);
	b->table = xstrdup(table);
	*ret = b;
	return 0;
}

/* There will be many rows: from here on the thread writes them. */
static int grow(struct bulk *b, struct err *err)
{
	if (!*b->writer)
		*b->writer = writer_new(b->con);
	if (!*b->writer) { /* no thread to be had: it works without */
		b->writer = NULL;
		return 0;
	}
	int r = writer_quiet(*b->writer, b->lane, err);
	if (r)
		return r;
	return writer_lane(*b->writer, b->table, b->types, &b->lane, err);
}

static int push(struct bulk *b, struct err *err)
{
	if (!b->cur->n)
		return 0;
	if (b->pushed++ == SMALL && b->writer) {
		int r = grow(b, err);
		if (r)
			return r;
	}
	if (b->lane)
		return lane_push(b->lane, &b->cur, err);
	duck.data_chunk_reset(b->out);
	slab_fill(b->cur, b->types, b->out);
	if (duck.append_data_chunk(b->app, b->out) != DuckDBSuccess)
		return sql_error(err, "write to the store", duck.appender_error(b->app));
	slab_clear(b->cur, b->types);
	return 0;
}

int bulk_flush(struct bulk *b, struct err *err)
{
	int r = push(b, err);
	if (r == 0 && b->writer)
		r = writer_quiet(*b->writer, b->lane, err);
	if (r == 0 && duck.appender_flush(b->app) != DuckDBSuccess)
		r = sql_error(err, "write to the store", duck.appender_error(b->app));
	return r;
}

void bulk_free(struct bulk *b)
{
	if (!b)
		return;
	duck.appender_destroy(&b->app);
	duck.destroy_data_chunk(&b->out);
	slab_free(b->cur, b->types);
	str_free(&b->fixed);
	free(b->types);
	free(b->table);
	free(b);
}

int64_t bulk_rows(const struct bulk *b)
{
	return b->rows;
}

/* ---- cells ------------------------------------------------------------------------------- */

static void *cell(struct bulk *b, char want, size_t width)
{
	assert(b->c < b->ncol && b->types[b->c] == want);
	return (char *)b->cur->data[b->c] + b->cur->n * width;
}

static void set_null(struct bulk *b)
{
	size_t i = b->cur->n;
	b->cur->valid[b->c][i / 64] &= ~(1ULL << (i % 64));
	b->cur->nulls[b->c] = true;
	memset((char *)b->cur->data[b->c] + i * slab_width(b->types[b->c]), 0,
	       slab_width(b->types[b->c]));
	b->c++;
}

void bulk_i8(struct bulk *b, int v)
{
	*(int8_t *)cell(b, 'b', 1) = (int8_t)v;
	b->c++;
}

void bulk_i32(struct bulk *b, int32_t v)
{
	*(int32_t *)cell(b, 'i', 4) = v;
	b->c++;
}

void bulk_i64(struct bulk *b, int64_t v)
{
	int64_t *p = cell(b, 'l', 8);
	if (v == INT64_MIN) {
		set_null(b);
		return;
	}
	*p = v;
	b->c++;
}

void bulk_f64(struct bulk *b, double v)
{
	*(double *)cell(b, 'f', 8) = v;
	b->c++;
}

void bulk_huge(struct bulk *b, __int128 v)
{
	*(duckdb_hugeint *)cell(b, b->types[b->c] == 'd' ? 'd' : 'h', 16) = duck_of_huge(v);
	b->c++;
}

void bulk_dec(struct bulk *b, bool has, dec v)
{
	if (has)
		bulk_huge(b, v);
	else
		set_null(b);
}

static bool is_ascii(const char *p, size_t n)
{
	uint64_t w;
	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		if (w & 0x8080808080808080ULL)
			return false;
	}
	unsigned char any = 0;
	while (n--)
		any |= (unsigned char)*p++;
	return any < 0x80;
}

/* Bytes of the UTF-8 sequence at p, 0 if it is none. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
	if (p[0] < 0x80)
		return 1;
	size_t want = 2;
	if (p[0] >= 0xf0)
		want = 4;
	else if (p[0] >= 0xe0)
		want = 3;
	if (p[0] < 0xc2 || p[0] > 0xf4 || want > n)
		return 0;
	for (size_t i = 1; i < want; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (p[0] == 0xe0 && p[1] < 0xa0)
		return 0;
	if (p[0] == 0xed && p[1] > 0x9f)
		return 0;
	if (p[0] == 0xf0 && p[1] < 0x90)
		return 0;
	if (p[0] == 0xf4 && p[1] > 0x8f)
		return 0;
	return want;
}

/* A byte of no UTF-8, as Latin-1 has it: names of two people must not become one. */
static void add_latin1(struct str *out, unsigned char c)
{
	if (c < 0xa0) /* a control character there */
		str_add(out, "\xef\xbf\xbd", 3);
	else
		str_add(out, (char[]){ (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)) }, 2);
}

struct sv mend_utf8(struct str *out, struct sv v)
{
	const unsigned char *p = (const unsigned char *)v.p;
	size_t i = 0;
	while (i < v.n && utf8_len(p + i, v.n - i))
		i += utf8_len(p + i, v.n - i);
	if (i == v.n)
		return v;
	str_clear(out);
	for (i = 0; i < v.n;) {
		size_t n = utf8_len(p + i, v.n - i);
		if (n)
			str_add(out, v.p + i, n);
		else
			add_latin1(out, p[i]);
		i += n ? n : 1;
	}
	return str_sv(out);
}

static void put_bytes(struct bulk *b, duckdb_string_t *s, const char *p, size_t n)
{
	if (n <= 12) {
		memset(s, 0, sizeof *s);
		s->value.inlined.length = (uint32_t)n;
		memcpy(s->value.inlined.inlined, p, n);
	} else {
		/* The same text as in the row above, as most texts of bills are, is stored once. */
		if (b->cur->n) {
			const duckdb_string_t *above = s - 1;
			if (above->value.pointer.length == n &&
			    !memcmp(above->value.pointer.ptr, p, n)) {
				*s = *above;
				return;
			}
		}
		char *copy = slab_text(b->cur, n);
		memcpy(copy, p, n);
		s->value.pointer.length = (uint32_t)n;
		memcpy(s->value.pointer.prefix, p, 4);
		s->value.pointer.ptr = copy;
	}
}

void bulk_text(struct bulk *b, struct sv v)
{
	duckdb_string_t *s = cell(b, 't', 16);
	if (v.n && !is_ascii(v.p, v.n))
		v = mend_utf8(&b->fixed, v);
	put_bytes(b, s, v.n ? v.p : "", v.n);
	b->c++;
}

void bulk_sv(struct bulk *b, struct sv v)
{
	if (v.p)
		bulk_text(b, v);
	else
		set_null(b);
}

void bulk_blob(struct bulk *b, const void *p, size_t n)
{
	put_bytes(b, cell(b, 'x', 16), n ? p : "", n);
	b->c++;
}

int bulk_end_row(struct bulk *b, struct err *err)
{
	assert(b->c == b->ncol);
	b->c = 0;
	b->rows++;
	if (++b->cur->n == SLAB_ROWS)
		return push(b, err);
	return 0;
}
