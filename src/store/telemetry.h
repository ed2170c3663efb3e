#ifndef TARE_STORE_TELEMETRY_H
#define TARE_STORE_TELEMETRY_H
/* What telemetry.c (writing) and samples.c (reading) share. */
#include "store/chunk.h"
#include "store/inside.h"
#include "store/lite.h"

/* chunk.id = block.id * TELE_COLUMNS + column: the times, a column a metric, the steps. */
#define TELE_COLUMNS 32
#define TELE_TIME    0
#define TELE_METRIC  1
#define TELE_STEP    31

struct builder; /* rows of a series in an hour, not written yet */

struct telemetry {
	sqlite3 *db;
	bool in_tx;
	struct chunk_codec *codec;
	sqlite3_stmt *add_block, *add_chunk, *find_series, *add_series;
	struct intern keys;         /* series met in this batch, by key */
	VEC(int64_t) id;            /* [key] number in the table */
	VEC(struct builder *) last; /* [key] the builder last written to */
	VEC(struct builder *) builder;
	struct builder **slot; /* [nslot] hash by series, hour, src */
	size_t nslot;
	size_t bytes; /* of all builders */
	uint64_t clock;
	struct str key, blob;
};

/* telemetry.db, opened when first needed. A reader of a store without telemetry: 0 and *ret NULL. */
int telemetry_get(struct store *s, struct telemetry **ret, struct err *err);
/* Samples given so far become visible to readers of this store. */
int telemetry_settle(struct store *s, struct err *err);
/* " AND b.src ..." for blocks in force. */
int telemetry_in_force(struct store *s, struct str *sql, struct err *err);

#endif
