/* By which rules the ledger was made (ledger/rules.h). */
#include "store/inside.h"

int store_rules(struct store *s, int *ret, struct err *err)
{
	struct answer r;
	/* of before there was such a table */
	*ret = 1;
	if (s->mode == STORE_WRITE && s->schema < SCHEMA_RULES)
		return 0;
	int e = writer_quiet(s->writer, NULL, err);
	if (e == 0)
		e = answer_open(&r, s->con, "SELECT arg_max(rules, batch) FROM ledger_rules",
				"read the version of the ledger's rules", false, err, "");
	if (e)
		return e;
	e = answer_next(&r, err);
	*ret = e > 0 && !answer_null(&r, 0) ? (int)answer_i64(&r, 0) : 0;
	answer_close(&r);
	return e < 0 ? e : 0;
}

int store_set_rules(struct store *s, int rules, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = writer_quiet(s->writer, NULL, err);
	int64_t n = e ? e
		      : sql_change(s->con, "INSERT INTO ledger_rules VALUES ($1, $2)",
				   "write the version of the ledger's rules", err, "ii", s->batch,
				   (int64_t)rules);
	return n < 0 ? (int)n : 0;
}
