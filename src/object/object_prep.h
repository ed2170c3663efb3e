#ifndef TARE_OBJECT_OBJECT_PREP_H
#define TARE_OBJECT_OBJECT_PREP_H
/*
 * What has to be done to the bytes of an object before they are sent (the caller's look at them,
 * the SHA-256 that is signed), done part by part in threads of its own, a few parts ahead of the
 * one that sends. So the network waits for the first part only: one core hashes 2 GB/s.
 */
#include <stdint.h>
#include "base/err.h"
#include "net/digest.h"
#include "net/xfer.h"
#include "object/object.h"

struct prep_part {
	uint64_t offset, bytes; /* of the source */
	char hex[DIGEST_HEX];   /* written where a hash was asked for */
	bool ready;
};
enum prep_hash { PREP_NONE, PREP_SHA256, PREP_MD5 };
struct prep;
/*
 * Begin with v[0]. src, v and wake must live until prep_end(); wake (may be NULL) gets xfer_wake()
 * whenever a part became ready. NULL: no thread could be started; prep_now() then does it.
 */
struct prep *prep_start(const struct object_src *src, enum prep_hash hash, struct prep_part *v,
			size_t n, struct xfer *wake);
/* 1: v[i] is ready, and those behind it may be begun; 0: not yet, after wait_ms at most; negative:
 * it failed, as it will for all. */
int prep_ready(struct prep *p, size_t i, int64_t wait_ms, struct err *err);
void prep_end(struct prep *p); /* what is under way is finished first, some 10 ms; NULL is fine */
/* One part, in the caller's thread. */
int prep_now(const struct object_src *src, enum prep_hash hash, struct prep_part *v,
	     struct err *err);
/* Look at a whole source, for stores that send it by themselves. 0 where it has no look. */
int prep_look(const struct object_src *src, struct err *err);

#endif
