/* See same.h. */
#include "book/same.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* "VERSION DIGEST BATCH": since that batch all bills were read by this program and settings. */
#define SETTING "bill.read_with"

static const char *read_with(struct book *b)
{
	return arena_printf(&b->mem, "%s %016" PRIx64, TARE_VERSION, b->opt.conf->digest);
}

/* The first batch of those, or -1. */
static int read_alike_since(struct book *b, int64_t *ret, struct err *err)
{
	const char *said, *now = read_with(b);
	size_t n = strlen(now);
	int rc = store_get(b->store, SETTING, &b->mem, &said, err);

	*ret = -1;
	if (!rc && said && !strncmp(said, now, n) && said[n] == ' ')
		(void)sv_i64(sv_of(said + n + 1), ret); /* written below */
	return rc;
}

int same_remember(struct book *b, struct err *err)
{
	int64_t since;
	int rc = read_alike_since(b, &since, err);

	if (rc || since >= 0)
		return rc;
	return store_set(b->store, SETTING,
			 arena_printf(&b->mem, "%s %lld", read_with(b), (long long)b->batch), err);
}

int same_days(struct book *b, struct bill_set *set, int64_t *ret, struct err *err)
{
	struct bill_covers same;
	int64_t since;
	int rc = read_alike_since(b, &since, err);

	if (rc || since < 0)
		return rc;
	rc = store_bill_same(b->store, set, since, &b->mem, &same, err);
	if (rc || !same.n)
		return rc;
	set->same = same.v;
	set->nsame = same.n;
	for (size_t i = 0; i < b->file.n && !rc; i++) {
		const struct book_file *f = b->file.v[i];
		if (f->already || !f->bills.n)
			continue;
		int64_t taken = store_bill_take_back(b->store, set, (int)f->row, err);
		if (taken < 0)
			return (int)taken;
		if (!taken)
			continue;
		ret[i] = taken;
		rc = direct_redo(b->direct, store_source(b->batch, (int)f->row), false, err);
	}
	return rc;
}
