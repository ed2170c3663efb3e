#ifndef TARE_REPORT_INVOICE_FOCUS_PIECES_H
#define TARE_REPORT_INVOICE_FOCUS_PIECES_H
/* GPU time of an owner at a scope and hour: what focus.c makes rows of. Private to the two. */
#include "base/mem.h"
#include "report/invoice/focus.h"

struct who { /* an owner as rows name it; texts in the arena of the interval */
	struct sv field[OWNER_N], tags;
	bool unallocated;
};
struct piece {
	uint32_t who;
	int64_t ms, idle_ms, lost_ms;
	int64_t nano[BASIS_N]; /* of entries without a bill */
};
struct group {               /* what one origin charge's hour holds */
	struct entry origin; /* the fields that are the same for all its entries */
	VEC(struct piece) piece;
};
struct focus {
	struct arena mem;
	struct intern who_key, group_key; /* numbers of who and group */
	VEC(struct who) who;
	VEC(struct group) group;
	struct str key;
	struct focus_counts counts;
};

/* The scope's pieces in the hours that the line touches, one per owner, in the order of their
 * names; in arena a. */
struct piece *focus_pieces(struct focus *f, const struct bill_line *b, struct sv scope,
			   struct arena *a, size_t *ret_n);
/* Nobody is known to have held any of it: there is nothing to allocate to. */
bool focus_is_anonymous(const struct focus *f, const struct piece *p, size_t n);
int focus_cmp_pieces(const void *pa, const void *pb, void *focus); /* for qsort_r() */
#endif
