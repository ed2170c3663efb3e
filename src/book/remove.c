#include "book/remove.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/jscan.h"
#include "base/sh.h"
#include "base/str.h"
#include "book/in.h"

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
static size_t choose_files(const struct imported_file *f, size_t n, const char *what, bool *meant)
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
static int refuse_several(const struct imported_file *f, size_t n, const struct book_undo *undo,
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
		rc = err_set(err, -EINVAL, "'%s' was imported %zu times, in batches %s", undo->what,
			     batches, str_z(&s));
		err_hint(err, "Name the batch; what each brought: tare import --list%s.",
			 text_or(undo->words, ""));
	}
	str_free(&s);
	return rc;
}

static bool files_overlap(const struct batch_file *a, const struct batch_file *b)
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

struct again { /* a file to be imported again, as it was read in that batch */
	int64_t batch;
	const char *path;
};

struct undoing {
	struct store *store;
	const struct book_undo *undo;
};

struct shared {
	struct undoing u;
	const struct imported_file *f; /* [n] */
	size_t n;
	const bool *meant;                     /* [n] */
	const struct imported_file *of, *kept; /* rows that were in this are kept only there */
};

/* May rows of one stand in the other: a file of one bill and month has these for its source. */
static bool same_bill(const struct batch_file *a, const struct batch_file *b)
{
	bool known = !strncmp(a->source, "bill:", 5) && !strncmp(b->source, "bill:", 5);

	return files_overlap(a, b) && (!known || !strcmp(a->source, b->source));
}

/* That name the store in a command that is advised. */
static const char *store_words(const struct undoing *u)
{
	return text_or(u->undo->words, "");
}

/* " && tare import --set a=b FILE..." of these files that are wanted, each as it was read, those
 * read alike in one call; the first without the && where s is empty. */
static int put_imports(const struct undoing *u, const struct again *v, size_t n, struct arena *mem,
		       struct str *s, struct err *err)
{
	const char **words = arena_alloc(mem, (n + 1) * sizeof *words);
	bool *done = arena_zalloc(mem, n + 1);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = store_get(u->store, arena_printf(mem, BOOK_WORDS, (long long)v[i].batch), mem,
			       &words[i], err);
	for (size_t i = 0; i < n && !rc; i++) {
		if (done[i])
			continue;
		str_addf(s, "%stare import%s%s", text_if(s->n, " && "), store_words(u),
			 text_or(words[i], ""));
		for (size_t k = i; k < n; k++) {
			if (done[k] || strcmp(text_or(words[k], ""), text_or(words[i], "")))
				continue;
			done[k] = true;
			str_addf(s, " %s", sh_show(mem, v[k].path));
		}
	}
	return rc;
}

/* "tare import --undo 3 && tare import --undo a.csv && tare import b.csv c.csv": what is kept only
 * in what is meant is imported again behind it, with all files of its batch. */
static int way_out(const struct shared *x, struct arena *mem, const char **ret, struct err *err)
{
	const struct imported_file *f = x->f, *of = x->of, *kept = x->kept;
	struct again *again = arena_alloc(mem, (x->n + 1) * sizeof *again);
	struct str s = { 0 };
	size_t nagain = 0;

	str_addf(&s, "tare import%s --undo %lld", store_words(&x->u), (long long)batch_of(kept));
	if (batch_of(of) != batch_of(kept))
		str_addf(&s, " && tare import%s --undo %lld", store_words(&x->u),
			 (long long)batch_of(of));
	for (size_t i = 0; i < x->n; i++) {
		bool goes_too = batch_of(&f[i]) == batch_of(kept) ||
				batch_of(&f[i]) == batch_of(of);
		if (f[i].in_force && goes_too && !x->meant[i])
			again[nagain++] = (struct again){ batch_of(&f[i]), f[i].file.path };
	}
	int rc = put_imports(&x->u, again, nagain, mem, &s, err);
	*ret = arena_strn(mem, s.p, s.n);
	str_free(&s);
	return rc;
}

/* Rows of a bill that an import found in another file are kept there alone: they would go with
 * it. */
