#ifndef TARE_CKPT_MANIFEST_H
#define TARE_CKPT_MANIFEST_H
/*
 * The manifest of a checkpoint: which files it has, of which chunks, where their bytes lie, and
 * their hashes. Text, a fact a line, documented to the byte in docs/CHECKPOINT.md. A manifest that
 * was cut, changed or mixed is refused as a whole.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"

/* all chunks of a file but the last; a multiple of any sector size */
#define CKPT_CHUNK_BYTES (4u << 20)
#define CKPT_ALIGN       4096u /* chunks start at multiples of it in a data file */
#define CKPT_FILES_MAX   100000u
#define CKPT_CHUNKS_MAX  (64u << 20) /* 256 TiB */

#define CKPT_STEP_MAX INT64_C(999999999999) /* the 12 digits of an id */
/* room for an id: step of 12 digits, dash, 16 hex digits, NUL */
#define CKPT_ID_BYTES    40
#define CKPT_META_MAX    (1u << 20)
#define CKPT_ATTEMPT_MAX 200

struct ckpt_hash {
	uint8_t b[16];
}; /* XXH3-128, canonical (big-endian) */
struct ckpt_chunk {
	uint32_t data;   /* index into ckpt.data */
	uint32_t bytes;  /* 1..CKPT_CHUNK_BYTES */
	uint64_t offset; /* in the data file */
	struct ckpt_hash hash;
};
struct ckpt_file {
	/* relative, "/" between parts, no "." or ".." part, well-formed UTF-8 (so nothing in it is
	 * written overlong), no control characters */
	const char *name;
	uint64_t bytes;
	size_t first, nchunk; /* chunks [first, first + nchunk) */
};
struct ckpt_data {
	const char *name; /* of the file in the folder "data" */
	uint64_t bytes;   /* its length: what a reader must at least find */
};
struct ckpt {
	struct arena mem;
	char id[CKPT_ID_BYTES]; /* "000000001200-5c0f9a3e71b2d480": step, dash, number of the save */
	int64_t step, time_ms;
	char parent[CKPT_ID_BYTES]; /* id of the checkpoint whose chunks may be named again, "" */
	int world;                  /* ranks that wrote it, >= 1 */
	int rank;                   /* of a part that one rank prepared; -1: a whole checkpoint */
	/* token of the run that wrote it: parts of different runs never mix; at most
	 * CKPT_ATTEMPT_MAX bytes */
	const char *attempt;
	const char *meta; /* one line of the caller's JSON, "{}"; at most CKPT_META_MAX bytes */
	VEC(struct ckpt_data) data;
	VEC(struct ckpt_file) file;   /* by rank, then in the order written */
	VEC(struct ckpt_chunk) chunk; /* by file */
};

void ckpt_free(struct ckpt *c); /* back to zero */
bool ckpt_name_ok(struct sv name);
bool ckpt_id_ok(struct sv id);
struct ckpt_hash ckpt_hash_of(const void *p, size_t n);
uint64_t ckpt_bytes(const struct ckpt *c); /* of all files */

void ckpt_manifest_write(const struct ckpt *c, struct str *ret);
/* name: what errors call it. -EBADMSG with line and reason for anything that is not exactly a
 * manifest. Parts refer to data of their own and of the parent. */
int ckpt_manifest_parse(const char *name, struct sv text, struct ckpt *ret, struct err *err);

#endif
