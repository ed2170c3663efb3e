#ifndef TARE_CKPT_PUSH_PRIV_H
#define TARE_CKPT_PUSH_PRIV_H
/* What push*.c and pull.c share: what is in the store, and the names there. */
#include "ckpt/ckpt_priv.h"
#include "ckpt/push.h"
#include "ckpt/push_turn.h"

#define REMOTE_MANIFEST_MAX ((size_t)1 << 31)

struct remote { /* a listing; zero-initialise */
	struct arena mem;
	struct object_key *key; /* [n] sorted */
	size_t n;
};
struct push {
	struct object_store *s;
	struct push_opt opt;
	struct ckpt_dir *d;
	struct remote there;
	char token[40]; /* of the folder */
	char safe[CKPT_ID_BYTES];
	uint64_t claimed;  /* number of the run that is ours there, 0 none */
	double bytes_s;    /* NAN */
	int64_t answer_ms; /* of a small request */
};
int remote_list(struct object_store *s, struct remote *ret, struct err *err);
void remote_free(struct remote *r);
/* Its size, or -1. */
int64_t remote_size(const struct remote *r, const char *key);
/* The keys that start with a prefix: [first, first + n). */
size_t remote_below(const struct remote *r, const char *prefix, size_t *ret_first);
/* A small object as text. -ENOENT, -EFBIG. */
int remote_text(struct object_store *s, const char *key, size_t max, const struct object_when *when,
		struct str *ret, struct err *err);
/* Read and parse ckpt/ID. -EBADMSG: damaged. text may be NULL. */
int remote_manifest(struct object_store *s, const char *id, const struct object_when *when,
		    struct ckpt *ret, struct str *text, struct err *err);
/* Are all data files of a checkpoint there and long enough? */
bool remote_whole(const struct remote *r, const struct ckpt *c);
/* Greatest number of a run below runs/, 0 none; *ret_key its key. */
uint64_t remote_run(const struct remote *r, const char **ret_key);
/* The id that a key below ckpt/ is of: a manifest's, or of what lies in a folder in its place. */
bool remote_id(const char *key, char ret[CKPT_ID_BYTES]);
/*
 * Of manifests that must have been there and are gone the id of the newest, "" none: `latest` names
 * it and no other is as new; or there is something of ours, not one manifest, and `none-yet` does
 * not say that none ever came to its end. Where that is so *r is listed again. Negative as
 * object_list() and object_get().
 */
int remote_lost(struct object_store *s, struct remote *r, const struct object_when *when,
		char ret_lost[CKPT_ID_BYTES], struct err *err);
int remote_say_lost(const struct object_store *s, const char *id, struct err *err); /* -EBADMSG */
/* Number of the run in an id. */
uint64_t push_run_of(const char *id);

/* ---- who writes there (push_claim.c) ---- */
int push_read_token(struct push *p, struct err *err); /* of the folder; -ENOENT */
int push_make_token(struct push *p, struct err *err);
int push_put_text(struct push *p, const char *key, struct sv text, bool only_new,
		  const struct object_when *when, struct err *err);
/* -EBUSY: another runner, or a later one. */
int push_check_runs(struct push *p, uint64_t run, const struct object_when *when, struct err *err);
int push_claim(struct push *p, uint64_t run, const struct object_when *when, struct err *err);
/* Before anything else is put: where nothing of ours is there `none-yet` says so. It goes when a
 * manifest is there, where there is time, else with the next one. */
int push_none_yet(struct push *p, const struct object_when *when, struct err *err);
void push_begun(struct push *p, const struct object_when *when);

#endif
