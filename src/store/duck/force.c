/* What is in force: whose files and lines no later import took out. */
#include <stdlib.h>

#include "base/num.h"
#include "store/duck/inside.h"
#include "base/sort.h"

int duck_load_reversed(struct facts *f, struct err *err)
{
	struct answer r;
	/* always: the caller is about to ask over the connection that the writer holds */
	int e = writer_quiet(f->writer, NULL, err);
	if (e || f->reversed_loaded)
		return e;
	e = answer_open(&r,
			&(struct sql_query){ f->con, "SELECT src FROM reversal WHERE src >= 0",
					     "read the store" },
			err, "");
	if (e)
		return e;
	vec_clear(&f->reversed);
	while ((e = answer_next(&r, err)) > 0)
		*vec_push(&f->reversed) = answer_i64(&r, 0);
	answer_close(&r);
	if (f->reversed.n)
		sort_items(f->reversed.v, f->reversed.n, sizeof *f->reversed.v, rising_i64);
	if (e == 0)
		e = answer_open(
			&r,
			&(struct sql_query){
				f->con,
				"SELECT (SELECT count(*) FROM bill_reversal), (SELECT count(*) FROM bill_part_reversal)",
				"read the store" },
			err, "");
	if (e)
		return e;
	if ((e = answer_next(&r, err)) > 0) {
		f->bill_reversed = answer_i64(&r, 0) > 0;
		f->bill_part_reversed = answer_i64(&r, 1) > 0;
		e = 0;
	}
	answer_close(&r);
	f->reversed_loaded = e == 0;
	return e;
}

int facts_reversed(struct facts *f, const int64_t **ret, size_t *ret_n, struct err *err)
{
	int e = duck_load_reversed(f, err);
	if (e)
		return e;
	*ret = f->reversed.v;
	*ret_n = f->reversed.n;
	return 0;
}

bool facts_is_reversed(const struct facts *f, int64_t src)
{
	return f->reversed.n &&
	       find_sorted(&src, f->reversed.v, f->reversed.n, sizeof *f->reversed.v, rising_i64);
}

void duck_in_force(const struct facts *f, struct str *sql)
{
	if (f->reversed.n)
		str_addz(sql, " AND src NOT IN (SELECT src FROM reversal)");
}

int duck_select_in_force(struct facts *f, enum table t, const char *select, const char *order,
			 struct str *sql, struct err *err)
{
	int e = duck_settle(f, t, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(sql, select);
	duck_in_force(f, sql);
	str_addz(sql, order);
	return 0;
}

/*
 * The month of a bill, or of the charge where the bill names no period. What a bill replaces is told by
 * the calendar month (bill_key), so a line's month is looked up like its other fields: with a range
 * instead, DuckDB keeps all columns of all lines in memory before it drops any.
 */
#define BILL_MONTH "epoch_ms(date_trunc('month', epoch_ms(coalesce(period_from_ms, from_ms))))"

void duck_bill_in_force(const struct facts *f, struct str *sql)
{
	duck_in_force(f, sql);
	if (f->bill_reversed)
		str_addz(sql,
			 " AND (src, coalesce(provider, ''), coalesce(account, ''), " BILL_MONTH
			 ") NOT IN "
			 "(SELECT of_src, of_provider, of_account, of_from_ms FROM bill_reversal)");
	if (f->bill_part_reversed)
		str_addz(
			sql,
			" AND (src, coalesce(provider, ''), coalesce(account, ''), coalesce(sub_account, ''), " BILL_DAY
			", " BILL_MONTH
			") NOT IN (SELECT of_src, of_provider, of_account, of_sub_account, of_day_ms, of_from_ms "
			"FROM bill_part_reversal)");
}
