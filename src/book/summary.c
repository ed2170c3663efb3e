/* A file's object of the import report (schema tare.import/1), which is also kept with its batch to
 * answer a repeated import. */
#include "base/jw.h"
#include "book/in.h"

/* A row that was left out: where, what of it, why. */
static void json_row(struct jw *w, int64_t line, const char *what, const char *name,
		     const char *reason)
{
	jw_obj(w);
	jw_key(w, "line");
	jw_int(w, line);
	jw_key(w, what);
	jw_str(w, name);
	jw_key(w, "reason");
	jw_str(w, reason);
	jw_end_obj(w);
}

/* The column of sum i over all currencies; until where its sums go: *ret_end. */
static struct feed_sum column_sum(const struct feed_report *r, size_t i, size_t *ret_end)
{
	struct feed_sum all = r->sums.v[i];

	for (i++; i < r->sums.n && !strcmp(r->sums.v[i].name, all.name); i++) {
		all.sum += r->sums.v[i].sum;
		all.unknown += r->sums.v[i].unknown;
	}
	*ret_end = i;
	return all;
}

static void json_sums(struct jw *w, const struct feed_report *r)
{
	struct feed_sum all;

	jw_key(w, "sums");
	jw_obj(w);
	for (size_t i = 0; i < r->sums.n;) {
		all = column_sum(r, i, &i);
		jw_key(w, all.name);
		jw_dec(w, all.sum);
	}
	jw_end_obj(w);
	jw_key(w, "sums_by_currency");
	jw_arr(w);
	for (size_t i = 0; i < r->sums.n; i++) {
		const struct feed_sum *s = &r->sums.v[i];
		if (!s->currency || !*s->currency)
			continue;
		jw_obj(w);
		jw_put_str(w, "currency", s->currency);
		jw_put_str(w, "column", s->name);
		jw_key(w, "sum");
		jw_dec(w, s->sum);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_key(w, "unknown");
	jw_obj(w);
	for (size_t i = 0; i < r->sums.n;) {
		all = column_sum(r, i, &i);
		if (all.unknown) {
			jw_key(w, all.name);
			jw_int(w, all.unknown);
		}
	}
	jw_end_obj(w);
}

const char *book_file_json(struct arena *mem, const struct book_file *f)
{
	const struct feed_report *r = &f->report;
	struct str out = { 0 };
	struct jw w;
	const char *ret;

	jw_init(&w, &out, 0);
	jw_obj(&w);
	jw_key(&w, "file");
	jw_str(&w, r->file);
	jw_key(&w, "kind");
	jw_str(&w, r->kind);
	jw_key(&w, "rows_read");
	jw_int(&w, r->rows_read);
	jw_key(&w, "rows_kept");
	jw_int(&w, r->rows_kept);
	jw_key(&w, "rows_rejected");
	jw_int(&w, r->rows_rejected);
	jw_key(&w, "rows_skipped");
	jw_int(&w, r->rows_skipped);
	if (f->bills.n) {
		jw_key(&w, "rows_elsewhere");
		jw_int(&w, r->rows_elsewhere);
	}
	jw_key(&w, "rejects");
	jw_arr(&w);
	for (size_t i = 0; i < r->rejects.n; i++)
		json_row(&w, r->rejects.v[i].line, "field", r->rejects.v[i].field,
			 r->rejects.v[i].reason);
	jw_end_arr(&w);
	jw_key(&w, "skipped");
	jw_arr(&w);
	for (size_t i = 0; i < r->skipped.n; i++)
		json_row(&w, r->skipped.v[i].line, "key", r->skipped.v[i].key,
			 r->skipped.v[i].reason);
	jw_end_arr(&w);
	json_sums(&w, r);
	jw_key(&w, "gpu_seconds");
	jw_num(&w, f->gpu_seconds, 3);
	jw_put_time(&w, "from", r->from_ms);
	jw_put_time(&w, "to", r->to_ms);
	jw_key(&w, "notes");
	jw_arr(&w);
	for (size_t i = 0; i < r->notes.n; i++)
		jw_str(&w, r->notes.v[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	ret = arena_sv(mem, str_sv(&out));
	str_free(&out);
	return ret;
}
