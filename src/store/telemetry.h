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
/* An instance of which the profile is known has both in the column mig: "7\x1d1g.10gb". */
#define TELE_PROFILE '\x1d'
#define TELE_SERIES                                                                                   \
	"SELECT id, key, node, gpu, mig, job_id, gpu_model, cluster, user_name, team, project, env, " \
	"workload, currency, usd_gpu_hour FROM series"

/* Of chunks of the block with id ?1 / TELE_COLUMNS */
#define TELE_CHUNKS "SELECT id, data FROM chunk WHERE id BETWEEN ?1 AND ?1 + 31 ORDER BY id"

struct src_sum { /* blocks that came of a file, see readings.c */
	int64_t src, blocks;
	uint64_t hash; /* sum of theirs */
};
struct src_sums {
	struct src_sum *v; /* by src */
	size_t n, cap;
};

struct builder; /* rows of a series in a duration, not written yet */

struct telemetry {
	sqlite3 *db;
	bool in_tx;
	bool has_spans;       /* a column of block; older files have hours alone */
	bool verified;        /* and nothing was written since */
	struct src_sums mine; /* of this batch, as far as it is written */
	int64_t next_block;   /* in a transaction: the next one's id */
	size_t overruled;     /* rows of this batch that a later one of its file contradicts */
	struct chunk_codec *codec;
	sqlite3_stmt *add_block, *add_chunk, *find_series, *add_series, *read_series;
	struct intern keys;         /* series met in this batch, by key */
	VEC(int64_t) id;            /* [key] number in the table */
	VEC(uint32_t) next;         /* [key] the one that followed it last time */
	uint32_t met;               /* the last one; 0 where there is none yet */
	VEC(uint64_t) series_hash;  /* [key] 0 = not asked yet */
	VEC(struct builder *) last; /* [key] the builder last written to */
	VEC(struct builder *) builder;
	struct builder **slot; /* [nslot] hash by series, span, src */
	size_t nslot;
	size_t bytes; /* of all builders */
	uint64_t clock;
	struct str key, mig, blob;
};

/* telemetry.db, opened when first needed. A reader of a store without telemetry: 0 and *ret
 * NULL. */
int telemetry_get(struct store *s, struct telemetry **ret, struct err *err);
int telemetry_hold(struct telemetry *t, struct err *err); /* until something is written */
bool telemetry_there(const struct store *s);              /* the file */
/* Samples given so far become visible to readers of this store. */
int telemetry_settle(struct store *s, struct err *err);

/* ---- readings.c -------------------------------------------------------------------------- */

/* Before anything of the readings is read: they are those that the facts know of, or -EBADMSG and
 * which files are hit. Once per command, and again behind what it writes. */
int telemetry_verify(struct store *s, struct err *err);
/* -EBADMSG, and that the readings of these files are damaged, or missing. */
int telemetry_damaged(struct store *s, struct srcs of, struct err *err);
/* A row of the table block. Its samples begin in [base_ms, base_ms + span_ms), whole spans since
 * 1970; hash is over its chunks. */
struct block_row {
	int64_t id, series, base_ms, src, from_ms, to_ms, n, hash, span_ms;
};
/* A block that was written, of the series t->id.v[key]. */
int telemetry_note_block(struct telemetry *t, const struct block_row *b, size_t key,
			 struct err *err);
/* Of the chunks of a block, one after another, beginning with 0. */
uint64_t telemetry_chunk_hash(uint64_t before, int column, const void *blob, size_t size);

#endif
