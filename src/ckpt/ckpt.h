#ifndef TARE_CKPT_CKPT_H
#define TARE_CKPT_CKPT_H
/*
 * A folder of checkpoints that cannot be lost. Every checkpoint is immutable: data files first,
 * then its manifest, each made durable (fsync of the file, rename, fsync of the folder) before the
 * next step, so that whatever dies at whatever moment leaves the newest checkpoint that was
 * reported safe whole and readable. What did not change since the checkpoint before (equal chunk
 * hashes) is named again, not written again. The format is in docs/CHECKPOINT.md.
 *
 *   DIR/tare-checkpoints   "1": this is such a folder, of this version
 *   DIR/lock               held (flock) by the process that commits; its text says who
 *   DIR/latest             id of the newest checkpoint, or of an older one; written after it
 *   DIR/none-yet           there never was one
 *   DIR/ckpt/ID            manifests
 *   DIR/data/ID.rN         chunks that the save ID of rank N wrote; ID.rN.tmp while it is written
 *   DIR/part/ID.rN         what rank N has prepared, until rank 0 commits
 *
 * One process saves (rank 0), or one a rank: each prepares its own files, rank 0 commits when all
 * have: all or none.
 * A handle belongs to one thread; its writers use threads of their own.
 */
#include "ckpt/manifest.h"

struct ckpt_dir;
struct ckpt_opt {
	int rank, world; /* 0 and 1 unless several ranks save together */
	/* token of this run, equal on all its ranks and new after a restart; NULL: "-" */
	const char *attempt;
	int threads; /* that hash and write, 0: CKPT_THREADS */
	/* through the page cache; direct I/O unless told, or where the file system has none */
	bool buffered;
	/* list and read: takes no lock, makes nothing; a copy without the empty folders will do */
	bool read_only;
};
/*
 * Open, made if absent (not read_only). Rank 0 takes the lock: -EBUSY with the owner in the
 * sentence when another runner has it; sweeps what a run that died left unfinished. -EPROTO: of a
 * newer version. -ENOENT: read_only and not there.
 */
int ckpt_open(const char *dir, const struct ckpt_opt *opt, struct ckpt_dir **ret, struct err *err);
void ckpt_close(struct ckpt_dir *d); /* NULL is fine */
/* In a child after fork(): lets go of the lock, which the parent keeps. The handle is of no more
 * use there, nor to be closed. Async-signal-safe. */
void ckpt_forked(struct ckpt_dir *d);

/* ---- reading ----------------------------------------------------------------------------- */

/* The checkpoints that have a manifest, newest first (by step, then number of the save). Names
 * only; not verified. */
struct ckpt_list {
	VEC(struct ckpt_listed) v;
};
struct ckpt_listed {
	char id[CKPT_ID_BYTES];
};
int ckpt_list(struct ckpt_dir *d, struct ckpt_list *ret, struct err *err);
void ckpt_list_free(struct ckpt_list *l);

/* Checkpoints that cannot be used, in the order in which they were found so: newest first. */
struct ckpt_bad {
	char id[CKPT_ID_BYTES];
	bool stored; /* that of the object store; else that of the folder */
	bool mended; /* was fetched again since */
	const char *why;
};
struct ckpt_damage { /* zero-initialise */
	struct arena mem;
	VEC(struct ckpt_bad) v;
};
/* Once each. d NULL: nothing is kept. */
void ckpt_damage_add(struct ckpt_damage *d, const char *id, bool stored, const char *why);
bool ckpt_damage_has(const struct ckpt_damage *d, const char *id, bool stored);
/* Is this very finding there: one that was mended since is another than one that was not. */
bool ckpt_damage_knows(const struct ckpt_damage *d, const struct ckpt_bad *b);
/* That of the folder holds again. */
void ckpt_damage_mend(struct ckpt_damage *d, const char *id);
/* What `to` knows is not added again, so that a merge of the same list any number of times is
 * one. */
void ckpt_damage_merge(struct ckpt_damage *to, const struct ckpt_damage *from);
void ckpt_damage_free(struct ckpt_damage *d);

/* Read a manifest and look whether its data files are there and long enough; no chunk is read.
 * -ENOENT, -EBADMSG. */
