#include "book/remove.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/sh.h"
#include "base/str.h"
#include "book/in.h"
#include "book/replace.h"

#define NAMED_MAX 6 /* imports named in one sentence */

static int64_t batch_of(const struct imported_file *f)
{
	return f->src >> STORE_FILE_BITS;
}

/* ---- which ones -------------------------------------------------------------------------- */

static bool is_path(const struct imported_file *f, const char *what, const char *whole)
{
	const char *source = f->file.source;

	if (!strcmp(f->file.path, what))
		return true;
	return !strncmp(source, "file:", 5) && !strcmp(source + 5, whole);
}

static bool is_name(const struct imported_file *f, const char *what)
{
	const char *slash = strrchr(f->file.path, '/');

	return slash && !strcmp(slash + 1, what);
}

static int64_t last_batch(const struct imported_file *f, size_t n)
{
	int64_t last = -1;

	for (size_t i = 0; i < n; i++)
		if (f[i].in_force)
			last = batch_of(&f[i]);
	return last;
}

/* Marks what is meant; returns how many. */
static size_t choose(const struct imported_file *f, size_t n, const char *what, bool *meant)
{
	char *real = realpath(what, NULL);
	int64_t batch = -1;
	size_t found = 0;
	/* a file of that name comes before a number */
	for (int by = 0; by < 3 && !found; by++) {
		if (by == 2 && !strcmp(what, "last"))
			batch = last_batch(f, n);
		else if (by == 2 && sv_i64(sv_of(what), &batch) < 0)
			batch = -1;
		for (size_t i = 0; i < n; i++) {
			bool is = by == 2 && batch_of(&f[i]) == batch;
			if (by == 0)
				is = is_path(&f[i], what, text_or(real, what));
			if (by == 1)
				is = is_name(&f[i], what);
			meant[i] = is && f[i].in_force;
			found += meant[i];
		}
	}
	free(real);
	return found;
}

/* One name may have come several times: which of them, the user says by its batch. */
static int refuse_several(const struct imported_file *f, size_t n, const char *what,
			  const bool *meant, struct err *err)
{
	struct str s = { 0 };
	int64_t first = -1;
	size_t batches = 0;

	for (size_t i = 0; i < n; i++) {
		if (!meant[i] || batch_of(&f[i]) == first)
			continue;
		first = batch_of(&f[i]);
		if (batches++ < NAMED_MAX)
			str_addf(&s, "%s%lld", text_if(s.n, ", "), (long long)first);
	}
	int rc = 0;
	if (batches > 1) {
		rc = err_set(err, -EINVAL, "'%s' was imported %zu times, in batches %s", what,
			     batches, str_z(&s));
		err_hint(err, "Name the batch; what each brought: tare import --list.");
	}
	str_free(&s);
	return rc;
}

static bool overlap(const struct batch_file *a, const struct batch_file *b)
{
	if (a->from_ms == UNKNOWN_MS || b->from_ms == UNKNOWN_MS)
		return false;
	return a->from_ms < b->to_ms && b->from_ms < a->to_ms;
}

static bool is_bill(const struct imported_file *f)
{
	const struct feed *feed = feed_find(f->file.kind);

	return feed && feed->bill;
}

/* May rows of one stand in the other: a file of one bill and month has these for its source. */
static bool same_bill(const struct batch_file *a, const struct batch_file *b)
{
	bool known = !strncmp(a->source, "bill:", 5) && !strncmp(b->source, "bill:", 5);

	return overlap(a, b) && (!known || !strcmp(a->source, b->source));
}

/* "tare import --undo 3 && tare import --undo a.csv && tare import b.csv c.csv": what is kept only
 * in what is meant is imported again behind it, with all files of its batch. */
static const char *way_out(const struct imported_file *f, size_t n, const bool *meant,
			   const struct imported_file *of, const struct imported_file *kept,
			   struct arena *mem)
{
	struct str s = { 0 };

	str_addf(&s, "tare import --undo %lld && ", (long long)batch_of(kept));
	if (batch_of(of) != batch_of(kept))
		str_addf(&s, "tare import --undo %lld && ", (long long)batch_of(of));
	str_addz(&s, "tare import");
	for (size_t i = 0; i < n; i++) {
		bool goes_too = batch_of(&f[i]) == batch_of(kept) ||
				batch_of(&f[i]) == batch_of(of);
		if (f[i].in_force && goes_too && !meant[i])
			str_addf(&s, " %s", sh_show(mem, f[i].file.path));
	}
	const char *ret = arena_strn(mem, s.p, s.n);
	str_free(&s);
	return ret;
}

/* Rows of a bill that an import found in another file are kept there alone: they would go with
 * it. */
