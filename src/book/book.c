#include "book/book.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "book/in.h"
#include "book/migrate.h"
#include "book/replace.h"
#include "ledger/rules.h"

#define PLACE_BYTES 4096 /* of a file, which tell whether it is of MLflow */

/* ---- a batch ----------------------------------------------------------------------------- */

/* Prices that users imported win over the shipped ones. */
static int load_prices(struct book *b, struct err *err)
{
	struct price *p;
	size_t n = 0;
	int rc = 0;

	if (b->store)
		rc = store_prices(b->store, &b->mem, &p, &n, err);
	for (size_t i = 0; i < n && !rc; i++)
		rc = catalog_add_price(b->catalog, &p[i], err);
	return rc;
}

int book_open(struct store *s, const struct book_opt *opt, struct book **ret, struct err *err)
{
	struct book *b = xcalloc(1, sizeof *b);
	struct sv *service;
	size_t nservice = 0;
	int rc;

	b->store = s;
	b->opt = *opt;
	b->before_ms = b->ledger_from_ms = b->ledger_to_ms = UNKNOWN_MS;
	b->owners = owner_resolver_new(opt->conf);
	b->direct = direct_new(b);
	rc = catalog_open(NULL, &b->catalog, err);
	if (!rc)
		rc = load_prices(b, err);
	if (!rc && s)
		rc = store_services(s, &b->mem, &service, &nservice, err);
	for (size_t i = 0; i < nservice && !rc; i++)
		intern_add(&b->services, service[i]);
	b->nservice_before = b->services.n;
	if (!rc && s) {
		/* The horizon that the last batch found: the clock was another then. */
		int64_t then;
		rc = store_committed(s, &then, err);
		if (!rc && then != UNKNOWN_MS)
			rc = store_data_end(s, then, &b->before_ms, err);
	}
	if (!rc && s)
		rc = pooling_find(b, &b->pooled_before, err);
	if (!rc && s) {
		rc = store_begin(s, &b->batch, err);
		b->begun = !rc;
		if (!rc)
			rc = watch_load(b, &b->watch_before, err);
		if (!rc)
			rc = traits_load(b, &b->traits_before, err);
	}
	if (rc) {
		book_free(b);
		return rc;
	}
	*ret = b;
	return 0;
}

int book_begin(struct store *s, const struct book_opt *opt, struct book **ret, struct err *err)
{
	int rc = 0;

	if (s)
		rc = book_migrate(s, opt, err);
	if (!rc)
		rc = book_open(s, opt, ret, err);
	if (!rc)
		(*ret)->replacing = opt->replace;
	return rc;
}

void book_free(struct book *b)
{
	if (!b)
		return;
	if (b->begun && !b->committed)
		store_rollback(b->store);
	for (size_t i = 0; i < b->file.n; i++) {
		feed_report_free(&b->file.v[i]->report);
		intern_free(&b->file.v[i]->bills);
		intern_free(&b->file.v[i]->covers);
		str_free(&b->file.v[i]->bill_key);
		str_free(&b->file.v[i]->id);
		free(b->file.v[i]);
	}
	vec_free(&b->file);
	vec_free(&b->row);
	vec_free(&b->posted);
	str_free(&b->route_key);
	direct_free(b->direct);
	dirty_free(&b->dirty);
	witnesses_free(b->watch_before);
	witnesses_free(b->watch);
	traits_free(b->traits_before);
	traits_free(b->traits);
	intern_free(&b->currencies);
	twins_free(&b->twins);
	repeats_free(&b->repeats);
	intern_free(&b->services);
	lone_free(&b->lone);
	pooling_free(&b->pooling);
	pooling_free(&b->pooled_before);
	owner_resolver_free(b->owners);
	catalog_free(b->catalog);
	arena_free(&b->mem);
	free(b);
}

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
static const char *identity(struct book *b, const char *place, const char *content_hash)
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
	int rc = store_files_elsewhere(b->store, f->kind, name, f->source, &b->mem, &path, &n, err);

	if (!rc && n)
		feed_note(
			&b->now->report,
			"%zu earlier file%s called '%s' of another folder stay%s (%s%s): --replace goes by the whole path",
			n, plural((int64_t)n), name, text_if(n == 1, "s"), path[0],
			text_if(n > 1, ", ..."));
	return rc;
}

