/* What the facts know of readings: a sum for each file (store/readings.c). */
#include "store/duck/inside.h"

int facts_add_reading_sum(struct facts *f, int64_t src, int64_t blocks, uint64_t hash,
			  struct err *err)
{
	int64_t r = writer_quiet(f->writer, NULL, err);
	if (r == 0)
		r = sql_change(f->con, duck_into(f, "INSERT INTO reading_sum VALUES ($1, $2, $3)"),
			       "write the sums of the readings", err, "iii", src, blocks,
			       (int64_t)hash);
	if (r < 0)
		return (int)r;
	return 0;
}

int facts_reading_sums(struct facts *f, facts_sum_fn *fn, void *ctx, struct err *err)
{
	struct answer r;
	int e = writer_quiet(f->writer, NULL, err);
	if (e == 0)
		e = answer_open(&r,
				&(struct sql_query){ f->con,
						     "SELECT src, blocks, hash FROM reading_sum",
						     "read the sums of the readings" },
				err, "");
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0 && (e = fn(ctx, answer_i64(&r, 0), answer_i64(&r, 1),
							 (uint64_t)answer_i64(&r, 2), err)) == 0)
		;
	answer_close(&r);
	return e;
}
