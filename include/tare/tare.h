#ifndef TARE_TARE_H
#define TARE_TARE_H
/*
 * libtare: what training code links or loads. Checkpoints that cannot be lost, saved in the
 * background after one copy in memory; the word of `tare run` that the machine will be taken away;
 * the way back after a restart.
 *
 *   tare_saver *s = tare_saver_open(&(tare_saver_options){ .size = sizeof(tare_saver_options), .dir
 *   = "ckpt" }, err, sizeof err); for (int64_t step = start; !tare_should_stop(); step++) {
 *           train(); if (step % 200 == 0) tare_saver_save(s, step, (tare_piece[]){{ "weights", w,
 *           bytes }}, 1, NULL);
 *   }
 *   tare_saver_close(s);
 *
 * Functions return 0 (or what they say) or a negative errno; tare_saver_error() has a sentence. A
 * saver belongs to one thread; it writes with threads of its own. In a child after fork() it is
 * nobody's: only close it there. Nothing here prints or ends the program. Sizes are bytes, times ms
 * or as the name says.
 */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define TARE_API __attribute__((visibility("default")))

TARE_API const char *tare_version(void); /* "0.1.0" */

/* ---- saving ------------------------------------------------------------------------------ */

typedef struct tare_saver tare_saver;
typedef struct tare_saver_options { /* zero-initialise, set size */
	size_t size;                /* sizeof(tare_saver_options): later versions append */
	/* folder of the checkpoints; NULL: TARE_CHECKPOINT_DIR, which `tare run` sets */
	const char *dir;
	/* token of this run (at most 200 bytes), the same on all ranks, new after a restart; NULL:
	 * TARE_ATTEMPT, else made of what torchrun and Slurm set, else "-" */
	const char *attempt;
	int rank, world;         /* world 0: RANK and WORLD_SIZE of the environment, else 0 of 1 */
	int threads;             /* that write, 0: 16 */
	int keep_last;           /* checkpoints to keep, 0: 3 */
	double keep_every_hours; /* and one in each such interval, 0: none */
	int64_t commit_wait_ms;  /* for the other ranks, 0: 10 minutes */
} tare_saver_options;

/* NULL: err [err_bytes] has a sentence. The folder is made if absent; another runner that holds it
 * is an error. */
TARE_API tare_saver *tare_saver_open(const tare_saver_options *opt, char *err, size_t err_bytes);

typedef struct tare_piece {
	const char *name;
	const void *p;
	uint64_t bytes;
} tare_piece;
/*
 * Save. Returns when the pieces are copied; they are written and committed in the background. Waits
 * first where two saves are under way already. What became of the save before comes back here:
 * negative if it failed (nothing older was lost), while this one is begun all the same. meta: a
 * line of JSON of at most 1 MiB, or NULL.
 */
TARE_API int tare_saver_save(tare_saver *s, int64_t step, const tare_piece *piece, size_t npiece,
			     const char *meta);
/*
 * The same without the copy: memory to fill, aligned to 4,096 bytes, of this size; then
 * tare_saver_go(). For copies from a GPU straight into it: it is registered as pinned memory where
 * a CUDA runtime is in the program. NULL: no memory.
 */
TARE_API void *tare_saver_memory(tare_saver *s, uint64_t bytes);
typedef struct tare_copy {
	void *to;
	const void *from;
	uint64_t bytes;
} tare_copy;
/* Copy into that memory, with up to four threads where processors are free; the copies must not
 * overlap. */
TARE_API void tare_saver_fill(tare_saver *s, const tare_copy *copy, size_t n);
/* So much will be saved: the memory is got and touched in the background, so that the first saves
 * do not stand still for that. */
TARE_API void tare_saver_reserve(tare_saver *s, uint64_t bytes);
/* pieces must lie in that memory. */
TARE_API int tare_saver_go(tare_saver *s, int64_t step, const tare_piece *piece, size_t npiece,
			   const char *meta);
/* Keep the checkpoint of this step (saved, or being saved) whatever its age, until another is
 * named: the best so far. -1: none. */
TARE_API void tare_saver_keep_best(tare_saver *s, int64_t step);
/* Wait until everything is safe: 0, what failed (-ECANCELED: another rank did not save, so nobody
 * did), or -ETIMEDOUT: not yet. timeout_ms < 0: as long as it takes. */