static int refuse_shared(const struct shared *x, struct arena *mem, struct err *err)
{
	const struct imported_file *f = x->f;
	const bool *meant = x->meant;
	const size_t n = x->n;

	for (size_t i = 0; i < n; i++) {
		if (!meant[i] || !is_bill(&f[i]))
			continue;
		for (size_t k = 0; k < n; k++) {
			struct sv elsewhere = jscan_text(
				jscan_get(sv_of(f[k].file.report_json), "rows_elsewhere"));
			bool other = f[k].in_force && !meant[k] && is_bill(&f[k]);
			/* what older programs brought does not tell: it may have such rows */
			bool shares = !sv_is(elsewhere, "0");
			if (!other || !shares || batch_of(&f[k]) < batch_of(&f[i]))
				continue;
			if (!same_bill(&f[i].file, &f[k].file))
				continue;
			struct shared at = *x;
			const char *way;
			at.of = &f[i];
			at.kept = &f[k];
			int rc = way_out(&at, mem, &way, err);
			if (rc < 0)
				return rc;
			err_set(err, -EINVAL,
				"'%s' (batch %lld) has rows that were in '%s' already and are kept there alone",
				f[k].file.path, (long long)batch_of(&f[k]), f[i].file.path);
			err_hint(err, "Take out both, and import again what is to stay: %s", way);
			return -EINVAL;
		}
	}
	return 0;
}

static int find_meant(const struct undoing *u, struct arena *mem, struct imported_file **ret,
		      size_t *ret_n, struct err *err)
{
	const char *what = u->undo->what;
	struct imported_file *f;
	size_t n = 0, k = 0;
	int rc = store_imported(u->store, mem, &f, &n, err);

	if (rc < 0)
		return rc;
	bool *meant = arena_zalloc(mem, n + 1);
	if (!choose_files(f, n, what, meant)) {
		err_set(err, -ENOENT, "no import that counts is called '%s'", what);
		err_hint(err, "See what was imported: tare import --list%s.", store_words(u));
		return -ENOENT;
	}
	rc = refuse_several(f, n, u->undo, meant, err);
	if (!rc)
		rc = refuse_shared(&(struct shared){ .u = *u, .f = f, .n = n, .meant = meant }, mem,
				   err);
	for (size_t i = 0; i < n; i++)
		if (meant[i])
			f[k++] = f[i];
	*ret = f;
	*ret_n = k;
	return rc;
}

/* ---- what they had replaced -------------------------------------------------------------- */

/* A batch takes out for all of its files: of what is no bill its source tells whose place it
 * took. */
static bool same_source(const struct book_removed *r, const struct imported_file *gone)
{
	for (size_t i = 0; i < r->nfile; i++)
		if (!is_bill(&r->file[i]) && !strcmp(r->file[i].file.source, gone->file.source))
			return !is_bill(gone);
	return false;
}

struct undone {
	const struct bill_undo *v; /* [n] */
	size_t n;
	const struct imported_file *all; /* [nall] */
	size_t nall;
};

/* "tare import --undo a2.csv && tare import --undo old.csv && tare import old.csv": what would
 * count twice goes first. */
static int way_back(const struct undoing *a, const struct undone *u, struct arena *mem,
		    struct book_removed *r, struct err *err)
{
	struct again *again = arena_alloc(mem, (r->ngone + 1) * sizeof *again);
	const struct bill_undo *v = u->v;
	struct intern first = { 0 };
	struct str s = { 0 };
	size_t nagain = 0;
	int rc = 0;

	for (size_t i = 0; i < r->ngone; i++)
		for (size_t k = 0; k < u->n && r->gone[i].other; k++)
			for (size_t j = 0; j < u->nall; j++)
				if (v[k].src == r->gone[i].src && v[k].what == UNDO_SHARES &&
				    u->all[j].src == v[k].other)
					intern_add(&first, sv_of(u->all[j].file.path));
	for (size_t i = 0; i < r->ngone; i++)
		if (r->gone[i].stays)
			intern_add(&first, sv_of(r->gone[i].path));
	for (size_t i = 0; i < first.n; i++)
		str_addf(&s, "%stare import%s --undo %s", text_if(s.n, " && "), store_words(a),
			 sh_show(mem, intern_z(&first, (uint32_t)i)));
	for (size_t i = 0; i < r->ngone; i++)
		if (r->gone[i].stays || r->gone[i].other)
			again[nagain++] = (struct again){ r->gone[i].src >> STORE_FILE_BITS,
							  r->gone[i].path };
	if (nagain)
		rc = put_imports(a, again, nagain, mem, &s, err);
	r->again = nagain ? arena_sv(mem, str_sv(&s)) : NULL;
	str_free(&s);
	intern_free(&first);
	return rc;
}

