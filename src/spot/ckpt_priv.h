#ifndef TARE_SPOT_CKPT_PRIV_H
#define TARE_SPOT_CKPT_PRIV_H
/* What the files ckpt*.c share. buf of ckpt_each(): CKPT_CHUNK_BYTES of the thread's own, aligned to CKPT_ALIGN. */
#include "spot/ckpt.h"

struct ckpt_dir {
	char *path;
	int fd, ckpt_fd, data_fd, part_fd, lock_fd; /* folders; lock_fd -1: not held */
	int rank, world, threads;
	char *attempt;
	uint64_t run;	 /* counts the runs that have written here; the same on all ranks, 0 = not known yet */
	bool buffered, read_only;
	struct ckpt last; /* the checkpoint whose chunks the next save may name again; id "" = none */
};

/* Read a whole small file below a folder. -ENOENT without a sentence. */
int ckpt_slurp(int dir_fd, const char *name, size_t max, struct str *ret, struct err *err);
/* Write name below a folder: temporary file, fsync, rename, fsync of the folder. */
int ckpt_spit(int dir_fd, const char *name, struct sv text, struct err *err);
/* fsync of an open folder. */
int ckpt_sync_dir(int fd, const char *what, struct err *err);
/* Remove data files that no manifest names and that no save under way can own; nothing where a manifest cannot be read. */
int ckpt_sweep_data(struct ckpt_dir *d, struct err *err);
/* The number of this run: rank 0 writes it when it opens, others wait for that up to wait_ms. */
int ckpt_run_begin(struct ckpt_dir *d, struct err *err);
int ckpt_run_wait(struct ckpt_dir *d, int64_t wait_ms, struct err *err);

/* Chunks are hashed, compared, read and written by several threads: fn(ctx, i) for i in [0, n); the first negative result ends it and comes back. */
int ckpt_each(int threads, size_t n, int (*fn)(void *ctx, size_t i, void *buf), void *ctx);

#endif
