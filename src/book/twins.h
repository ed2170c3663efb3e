#ifndef TARE_BOOK_TWINS_H
#define TARE_BOOK_TWINS_H
/*
 * Two machines of one name. The ledger knows a machine by its name, so records of two clusters that
 * say the same name at the same time would be closed as one, and half of what is paid would be
 * gone.
 */
#include "base/err.h"
#include "base/mem.h"
#include "model/model.h"

struct twin { /* a record, or several that follow each other */
	uint32_t cluster;
	int64_t from_ms, to_ms; /* to INT64_MAX: still paid */
	size_t before;          /* of the same name, + 1; 0 = none */
};
/* Records of the file being read; zero is empty. */
struct twins {
	struct intern name, cluster;
	VEC(size_t) last; /* [name.n] its newest record, + 1 */
	VEC(struct twin) v;
};

/*
 * 0, or -EEXIST where a record of the same file has this name in another cluster at the same time.
 * A record without a cluster is nobody's twin; one that begins later than an open one ends it, as a
 * machine that moved does. O(intervals of the name): records that touch in time are one.
 */
int twins_add(struct twins *t, const struct node *n, struct err *err);
void twins_free(struct twins *t); /* back to zero */

#endif