TARE_API int tare_saver_wait(tare_saver *s, int64_t timeout_ms);
/* The newest step that is safe, -1 = none by this saver. */
TARE_API int64_t tare_saver_safe_step(const tare_saver *s);
/* of the last save that ended; stall: the caller's wait and copy */
typedef struct tare_saver_stats {
	uint64_t bytes, written_bytes;
	double stall_s, write_s;
} tare_saver_stats;
TARE_API void tare_saver_last(const tare_saver *s, tare_saver_stats *ret);
/* of the last thing that failed, "" where nothing did; until the next call */
TARE_API const char *tare_saver_error(const tare_saver *s);
TARE_API int tare_saver_close(tare_saver *s); /* waits; as tare_saver_wait(s, -1) */

/* ---- loading ----------------------------------------------------------------------------- */

typedef struct tare_loaded tare_loaded;
/*
 * The newest checkpoint that holds (dir NULL: as above). 1 and *ret; 0: nothing was saved yet,
 * begin from the start; negative: -EBADMSG there are checkpoints and none can be used. That is not
 * the start: it is 0 only where the environment has TARE_FROM_ZERO=1, as under `tare run
 * --from-zero`. Damaged ones are passed over: err then names each with the reason, a line each and
 * cut to fit, although 1 comes back (or says why none can be used, with 0).
 */
TARE_API int tare_load_latest(const char *dir, tare_loaded **ret, char *err, size_t err_bytes);
/*
 * The same without reading all of it beforehand, for who reads every piece anyway: half the time. A
 * read may then say -EBADMSG: go on with tare_load_older(), which is as quick. Ranks that save
 * together need tare_load_latest(), so that all come to the same checkpoint.
 */
TARE_API int tare_load_quick(const char *dir, tare_loaded **ret, char *err, size_t err_bytes);
/* The newest checkpoint of this very step, if it holds: 1, 0 (there is none), negative (-EBADMSG:
 * damaged, or lost). */
TARE_API int tare_load_step(const char *dir, int64_t step, tare_loaded **ret, char *err,
			    size_t err_bytes);
TARE_API int64_t tare_loaded_step(const tare_loaded *l);
TARE_API const char *tare_loaded_meta(const tare_loaded *l);
TARE_API size_t tare_loaded_count(const tare_loaded *l);
TARE_API const char *tare_loaded_name(const tare_loaded *l, size_t i);
TARE_API uint64_t tare_loaded_bytes(const tare_loaded *l, size_t i);
/* Index of a name, or -1. */
TARE_API int64_t tare_loaded_find(const tare_loaded *l, const char *name);
/* Read into p [tare_loaded_bytes(l, i)], every byte checked. -EBADMSG: damaged (since); call
 * tare_load_older(). p aligned to 4,096: direct I/O. */
TARE_API int tare_loaded_read(tare_loaded *l, size_t i, void *p);
/* Go to the next older checkpoint that holds, in place: 1, 0 (there is none older), negative
 * (-EBADMSG: there are, and none can be used). Where the one before was damaged, 0 is no word to
 * begin from the start either. */
TARE_API int tare_load_older(tare_loaded *l);
/* Those that were passed over on the way to this one, with why, a line each; "" none. Until the
 * next call. */
TARE_API const char *tare_loaded_damage(tare_loaded *l);
TARE_API void tare_loaded_close(tare_loaded *l);

/* ---- under `tare run` -------------------------------------------------------------------- */

/*
 * Whether to stop, at the next step: 0 go on; 1 save and end (the machine will be taken away, the
 * budget or the deadline is reached, SIGTERM came). The first call installs a handler for SIGTERM
 * where the program has none, and listens to `tare run` where that runs it.
 */
TARE_API int tare_should_stop(void);
/* Whether `tare run` asks for a checkpoint now; 1 once per asking. */
TARE_API int tare_should_save(void);
/* ms until the machine goes, -1 = not told. */
TARE_API int64_t tare_notice_left_ms(void);
/* A step was done: lets `tare run` measure the speed, and what was lost. */
TARE_API void tare_step(int64_t step);

/* What `tare run` says the machine costs an hour now, in 10^-9 of the currency; -1 = not told:
 * TARE_USD_HOUR holds. */
TARE_API int64_t tare_usd_hour_nano(void);

#ifdef __cplusplus
}
#endif
#endif
