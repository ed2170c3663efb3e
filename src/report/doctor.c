#include "report/doctor.h"

#include "report/col.h"

static const struct col cols[] = {
	{ "check", COL_TEXT, offsetof(struct doctor_check, what), NULL, "what was looked at", 0 },
	{ "ok", COL_BOOL, offsetof(struct doctor_check, ok), NULL, "whether it is as it should be",
	  0 },
	{ "is", COL_TEXT, offsetof(struct doctor_check, is), NULL, "what was found", 0 },
	{ "next", COL_TEXT, offsetof(struct doctor_check, next), NULL,
	  "what to do; null: nothing, or it is not known", 0 },
	{ 0 },
};

static void print_table(const struct doctor *d, struct str *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_check *c = &d->check[i];
		str_addf(out, "%-4s %-22s %s\n", c->ok ? "ok" : "no", c->what, c->is);
		if (c->next)
			str_addf(out, "     %-22s -> %s\n", "", c->next);
	}
}

static void print_json(const struct doctor *d, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.doctor/1");
	jw_key(&w, "checks");
	cols_json(cols, d->check, d->n, sizeof *d->check, &w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

void doctor_print(const struct doctor *d, enum out_format f, struct str *out)
{
	if (f == OUT_JSON)
		print_json(d, out);
	else
		print_table(d, out);
}
