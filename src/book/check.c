#include "book/check.h"

#include <errno.h>
#include <stdlib.h>

#include "book/in.h"
#include "ledger/rules.h"

static int check(struct store *s, const struct check_what *what, struct arena *a,
		 struct check_diffs *io, struct err *err)
{
	int rc = store_check_money(s, what, a, io, err);

	if (!rc)
		rc = store_check_time(s, what, a, io, err);
	return rc;
}

/* The nodes whose lines are entries of their pools. */
static void pooled_of(const struct pooling *g, struct arena *a, struct check_what *what)
{
	struct check_pooled *p = arena_alloc(a, (g->node.n + 1) * sizeof *p);

	for (size_t i = 0; i < g->node.n; i++)
		p[i] = (struct check_pooled){ g->node.text[i], g->pool.text[g->of.v[i]] };
	what->pooled = p;
	what->npooled = g->node.n;
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
		rc = pooling_find(&b, &b.pooling, err);
	if (!rc) {
		pooled_of(&b.pooling, a, &what);
		rc = check(s, &what, a, io, err);
	}
	pooling_free(&b.pooling);
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
	pooled_of(&b->pooling, &b->mem, &what);
	rc = check(b->store, &what, &b->mem, &diff, err);
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
