#include "base/utf8.h"
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
	uint8_t *width; /* [ncol] bytes of a value */
	size_t ncol, c; /* c: next column of the row */
	struct slab *cur;
	duckdb_appender app;
	duckdb_data_chunk out;
	struct str fixed; /* a text made valid */
};

int bulk_new(duckdb_connection con, const char *catalog, const char *table, struct writer **writer,
	     struct bulk **ret, struct err *err)
{
	struct bulk *b = xcalloc(1, sizeof *b);
	b->con = con;
	b->writer = writer;
	assert(duck.vector_size() >= SLAB_ROWS);
	if (duck.appender_create_ext(con, catalog, NULL, table, &b->app) != DuckDBSuccess) {
		int r = sql_error(err, "write to the store",
				  b->app ? duck.appender_error(b->app) : "cannot append");
		if (b->app)
			duck.appender_destroy(&b->app);
		free(b);
		return r;
	}
	b->ncol = duck.appender_column_count(b->app);
	b->types = xcalloc(b->ncol + 1, 1);
	b->width = xcalloc(b->ncol + 1, 1);
	duckdb_logical_type *lt = xcalloc(b->ncol, sizeof *lt);
	for (size_t c = 0; c < b->ncol; c++) {
		lt[c] = duck.appender_column_type(b->app, c);
		b->types[c] = slab_letter(lt[c]);
		b->width[c] = (uint8_t)slab_width(b->types[c]);
	}
	b->out = duck.create_data_chunk(lt, b->ncol);
	for (size_t c = 0; c < b->ncol; c++)
		duck.destroy_logical_type(&lt[c]);
	free(lt);
	b->cur = slab_new(b->types);
	struct str name = { 0 };
	str_addf(&name, "%s%s%s", catalog ? catalog : "", catalog ? "." : "", table);
	b->table = name.p;
	*ret = b;
	return 0;
}

/* There will be many rows: from here on the thread writes them. */
static int grow_bulk(struct bulk *b, struct err *err)
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

static int push_slab(struct bulk *b, struct err *err)
{
	if (!b->cur->n)
		return 0;
	if (b->pushed++ == SMALL && b->writer) {
		int r = grow_bulk(b, err);
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
	int r = push_slab(b, err);
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
	free(b->width);
	free(b->table);
	free(b);
}

/* ---- cells ------------------------------------------------------------------------------- */

static void *next_cell(struct bulk *b, char want, size_t width)
{
	assert(b->c < b->ncol && b->types[b->c] == want);
	return (char *)b->cur->data[b->c] + b->cur->n * width;
}

static void set_null(struct bulk *b)
{
	size_t i = b->cur->n, width = b->width[b->c];
	b->cur->valid[b->c][i / 64] &= ~(1ULL << (i % 64));
	b->cur->nulls[b->c] = true;
	char *at = (char *)b->cur->data[b->c] + i * width;
	switch (width) { /* each in a store or two, not by a call */
	case 16: memset(at, 0, 16); break;
	case 8: memset(at, 0, 8); break;
	default: memset(at, 0, width);
	}
	b->c++;
}

void bulk_i8(struct bulk *b, int v)
{
	*(int8_t *)next_cell(b, 'b', 1) = (int8_t)v;
	b->c++;
}

void bulk_i32(struct bulk *b, int32_t v)
{
	*(int32_t *)next_cell(b, 'i', 4) = v;
	b->c++;
}

void bulk_i64(struct bulk *b, int64_t v)
{
	int64_t *p = next_cell(b, 'l', 8);
	if (v == INT64_MIN) {
		set_null(b);
		return;
	}
	*p = v;
	b->c++;
}

void bulk_f64(struct bulk *b, double v)
{
	*(double *)next_cell(b, 'f', 8) = v;
	b->c++;
}

void bulk_huge(struct bulk *b, __int128 v)
{
	*(duckdb_hugeint *)next_cell(b, b->types[b->c] == 'd' ? 'd' : 'h', 16) = duck_of_huge(v);
	b->c++;
}

void bulk_dec(struct bulk *b, bool has, dec v)
{
	if (has)
		bulk_huge(b, v);
	else
		set_null(b);
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
	duckdb_string_t *s = next_cell(b, 't', 16);
	if (v.n && !sv_is_ascii(v))
		v = utf8_of(&b->fixed, v);
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
	put_bytes(b, next_cell(b, 'x', 16), n ? p : "", n);
	b->c++;
}

int bulk_end_row(struct bulk *b, struct err *err)
{
	assert(b->c == b->ncol);
	b->c = 0;
	if (++b->cur->n == SLAB_ROWS)
		return push_slab(b, err);
	return 0;
}
