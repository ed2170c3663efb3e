#ifndef TARE_BOOK_PRICE_UPDATE_H
#define TARE_BOOK_PRICE_UPDATE_H
/*
 * Dated prices from the providers' own interfaces into the store. History is never overwritten: a
 * row is added where a price differs from the one known for that moment, so asking twice adds
 * nothing. A provider's rows come all, or none.
 */
#include "base/mem.h"
#include "book/book.h"
#include "feed/prices/prices.h"

struct price_update_opt {
	struct store *store;  /* open for writing; a dry run: for reading, or NULL */
	bool dry_run;         /* asks, counts, keeps nothing */
	const char *provider; /* list of names, NULL = all */
	const char *region;   /* list of names, NULL = the regions of the store's nodes */
	/* catalog, url, now_ms, since_ms, aws_key, google_key and want are filled in */
	struct price_fetch fetch;
	const struct conf *conf;
	struct arena *mem;
	/* a line for people; a provider failed: the others are asked all the same */
	void (*said)(void *ctx, const char *line);
	void (*failed)(void *ctx, const struct err *err);
	void *ctx;
};
struct price_update_done { /* of a provider that was asked, or left out with a reason */
	const char *provider;
	int64_t read, added, known, skipped;
	VEC(const char *) notes;
};
struct price_update {
	VEC(struct price_update_done) done; /* without those that failed */
};
/* All named (or all) providers, one after the other; those that answered stay in when another
 * fails. Negative errno where what the store has cannot be read. Texts in opt->mem. */
int price_update(const struct price_update_opt *opt, struct price_update *ret, struct err *err);
void price_update_free(struct price_update *u);
#endif
