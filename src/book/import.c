/* An import: files are read into a batch, each once, and the batch is committed. */
#include "book/import.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/str.h"
#include "book/in.h"
#include "book/replace.h"

#define PLACE_BYTES 4096 /* of a file, which tell whether it is of MLflow */

/* ---- a file ------------------------------------------------------------------------------ */

/* Two metrics of a run of MLflow may well be alike, byte for byte: their place is a part of what
 * they say. Of no other file, whose name says nothing. In a file that is not read yet the kind is
 * told as the reader will tell it. */
static int told_by_place(struct book *b, struct input *in, const char *path, const char **ret,
			 struct err *err)
{
	const char *kind = b->opt.map ? feed_map_kind(b->opt.map) : b->opt.kind;
	struct sv head;
	int rc;

	*ret = mlflow_place(path);
	if (!*ret || kind) {
		if (kind && strcmp(kind, "mlflow") != 0)
			*ret = NULL;
		return 0;
	}
	rc = input_peek(in, PLACE_BYTES, &head, err);
	if (rc < 0 || feed_find("mlflow")->detect(head, NULL, 0) == 0)
		*ret = NULL;
	if (rc < 0)
		return rc;
	return 0;
}

/* The identity of an import: the bytes and everything that says how to read them. */
static const char *import_identity(struct book *b, const char *place, const char *content_hash)
{
	XXH3_state_t *st = XXH3_createState();
	XXH128_canonical_t canon;
	char *hex = arena_alloc(&b->mem, 33);
	const char *parts[] = { content_hash, b->opt.kind,
				b->opt.map ? feed_map_text(b->opt.map) : NULL };

	XXH3_128bits_reset(st);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		XXH3_128bits_update(st, text_or(parts[i], ""), parts[i] ? strlen(parts[i]) + 1 : 1);
	if (place)
		XXH3_128bits_update(st, place, strlen(place) + 1);
	for (size_t i = 0; i < b->opt.nset; i++) {
		XXH3_128bits_update(st, b->opt.set[i].key, strlen(b->opt.set[i].key) + 1);
		XXH3_128bits_update(st, b->opt.set[i].value, strlen(b->opt.set[i].value) + 1);
	}
	if (b->opt.at_ms != UNKNOWN_MS)
		XXH3_128bits_update(st, &b->opt.at_ms, sizeof b->opt.at_ms);
	for (size_t i = 0; i < b->opt.ncovers; i++) {
		XXH3_128bits_update(st, b->opt.covers[i], strlen(b->opt.covers[i]) + 1);
		XXH3_128bits_update(st, &b->opt.covers_from_ms, sizeof b->opt.covers_from_ms);
		XXH3_128bits_update(st, &b->opt.covers_to_ms, sizeof b->opt.covers_to_ms);
	}
	XXH128_canonicalFromHash(&canon, XXH3_128bits_digest(st));
	XXH3_freeState(st);
	for (int i = 0; i < 16; i++)
		sprintf(hex + 2 * i, "%02x", canon.digest[i]);
	return hex;
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash)
		return slash + 1;
	return path;
}

/* The path from the root on; its last part as it is, so that a link may lead to the newest. */
static const char *whole_path(struct book *b, const char *path)
{
	const char *name = name_of(path),
		   *folder = arena_strn(&b->mem, path, (size_t)(name - path));
	char *real = realpath(*folder ? folder : ".", NULL);

	if (!real)
		return path;
	const char *slash = text_if(strcmp(real, "/") != 0, "/");
	const char *whole = arena_printf(&b->mem, "%s%s%s", real, slash, name);
	free(real);
	return whole;
}

/* What a file is called in the store: the bill and month that all its lines are of, else its own
 * path, which is what --replace goes by for all that is no bill. */
