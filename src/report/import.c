#include "report/import.h"

#include "base/jw.h"
#include "report/text.h"

#define REJECTS_SHOWN 10

/* The same object with one key more, so that a script sees that nothing changed. */
static void json_again(struct jw *w, const struct book_file *f)
{
	struct sv json = sv_of(f->json);
	struct str again = { 0 };

	str_addsv(&again, (struct sv){ json.p, json.n - 1 });
	str_addf(&again, ",\"already\":true,\"batch\":%lld}", (long long)f->batch);
	jw_raw(w, str_sv(&again));
	str_free(&again);
}

static void print_json(const struct book_file *const *f, size_t n, bool dry_run, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.import/1");
	if (dry_run) {
		jw_key(&w, "dry_run");
		jw_bool(&w, true);
	}
	jw_key(&w, "files");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		if (f[i]->already)
			json_again(&w, f[i]);
		else
			jw_raw(&w, sv_of(f[i]->json));
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* ---- for people -------------------------------------------------------------------------- */

static const char *plural(int64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_head(const struct book_file *f, const char *name, bool dry_run, struct str *out)
{
	const struct feed_report *r = &f->report;
	char buf[DEC_BUF];

	str_addf(out, "%s: %s, %lld row%s %s", name, r->kind, (long long)r->rows_kept,
		 plural(r->rows_kept), dry_run ? "would be kept" : "kept");
	if (r->rows_skipped)
		str_addf(out, ", %lld skipped", (long long)r->rows_skipped);
	if (r->rows_rejected)
		str_addf(out, ", %lld rejected", (long long)r->rows_rejected);
	if (f->gpu_seconds > 0)
		str_addf(out, ", %s GPU·h",
			 dec_format_people(buf, dec_from_double(f->gpu_seconds / 3600), 2));
	str_addc(out, '\n');
}

static void put_sums(const struct feed_report *r, struct str *out)
{
	char buf[DEC_BUF];

	for (size_t i = 0; i < r->sums.n; i++) {
		const struct feed_sum *s = &r->sums.v[i];
		str_addf(out, "    %-16s %s", s->name, dec_format(buf, s->sum));
		if (s->unknown)
			str_addf(out, "   (%lld row%s without)", (long long)s->unknown,
				 plural(s->unknown));
		str_addc(out, '\n');
	}
}

static void put_skipped(struct arena *a, const struct feed_report *r, struct str *out)
{
	for (size_t i = 0; i < r->skip_reasons.n; i++)
		str_addf(out, "    skipped: %lld, %s\n", (long long)r->skip_reasons.v[i].rows,
			 text_line(a, sv_of(r->skip_reasons.v[i].reason), 0));
}

static void put_rejects(struct arena *a, const struct feed_report *r, struct str *out)
{
	for (size_t i = 0; i < r->rejects.n && i < REJECTS_SHOWN; i++)
		str_addf(out, "    rejected: line %lld, %s: %s\n", (long long)r->rejects.v[i].line,
			 text_line(a, sv_of(r->rejects.v[i].field), 0),
			 text_line(a, sv_of(r->rejects.v[i].reason), 0));
	if (r->rejects.n > REJECTS_SHOWN)
		str_addf(out, "    ... and %zu more: see -o json\n", r->rejects.n - REJECTS_SHOWN);
}

static void put_file(struct arena *a, const struct book_file *f, bool dry_run, struct str *out)
{
	const struct feed_report *r = &f->report;
	const char *name = text_line(a, sv_of(r->file), 0);

	if (f->already) {
		str_addf(
			out,
			"%s: already imported (batch %lld); nothing changed (--replace reads it again)\n",
			name, (long long)f->batch);
		return;
	}
	put_head(f, name, dry_run, out);
	put_sums(r, out);
	put_skipped(a, r, out);
	put_rejects(a, r, out);
	for (size_t i = 0; i < r->notes.n; i++)
		str_addf(out, "    note: %s\n", text_line(a, sv_of(r->notes.v[i]), 0));
}

void import_print(const struct book_file *const *f, size_t n, bool dry_run, enum out_format format,
		  struct str *out)
{
	struct arena a = { 0 };

	if (format == OUT_JSON) {
		print_json(f, n, dry_run, out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		put_file(&a, f[i], dry_run, out);
	if (!dry_run && n)
		str_addz(out, "Next: tare report\n");
	arena_free(&a);
}
