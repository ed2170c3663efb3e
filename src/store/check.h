#ifndef TARE_STORE_CHECK_H
#define TARE_STORE_CHECK_H
/*
 * Does the ledger close? By SQL over what is stored, without the code that posts it:
 *
 *   money  per scope, span of days, currency and basis: bill lines in force = what entries have from
 *          bills (their amounts less what rates and energy gave) + what rounding left, to 10^-12. A
 *          line is compared over the days of its charge period; days whose lines' periods overlap
 *          are one span. What rounding left is no more than half a nano unit a line and entry.
 *   time   per GPU or pool and hour: milliseconds of entries = milliseconds that were paid (less
 *          than one apart where a part of a GPU is paid). Of GPUs that only jobs and samples speak
 *          of: not above an hour.
 */
#include "base/mem.h"
#include "store/store.h"

/* What to look at: these scopes, each over the days [from_ms, to_ms) that were posted together. */
struct check_span {
	const char *scope;
	int64_t from_ms, to_ms;
};
/* A scope whose bill lines, entries and remainders count as those of another: a node's lines are
 * entries of its pool, those of a set of machines are entries of its nodes. */
struct check_pooled {
	struct sv scope, as; /* keys of scopes; no `as` is a `scope` of another row */
};
struct check_what {
	const struct check_span *span; /* [nspan]; nspan 0: the whole store */
	size_t nspan;
	/* [nmoney] the same of scopes whose money counts together, by the scope that the others
	 * count as; 0: as span */
	const struct check_span *money;
	size_t nmoney;
	const struct check_pooled *pooled;
	size_t npooled;
	struct sv currency; /* of lines and entries that name none */
};

struct check_diff {
	const char *scope, *gpu, *currency; /* in the arena; gpu, currency "" where there is none */
	int64_t from_ms, to_ms;             /* days, or the hour of time */
	bool is_time;
	enum basis basis;
	dec lines, entries, rest;  /* of money: entries are less what rates gave */
	int64_t ms, paid_milli_ms; /* of time: of entries; paid, in 1/1000 ms */
};
struct check_diffs {
	VEC(struct check_diff) kept;
	size_t most; /* that are kept */
	size_t all;  /* that there are */
};

/*
 * The first `most` differences, in no order, are kept in *io (texts in a), which counts all. Sees
 * the rows of an open batch. Returns 0 also where there are differences. Time: one pass over the
 * ledger's rows of these scopes; memory: one row a scope and day (money); GPU and hour (time), some
 * days at a time.
 */
int store_check_money(struct store *s, const struct check_what *what, struct arena *a,
		      struct check_diffs *io, struct err *err);
int store_check_time(struct store *s, const struct check_what *what, struct arena *a,
		     struct check_diffs *io, struct err *err);

/* "gpu-01 on 2024-09-01: bill lines of USD 24.48, entries of 48.96, remainder 0 (billed)". */
const char *check_sentence(const struct check_diff *d, struct arena *a);

#endif
