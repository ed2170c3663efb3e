#include "answer/doctor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "answer/imported.h"
#include "answer/twice.h"
#include "base/clean.h"
#include "base/str.h"
#include "book/book.h"
#include "book/check.h"
#include "ledger/rules.h"

#define DIFFS_SHOWN 20

void doctor_add(const struct doctor_ask *q, struct doctor *d, bool ok, const char *what,
		const char *is, const char *next)
{
	if (d->n == d->max) {
		struct doctor_check *old = d->check;
		d->max = d->max ? 2 * d->max : 32;
		d->check = arena_alloc(q->ask.mem, d->max * sizeof *d->check);
		if (old)
			memcpy(d->check, old, d->n * sizeof *old);
	}
	d->check[d->n++] = (struct doctor_check){ ok, what, is, filled_or(next, NULL) };
}

void doctor_add_err(const struct doctor_ask *q, struct doctor *d, const char *what,
		    const struct err *err)
{
	doctor_add(q, d, false, what, arena_printf(q->ask.mem, "%s", err->msg),
		   arena_printf(q->ask.mem, "%s", err->hint));
}

const char *doctor_clean(const struct doctor_ask *q, const char *text)
{
	char buf[CLEAN_MAX + 1];

	sv_clean(sv_of(text), buf, sizeof buf);
	return arena_printf(q->ask.mem, "%s", buf);
}

/* Does the ledger close? One of older rules is not asked. */
static void look_at_ledger(const struct doctor_ask *q, struct doctor *d)
{
	struct arena *mem = q->ask.mem;
	struct err err = { 0 };
	struct check_diffs diff = { .most = DIFFS_SHOWN };
	int64_t began_ms = q->mono_ms();
	int rules = 0;

	if (store_rules(q->ask.store, &rules, &err) < 0) {
		doctor_add_err(q, d, "ledger", &err);
		d->bad = true;
		return;
	}

	/* Whether its entries were made by this program's rules. */
	if (ledger_rules_older(rules)) {
		doctor_add(q, d, false, "rules of the ledger",
			   arena_printf(mem, "%d, this program's are %d", rules, LEDGER_RULES),
			   "the next import rebuilds it from what was imported");
		return;
	}
	doctor_add(q, d, true, "rules of the ledger",
		   arena_printf(mem, "%d", rules ? rules : LEDGER_RULES), NULL);
	int rc = book_check(q->ask.store, q->ask.conf, q->ask.mem, &diff, &err);
	size_t n = diff.all;
	if (rc < 0)
		doctor_add_err(q, d, "ledger", &err);
	else if (n) {
		doctor_add(
			q, d, false, "ledger",
			arena_printf(mem, "does not close in %zu place%s", n, text_if(n > 1, "s")),
			"please report it");
		for (size_t i = 0; i < diff.kept.n; i++)
			doctor_add(q, d, false, "does not close",
				   doctor_clean(q, check_sentence(&diff.kept.v[i], mem)), NULL);
	} else
		doctor_add(q, d, true, "ledger",
			   arena_printf(mem, "closes, checked in %.1f s",
					(double)(q->mono_ms() - began_ms) / 1000),
			   NULL);
	d->bad |= rc < 0 || n > 0;
	vec_free(&diff.kept);

	/* It closes also where a GPU's time stands in it twice. */
	struct twice twice;
	if (answer_twice(&q->ask, INT64_MIN, INT64_MAX, &twice, &err) < 0)
		doctor_add_err(q, d, "time that may stand twice", &err);
	if (twice.nameless)
		doctor_add(q, d, false, "GPUs without a machine", twice.nameless, NULL);
	if (twice.named)
		doctor_add(q, d, false, "machines under two names", twice.named, NULL);
}