/* Standard input is all kinds of files: of what came on it that which this tells again. */
static int take_out_retold(struct book *b, const struct batch_file *f, struct scope_span **ret,
			   size_t *ret_n, struct err *err)
{
	const struct store_retold q = { .kind = f->kind,
					.source = f->source,
					.hash = f->hash,
					.from_ms = f->from_ms,
					.to_ms = f->to_ms,
					.scope = &b->dirty.scope };
	int left = 0, files = store_reverse_retold(b->store, &q, &b->mem, ret, ret_n, &left, err);

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
	struct scope_span *span;
	size_t n = 0;
	int files;

	if (!b->store || !b->opt.replace)
		return 0;
	if (feed && feed->bill)
		return 0;
	if (is_stdin)
		files = take_out_retold(b, f, &span, &n, err);
	else
		files = store_reverse_source(b->store, f->kind, f->source, &b->mem, &span, &n, err);
	if (files < 0)
		return files;
	for (size_t i = 0; i < n; i++) {
		int64_t to = span[i].to_ms == UNKNOWN_MS ? INT64_MAX : span[i].to_ms;
		dirty_by(&b->dirty,
			 dirty_mark_key(&b->dirty, sv_of(span[i].scope), span[i].from_ms, to),
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
static void count_running(struct book *b)
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

static int keep(struct book *b, struct book_file *f, const char *hash, struct err *err)
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

static void tick(void *ctx, int64_t rows, int64_t done, int64_t size)
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
		.progress = b->opt.progress ? tick : NULL,
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
		hash = identity(b, place, content);
		rc = is_already(b, f, hash, &already, err);
	}
	if (!rc && !already)
		rc = read_file(b, in, f, err);
	if (!rc && stream && !(rc = input_hash(in, content, err))) {
		/* of a stream known only now: the rows are in the transaction, so the call fails
		 * rather than doubling them */
		place = strcmp(f->report.kind, "mlflow") ? NULL : mlflow_place(path);
		hash = identity(b, place, content);
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
		rc = keep(b, f, hash, err);
	if (!rc)
		*ret = f;
	return rc;
}

int book_add_rows(struct book *b, const char *name, const char *kind,
		  int (*run)(void *ctx, const struct feed_sink *sink, struct feed_report *report,
			     struct err *err),
		  void *ctx, const struct book_file **ret, struct err *err)
{
	struct book_file *f = new_file(b, name);
	struct feed_sink sink;
	int rc;

	f->report.kind = arena_strn(&f->report.mem, kind, strlen(kind));
	book_sink(b, &sink);
	rc = run(ctx, &sink, &f->report, err);
	/* what a server answers is never the same twice: identity is the name and the moment */
	if (!rc)
		rc = keep(b, f,
			  arena_printf(&b->mem, "rows:%s:%lld:%lld", name, (long long)b->opt.now_ms,
				       (long long)b->batch),
			  err);
	if (!rc)
		*ret = f;
	return rc;
}

/* ---- commit ------------------------------------------------------------------------------ */

/* Nodes by their records, and those that only jobs or samples name. */
int book_known_nodes(struct book *b, struct join_node **ret, size_t *ret_n, struct err *err)
{
	struct node *node;
	struct series *series;
	const char **key;
	struct intern seen = { 0 };
	size_t n = 0, nseries = 0, nscope = 0, k = 0;
	int rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);

	if (!rc)
		rc = store_series(b->store, NULL, &b->mem, &series, &nseries, err);
	if (!rc)
		rc = store_allocation_scopes(b->store, &b->mem, &key, &nscope, err);
	if (rc)
		return rc;
	struct join_node *jn = arena_alloc(&b->mem, (n + nseries + nscope + 1) * sizeof *jn);
	for (size_t i = 0; i < n; i++, k++) {
		intern_add(&seen, node[i].node);
		jn[k] = (struct join_node){ node[i].node, node[i].provider, node[i].resource_id,
					    node[i].instance_type, node[i].zone };
	}
	for (size_t i = 0; i < nseries + nscope; i++) {
		struct sv name = SV_NULL;
		size_t before = seen.n;
		if (i < nseries)
			name = series[i].key.node;
		if (i >= nseries) {
			struct scope s = scope_of_key(sv_of(key[i - nseries]), &b->mem);
			name = s.kind == SCOPE_NODE ? s.name : SV_NULL;
		}
		if (name.n && intern_add(&seen, name) == before)
			jn[k++] = (struct join_node){ .node = name };
	}
	intern_free(&seen);
	*ret = jn;
	*ret_n = k;
	return 0;
}

/* Bill resources whose node is known are spread over that node. */
static int join_bills(struct book *b, struct err *err)
{
	struct join_node *jn;
	struct bill_resource *res;
	size_t nnode = 0, nres = 0;
	int rc = store_bill_resources(b->store, &b->mem, &res, &nres, err);

	if (rc || !nres)
		return rc;
	if ((rc = book_known_nodes(b, &jn, &nnode, err)))
		return rc;
	struct join_resource *jr = arena_alloc(&b->mem, nres * sizeof *jr);
	struct join_match *m = arena_alloc(&b->mem, nres * sizeof *m);
	for (size_t i = 0; i < nres; i++)
		jr[i] = (struct join_resource){ res[i].provider, res[i].resource_id,
						res[i].resource_name, res[i].tags };
	join_match(b->opt.conf, jn, nnode, jr, nres, m);
	for (size_t i = 0; i < nres && !rc; i++) {
		struct scope s = { .kind = SCOPE_RESOURCE,
				   .provider = res[i].provider,
				   .name = res[i].resource_id };
		struct sv taken = adopt_node(b, res[i].provider, res[i].resource_id);
		if (taken.n)
			s = scope_node(taken);
		else if (m[i].node >= 0)
			s = scope_node(jn[m[i].node].node);
		const char *key = scope_key_in(&s, &b->mem);
		if (sv_is(res[i].scope, key))
			continue;
		dirty_mark(&b->dirty, &s, res[i].from_ms, res[i].to_ms);
		dirty_mark_key(&b->dirty, res[i].scope, res[i].from_ms, res[i].to_ms);
		rc = store_bill_set_scope(b->store, res[i].provider, res[i].resource_id, key, err);
	}
	return rc;
}

/*
 * How far the data reach; open nodes are paid and running jobs run until then, never into the
 * future. It hangs on the facts in force alone, so that the order in which they came does not
 * matter; where nothing says more than that a node is there, it is now.
 */
static int find_horizon(struct book *b, struct err *err)
{
	int rc = store_ledger_span(b->store, &b->ledger_from_ms, &b->ledger_to_ms, err);

	if (!rc)
		rc = store_data_end(b->store, b->opt.now_ms, &b->horizon_ms, err);
	if (b->horizon_ms == UNKNOWN_MS)
		b->horizon_ms = b->opt.now_ms;
	/* it was the time of that import, within the last hour that was posted */
	if (b->before_ms == UNKNOWN_MS && b->ledger_to_ms != UNKNOWN_MS)
		b->before_ms = b->ledger_to_ms - MS_HOUR;
	return rc;
}

/* What lies between the old horizon and the new one, and reaches there; also when the data reach
 * less far than was thought. */
static void mark_horizon(struct book *b, struct sv key, int64_t from_ms, int64_t to_ms)
{
	int64_t lo = min_i64(b->before_ms, b->horizon_ms), hi = b->ledger_to_ms;

	if (b->before_ms < b->horizon_ms)
		hi = b->horizon_ms;
	bool moved = b->before_ms != UNKNOWN_MS && b->before_ms != b->horizon_ms && lo < hi;
	if (moved && from_ms < hi && to_ms > lo)
		dirty_mark_key(&b->dirty, key, max_i64(from_ms, lo), hi);
}

/* Open nodes and running jobs go on to the new horizon; new prices change what every node without a
 * bill costs. */
static int mark_open(struct book *b, struct err *err)
{
	struct node *node;
	struct scope_span *job;
	size_t n = 0, njob = 0;
	int rc = store_nodes(b->store, NULL, &b->mem, &node, &n, err);

	if (!rc)
		rc = store_running(b->store, &b->mem, &job, &njob, err);
	for (size_t i = 0; i < n && !rc; i++) {
		bool open = node[i].to_ms == UNKNOWN_MS || node[i].to_ms > b->opt.now_ms;
		struct scope s = scope_node(node[i].node);
		if (b->saw_prices && !node[i].has_usd_hour)
			dirty_mark(&b->dirty, &s, node[i].from_ms,
				   open ? b->horizon_ms : node[i].to_ms);
		mark_horizon(b, sv_of(scope_key_in(&s, &b->mem)), node[i].from_ms,
			     node[i].to_ms == UNKNOWN_MS ? INT64_MAX : node[i].to_ms);
	}
	for (size_t i = 0; i < njob && !rc; i++)
		mark_horizon(b, sv_of(job[i].scope), job[i].from_ms, INT64_MAX);
	return rc;
}

/* Jobs and nodes that are told otherwise than before: what the older word covered is rebuilt
 * too. */
static int mark_told_again(struct book *b, struct err *err)
{
	struct scope_span *span;
	size_t n = 0;
	int rc = store_told_again(b->store, &b->mem, &span, &n, err);

	for (size_t i = 0; i < n && !rc; i++) {
		int64_t from = span[i].from_ms;
		if (from <= INT64_MIN + 1 && b->ledger_from_ms == UNKNOWN_MS)
			continue; /* nothing was posted */
		dirty_mark_key(&b->dirty, sv_of(span[i].scope),
			       from <= INT64_MIN + 1 ? b->ledger_from_ms : from, span[i].to_ms);
	}
	return rc;
}

/* Jobs that are known as replicas of a service now, as this batch tells of its requests. */
static int mark_services(struct book *b, struct err *err)
{
	struct allocation *a;
	struct series *s;
	size_t n = 0, ns = 0;
	int rc;

	if (b->services.n == b->nservice_before)
		return 0;
	rc = store_allocations(b->store, NULL, INT64_MIN, INT64_MAX, &b->mem, &a, &n, err);
	if (!rc)
		rc = store_series(b->store, NULL, &b->mem, &s, &ns, err);
	for (size_t i = 0; i < n && !rc; i++) {
		int64_t name = intern_find(&b->services, a[i].name),
			id = intern_find(&b->services, a[i].job_id);
		if (a[i].start_ms != UNKNOWN_MS &&
		    (name >= (int64_t)b->nservice_before || id >= (int64_t)b->nservice_before))
			sink_mark_allocation(b, &a[i]);
	}
	for (size_t i = 0; i < ns && !rc; i++)
		if (intern_find(&b->services, s[i].key.job_id) >= (int64_t)b->nservice_before)
			sink_mark_series(b, &s[i].key, s[i].from_ms, s[i].to_ms);
	return rc;
}

int book_services_again(struct book *b, struct err *err)
{
	struct sv *service;
	size_t n = 0;

	b->nservice_before = 0;
	int rc = mark_services(b, err);
	if (!rc)
		rc = store_services(b->store, &b->mem, &service, &n, err);
	if (rc)
		return rc;
	intern_free(&b->services);
	for (size_t i = 0; i < n; i++)
		intern_add(&b->services, service[i]);
	b->nservice_before = b->services.n;
	return 0;
}

/* What is touched of a GPU that the record of a node names is touched of that node. */
static int pass_on_gpus(struct book *b, struct err *err)
{
	size_t n = b->dirty.scope.n;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct scope s = scope_of_key(b->dirty.scope.text[i], &b->mem);
		struct sv node = SV_NULL;
		struct span span = b->dirty.span[i];
		if (s.kind != SCOPE_GPU)
			continue;
		rc = store_node_of_gpu(b->store, s.name, &node, err);
		if (node.n)
			dirty_by(&b->dirty,
				 dirty_mark_node(&b->dirty, node, span.from_ms, span.to_ms),
				 b->dirty.by[i]);
	}
	return rc;
}

