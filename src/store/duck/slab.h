#ifndef TARE_STORE_DUCK_SLAB_H
#define TARE_STORE_DUCK_SLAB_H
/*
 * Up to 2,048 rows on their way to DuckDB, column by column. Long texts live in the slab's own
 * blocks until DuckDB has copied them.
 *
 * types has a letter for each column: b int8, i int32, l int64, h hugeint, d decimal(38,12), t
 * text, x blob.
 */
#include <stdbool.h>
#include <stddef.h>
#include "store/duck/duck.h"

#define SLAB_ROWS 2048

struct slab {
	size_t n, bytes;
	void **data;      /* [ncol] */
	uint64_t **valid; /* [ncol] */
	bool *nulls;      /* [ncol] some cell is NULL */
	struct text_block *text;
	struct slab *next; /* for queues */
};
struct slab *slab_new(const char *types);
void slab_free(struct slab *k, const char *types);
void slab_clear(struct slab *k, const char *types);
char *slab_text(struct slab *k, size_t n); /* room for a text */
/* Into a chunk of the same types; its texts still point into the slab. */
void slab_fill(const struct slab *k, const char *types, duckdb_data_chunk out);
size_t slab_width(char type);
size_t slab_text_bytes(const struct slab *k);
duckdb_logical_type slab_type(char type); /* the caller destroys it */
char slab_letter(duckdb_logical_type t);

#endif
