#include "report/cost/reconcile.h"

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "report/col.h"
#include "report/text.h"

#define SHOWN 20 /* rows of a list in the table; all are in JSON and CSV */

static const struct col bill_cols[] = {
	{ "currency", COL_TEXT, offsetof(struct reconcile_bill, currency), NULL,
	  "of the amounts in this row", 0 },
	{ "billed", COL_DEC, offsetof(struct reconcile_bill, billed), "money",
	  "sum of the window's lines as invoiced", 0 },
	{ "effective", COL_DEC, offsetof(struct reconcile_bill, effective), "money",
	  "the same with fees spread over their term", 0 },
	{ "lines", COL_INT, offsetof(struct reconcile_bill, lines), "count", "lines of the bills",
	  0 },
	{ 0 },
};

static const struct col loose_cols[] = {
	{ "name", COL_TEXT, offsetof(struct reconcile_loose, name), NULL,
	  "the bill's resource, or the node", 0 },
	{ "instance_type", COL_TEXT, offsetof(struct reconcile_loose, instance_type), NULL,
	  "as its source says", 0 },
	{ "currency", COL_TEXT, offsetof(struct reconcile_loose, currency), NULL,
	  "of the amount in this row", 0 },
	{ "effective", COL_DEC, offsetof(struct reconcile_loose, effective), "money",
	  "what its lines of the window cost", offsetof(struct reconcile_loose, has_effective) },
	{ "from", COL_TIME, offsetof(struct reconcile_loose, from_ms), NULL, "first seen", 0 },
	{ "to", COL_TIME, offsetof(struct reconcile_loose, to_ms), NULL,
	  "last seen; null: still there", 0 },
	{ 0 },
};

static bool get_seconds(const void *row, union col_value *ret)
{
	ret->money = (dec)((const struct reconcile_unnamed *)row)->ms * (DEC_ONE / 1000);
	return true;
}

static const struct col unnamed_cols[] = {
	{ "instance_type", COL_TEXT, offsetof(struct reconcile_unnamed, instance_type), NULL,
	  "as the bill says", 0 },
	{ "currency", COL_TEXT, offsetof(struct reconcile_unnamed, currency), NULL,
	  "of the amount in this row", 0 },
	{ "effective", COL_DEC, offsetof(struct reconcile_unnamed, effective), "money",
	  "with fees spread over their term", 0 },
	{ "gpu_seconds", COL_DEC, .get = get_seconds, .unit = "GPU-seconds",
	  .help = "that were paid for" },
	{ 0 },
};

static const struct col day_cols[] = {
	{ "day", COL_DAY, offsetof(struct reconcile_day, day_ms), NULL, "in UTC", 0 },
	{ "resource", COL_TEXT, offsetof(struct reconcile_day, resource), NULL,
	  "the bill's name of the machine", 0 },
	{ "instance_type", COL_TEXT, offsetof(struct reconcile_day, instance_type), NULL,
	  "as the bill says", 0 },
	{ "currency", COL_TEXT, offsetof(struct reconcile_day, currency), NULL,
	  "of the amounts in this row", 0 },
	{ "billed", COL_DEC, offsetof(struct reconcile_day, billed), "money", "as invoiced", 0 },
	{ "effective", COL_DEC, offsetof(struct reconcile_day, effective), "money",
	  "with fees spread over their term", 0 },
	{ "catalogue", COL_DEC, offsetof(struct reconcile_day, catalogue), "money",
	  "the same time at catalogue prices", offsetof(struct reconcile_day, has_catalogue) },
	{ 0 },
};

static const struct col cols[] = {
	{ "bills", COL_LIST(struct reconcile, bill, nbill, bill_cols), .help = "by currency" },
	{ "bill_only", COL_LIST(struct reconcile, bill_only, nbill_only, loose_cols),
	  .help = "resources of a bill that are no known node" },
	{ "node_only", COL_LIST(struct reconcile, node_only, nnode_only, loose_cols),
	  .help = "nodes that no bill line names" },
	{ "unnamed", COL_LIST(struct reconcile, unnamed, nunnamed, unnamed_cols),
	  .help = "GPU time of lines without a resource id: no machine to compare with" },
	{ "resource_days", COL_LIST(struct reconcile, day, nday, day_cols),
	  .help = "by resource, day and currency" },
	{ 0 },
};
const struct col_doc reconcile_doc = { "tare.reconcile/1", "reconcile",
				       "where bills, nodes and the catalogue disagree", cols };

/* ---- table ------------------------------------------------------------------------------- */

static const char *format_money(char *buf, dec v)
{
	return dec_format_people(buf, v, 2);
}

/* A name of at most so many columns, filled up to them. */
static void put_name(struct str *out, const char *name, int columns)
{
	struct arena mem = { 0 };
	const char *line = text_line(&mem, sv_of(text_or(name, "")), columns);

	str_addf(out, "%s%*s ", line, columns - text_width(sv_of(line)), "");
	arena_free(&mem);
}

