/* By which rules the ledger was made (ledger/rules.h). */
#include "store/duck/inside.h"

int facts_rules(struct facts *f, int *ret, struct err *err)
{
	struct answer r;
	/* of before there was such a table */
	*ret = 1;
	if (f->write && f->schema < SCHEMA_RULES)
		return 0;
	int e = writer_quiet(f->writer, NULL, err);
	if (e == 0)
		e = answer_open(&r, f->con, "SELECT arg_max(rules, batch) FROM ledger_rules",
				"read the version of the ledger's rules", false, err, "");
	if (e)
		return e;
	e = answer_next(&r, err);
	*ret = e > 0 && !answer_null(&r, 0) ? (int)answer_i64(&r, 0) : 0;
	answer_close(&r);
	if (e < 0)
		return e;
	return 0;
}

int facts_set_rules(struct facts *f, int rules, struct err *err)
{
	int e = writer_quiet(f->writer, NULL, err);
	int64_t n = e;
	if (!e)
		n = sql_change(f->con, duck_into(f, "INSERT INTO ledger_rules VALUES ($1, $2)"),
			       "write the version of the ledger's rules", err, "ii", f->batch,
			       (int64_t)rules);
	if (n < 0)
		return (int)n;
	return 0;
}
