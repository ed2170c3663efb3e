#include "store/duck/slab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define TEXT_BLOCK ((size_t)256 * 1024)

struct text_block {
	struct text_block *next;
	size_t used, size;
	char p[];
};

size_t slab_width(char type)
{
	switch (type) {
	case 'b': return 1;
	case 'i': return 4;
	case 'l':
	case 'f': return 8;
	default: return 16;
	}
}

struct slab *slab_new(const char *types)
{
	size_t ncol = strlen(types);
	struct slab *k = xcalloc(1, sizeof *k);
	k->data = xcalloc(ncol, sizeof *k->data);
	k->valid = xcalloc(ncol, sizeof *k->valid);
	k->nulls = xcalloc(ncol, sizeof *k->nulls);
	for (size_t c = 0; c < ncol; c++) {
		k->data[c] = xmalloc(SLAB_ROWS * slab_width(types[c]));
		k->valid[c] = xmalloc(SLAB_ROWS / 8);
		memset(k->valid[c], 0xff, SLAB_ROWS / 8);
	}
	return k;
}

void slab_free(struct slab *k, const char *types)
{
	size_t ncol = strlen(types);
	for (size_t c = 0; c < ncol; c++) {
		free(k->data[c]);
		free(k->valid[c]);
	}
	for (struct text_block *t = k->text, *next; t; t = next) {
		next = t->next;
		free(t);
	}
	free(k->data);
	free(k->valid);
	free(k->nulls);
	free(k);
}

void slab_clear(struct slab *k, const char *types)
{
	size_t ncol = strlen(types);
	k->n = 0;
	for (size_t c = 0; c < ncol; c++)
		if (k->nulls[c]) {
			memset(k->valid[c], 0xff, SLAB_ROWS / 8);
			k->nulls[c] = false;
		}
	/* Keep one block for the next rows. */
	while (k->text && k->text->next) {
		struct text_block *t = k->text;
		k->text = t->next;
		free(t);
	}
	if (k->text && k->text->size > TEXT_BLOCK) {
		free(k->text);
		k->text = NULL;
	}
	if (k->text)
		k->text->used = 0;
}

char *slab_text(struct slab *k, size_t n)
{
	if (!k->text || k->text->size - k->text->used < n) {
		size_t size = n > TEXT_BLOCK ? n : TEXT_BLOCK;
		struct text_block *t = xmalloc(sizeof *t + size);
		*t = (struct text_block){ .next = k->text, .size = size };
		k->text = t;
	}
	char *p = k->text->p + k->text->used;
	k->text->used += n;
	return p;
}

void slab_fill(const struct slab *k, const char *types, duckdb_data_chunk out)
{
	size_t ncol = strlen(types);
	for (size_t c = 0; c < ncol; c++) {
		duckdb_vector v = duck.data_chunk_get_vector(out, c);
		memcpy(duck.vector_get_data(v), k->data[c], k->n * slab_width(types[c]));
		if (k->nulls[c]) {
			duck.vector_ensure_validity_writable(v);
			memcpy(duck.vector_get_validity(v), k->valid[c], (k->n + 63) / 64 * 8);
		}
	}
	duck.data_chunk_set_size(out, k->n);
}

size_t slab_text_bytes(const struct slab *k)
{
	size_t n = 0;
	for (const struct text_block *t = k->text; t; t = t->next)
		n += t->size;
	return n;
}

duckdb_logical_type slab_type(char type)
{
	switch (type) {
	case 'b': return duck.create_logical_type(DUCKDB_TYPE_TINYINT);
	case 'i': return duck.create_logical_type(DUCKDB_TYPE_INTEGER);
	case 'l': return duck.create_logical_type(DUCKDB_TYPE_BIGINT);
	case 'f': return duck.create_logical_type(DUCKDB_TYPE_DOUBLE);
	case 'h': return duck.create_logical_type(DUCKDB_TYPE_HUGEINT);
	case 'd': return duck.create_decimal_type(38, 12);
	case 'x': return duck.create_logical_type(DUCKDB_TYPE_BLOB);
	default: return duck.create_logical_type(DUCKDB_TYPE_VARCHAR);
	}
}

char slab_letter(duckdb_logical_type t)
{
	switch (duck.get_type_id(t)) {
	case DUCKDB_TYPE_TINYINT: return 'b';
	case DUCKDB_TYPE_INTEGER: return 'i';
	case DUCKDB_TYPE_BIGINT: return 'l';
	case DUCKDB_TYPE_DOUBLE: return 'f';
	case DUCKDB_TYPE_HUGEINT: return 'h';
	case DUCKDB_TYPE_DECIMAL: return 'd';
	case DUCKDB_TYPE_BLOB: return 'x';
	default: return 't';
	}
}
