#include "book/check.h"

#include <errno.h>
#include <stdlib.h>

#include "book/in.h"
#include "ledger/rules.h"

static int check_store(struct store *s, const struct check_what *what, struct arena *a,
		       struct check_diffs *io, struct err *err)
{
	int rc = store_check_money(s, what, a, io, err);

	if (!rc)
		rc = store_check_time(s, what, a, io, err);
	return rc;
}

/* Scopes whose money counts together: union-find over their keys. */
struct closing {
	struct intern key;
	VEC(uint32_t) up;
	VEC(bool) is_set; /* of a root: one of them is a set, whose parts hang on all its time */
};

static uint32_t root_of(struct closing *c, struct sv key)
{
	uint32_t i = intern_add(&c->key, key);

	if (i == c->up.n) {
		*vec_push(&c->up) = i;
		*vec_push(&c->is_set) = false;
	}
	while (c->up.v[i] != i)
		i = c->up.v[i] = c->up.v[c->up.v[i]];
	return i;
}

static void count_as(struct closing *c, struct sv scope, struct sv as, bool is_set)
{
	uint32_t x = root_of(c, scope), y = root_of(c, as);

	is_set |= c->is_set.v[x] || c->is_set.v[y];
	if (c->is_set.v[x] && !c->is_set.v[y]) {
		c->up.v[y] = x;
		y = x;
	}
	c->up.v[x] = y;
	c->is_set.v[y] = is_set;
}

/* The nodes of pools with these, and those of sets; spans of the batch as those of what counts
 * together. sets: NULL is fine */
static void close_together(const struct pooling *g, const struct sets *sets, struct arena *a,
			   struct check_what *what)
{
	struct closing c = { 0 };

	for (size_t i = 0; i < g->node.n; i++) {
		struct scope node = scope_node(g->node.text[i]);
		count_as(&c, sv_of(scope_key_in(&node, a)), g->pool.text[g->of.v[i]], false);
	}
	for (size_t i = 0; sets && i < sets_count(sets); i++)
		for (size_t k = 1; sets_key(sets, i, k); k++)
			count_as(&c, sv_of(sets_key(sets, i, k)), sv_of(sets_key(sets, i, 0)),
				 true);
	struct check_pooled *p = arena_alloc(a, (c.key.n + 1) * sizeof *p);
	for (size_t i = 0; i < c.key.n; i++) {
		uint32_t as = root_of(&c, c.key.text[i]);
		if (as != i)
			p[what->npooled++] =
				(struct check_pooled){ sv_of(arena_sv(a, c.key.text[i])),
						       sv_of(arena_sv(a, c.key.text[as])) };
	}
	what->pooled = p;
	struct check_span *m = arena_copy(a, what->span, what->nspan, sizeof *m);
	for (size_t i = 0; i < what->nspan; i++) {
		int64_t at = intern_find(&c.key, sv_of(m[i].scope));
		if (at < 0)
			continue;
		uint32_t as = root_of(&c, c.key.text[at]);
		m[i].scope = arena_sv(a, c.key.text[as]);
		if (c.is_set.v[as]) {
			m[i].from_ms = INT64_MIN;
			m[i].to_ms = INT64_MAX;
		}
	}
	what->money = m;
	what->nmoney = what->nspan;
	intern_free(&c.key);
	vec_free(&c.up);
	vec_free(&c.is_set);
}

int book_check(struct store *s, const struct conf *conf, struct arena *a, struct check_diffs *io,
	       struct err *err)
{
	struct check_what what = { .currency = sv_of(conf->currency) };
	struct book b = { .store = s };
	int rules, rc = store_rules(s, &rules, err);

	if (!rc && rules && rules != LEDGER_RULES)
		return err_set(err, -ESTALE, "the ledger was made by rules %d, these are %d", rules,
			       LEDGER_RULES);
	if (!rc)
		rc = catalog_open(NULL, &b.catalog, err);
	if (!rc)
		rc = sets_stored(s, &b.sets, err);
	if (!rc)
		rc = traits_load(&b, b.sets, &b.traits, err);
	if (!rc)
		rc = pooling_find(&b, b.traits, &b.pooling, err);
	if (!rc) {
		close_together(&b.pooling, b.sets, a, &what);
		rc = check_store(s, &what, a, io, err);
	}
	pooling_free(&b.pooling);
	traits_free(b.traits);
	sets_free(b.sets);
	catalog_free(b.catalog);
	arena_free(&b.mem);
	return rc;
}

void check_posted(struct book *b, const char *scope, int64_t from_ms, int64_t to_ms)
{
	*vec_push(&b->posted) = (struct check_span){ arena_sv(&b->mem, sv_of(scope)), from_ms,
						     to_ms };
}

int check_batch(struct book *b, struct err *err)
{
	struct check_what what = { .currency = sv_of(b->opt.conf->currency) };
	struct check_diffs diff = { .most = 1 };
	int rc;

	for (size_t i = 0; i < b->file.n; i++) {
		const struct book_file *f = b->file.v[i];
		struct scope lines = { .kind = SCOPE_BILL,
				       .batch = b->batch,
				       .file = (int64_t)f->row };
		if (!f->already && f->bills.n)
			check_posted(b, scope_key_in(&lines, &b->mem), INT64_MIN, INT64_MAX);
	}
	if (!b->posted.n)
		return 0;
	what.span = b->posted.v;
	what.nspan = b->posted.n;
	close_together(&b->pooling, b->sets, &b->mem, &what);
	rc = check_store(b->store, &what, &b->mem, &diff, err);
	if (!rc && diff.all) {
		size_t n = diff.all;
		rc = err_set(err, -EBADMSG, "internal error: the ledger does not close: %s%s",
			     check_sentence(&diff.kept.v[0], &b->mem),
			     n > 1 ? arena_printf(&b->mem, ", and %zu more", n - 1) : "");
		err_hint(err, "nothing was written; please report it with the files of this call");
	}
	vec_free(&diff.kept);
	return rc;
}