int ckpt_load(struct ckpt_dir *d, const char *id, struct ckpt *ret, struct err *err);
/* Read all of it and compare every hash. -EBADMSG names file and place. */
int ckpt_verify(struct ckpt_dir *d, const struct ckpt *c, struct err *err);
/*
 * The newest checkpoint all of whose bytes hold (verify) or whose files are there (not verify:
 * where the caller reads everything with ckpt_read(), which verifies). before: only older ones than
 * this id, NULL = any: how a caller goes on after a damaged one. 1 found, 0 there is none at all,
 * -EBADMSG there are some (or were: manifests are missing) and none can be used: nobody may take
 * that for the beginning without a word; err tells how many and of the newest. damage (may be
 * NULL): those that were passed over are added; what stands in it already is passed over unseen.
 */
int ckpt_newest(struct ckpt_dir *d, const char *before, bool verify, struct ckpt *ret,
		struct ckpt_damage *damage, struct err *err);
/* Fill buf [bytes] with file number `file`, verified. With several threads; direct I/O where buf is
 * aligned to CKPT_ALIGN. */
int ckpt_read(struct ckpt_dir *d, const struct ckpt *c, size_t file, void *buf, struct err *err);
/* Write file number `file` to a path (made again, verified, durable, in place of what was there by
 * rename). */
int ckpt_extract(struct ckpt_dir *d, const struct ckpt *c, size_t file, const char *path,
		 struct err *err);

/* ---- writing ----------------------------------------------------------------------------- */

struct ckpt_writer;
/* of all files; to disk; named again */
struct ckpt_stat {
	uint64_t bytes, written_bytes, same_bytes;
	double seconds;
};
/* Begin a save of this rank. step: not negative. A save that was never committed leaves nothing
 * that counts. */
int ckpt_begin(struct ckpt_dir *d, int64_t step, int64_t now_ms, struct ckpt_writer **ret,
	       struct err *err);
/* A file from memory; returns when it is written (not yet durable). p is only read; aligned to
 * CKPT_ALIGN it goes to disk without a copy. */
int ckpt_put(struct ckpt_writer *w, const char *name, const void *p, uint64_t bytes,
	     struct err *err);
/*
 * A file that somebody else wrote, at path: linked into the folder where both are on one file
 * system (it must then not be changed in place: writers that rename are safe, and a change is found
 * out by its hash), else copied.
 */
int ckpt_put_path(struct ckpt_writer *w, const char *name, const char *path, struct err *err);
/* Make this rank's bytes durable and say so (phase one). */
int ckpt_prepare(struct ckpt_writer *w, struct err *err);
/*
 * Rank 0: when all ranks have prepared this step, write the manifest; from its return on the
 * checkpoint is safe. Prepares itself if that was not done. Waits up to wait_ms for the others,
 * then -ETIMEDOUT naming one that is missing; nothing is committed. meta: one line of JSON or NULL.
 * Other ranks: waits until rank 0 has committed (-ETIMEDOUT: not known whether it will).
 */
int ckpt_commit(struct ckpt_writer *w, const char *meta, int64_t wait_ms,
		char ret_id[CKPT_ID_BYTES], struct err *err);
void ckpt_writer_stat(const struct ckpt_writer *w, struct ckpt_stat *ret);
void ckpt_writer_free(struct ckpt_writer *w); /* what was not committed is removed */

/* ---- keeping ----------------------------------------------------------------------------- */

struct ckpt_keep {
	int last;              /* the newest n, at least 1 */
	int64_t every_ms;      /* and one in each such interval of time, 0 = none */
	const char *const *id; /* [nid] and these (the best ones) */
	size_t nid;
	/* id of a checkpoint that the caller has just verified, so that this need not; NULL */
	const char *known_good;
};
/*
 * Remove what the rule does not keep. The newest checkpoint that holds (all hashes compared) is
 * never removed, nor data that a kept manifest names. Where none holds nothing is removed:
 * -EBADMSG. *ret_removed: checkpoints.
 */
int ckpt_retain(struct ckpt_dir *d, const struct ckpt_keep *keep, int *ret_removed,
		struct err *err);

#endif