static int post_dirty(struct book *b, struct err *err)
{
	size_t n = b->dirty.scope.n;
	int64_t end = max_i64(b->ledger_to_ms, b->horizon_ms);
	struct sv *name = arena_alloc(&b->mem, (n + 1) * sizeof *name);
	struct span *span = arena_alloc(&b->mem, (n + 1) * sizeof *span);
	struct together together = { .scope = name, .span = span, .n = n };
	int rc = store_series(b->store, "", &b->mem, &b->loose, &b->nloose, err);

	for (size_t i = 0; i < n; i++)
		name[i] = b->dirty.scope.text[i];
	sort_items(name, n, sizeof *name, rising_sv);
	for (size_t i = 0; i < n; i++) {
		span[i] = b->dirty.span[intern_find(&b->dirty.scope, name[i])];
		span[i].to_ms = min_i64(span[i].to_ms, end);
	}
	if (!rc)
		rc = together_open(b, &together, err);
	for (size_t i = 0; i < n && !rc; i++) {
		int64_t at = intern_find(&b->dirty.scope, name[i]);
		struct span s = span[i];
		rc = together_at(b, &together, i, err);
		if (b->opt.progress)
			b->opt.progress(b->opt.progress_ctx, "posting the ledger", (int64_t)i, -1,
					-1);
		if (!rc && s.from_ms < s.to_ms)
			rc = post_scope(b, name[i].p, b->dirty.by[at], s.from_ms, s.to_ms, err);
	}
	return rc;
}

