#include "book/migrate.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "book/in.h"
#include "ledger/rules.h"
#include "store/remake.h"

/* ---- what there is ----------------------------------------------------------------------- */

static int route_line(void *ctx, int64_t src, bool in_force, const struct bill_line *l,
		      const char **ret_scope, struct err *err)
{
	return sink_route(ctx, src, in_force, l, ret_scope, err);
}

static int post_all(struct store *s, const struct book_opt *opt, const char *command,
		    struct err *err)
{
	struct book_opt o = *opt;
	struct book *b = NULL;
	struct node *node;
	struct scope_spans job = { 0 };
	struct series *series;
	size_t nnode = 0, nseries = 0;
	int rc;

	o.command = command;
	rc = book_open(s, &o, &b, err);
	if (!rc)
		rc = store_remake_clear(s, err);
	if (!rc)
		rc = store_remake_bills(s, route_line, b, err);
	/* everything that can have entries, over all its time; bill lines mark theirs */
	if (!rc)
		rc = store_nodes(s, NULL, &b->mem, &node, &nnode, err);
	if (!rc)
		rc = store_allocation_spans(s, &b->mem, &job, err);
	if (!rc)
		rc = store_series(s, NULL, &b->mem, &series, &nseries, err);
	for (size_t i = 0; i < nnode && !rc; i++) {
		int64_t to = INT64_MAX;
		if (node[i].to_ms != UNKNOWN_MS)
			to = node[i].to_ms;
		dirty_mark_node(&b->dirty, node[i].node, node[i].from_ms, to);
	}
	for (size_t i = 0; i < job.n && !rc; i++)
		dirty_mark_key(&b->dirty, sv_of(job.v[i].scope), job.v[i].from_ms, job.v[i].to_ms);
	for (size_t i = 0; i < nseries && !rc; i++)
		sink_mark_series(b, &series[i].key, series[i].from_ms, series[i].to_ms);
	if (!rc)
		rc = store_set_rules(s, LEDGER_RULES, err);
	if (!rc)
		rc = book_post_and_commit(b, err);
	book_free(b);
	return rc;
}

/* ---- what is said ------------------------------------------------------------------------ */

static const struct ledger_sum *sum_of(const struct ledger_sum *v, size_t n, struct sv currency)
{
	static const struct ledger_sum none;

	for (size_t i = 0; i < n; i++)
		if (sv_eq(v[i].currency, currency))
			return &v[i];
	return &none;
}

static void say_change(const struct book_opt *opt, struct arena *a, const char *what, dec before,
		       dec after)
{
	char x[DEC_BUF], y[DEC_BUF], d[DEC_BUF];

	opt->said(opt->progress_ctx,
		  arena_printf(a, "  %-22s %s before, %s now (%s%s)", what, dec_format(x, before),
			       dec_format(y, after), text_if(after > before, "+"),
			       dec_format(d, after - before)));
}

static dec hours_of_ms(__int128 ms)
{
	return div_half_even(ms * DEC_ONE, MS_HOUR);
}

struct sums {
	struct ledger_sum *v; /* [n] by currency */
	size_t n;
};

static void say_sums(const struct book_opt *opt, struct arena *a, int rules,
		     const struct sums *before, const struct sums *after)
{
	const char *why = "";
	struct intern seen = { 0 };

	if (ledger_rules_older(rules))
		why = arena_printf(a, "made by older rules (%d, now %d) and was ", rules,
				   LEDGER_RULES);
	opt->said(
		opt->progress_ctx,
		arena_printf(a, "the ledger was %sposted again from what had been imported:", why));
	for (size_t i = 0; i < before->n + after->n; i++) {
		struct sv c = i < before->n ? before->v[i].currency
					    : after->v[i - before->n].currency;
		const struct ledger_sum *x = sum_of(before->v, before->n, c),
					*y = sum_of(after->v, after->n, c);
		size_t known = seen.n;
		if (intern_add(&seen, c) != known)
			continue;
		for (int k = 0; k < BASIS_N; k++)
			say_change(opt, a,
				   arena_printf(a, "%.*s %s", SVF(c), basis_name((enum basis)k)),
				   (dec)x->nano[k] * 1000, (dec)y->nano[k] * 1000);
		say_change(opt, a, arena_printf(a, "%.*s GPU-hours", SVF(c)),
			   hours_of_ms(x->gpu_ms), hours_of_ms(y->gpu_ms));
	}
	intern_free(&seen);
}

/* rules: that the ledger was made by */
static int make_again(struct store *s, const struct book_opt *opt, int rules, struct err *err)
{
	struct arena a = { 0 };
	struct sums before = { 0 }, after = { 0 };
	const char *command = arena_printf(&a, "%s: ledger by rules %d",
					   text_or(opt->command, "tare"), LEDGER_RULES);
	int rc = store_remake_begin(s, err);

	if (rc) {
		arena_free(&a);
		return rc;
	}
	rc = store_ledger_sums(s, &a, &before.v, &before.n, err);
	if (!rc)
		rc = post_all(s, opt, command, err);
	if (!rc)
		rc = store_ledger_sums(s, &a, &after.v, &after.n, err);
	if (!rc)
		rc = store_remake_end(s, opt->now_ms, command, err);
	if (!rc && opt->said)
		say_sums(opt, &a, rules, &before, &after);
	if (rc) {
		store_remake_drop(s);
		err_prefix(err, "the ledger%s could not be made again and is as it was",
			   text_if(ledger_rules_older(rules), " of older rules"));
	}
	arena_free(&a);
	return rc;
}

int book_migrate(struct store *s, const struct book_opt *opt, struct err *err)
{
	int rules = 0, rc = store_rules(s, &rules, err);

	if (rc || !ledger_rules_older(rules))
		return rc;
	return make_again(s, opt, rules, err);
}

int book_repost(struct store *s, const struct book_opt *opt, struct err *err)
{
	int rules = 0, rc = store_rules(s, &rules, err);

	if (rc || !rules) /* nothing was posted yet */
		return rc;
	return make_again(s, opt, rules, err);
}