static void look_at_store(const struct doctor_ask *q, struct doctor *d)
{
	struct store_fact *fact;
	struct series *series;
	struct err err = { 0 };
	size_t n = 0, nseries;
	int rc;

	if (!q->ask.store) {
		doctor_add_err(q, d, "store", &q->why);
		d->bad = q->store_code != -ENOENT;
		return;
	}
	rc = store_facts(q->ask.store, q->ask.mem, &fact, &n, &err);
	for (size_t i = 0; i < n && !rc; i++)
		doctor_add(q, d, true, fact[i].key, fact[i].value, NULL);
	/* what is asked for readings compares them with the sums in the facts */
	if (!rc)
		rc = store_series(q->ask.store, NULL, q->ask.mem, &series, &nseries, &err);
	if (rc < 0)
		doctor_add_err(q, d, "store", &err);
	d->bad = rc < 0;
	look_at_ledger(q, d);
}

/* Rules of owners that matched nothing of what was imported with these settings. */
static void look_at_rules(const struct doctor_ask *q, struct doctor *d)
{
	const struct conf *c = q->ask.conf;
	const char *said;
	struct err err = { 0 };
	char digest[20];

	if (store_get(q->ask.store, BOOK_RULES, q->ask.mem, &said, &err) < 0 || !said)
		return;
	struct sv line, rest, first = sv_cut(sv_of(said), '\n', &rest);
	snprintf(digest, sizeof digest, "%016" PRIx64, c->digest);
	if (!sv_is(first, digest))
		return;
	for (size_t i = 0; i < c->virtual_tags.n && rest.n; i++) {
		const struct vtag_rule *rule = &c->virtual_tags.v[i];
		line = sv_cut(rest, '\n', &rest);
		if (!line.n || *line.p == '+')
			continue;
		doctor_add(q, d, false, arena_printf(q->ask.mem, "virtual_tags, rule %zu", i + 1),
			   arena_printf(q->ask.mem, "%s%smatched nothing that was imported with it",
					doctor_clean(q, text_or(rule->name, "")),
					text_if(rule->name, ": ")),
			   doctor_clean(q, arena_sv(q->ask.mem, sv_from(line, 1))));
	}
}

void answer_doctor(const struct doctor_ask *q, struct doctor *ret)
{
	struct err err = { 0 };

	*ret = (struct doctor){ 0 };
	doctor_add(q, ret, true, "version", TARE_VERSION, NULL);
	if (q->config_code < 0)
		doctor_add_err(q, ret, "configuration", &q->config_why);
	else
		doctor_add(q, ret, true, "configuration", text_or(q->config, "defaults (no file)"),
			   NULL);

	struct catalog *cat;
	if (catalog_open(NULL, &cat, &err) < 0) {
		doctor_add(q, ret, false, "catalogue", arena_printf(q->ask.mem, "%s", err.msg),
			   "set TARE_DATA to the folder of tables that came with tare");
	} else {
		size_t n = 0;
		while (catalog_gpu_at(cat, n))
			n++;
		doctor_add(q, ret, n > 0, "catalogue",
			   arena_printf(q->ask.mem, "%zu GPU models", n), NULL);
		catalog_free(cat);
	}
	look_at_store(q, ret);

	if (q->ask.store && q->config_code >= 0)
		look_at_rules(q, ret);
	/* Settings that were changed hold for what is imported from then on. */
	struct imported_ask ask = { q->dir, q->config, q->ask.store, q->ask.mem };
	const char *changed = NULL;
	int r = 0;
	err = (struct err){ 0 };
	if (q->ask.store && q->dir)
		r = imported_changed(&ask, &changed, &err);
	if (r < 0)
		doctor_add_err(q, ret, "settings", &err);
	else if (changed)
		doctor_add(q, ret, false, "settings",
			   arena_printf(q->ask.mem,
					"changed since what is in the store was imported: %s",
					changed),
			   arena_printf(q->ask.mem, "tare import --repost%s applies them to it",
					text_or(q->words, "")));
	ret->bad |= q->config_code < 0;
	ret->none = !q->ask.store && q->store_code == -ENOENT;
	if (!ret->bad && answer_opens(q->ask.store, q->ask.mem, &ret->opens, &err) < 0)
		opens_of(0, &ret->opens);
}