/* Now that all is said about the files. */
static void write_reports(struct book *b)
{
	for (size_t i = 0; i < b->file.n; i++)
		if (!b->file.v[i]->already)
			b->row.v[b->file.v[i]->row].report_json = b->file.v[i]->json =
				book_file_json(&b->mem, b->file.v[i]);
	for (size_t i = 0; i < b->file.n; i++)
		if (!b->file.v[i]->json)
			b->file.v[i]->json = b->row.v[b->file.v[i]->row].report_json;
}

int book_post_and_commit(struct book *b, struct err *err)
{
	int rules = 0, rc = 0;

	/* prices that this batch took out of force price nothing any more */
	if (b->opt.replace && b->saw_prices) {
		catalog_free(b->catalog);
		b->catalog = NULL;
		rc = catalog_open(NULL, &b->catalog, err);
		if (!rc)
			rc = load_prices(b, err);
	}
	if (!rc)
		rc = adopt_lines(b, err);
	if (!rc)
		rc = find_horizon(b, err);
	if (!rc)
		count_running(b);
	if (!rc)
		rc = join_bills(b, err);
	if (!rc)
		rc = mark_told_again(b, err);
	if (!rc)
		rc = mark_open(b, err);
	if (!rc)
		rc = mark_services(b, err);
	if (!rc)
		rc = watch_mark(b, err);
	if (!rc)
		rc = traits_mark(b, err);
	if (!rc)
		rc = pass_on_gpus(b, err);
	if (!rc)
		rc = pooling_mark(b, err);
	if (!rc)
		rc = direct_flush(b->direct, err);
	if (!rc)
		rc = post_dirty(b, err);
	if (!rc)
		rc = check_batch(b, err);
	if (!rc)
		rc = overlap_note(b, err);
	if (!rc)
		rc = post_notes(b, err);
	if (!rc)
		write_reports(b);
	/* a ledger that begins here is of these rules */
	if (!rc)
		rc = store_rules(b->store, &rules, err);
	if (!rc && !rules)
		rc = store_set_rules(b->store, LEDGER_RULES, err);
	if (!rc)
		rc = store_commit(b->store, b->opt.now_ms, b->opt.command, b->row.v, b->row.n, err);
	b->committed = !rc;
	return rc;
}

int book_commit(struct book *b, struct err *err)
{
	int rc = replace_bills(b, err);

	if (rc)
		return rc;
	if (!b->store)
		count_running(b);
	if (!b->store || !b->row.n)
		write_reports(b);
	if (!b->store)
		return 0;
	if (!b->row.n) { /* nothing new */
		store_rollback(b->store);
		b->begun = false;
		return 0;
	}
	rc = again_refuse_requests(b, err);
	return rc ? rc : book_post_and_commit(b, err);
}