static void table_loose(struct str *out, const char *title, const struct reconcile *r,
			const struct reconcile_loose *v, size_t n)
{
	if (!n)
		return;
	str_addf(out, "\n%s: %zu\n", title, n);
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		const struct reconcile_loose *l = &v[i];
		bool say_currency = r->nbill > 1;
		char a[DEC_BUF], f[TM_BUF], t[TM_BUF];

		str_addz(out, "  ");
		put_name(out, l->name, 34);
		put_name(out, l->instance_type, 18);
		str_addf(out, "%14s",
			 text_or_dash(l->has_effective, format_money(a, l->effective)));
		if (say_currency && l->currency)
			str_addf(out, " %s", l->currency);
		str_addf(out, "   %s to %s\n", tm_format_date(f, l->from_ms),
			 l->to_ms == UNKNOWN_MS
				 ? "now"
				 : tm_format_date(t, max_i64(l->to_ms - 1, l->from_ms)));
	}
	if (n > SHOWN)
		str_addf(out, "  ... and %zu more: -o json\n", n - SHOWN);
	for (size_t i = 0; i < r->nbill; i++) {
		char a[DEC_BUF];
		dec sum = 0;

		for (size_t k = 0; k < n; k++)
			if (v[k].currency && !strcmp(v[k].currency, r->bill[i].currency))
				sum += v[k].effective;
		if (!sum)
			continue;
		str_addf(out, "  %-53s %14s", "sum (effective)", format_money(a, sum));
		if (r->nbill > 1)
			str_addf(out, " %s", r->bill[i].currency);
		str_addc(out, '\n');
	}
}

static void table_unnamed(struct str *out, const struct reconcile *r)
{
	if (r->nunnamed)
		str_addz(
			out,
			"\nOn lines without a resource id, with no machine to compare with (export "
			"the bill with resource ids):\n");
	for (size_t i = 0; i < r->nunnamed; i++) {
		const struct reconcile_unnamed *u = &r->unnamed[i];
		char a[DEC_BUF];

		str_addz(out, "  ");
		put_name(out, u->instance_type, 34);
		str_addf(out, "%12.1f GPU·h %14s", (double)u->ms / 3600000,
			 format_money(a, u->effective));
		if (r->nbill > 1)
			str_addf(out, " %s", u->currency);
		str_addc(out, '\n');
	}
}

/* The days of one currency: amounts of two are never added. */
static void table_days(const struct reconcile *r, const char *currency, struct str *out)
{
	char a[DEC_BUF], b[DEC_BUF], day[TM_BUF];
	dec billed = 0, catalogue = 0;
	size_t known = 0, n = 0, shown = 0;

	for (size_t i = 0; i < r->nday; i++) {
		const struct reconcile_day *d = &r->day[i];
		if (strcmp(d->currency, currency))
			continue;
		n++;
		if (!d->has_catalogue)
			continue;
		known++;
		billed += d->effective;
		catalogue += d->catalogue;
	}
	if (!n)
		return;
	str_addz(out, "\nBilled (effective) beside the catalogue");
	if (r->nbill > 1)
		str_addf(out, ", %s", currency);
	str_addf(out, ", %zu resource-days, %zu with a known price:\n", n, known);
	if (!known) {
		str_addz(out, "  nothing to compare: the catalogue knows no price of them in this "
			      "currency\n");
		return;
	}
	str_addf(out, "  billed %s   catalogue %s", format_money(a, billed),
		 format_money(b, catalogue));
	str_addf(out, "   difference %s\n", format_money(a, billed - catalogue));
	for (size_t i = 0; i < r->nday && shown < SHOWN; i++) {
		const struct reconcile_day *d = &r->day[i];
		dec diff = d->effective - d->catalogue;
		bool differs = diff >= DEC_ONE / 100 || diff <= -DEC_ONE / 100;
		if (strcmp(d->currency, currency) || !d->has_catalogue || !differs)
			continue;
		if (!shown++)
			str_addf(out, "  %-10s  %-32s %-16s %12s %12s\n", "day", "resource", "type",
				 "billed", "catalogue");
		str_addf(out, "  %-10s  ", tm_format_date(day, d->day_ms));
		put_name(out, d->resource, 32);
		put_name(out, d->instance_type, 16);
		str_addf(out, "%12s %12s\n", format_money(a, d->effective),
			 format_money(b, d->catalogue));
	}
}

void reconcile_print(const struct reconcile *r, enum out_format f, struct str *out)
{
	if (f == OUT_JSON)
		cols_doc(&reconcile_doc, r, out);
	else if (f == OUT_CSV)
		cols_csv(day_cols, r->day, r->nday, sizeof *r->day, out);
	else {
		char a[DEC_BUF], b[DEC_BUF];

		for (size_t i = 0; i < r->nbill; i++)
			str_addf(out, "Bills, %s: %s billed, %s effective, %lld lines\n",
				 r->bill[i].currency, format_money(a, r->bill[i].billed),
				 format_money(b, r->bill[i].effective),
				 (long long)r->bill[i].lines);
		if (!r->nbill)
			str_addz(
				out,
				"No bill in this window: nothing to reconcile with. Bring one in: tare import BILL\n");
		table_loose(
			out,
			"In a bill, no node known (map each to its node under nodes: in the configuration)",
			r, r->bill_only, r->nbill_only);
		table_loose(out, "Nodes that no bill line names", r, r->node_only, r->nnode_only);
		table_unnamed(out, r);
		for (size_t i = 0; i < r->nbill; i++)
			table_days(r, r->bill[i].currency, out);
	}
}
