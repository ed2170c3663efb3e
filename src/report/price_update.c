#include "report/price_update.h"

#include "report/col.h"

static const struct col cols[] = {
	{ "provider", COL_TEXT, offsetof(struct price_update_done, provider), NULL,
	  "who was asked, or left out", 0 },
	{ "rows_read", COL_INT, offsetof(struct price_update_done, read), "count",
	  "rows of its answers", 0 },
	{ "rows_added", COL_INT, offsetof(struct price_update_done, added), "count",
	  "prices that were not known", 0 },
	{ "rows_known", COL_INT, offsetof(struct price_update_done, known), "count",
	  "prices that were", 0 },
	{ "rows_skipped", COL_INT, offsetof(struct price_update_done, skipped), "count",
	  "rows of no GPU machine", 0 },
	{ 0 },
};

static void print_json(const struct price_update *u, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.price-update/1");
	jw_key(&w, "providers");
	jw_arr(&w);
	for (size_t i = 0; i < u->done.n; i++) {
		const struct price_update_done *o = &u->done.v[i];
		jw_obj(&w);
		cols_json_row(cols, o, &w);
		jw_key(&w, "notes");
		jw_arr(&w);
		for (size_t k = 0; k < o->notes.n; k++)
			jw_str(&w, o->notes.v[k]);
		jw_end_arr(&w);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_text(const struct price_update *u, bool dry, struct str *out)
{
	for (size_t i = 0; i < u->done.n; i++) {
		const struct price_update_done *o = &u->done.v[i];
		if (o->read)
			str_addf(
				out,
				"%-6s %lld rows read, %lld new prices%s, %lld known already, %lld of no GPU machine\n",
				o->provider, (long long)o->read, (long long)o->added,
				dry ? " (not kept)" : "", (long long)o->known,
				(long long)o->skipped);
		for (size_t k = 0; k < o->notes.n; k++)
			str_addf(out, "%s\n", o->notes.v[k]);
	}
}

void price_update_print(const struct price_update *u, bool dry_run, enum out_format format,
			struct str *out)
{
	if (format == OUT_JSON)
		print_json(u, out);
	else
		print_text(u, dry_run, out);
}