static const char *source_of(struct book *b, const struct book_file *f, const char *path)
{
	const char *bill = replace_source(b, f);

	if (!strcmp(f->report.kind, "mlflow") && mlflow_place(path))
		return arena_printf(&b->mem, "file:%s", mlflow_place(path));
	if (bill)
		return bill;
	if (!strcmp(path, "-"))
		return "file:-";
	return arena_printf(&b->mem, "file:%s", whole_path(b, path));
}

/* Files of the same name that are not taken out, so that nobody takes them for replaced. */
static int note_elsewhere(struct book *b, const struct batch_file *f, struct err *err)
{
	const char **path, *name = name_of(f->path);
	size_t n;

	if (strncmp(f->source, "file:/", 6) != 0) /* a place of MLflow, a server */
		return 0;
	struct batch_file like = *f;
	like.path = name;
	int rc = store_files_elsewhere(b->store, &like, &b->mem, &path, &n, err);

	if (!rc && n)
		feed_note(
			&b->now->report,
			"%zu earlier file%s called '%s' of another folder stay%s (%s%s): --replace goes by the whole path",
			n, plural((int64_t)n), name, text_if(n == 1, "s"), path[0],
			text_if(n > 1, ", ..."));
	return rc;
}

/* Standard input is all kinds of files: of what came on it that which this tells again. */
static int take_out_retold(struct book *b, const struct batch_file *f, struct scope_spans *ret,
			   struct err *err)
{
	const struct store_retold q = { .kind = f->kind,
					.source = f->source,
					.hash = f->hash,
					.from_ms = f->from_ms,
					.to_ms = f->to_ms,
					.scope = &b->dirty.scope };
	int left = 0, files = store_reverse_retold(b->store, &q, &b->mem, ret, &left, err);

	if (files >= 0 && left)
		feed_note(
			&b->now->report,
			"%d earlier file%s of standard input stay%s, as this does not tell all of their time and machines again",
			left, plural(left), text_if(left == 1, "s"));
	return files;
}

/* Bills take the place of others line by line and all at once, in replace_bills(). */
static int replace_earlier(struct book *b, const struct batch_file *f, struct err *err)
{
	const struct feed *feed = feed_find(f->kind);
	bool is_stdin = !strcmp(f->path, "-");
	struct scope_spans span = { 0 };
	int files;

	if (!b->store || !b->opt.replace)
		return 0;
	if (feed && feed->bill)
		return 0;
	if (is_stdin)
		files = take_out_retold(b, f, &span, err);
	else
		files = store_reverse_source(b->store, f->kind, f->source, &b->mem, &span, err);
	if (files < 0)
		return files;
	for (size_t i = 0; i < span.n; i++) {
		int64_t to = span.v[i].to_ms == UNKNOWN_MS ? INT64_MAX : span.v[i].to_ms;
		dirty_by(&b->dirty,
			 dirty_mark_key(&b->dirty, sv_of(span.v[i].scope), span.v[i].from_ms, to),
			 DIRTY_TAKEN_OUT);
	}
	if (files)
		feed_note(&b->now->report, "%d earlier file%s of '%s' taken out", files,
			  text_if(files > 1, "s"), is_stdin ? "standard input" : f->path);
	if (is_stdin)
		return 0;
	return note_elsewhere(b, f, err);
}

static struct book_file *new_file(struct book *b, const char *name)
{
	struct book_file *f = xcalloc(1, sizeof *f);

	*vec_push(&b->file) = f;
	f->report.file = arena_strn(&f->report.mem, name, strlen(name));
	f->report.from_ms = f->report.to_ms = UNKNOWN_MS;
	b->now = f;
	twins_free(&b->twins);
	repeats_free(&b->repeats);
	intern_free(&b->currencies);
	return f;
}

static void count_time(struct book_file *f)
{
	if (f->paid_s > 0)
		f->gpu_seconds = f->paid_s;
	else if (f->held_s > 0)
		f->gpu_seconds = f->held_s;
	else
		f->gpu_seconds = f->seen_s;
}

