#ifndef TARE_DEMO_MAKE_H
#define TARE_DEMO_MAKE_H
/* An invented fleet (demo/fleet.h) in a folder: its files, and a store in DIR/db that they were
 * imported into as anybody's would be. */
#include "demo/fleet.h"

struct demo_make {
	enum demo_kind kind;
	uint64_t seed;
	const char *dir, *db;    /* db: the folder DIR/db */
	int64_t now_ms, wait_ms; /* wait_ms: for another command that is at work in the store */
	/* may be NULL: as book/book.h has them; label NULL: that was all */
	void (*progress)(void *ctx, const char *label, int64_t rows, int64_t done_bytes,
			 int64_t size_bytes);
	void (*said)(void *ctx, const char *line);
	void *ctx;
};

struct demo_made {
	int64_t bytes; /* of the files, before packing */
	int64_t rows;  /* imported */
};

/* "wasteful" or "tidy". */
const char *demo_kind_name(enum demo_kind kind);

/*
 * Write the files and import them, in one batch. A store in DIR/db that an earlier demo made is
 * taken out first where kind, seed or version differ, and is else imported into again, which
 * changes nothing. 0, or a negative errno: -EEXIST where DIR has files and is not what a demo made,
 * -EBUSY where another command is at work in its store.
 */
int demo_make(const struct demo_make *m, struct demo_made *ret, struct err *err);

#endif
