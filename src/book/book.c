#include "book/book.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "book/in.h"
#include "book/migrate.h"
#include "book/replace.h"
#include "ledger/rules.h"

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

static void tell_taken_back(void *ctx, int64_t done, int64_t of)
{
	struct book *b = ctx;

	b->opt.steps(b->opt.progress_ctx, "taking back what stands there", "entries", done, of);
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
	if (!rc && s) {
		rc = store_begin(s, &b->batch, err);
		b->begun = !rc;
		if (b->begun && opt->steps)
			store_watch(s, tell_taken_back, b);
		if (!rc)
			rc = sets_stored(s, &b->sets_before, err);
		if (!rc)
			rc = traits_load(b, b->sets_before, &b->traits_before, err);
		if (!rc)
			rc = pooling_find(b, b->traits_before, &b->pooled_before, err);
		if (!rc)
			rc = watch_load(b, b->traits_before, &b->watch_before, err);
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
	if (b->begun && !b->committed) {
		store_watch(b->store, NULL, NULL);
		store_rollback(b->store);
	}
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
	sets_free(b->sets_before);
	sets_free(b->sets);
	intern_free(&b->currencies);
	twins_free(&b->twins);
	repeats_free(&b->repeats);
	intern_free(&b->services);
	lone_free(&b->lone);
	pooling_free(&b->pooling);
	pooling_free(&b->pooled_before);
	intern_free(&b->beside_pools);
	intern_free(&b->read_in_pools);
	owner_resolver_free(b->owners);
	catalog_free(b->catalog);
	arena_free(&b->mem);
	free(b);
}

/* ---- commit ------------------------------------------------------------------------------ */

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
		if (b->opt.steps)
			b->opt.steps(b->opt.progress_ctx, "posting the ledger",
				     "machines and pools", (int64_t)i, (int64_t)n);
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

/* Which rules of owners matched anything since the settings are what they are: a line a rule, "+",
 * or "-" and what is nearest to what it asks for. Told of each import where that is something. */
static int remember_rules(struct book *b, struct err *err)
{
	const struct conf *c = b->opt.conf;
	struct feed_report *report = b->file.n ? &b->file.v[b->file.n - 1]->report : NULL;
	struct str now = { 0 };
	const char *said;
	int rc = store_get(b->store, BOOK_RULES, &b->mem, &said, err);
	char buf[CLEAN_MAX + 1];
	bool any = false;

	str_addf(&now, "%016" PRIx64, c->digest);
	struct sv was = sv_of(text_or(said, "")), first = sv_cut(was, '\n', &was);
	if (!sv_eq(first, str_sv(&now)))
		was = SV("");
	for (size_t i = 0; i < c->virtual_tags.n && rc >= 0; i++) {
		const char *name = c->virtual_tags.v[i].name, *near;
		struct sv old = sv_cut(was, '\n', &was);
		bool matched;
		any |= owner_rule_tried(b->owners, i, &b->mem, &matched, &near);
		if (matched || (old.n && *old.p == '+')) {
			str_addz(&now, "\n+");
			continue;
		}
		if (near && report)
			feed_note(report, "rule %s of virtual_tags matched nothing: %s",
				  name ? arena_printf(&b->mem, "'%s'", name)
				       : arena_printf(&b->mem, "%zu", i + 1),
				  near);
		if (!near && old.n)
			near = arena_sv(&b->mem, sv_from(old, 1));
		sv_clean(sv_of(text_or(near, "")), buf, sizeof buf);
		str_addf(&now, "\n-%s", buf);
	}
	if (rc >= 0 && any)
		rc = store_set(b->store, BOOK_RULES, str_z(&now), err);
	str_free(&now);
	return rc;
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
		rc = touched_mark(b, err);
	if (!rc)
		import_count_running(b);
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
		rc = sets_store(b, err);
	if (!rc && b->opt.conf->virtual_tags.n)
		rc = remember_rules(b, err);
	if (!rc)
		write_reports(b);
	/* a ledger that begins here is of these rules */
	if (!rc)
		rc = store_rules(b->store, &rules, err);
	if (!rc && !rules)
		rc = store_set_rules(b->store, LEDGER_RULES, err);
	if (!rc && b->row.n && b->opt.words && *b->opt.words)
		rc = store_set(b->store, arena_printf(&b->mem, BOOK_WORDS, (long long)b->batch),
			       b->opt.words, err);
	if (!rc)
		rc = store_commit(b->store, b->opt.now_ms, b->opt.command, b->row.v, b->row.n, err);
	b->committed = !rc;
	store_watch(b->store, NULL, NULL);
	return rc;
}

int book_commit(struct book *b, struct err *err)
{
	int rc = replace_bills(b, err);

	if (rc)
		return rc;
	if (!b->store)
		import_count_running(b);
	if (!b->store || !b->row.n)
		write_reports(b);
	if (!b->store)
		return 0;
	if (!b->row.n) { /* nothing new */
		store_watch(b->store, NULL, NULL);
		store_rollback(b->store);
		b->begun = false;
		return 0;
	}
	rc = again_refuse_requests(b, err);
	return rc ? rc : book_post_and_commit(b, err);
}