/* Jobs that still run are known to run to the end of the data. */
void import_count_running(struct book *b)
{
	for (size_t i = 0; i < b->file.n; i++) {
		struct book_file *f = b->file.v[i];
		/* without a store, in a dry run, to the end of the file itself */
		int64_t end_ms = b->store ? b->horizon_ms : f->report.to_ms;
		double s = f->running * (double)end_ms / 1e3 - f->running_from_s;
		if (f->already || s <= 0)
			continue;
		f->held_s += s;
		count_time(f);
	}
}

static int keep_file(struct book *b, struct book_file *f, const char *hash, struct err *err)
{
	struct batch_file row = { .path = f->report.file,
				  .kind = f->report.kind,
				  .hash = hash,
				  .source = source_of(b, f, f->report.file),
				  .from_ms = f->report.from_ms,
				  .to_ms = f->report.to_ms };
	int rc = replace_earlier(b, &row, err);

	if (rc >= 0 && b->store && f->has_jobs)
		rc = watch_covered(b, err);
	if (rc < 0)
		return rc;
	count_time(f);
	f->row = b->row.n;
	*vec_push(&b->row) = row;
	b->nfile++;
	return 0;
}

/*
 * True when these bytes, read this way, are already in force, or came earlier in this call. With
 * --replace what is in force is read again: rules of the settings may have changed since, and of a
 * bill in several files the others of this call would take it out.
 */
static int is_already(struct book *b, struct book_file *f, const char *hash, bool *ret,
		      struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < b->row.n; i++)
		if (!strcmp(b->row.v[i].hash, hash)) {
			*ret = f->already = true;
			f->batch = b->batch;
			f->row = i;
			return 0;
		}
	struct store *known = b->store ? b->store : b->opt.look;
	if (known && !b->opt.replace)
		rc = store_batch_by_hash(known, hash, &b->mem, &f->json, &f->batch, err);
	*ret = f->already = !rc && f->json;
	return rc;
}

struct progress {
	struct book *book;
	const char *name;
};

static void tell_progress(void *ctx, int64_t rows, int64_t done, int64_t size)
{
	struct progress *p = ctx;

	p->book->opt.progress(p->book->opt.progress_ctx, p->name, rows, done, size);
}

static int open_parquet(void *ctx, const char *path, struct tab **ret, struct err *err)
{
	(void)ctx;
	return store_parquet_open(path, ret, err);
}

static int read_file(struct book *b, struct input *in, struct book_file *f, struct err *err)
{
	struct progress p = { b, f->report.file };
	struct feed_sink sink;
	struct feed_file_opt o = {
		.kind = b->opt.kind,
		.map = b->opt.map,
		.set = b->opt.set,
		.nset = b->opt.nset,
		.alone = b->opt.alone,
		.account_team = owner_accounts_are_teams(b->opt.conf),
		.at_ms = b->opt.at_ms,
		.now_ms = b->opt.now_ms,
		.max_rejects = b->opt.max_rejects,
		.progress = b->opt.progress ? tell_progress : NULL,
		.progress_ctx = &p,
		.open_parquet = open_parquet,
	};

	book_sink(b, &sink);
	int rc = feed_run_file(in, &o, &sink, &f->report, err);
	size_t again = repeats_count(&b->repeats);
	if (rc >= 0 && again == 1)
		feed_note(
			&f->report,
			"1 row tells the same job, machine, GPUs and start as a later row, which holds: it is not counted twice");
	else if (rc >= 0 && again)
		feed_note(
			&f->report,
			"%zu rows tell the same job, machine, GPUs and start as a later row, which holds: they are not counted twice",
			again);
	return rc;
}

