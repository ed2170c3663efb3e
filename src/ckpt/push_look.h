#ifndef TARE_CKPT_PUSH_LOOK_H
#define TARE_CKPT_PUSH_LOOK_H
/* Is a data file what its checkpoint says? Looked at piece by piece while it is sent, so that every
 * byte is read once for all that is to be known of it. */
#include "ckpt/manifest.h"
#include "object/object.h"

struct push_look { /* zero-initialise */
	const struct ckpt *c;
	int fd;
	VEC(size_t) chunk; /* of this data file, by offset */
};
/* The chunks of c->data.v[data]; with every hash of them, in the order of the manifest, appended to
 * hashes. The caller frees l->chunk. */
void push_look_init(struct push_look *l, const struct ckpt *c, size_t data, int fd,
		    struct str *hashes);
/* The function of struct object_src: the chunks that begin in the piece are compared. -EBADMSG:
 * damaged. Safe in several threads. */
int push_look_at(void *ctx, uint64_t offset, uint64_t bytes,
		 void (*feed)(void *to, const void *p, size_t n), void *to, struct err *err);

#endif
