/*
 * tare report --focus: a day at a time, so that memory does not grow with the window. A bill line
 * within a day is split by that day's entries; longer ones (monthly fees) wait and are split by the
 * entries of their whole period, all lines of one period together.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/tm.h"
#include "cli/report_views.h"

struct late {
	struct bill_line b;
	struct sv scope;
};
struct export
{
	struct report_load *l;
	struct focus *f;
	struct str out;
	FILE *to;
	int64_t day_to_ms;
	VEC(struct late) late; /* texts in mem */
	struct arena mem;
};

static int flush(struct export *x, struct err *err)
{
	if (fwrite(str_z(&x->out), 1, x->out.n, x->to) != x->out.n)
		return err_set(err, -EIO, "cannot write the FOCUS rows: %s", strerror(errno));
	str_clear(&x->out);
	return 0;
}

static int take_entry(void *ctx, const struct entry *e, struct err *err)
{
	(void)err;
	focus_add_entry(((struct export *)ctx)->f, e);
	return 0;
}

/* All texts of a line are views; they lie in the struct between provider and tags, apart from the
 * numbers. */
static struct bill_line copy_line(struct arena *a, const struct bill_line *b)
{
	struct bill_line c = *b;
	struct sv *text[] = {
		&c.provider,
		&c.account,
		&c.account_name,
		&c.sub_account,
		&c.sub_account_name,
		&c.invoice,
		&c.currency,
		&c.charge_category,
		&c.charge_class,
		&c.charge_frequency,
		&c.charge_description,
		&c.pricing_category,
		&c.service_category,
		&c.service_name,
		&c.sku_id,
		&c.sku_price_id,
		&c.usage_type,
		&c.instance_type,
		&c.region,
		&c.zone,
		&c.resource_id,
		&c.resource_name,
		&c.resource_type,
		&c.commitment_id,
		&c.commitment_type,
		&c.commitment_status,
		&c.tags,
		&c.unit,
		&c.gpu_model,
		&c.purchase,
	};

	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		if (text[i]->p)
			*text[i] = (struct sv){ arena_strn(a, text[i]->p, text[i]->n), text[i]->n };
	return c;
}

static int take_line(void *ctx, const struct bill_line *b, struct sv scope, struct err *err)
{
	struct export *x = ctx;

	if (b->to_ms <= x->day_to_ms || !scope.n) {
		focus_line(x->f, b, scope, &x->out);
		return x->out.n > 1 << 20 ? flush(x, err) : 0;
	}
	*vec_push(&x->late) = (struct late){ copy_line(&x->mem, b),
					     { arena_strn(&x->mem, scope.p, scope.n), scope.n } };
	return 0;
}

static int one_day(struct export *x, int64_t from_ms, int64_t to_ms, struct err *err)
{
	int r = store_entries(x->l->q.ask.store, from_ms, to_ms, take_entry, x, err);

	x->day_to_ms = to_ms;
	r = r < 0 ? r : store_bill_lines(x->l->q.ask.store, from_ms, to_ms, take_line, x, err);
	if (r == 0) {
		focus_unbilled(x->f, &x->out);
		r = flush(x, err);
	}
	focus_clear(x->f);
	return r;
}

static int cmp_late(const void *pa, const void *pb)
{
	const struct bill_line *a = &((const struct late *)pa)->b,
			       *b = &((const struct late *)pb)->b;

	if (a->from_ms != b->from_ms)
		return a->from_ms < b->from_ms ? -1 : 1;
	return (a->to_ms > b->to_ms) - (a->to_ms < b->to_ms);
}

static int late_lines(struct export *x, struct err *err)
{
	int r = 0;

	if (x->late.n)
		qsort(x->late.v, x->late.n, sizeof *x->late.v, cmp_late);
	for (size_t i = 0; i < x->late.n && r == 0; i++) {
		const struct late *t = &x->late.v[i];
		if (!i || cmp_late(&x->late.v[i - 1], t)) {
			focus_clear(x->f);
			r = store_entries(x->l->q.ask.store, tm_floor(t->b.from_ms, MS_HOUR),
					  t->b.to_ms, take_entry, x, err);
		}
		if (r == 0)
			focus_line(x->f, &t->b, t->scope, &x->out);
		if (r == 0)
			r = flush(x, err);
	}
	return r;
}

static int export_all(struct export *x, struct err *err)
{
	struct report_load *l = x->l;
	int r = 0;

	focus_header(&x->out);
	for (int64_t t = l->q.since_ms;
	     l->q.since_ms != UNKNOWN_MS && t < l->q.until_ms && r == 0;) {
		int64_t next = tm_floor(t, MS_DAY) + MS_DAY;
		next = next < l->q.until_ms ? next : l->q.until_ms;
		r = one_day(x, t, next, err);
		t = next;
	}
	int64_t unpriced = focus_counts(x->f).unpriced_ms;
	r = r < 0 ? r : late_lines(x, err);
	r = r < 0 ? r : flush(x, err);
	if (r == 0 && unpriced && !l->c->quiet)
		fprintf(stderr,
			"Left out: %.1f GPU-hours without a price, which FOCUS has no row for.\n",
			(double)unpriced / (double)MS_HOUR);
	return r;
}

int report_view_focus(struct report_load *l, const char *file)
{
	bool to_stdout = !strcmp(file, "-");
	bool beside = !to_stdout && report_may_replace(file);
	const char *tmp = beside ? arena_printf(&l->c->mem, "%s.%ld.tmp", file, (long)getpid())
				 : file;
	struct export x = { .l = l, .f = focus_new(), .to = to_stdout ? stdout : fopen(tmp, "w") };
	struct err err = { 0 };
	int r = 0;

	if (!x.to)
		r = err_set(&err, -errno, "cannot write '%s': %s", file, strerror(errno));
	r = r < 0 ? r : export_all(&x, &err);
	if (x.to && !to_stdout) {
		bool bad = fflush(x.to) != 0 || (beside && fsync(fileno(x.to)) != 0);
		int e = errno;
		bool unclosed = fclose(x.to) != 0;
		if (r == 0 && (bad || unclosed || (beside && rename(tmp, file) != 0)))
			r = err_set(&err, -EIO, "cannot write '%s': %s", file,
				    strerror(bad ? e : errno));
		if (r < 0 && beside)
			unlink(tmp);
	} else if (x.to && r == 0 && fflush(stdout) != 0) {
		r = err_set(&err, -EIO, "cannot write the output: %s", strerror(errno));
	}
	if (r == 0 && !to_stdout && !l->c->quiet)
		fprintf(stderr, "Wrote %s (%lld FOCUS rows of %lld charges)\n", file,
			(long long)focus_counts(x.f).rows, (long long)focus_counts(x.f).lines);
	focus_free(x.f);
	str_free(&x.out);
	vec_free(&x.late);
	arena_free(&x.mem);
	return r < 0 ? cli_fail(&err) : EXIT_DONE;
}
