#ifndef TARE_CKPT_PUSH_H
#define TARE_CKPT_PUSH_H
/*
 * Copy checkpoints of a folder (docs/CHECKPOINT.md) to an object store, in the same layout below
 * its prefix. Only what is missing there is sent: data files are immutable, and of a new checkpoint
 * only its own is new. Data first, then sizes are compared, then the manifest, which must be new
 * (conditional put), then `latest`. Nothing is safe before push_one() or push_newest() say so.
 *
 * One runner writes to a prefix: before its first checkpoint a run puts its number with the token
 * of its folder to runs/NUMBER. Who finds that number taken by another folder, or a greater one, is
 * refused (-EBUSY): it was replaced, or is the second.
 * A handle belongs to one thread. The folder may be written meanwhile.
 */
#include <stdatomic.h>
#include "ckpt/ckpt.h"
#include "object/object.h"

struct push;
/* Told from any thread while something is sent. Zero: nothing. */
struct push_news {
	/* all must be over by then; from now on what is under way is, too */
	atomic_llong deadline_ms;
	/* the folder has a newer checkpoint than the one under way: see push_turn.h */
	atomic_bool newer;
};
struct push_opt { /* zero-initialised: the defaults */
	/* an upload must be expected to need this share less than what is left, 0: 0.25 */
	double margin_frac;
	int64_t margin_ms;      /* and so much beside, 0: 2 s */
	struct push_news *news; /* NULL: there will be none */
	/* do not compare hashes of what is sent: only where the caller has just done so */
	bool trust;
	/* neither sent nor ever called safe, here or there; NULL: none are known. May grow between
	 * calls */
	const struct ckpt_damage *damage;
};
/* Look at folder and store: one listing. The store is borrowed. -EPROTO: what is there is of a
 * newer version. */
int push_open(struct object_store *s, const char *dir, const struct push_opt *opt,
	      struct push **ret, struct err *err);
void push_close(struct push *p); /* NULL is fine */

/* ---- how long ---------------------------------------------------------------------------- */

/* Measure the way there with an object of so many bytes (0: 8 MiB), which is removed. Uploads
 * measure it too. */
int push_measure(struct push *p, uint64_t bytes, const struct object_when *when, struct err *err);
double push_bytes_s(const struct push *p); /* NAN: not measured yet */
struct push_fit {
	int64_t need_ms; /* expected, with margin; -1: not known */
	int64_t left_ms; /* INT64_MAX: no deadline */
	bool fits;       /* known and enough, or no deadline */
};
void push_estimate(const struct push *p, uint64_t bytes, const struct object_when *when,
		   struct push_fit *ret);
/* What of a checkpoint is not in the store, manifest included; 0: all of it is there. */
int push_missing(struct push *p, const char *id, uint64_t *ret_bytes, struct err *err);

/* ---- sending ----------------------------------------------------------------------------- */

/* files: objects sent */
struct push_stat {
	uint64_t missing_bytes, sent_bytes;
	size_t files;
	double seconds;
};
/*
 * Send one checkpoint. 0: it is in the store as a whole, its sizes compared. -ETIME: not inside the
 * deadline; parts that arrived are used by the next try. -EBUSY, -EEXIST: another runner. -EBADMSG:
 * the local one is damaged. stat may be NULL and is written in any case.
 */
int push_one(struct push *p, const char *id, const struct object_when *when, struct push_stat *stat,
	     struct err *err);
/*
 * Before a deadline: the newest checkpoint that is expected to fit, newest first; where none is,
 * the newest is tried all the same, as the way may be faster than it was. Where news come
 * meanwhile, the one under way goes on or is given up for the newest, by push_turn_cut(). 1: ret_id
 * is safe in the store, sent now or before; 0: the folder has none. -ETIME: none came through; err
 * says what was missing.
 */
int push_newest(struct push *p, const struct object_when *when, char ret_id[CKPT_ID_BYTES],
		struct push_stat *stat, struct err *err);
/* The newest checkpoint that the store was seen to have as a whole, "" none. */
const char *push_safe(const struct push *p);
/*
 * Remove from the store what the rule does not keep: manifests, oldest first, then data that none
 * names. The newest whole one stays; where a manifest cannot be read no data is removed; what
 * killed runs left of probes too. Where a notice comes (news) the rest is left for another time.
 * -EBADMSG: none is whole, nothing is removed.
 */
int push_retain(struct push *p, const struct ckpt_keep *keep, int *ret_removed, struct err *err);

#endif