static int refuse_shared(const struct imported_file *f, size_t n, const bool *meant,
			 struct arena *mem, struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!meant[i] || !is_bill(&f[i]))
			continue;
		for (size_t k = 0; k < n; k++) {
			const char *json = f[k].file.report_json;
			bool other = f[k].in_force && !meant[k] && is_bill(&f[k]);
			bool shares = strstr(json, NOTE_SAME) || strstr(json, NOTE_ONCE);
			if (!other || !shares || batch_of(&f[k]) < batch_of(&f[i]))
				continue;
			if (!same_bill(&f[i].file, &f[k].file))
				continue;
			err_set(err, -EINVAL,
				"'%s' (batch %lld) has rows that were in '%s' already and are kept there alone",
				f[k].file.path, (long long)batch_of(&f[k]), f[i].file.path);
			err_hint(err, "Take out both, and import again what is to stay: %s",
				 way_out(f, n, meant, &f[i], &f[k], mem));
			return -EINVAL;
		}
	}
	return 0;
}

static int find_meant(struct store *s, const char *what, struct arena *mem,
		      struct imported_file **ret, size_t *ret_n, struct err *err)
{
	struct imported_file *f;
	size_t n = 0, k = 0;
	int rc = store_imported(s, mem, &f, &n, err);

	if (rc < 0)
		return rc;
	bool *meant = arena_zalloc(mem, n + 1);
	if (!choose(f, n, what, meant)) {
		err_set(err, -ENOENT, "no import that counts is called '%s'", what);
		err_hint(err, "See what was imported: tare import --list.");
		return -ENOENT;
	}
	rc = refuse_several(f, n, what, meant, err);
	if (!rc)
		rc = refuse_shared(f, n, meant, mem, err);
	for (size_t i = 0; i < n; i++)
		if (meant[i])
			f[k++] = f[i];
	*ret = f;
	*ret_n = k;
	return rc;
}

/* ---- what they had replaced -------------------------------------------------------------- */

/* A batch takes out for all of its files: did one of those that go now stand in its place? */
static bool any_replaced(const struct book_removed *r, const struct imported_file *gone)
{
	for (size_t i = 0; i < r->nfile; i++) {
		const struct imported_file *f = &r->file[i];
		if (is_bill(f) != is_bill(gone))
			continue;
		if (is_bill(f) ? same_bill(&f->file, &gone->file)
			       : !strcmp(f->file.source, gone->file.source))
			return true;
	}
	return false;
}

/* Their rows are in the store and stay out: the newer word may have been right of a part of them,
 * so which of them count is for the user to say, by importing them again. */
static int name_gone(struct store *s, struct arena *mem, struct book_removed *r, struct err *err)
{
	struct imported_file *all;
	int64_t batch = -1, *src;
	size_t n = 0, nall = 0;
	int rc = store_imported(s, mem, &all, &nall, err);

	r->gone = arena_alloc(mem, (nall + 1) * sizeof *r->gone);
	for (size_t i = 0; i < r->nfile && rc >= 0; i++) {
		if (batch_of(&r->file[i]) == batch)
			continue;
		batch = batch_of(&r->file[i]);
		rc = store_taken_by(s, batch, mem, &src, &n, err);
		for (size_t k = 0, j = 0; rc >= 0 && k < n; k++) {
			while (j < nall && all[j].src < src[k])
				j++;
			if (j < nall && all[j].src == src[k] && any_replaced(r, &all[j]))
				r->gone[r->ngone++] = all[j].file.path;
		}
	}
	return rc;
}

/* ---- taking out -------------------------------------------------------------------------- */

static int take_out(struct book *b, const struct imported_file *f, struct err *err)
{
	struct scope_span *span;
	size_t n = 0;
	int rc = store_reverse_file(b->store, f->src, &b->mem, &span, &n, err);

	/* an older word on the same job or node may reach further than this one did */
	for (size_t i = 0; i < n && rc >= 0; i++)
		dirty_by(
			&b->dirty,
			dirty_mark_key(&b->dirty, sv_of(span[i].scope), span[i].from_ms, INT64_MAX),
			DIRTY_TAKEN_OUT);
	if (rc >= 0 && is_bill(f))
		rc = direct_redo(b->direct, f->src, true, err);
	b->saw_prices |= !strcmp(f->file.kind, "prices");
	return rc;
}

static int take_out_all(struct book *b, const struct imported_file *f, size_t n, struct err *err)
{
	bool requests = false;
	int rc = 0;

	for (size_t i = 0; i < n && rc >= 0; i++) {
		rc = take_out(b, &f[i], err);
		requests |= !strcmp(f[i].file.kind, "requests");
	}
	if (rc >= 0 && requests)
		rc = touched_services_again(b, err);
	return rc;
}

int book_remove(struct store *s, const struct book_opt *opt, const char *what, bool dry_run,
		struct arena *mem, struct book_removed *ret, struct err *err)
{
	struct book_removed r = { 0 };
	struct book_opt o = *opt;
	struct imported_file *f = NULL;
	struct book *b = NULL;
	int rc = find_meant(s, what, mem, &f, &r.nfile, err);

	r.file = f;
	if (rc >= 0)
		rc = name_gone(s, mem, &r, err);
	o.replace = true;
	if (rc >= 0 && !dry_run)
		rc = book_begin(s, &o, &b, err);
	if (rc >= 0 && b)
		rc = take_out_all(b, f, r.nfile, err);
	if (rc >= 0 && b)
		rc = book_post_and_commit(b, err);
	book_free(b);
	if (rc < 0)
		return rc;
	*ret = r;
	return 0;
}
