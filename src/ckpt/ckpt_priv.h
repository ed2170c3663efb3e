#ifndef TARE_CKPT_CKPT_PRIV_H
#define TARE_CKPT_CKPT_PRIV_H
/* What the files ckpt*.c share. buf of ckpt_each(): CKPT_CHUNK_BYTES of the thread's own, aligned
 * to CKPT_ALIGN. */
#include <pthread.h>
#include <time.h>
#include "ckpt/ckpt.h"

/*
 * Four times of what a disk needs to be kept busy (bench-save: four bare writers are as fast as
 * eight): while other programs have the processors, most wait for one with a chunk to hash, and
 * there must be enough others whose chunks the disk has. With 20 runnable threads on two cores the
 * bare writer's time over ours was 0.68 with 8, 0.85 with 16. The second is for what each thread
 * reads into 4 MiB of its own.
 */
enum { CKPT_THREADS = 16, CKPT_OWN_THREADS = 4 };

struct ckpt_dir {
	char *path;
	/* folders, -1: not there (read_only); lock_fd -1: not held */
	int fd, ckpt_fd, data_fd, part_fd, lock_fd;
	int rank, world, threads;
	char *attempt;
	/* counts the runs that have written here; the same on all ranks, 0 = not known yet */
	uint64_t run;
	bool buffered, read_only;
	/* the checkpoint whose chunks the next save may name again; id "" = none */
	struct ckpt last;
	/* last is of an earlier run: its bytes may be damaged by now, and what is named again is
	 * compared first, else the new checkpoint would be born damaged */
	bool unproven;
	/* the last save named none of its parent's chunks again: the next will hardly, either */
	bool all_new;
};

/* A save under way: begun, filled and made to count by ckpt_write.c. */
struct ckpt_writer {
	struct ckpt_dir *d;
	struct ckpt c; /* this rank's part */
	int fd;        /* of its data file, -1 = none yet */
	char data_name[64];
	pthread_mutex_t lock; /* of the next two */
	uint64_t end, room;   /* of the data file: given out; allocated */
	int own;              /* its number in c.data, -1 */
	int linked;           /* data files of others linked so far */
	VEC(int64_t) data_of; /* [parent data] number in c.data, -1 = not named yet */
	VEC(bool) reuse;      /* [parent data] chunks in it may be named again */
	bool prepared, committed;
	struct ckpt_stat stat;
	struct timespec begun;
};

/* Read a whole small file below a folder. -ENOENT without a sentence; -ELOOP, -EBADMSG: a link,
 * something else that is no plain file. */
int ckpt_slurp(int dir_fd, const char *name, size_t max, struct str *ret, struct err *err);
/* Write name below a folder: temporary file, fsync, rename, fsync of the folder. */
int ckpt_spit(int dir_fd, const char *name, struct sv text, struct err *err);
/* DIR/latest, which is for people and scripts: whole or as it was, but not durable, as nobody waits
 * for a disk for it; failing does not matter. */
void ckpt_hint_latest(struct ckpt_dir *d, const char *id);
/* fsync of an open folder. */
int ckpt_sync_dir(int fd, const char *what, struct err *err);
/*
 * The list, and of manifests that must have been there and are gone the id of the newest, "" none:
 * `latest` names it and no other is as new; or there are data or a run was counted, there is not
 * one manifest, and `none-yet` does not say that none was ever written. Where that is so it is
 * listed until it is so twice.
 */
int ckpt_list_lost(struct ckpt_dir *d, struct ckpt_list *l, char ret_lost[CKPT_ID_BYTES],
		   struct err *err);
/*
 * Rank 0, before anything is removed or saved: what is lost gets a manifest that says so, which is
 * one that cannot be used in all respects: named at each start, no data are removed beside it, the
 * store's own takes its place, and it goes when newer ones hold. Where there never was one
 * `none-yet` says so.
 */
int ckpt_lost_note(struct ckpt_dir *d, struct err *err);
#define CKPT_LOST "tare-checkpoint lost\n"
/* The first manifest is durable. */
int ckpt_lost_begun(struct ckpt_dir *d, struct err *err);
/* A manifest in its place, durable. */
int ckpt_put_manifest(struct ckpt_dir *d, const char *id, struct sv text, struct err *err);
/* Remove data files that no manifest names and that no save under way can own; nothing where a
 * manifest cannot be read. */
int ckpt_sweep_data(struct ckpt_dir *d, struct err *err);
/* Is it one of those that stay because they were told by name? */
bool ckpt_keep_names(const struct ckpt_keep *keep, const char *id);
/* "run N ATTEMPT": 0, or -ENOENT where there is none that can be read. */
int ckpt_run_read(struct ckpt_dir *d, uint64_t *ret_run, struct str *ret_attempt);
/* The number of this run: rank 0 writes it when it opens, others wait for that up to wait_ms. */
int ckpt_run_wait(struct ckpt_dir *d, int64_t wait_ms, struct err *err);

/* Chunks are hashed, compared, read and written by several threads: fn(ctx, i) for i in [0, n); the
 * first negative result ends it and comes back. */
int ckpt_each(int threads, size_t n, int (*fn)(void *ctx, size_t i, void *buf), void *ctx);
/* As many as the folder was opened with; at most CKPT_OWN_THREADS where each needs its buf. */
int ckpt_threads(const struct ckpt_dir *d, bool own);

#endif
