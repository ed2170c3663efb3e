/* A store in a folder of its own for each test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "../test_dir.h"
#include "store/store.h"

#define H(n) (1700002800000LL + (n)*3600000LL) /* hours from 2023-11-14T23:00:00Z on */

/* r is 0 or the test fails with the sentence. */
static inline void fine(int r, const struct err *err)
{
	if (r < 0)
		print_error("error %d: %s (%s)\n", r, err->msg, err->hint);
	assert_true(r >= 0);
}

static __attribute__((unused)) struct store *open_store(enum store_mode mode)
{
	struct err err;
	struct store *s = NULL;
	fine(store_open(test_dir, mode, 0, "tare test", &s, &err), &err);
	return s;
}

static __attribute__((unused)) int64_t begin(struct store *s)
{
	struct err err;
	int64_t batch;
	fine(store_begin(s, &batch, &err), &err);
	return batch;
}

static __attribute__((unused)) void commit(struct store *s, const char *hash)
{
	struct err err;
	struct batch_file f = { "a.csv", "focus", hash, "source", "{\"ok\":1}", H(0), H(1) };
	fine(store_commit(s, 1700000000000LL, "tare import a.csv", &f, 1, &err), &err);
}

static __attribute__((unused)) struct entry gpu_entry(int hour, const char *team, enum state state,
						      int64_t ms, int64_t nano)
{
	return (struct entry){ .hour_ms = H(hour),
			       .kind = KIND_GPU,
			       .gpu = SV("n1/0"),
			       .scope = SV("n1"),
			       .node = SV("n1"),
			       .cluster = SV("c"),
			       .currency = SV("USD"),
			       .owner.field[OWNER_TEAM] = sv_of(team),
			       .state = state,
			       .quality = QUALITY_MEASURED,
			       .ms = ms,
			       .util_ms = UNKNOWN_I64,
			       .nano = { nano, nano, UNKNOWN_NANO },
			       .priced = PRICED_RECORD };
}