/* Of one file that the batch took rows out of: did those that go now stand in its place? */
static bool read_gone(const struct bill_undo *v, size_t n, const struct imported_file *all,
		      size_t nall, struct book_gone *g)
{
	bool day = false, key = false;

	for (size_t i = 0; i < n; i++) {
		if (v[i].src != g->src)
			continue;
		day |= v[i].what == UNDO_DAY;
		key |= v[i].what == UNDO_KEY;
		g->stays |= v[i].what == UNDO_STAYS;
		for (size_t j = 0; j < nall && v[i].what == UNDO_SHARES && !g->other; j++)
			if (all[j].src == v[i].other)
				g->other = all[j].file.path;
	}
	/* of other days: those of the call that have them are what replaced it */
	return day || (key && !g->other);
}

/* Their rows are in the store and stay out: the newer word may have been right of a part of them,
 * so which of them count is for the user to say, by importing them again. */
static int name_gone(const struct undoing *u, struct arena *mem, struct book_removed *r,
		     struct err *err)
{
	struct imported_file *all;
	struct bill_undo *v = NULL;
	struct bill_undo_ask q = { .src = NULL };
	int64_t *src, *going = arena_alloc(mem, r->nfile * sizeof *going), *gone;
	size_t n = 0, nall = 0, nv = 0;
	int rc = store_imported(u->store, mem, &all, &nall, err);

	if (rc >= 0)
		rc = store_taken_by(u->store, batch_of(&r->file[0]), mem, &src, &n, err);
	if (rc < 0)
		return rc;
	r->gone = arena_zalloc(mem, (n + 1) * sizeof *r->gone);
	gone = arena_alloc(mem, (n + 1) * sizeof *gone);
	q = (struct bill_undo_ask){ .src = going, .gone = gone };
	for (size_t i = 0; i < r->nfile; i++)
		if (is_bill(&r->file[i]))
			going[q.n++] = r->file[i].src;
	for (size_t k = 0, j = 0; k < n; k++) {
		while (j < nall && all[j].src < src[k])
			j++;
		if (j == nall || all[j].src != src[k])
			continue;
		if (is_bill(&all[j]))
			gone[q.ngone++] = src[k];
		else if (same_source(r, &all[j]))
			r->gone[r->ngone++].path = all[j].file.path;
	}
	if (q.n)
		rc = store_bill_undo(u->store, &q, mem, &v, &nv, err);
	if (rc < 0)
		return rc;
	for (size_t k = 0; k < q.ngone; k++) {
		struct book_gone *g = &r->gone[r->ngone];
		*g = (struct book_gone){ .src = gone[k] };
		r->ngone += read_gone(v, nv, all, nall, g);
	}
	struct book_undone_bill *left = arena_alloc(mem, 2 * (nv + 1) * sizeof *left),
				*out = left + nv + 1;
	for (size_t j = 0; j < nall; j++) {
		bool is_gone = false;
		for (size_t k = 0; k < r->ngone; k++) {
			if (r->gone[k].path || r->gone[k].src != all[j].src)
				continue;
			r->gone[k].path = all[j].file.path;
			is_gone = true;
		}
		for (size_t i = 0; i < nv; i++) {
			struct book_undone_bill b = { all[j].file.path, v[i].currency, v[i].rows,
						      v[i].billed };
			if (v[i].src != all[j].src)
				continue;
			if (v[i].what == UNDO_LEAVES)
				left[r->nleft++] = b;
			else if (v[i].what == UNDO_OUT && is_gone)
				out[r->nout++] = b;
		}
	}
	r->left = left;
	r->out = out;
	return way_back(u, &(struct undone){ v, nv, all, nall }, mem, r, err);
}

/* ---- taking out -------------------------------------------------------------------------- */

static int take_out(struct book *b, const struct imported_file *f, struct err *err)
{
	struct scope_spans span = { 0 };
	int rc = store_reverse_file(b->store, f->src, &b->mem, &span, err);

	/* an older word on the same job or node may reach further than this one did */
	for (size_t i = 0; i < span.n && rc >= 0; i++)
		dirty_by(&b->dirty,
			 dirty_mark_key(&b->dirty, sv_of(span.v[i].scope), span.v[i].from_ms,
					INT64_MAX),
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

int book_remove(struct store *s, const struct book_opt *opt, const struct book_undo *undo,
		struct arena *mem, struct book_removed *ret, struct err *err)
{
	const struct undoing u = { s, undo };
	struct book_removed r = { 0 };
	struct book_opt o = *opt;
	struct imported_file *f = NULL;
	struct book *b = NULL;
	int rc = find_meant(&u, mem, &f, &r.nfile, err);

	r.file = f;
	if (rc >= 0)
		rc = name_gone(&u, mem, &r, err);
	o.replace = true;
	if (rc >= 0 && !undo->dry_run)
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
