#include "report/import.h"

#include "report/text.h"

#define REJECTS_SHOWN 10

/* ---- JSON -------------------------------------------------------------------------------- */

struct import_doc {
	const char *files;
	bool dry_run;
};

/* Objects as book/summary.c writes them and the store keeps them: here for the schema alone. */
static const struct col reject_cols[] = {
	{ "line", COL_INT, .always = true, .help = "of the file" },
	{ "field", COL_TEXT, .always = true, .help = "that could not be read" },
	{ "reason", COL_TEXT, .always = true, .help = "why" },
	{ 0 },
}, skipped_cols[] = {
	{ "line", COL_INT, .always = true, .help = "of the file" },
	{ "key", COL_TEXT, .help = "what it is of" },
	{ "reason", COL_TEXT, .always = true, .help = "why" },
	{ 0 },
}, sum_cols[] = {
	{ "column", COL_TEXT, .help = "of the file" },
	{ "sum", COL_DEC, .help = "of its column, exact" },
	{ 0 },
}, currency_cols[] = {
	{ "currency", COL_TEXT, .always = true, .help = "its code" },
	{ "column", COL_TEXT, .always = true, .help = "of the file" },
	{ "sum", COL_DEC, .always = true, .help = "of its amounts in this currency, exact" },
	{ 0 },
}, unknown_cols[] = {
	{ "column", COL_TEXT, .help = "of the file" },
	{ "rows", COL_INT, .always = true, .help = "without a value there" },
	{ 0 },
}, file_cols[] = {
	{ "file", COL_TEXT, .always = true, .help = "its name, - for standard input" },
	{ "kind", COL_TEXT, .always = true, .help = "as --as says it" },
	{ "rows_read", COL_INT, .always = true, .help = "of the file" },
	{ "rows_kept", COL_INT, .always = true, .help = "that came into the store" },
	{ "rows_rejected", COL_INT, .always = true, .help = "that could not be read" },
	{ "rows_skipped", COL_INT, .always = true, .help = "that tell nothing of GPUs" },
	{ "rows_elsewhere", COL_INT, .optional = true,
	  .help = "of a bill: lines that another file said too, through which they count" },
	{ "rejects", COL_ROWS, .sub = reject_cols, .help = "the first 1,000" },
	{ "skipped", COL_ROWS, .sub = skipped_cols, .help = "the first 1,000 of each reason" },
	{ "sums", COL_MAP, .sub = sum_cols,
	  .help = "by column, to compare with the source; of a bill whatever the currency" },
	{ "sums_by_currency", COL_ROWS, .sub = currency_cols, .optional = true,
	  .help = "of a bill: what to compare where it has several currencies" },
	{ "unknown", COL_MAP, .sub = unknown_cols, .help = "rows without a value, by column" },
	{ "gpu_seconds", COL_NUM, .help = "in what was kept" },
	{ "from", COL_TIME, .help = "the first instant that the rows cover" },
	{ "to", COL_TIME, .help = "their end" },
	{ "notes", COL_TEXTS, .help = "sentences on what was assumed" },
	{ "already", COL_BOOL, .optional = true, .help = "imported before: nothing changed" },
	{ "batch", COL_INT, .optional = true, .help = "of that import" },
	{ 0 },
};

static void files_shape(struct jw *w)
{
	jw_put_str(w, "type", "array");
	jw_key(w, "items");
	cols_schema(file_cols, NULL, NULL, w);
}

static const struct col cols[] = {
	{ "dry_run", COL_BOOL, offsetof(struct import_doc, dry_run),
	  .has_at = offsetof(struct import_doc, dry_run), .optional = true,
	  .help = "true: nothing was imported" },
	{ "files", COL_RAW, offsetof(struct import_doc, files), .always = true,
	  .help = "one for each, in the order given", .shape = files_shape },
	{ 0 },
};
const struct col_doc import_doc = { "tare.import/1", "import", "what became of each file", cols };

/* ---- for people -------------------------------------------------------------------------- */

static void put_file(struct arena *a, const struct book_file *f, bool dry_run, struct str *out)
{
	const struct feed_report *r = &f->report;
	const char *name = text_line(a, sv_of(r->file), 0);

	if (f->already) {
		str_addf(
			out,
			"%s: already imported (batch %lld); nothing %s (--replace reads it again)\n",
			name, (long long)f->batch, dry_run ? "would change" : "changed");
		return;
	}
	char buf[DEC_BUF];

	str_addf(out, "%s: %s, %lld row%s %s", name, r->kind, (long long)r->rows_kept,
		 plural(r->rows_kept), dry_run ? "would be kept" : "kept");
	if (r->rows_skipped)
		str_addf(out, ", %lld skipped", (long long)r->rows_skipped);
	if (r->rows_rejected)
		str_addf(out, ", %lld rejected", (long long)r->rows_rejected);
	bool instances = f->instances && f->gpu_seconds == f->seen_s;
	if (f->gpu_seconds > 0)
		str_addf(out, ", %s GPU·h%s",
			 dec_format_people(buf, dec_from_double(f->gpu_seconds / 3600), 2),
			 text_if(instances, " of readings, of each MIG instance its own"));
	str_addc(out, '\n');

	for (size_t i = 0; i < r->sums.n; i++) {
		const struct feed_sum *s = &r->sums.v[i];
		bool known = s->known || !s->unknown;
		str_addf(out, "    %-16s %s", s->name, known ? dec_format(buf, s->sum) : "-");
		if (known && s->currency && *s->currency)
			str_addf(out, " %s", text_line(a, sv_of(s->currency), 0));
		if (s->unknown)
			str_addf(out, "   (%lld row%s without)", (long long)s->unknown,
				 plural(s->unknown));
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < r->skip_reasons.n; i++)
		str_addf(out, "    skipped: %lld, %s\n", (long long)r->skip_reasons.v[i].rows,
			 text_line(a, sv_of(r->skip_reasons.v[i].reason), 0));
	for (size_t i = 0; i < r->rejects.n && i < REJECTS_SHOWN; i++)
		str_addf(out, "    rejected: line %lld, %s: %s\n", (long long)r->rejects.v[i].line,
			 text_line(a, sv_of(r->rejects.v[i].field), 0),
			 text_line(a, sv_of(r->rejects.v[i].reason), 0));
	if (r->rejects.n > REJECTS_SHOWN)
		str_addf(out, "    ... and %zu more: see -o json\n", r->rejects.n - REJECTS_SHOWN);
	for (size_t i = 0; i < r->notes.n; i++)
		str_addf(out, "    note: %s\n", text_line(a, sv_of(r->notes.v[i]), 0));
}

void import_print(const struct book_file *const *f, size_t n, bool dry_run, enum out_format format,
		  struct str *out)
{
	struct arena a = { 0 };

	if (format == OUT_JSON) {
		struct str files = { 0 };

		str_addc(&files, '[');
		for (size_t i = 0; i < n; i++) {
			if (i)
				str_addc(&files, ',');
			if (f[i]->already) {
				/* The same object with keys more, so that a script sees that
				 * nothing changed. */
				struct sv json = sv_of(f[i]->json);

				str_addsv(&files, (struct sv){ json.p, json.n - 1 });
				str_addf(&files, ",\"already\":true,\"batch\":%lld}",
					 (long long)f[i]->batch);
			} else
				str_addz(&files, f[i]->json);
		}
		str_addc(&files, ']');
		cols_doc(&import_doc, &(struct import_doc){ str_z(&files), dry_run }, out);
		str_free(&files);
		return;
	}
	for (size_t i = 0; i < n; i++)
		put_file(&a, f[i], dry_run, out);
	arena_free(&a);
}
