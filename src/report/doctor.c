#include "report/doctor.h"

#include "report/col.h"
#include "report/opens.h"

static const struct col check_cols[] = {
	{ "check", COL_TEXT, offsetof(struct doctor_check, what), NULL, "what was looked at", 0 },
	{ "ok", COL_BOOL, offsetof(struct doctor_check, ok), NULL, "whether it is as it should be",
	  0 },
	{ "is", COL_TEXT, offsetof(struct doctor_check, is), NULL, "what was found", 0 },
	{ "next", COL_TEXT, offsetof(struct doctor_check, next), NULL,
	  "what to do; null: nothing, or it is not known", 0 },
	{ 0 },
};
static const struct col cols[] = {
	{ "checks", COL_LIST(struct doctor, check, n, check_cols),
	  .help = "in the order in which they were made" },
	{ 0 },
};
const struct col_doc doctor_doc = { "tare.doctor/1", "doctor", "what tare can and cannot see here",
				    cols };

void doctor_print(const struct doctor *d, enum out_format f, int width, struct str *out)
{
	if (f == OUT_JSON) {
		cols_doc(&doctor_doc, d, out);
		return;
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_check *c = &d->check[i];
		str_addf(out, "%-4s %-22s %s\n", c->ok ? "ok" : "no", c->what, c->is);
		if (c->next)
			str_addf(out, "     %-22s -> %s\n", "", c->next);
	}

	/* What it comes to, for who reads one line. */
	str_addc(out, '\n');
	if (d->bad) {
		str_addz(out, "The store is damaged or its ledger does not close: see above.\n");
		return;
	}
	if (d->none)
		str_addz(out, "There is no store yet: tare import FILE, or try tare demo.\n");
	else
		str_addz(out, "The store is whole and its ledger closes.\n");
	opens_print(&d->opens, width, out);
}
