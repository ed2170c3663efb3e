#include "report/prices/price_update.h"

#include "base/str.h"
#include "report/col.h"

static const struct col done_cols[] = {
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
	{ "notes", COL_WORDS(struct price_update_done, notes.v, notes.n),
	  .help = "what else there is to say" },
	{ 0 },
};
static const struct col cols[] = {
	{ "providers", COL_LIST(struct price_update, done.v, done.n, done_cols),
	  .help = "those asked, or left out with a reason" },
	{ 0 },
};
const struct col_doc price_update_doc = { "tare.price-update/1", "price update",
					  "prices that were asked for", cols };

void price_update_print(const struct price_update *u, bool dry_run, enum out_format format,
			struct str *out)
{
	if (format == OUT_JSON)
		cols_doc(&price_update_doc, u, out);
	else {
		for (size_t i = 0; i < u->done.n; i++) {
			const struct price_update_done *o = &u->done.v[i];
			if (o->read)
				str_addf(
					out,
					"%-6s %lld rows read, %lld new prices%s, %lld known already, %lld of no GPU machine\n",
					o->provider, (long long)o->read, (long long)o->added,
					text_if(dry_run, " (not kept)"), (long long)o->known,
					(long long)o->skipped);
			for (size_t k = 0; k < o->notes.n; k++)
				str_addf(out, "%s\n", o->notes.v[k]);
		}
	}
}