int book_add_file(struct book *b, const char *path, const struct book_file **ret, struct err *err)
{
	struct book_file *f = new_file(b, path);
	struct input *in;
	char content[33];
	const char *hash = NULL, *place = NULL;
	bool already = false, stream;
	int rc = input_open(path, &in, err);

	if (rc < 0)
		return rc;
	stream = input_is_stream(in);
	if (!stream && !(rc = input_hash(in, content, err)))
		rc = told_by_place(b, in, path, &place, err);
	if (!stream && !rc) {
		hash = import_identity(b, place, content);
		rc = is_already(b, f, hash, &already, err);
	}
	if (!rc && !already)
		rc = read_file(b, in, f, err);
	if (!rc && stream && !(rc = input_hash(in, content, err))) {
		/* of a stream known only now: the rows are in the transaction, so the call fails
		 * rather than doubling them */
		place = strcmp(f->report.kind, "mlflow") ? NULL : mlflow_place(path);
		hash = import_identity(b, place, content);
		rc = is_already(b, f, hash, &already, err);
		if (already) {
			rc = err_set(err, -EEXIST,
				     "what came on '%s' was imported before, in batch %lld",
				     strcmp(path, "-") ? path : "standard input",
				     (long long)f->batch);
			err_hint(err, "--replace reads it again");
		}
	}
	input_close(in);
	if (!rc && !already)
		rc = keep_file(b, f, hash, err);
	if (!rc)
		*ret = f;
	return rc;
}

int book_add_rows(struct book *b, const struct book_rows *rows, const struct book_file **ret,
		  struct err *err)
{
	struct book_file *f = new_file(b, rows->name);
	struct feed_sink sink;
	int rc;

	f->report.kind = arena_strn(&f->report.mem, rows->kind, strlen(rows->kind));
	book_sink(b, &sink);
	rc = rows->run(rows->ctx, &sink, &f->report, err);
	/* what a server answers is never the same twice: identity is the name and the moment */
	if (!rc)
		rc = keep_file(b, f,
			       arena_printf(&b->mem, "rows:%s:%lld:%lld", rows->name,
					    (long long)b->opt.now_ms, (long long)b->batch),
			       err);
	if (!rc)
		*ret = f;
	return rc;
}

/* ---- all of them -------------------------------------------------------------------------- */

/* The server as it is asked. */
struct asked {
	const struct book_opt *opt;
	struct feed_prometheus_opt prometheus;
};

static int ask_prometheus(void *ctx, const struct feed_sink *sink, struct feed_report *report,
			  struct err *err)
{
	struct asked *a = ctx;

	return feed_prometheus_run(&a->prometheus, sink, report, err);
}

static void on_steps(void *ctx, const char *label, int64_t done, int64_t of)
{
	const struct asked *a = ctx;
	char text[80];

	snprintf(text, sizeof text, "%s, %lld of %lld steps", label, (long long)done,
		 (long long)of);
	a->opt->progress(a->opt->progress_ctx, text, done, 0, -1);
}

int book_import(struct store *s, const struct book_import *in, struct book **ret,
		const struct book_file **ret_file, size_t *ret_n, struct err *err)
{
	struct book *b = NULL;
	size_t n = 0;
	int rc = book_begin(s, &in->opt, &b, err);

	for (size_t i = 0; i < in->nfile && !rc; i++) {
		rc = book_add_file(b, in->file[i], &ret_file[n], err);
		n += rc == 0;
	}
	if (!rc && in->prometheus) {
		struct asked a = { .opt = &in->opt, .prometheus = *in->prometheus };
		a.prometheus.progress = in->opt.progress ? on_steps : NULL;
		a.prometheus.progress_ctx = &a;
		const struct book_rows rows = { a.prometheus.url, "prometheus", ask_prometheus,
						&a };
		rc = book_add_rows(b, &rows, &ret_file[n], err);
		n += rc == 0;
	}
	if (!rc)
		rc = book_commit(b, err);
	if (rc) {
		book_free(b);
		return rc;
	}
	*ret = b;
	*ret_n = n;
	return 0;
}
