/* The sink that feeds write to: rows go into the store, and what they touch is remembered. */
#include <errno.h>
#include <stdio.h>

#include "base/tm.h"
#include "book/in.h"

/*
 * Rows of a time that has not come. A little is clock skew between machines and is kept with a note; more than a day is a wrong clock or a wrong
 * unit (milliseconds read as seconds), and nothing good comes of booking it.
 */
static int check_clock(struct book *b, const char *what, struct sv name, int64_t t_ms,
		       struct err *err)
{
	int64_t ahead_ms = t_ms == UNKNOWN_MS ? 0 : t_ms - b->opt.now_ms;
	char when[TM_BUF], by[TM_BUF];

	if (ahead_ms <= 0)
		return 0;
	if (ahead_ms > MS_DAY) {
		err_set(err, -ERANGE, "row %lld: %s '%.*s' is of %s, which lies in the future",
			(long long)b->now->report.rows_read, what, (int)(name.n < 80 ? name.n : 80),
			name.p ? name.p : "", tm_format(when, t_ms));
		err_hint(
			err,
			"Is a clock wrong, or the unit of the times (seconds, milliseconds; see --map)?");
		return -ERANGE;
	}
	if (!b->noted_ahead && ahead_ms > MS_MINUTE) {
		b->noted_ahead = true;
		feed_note(
			&b->now->report,
			"some rows are ahead of this machine's clock (by %s and more): clocks differ; kept as they are",
			tm_format_span(by, ahead_ms));
	}
	return 0;
}

static struct sv scope_text(char *buf, size_t size, const char *prefix, struct sv a,
			    const char *sep, struct sv c)
{
	int n = snprintf(buf, size, "%s%.*s%s%.*s", prefix, (int)a.n, a.p ? a.p : "", sep, (int)c.n,
			 c.p ? c.p : "");

	return (struct sv){ buf, n < (int)size ? (size_t)n : size - 1 };
}

/*
 * GPU-seconds that rows stand for, for the import report. A file may tell of the same time three times, as what an agent exports does: the machine that
 * is paid, the job that held it, the samples.
 */
static void counts(double *sum, int64_t gpus_milli, int64_t ms)
{
	if (ms > 0)
		*sum += (double)gpus_milli * (double)ms / 1e6;
}

static int sink_node(void *ctx, const struct node *n, struct err *err)
{
	struct book *b = ctx;
	int64_t to = n->to_ms == UNKNOWN_MS ? INT64_MAX : n->to_ms;

	if (check_clock(b, "node", n->node, n->from_ms, err))
		return -ERANGE;
	if (n->to_ms != UNKNOWN_MS)
		counts(&b->now->paid_s, n->gpu_milli, n->to_ms - n->from_ms);
	dirty_mark(&b->dirty, n->node, n->from_ms, to);
	return b->store ? store_add_node(b->store, b->nfile, n, err) : 0;
}

static int sink_allocation(void *ctx, const struct allocation *a, struct err *err)
{
	struct book *b = ctx;
	char buf[512];
	struct sv scope = a->node;
	int64_t to = a->end_ms == UNKNOWN_MS ? INT64_MAX : a->end_ms;

	if (check_clock(b, "job", a->job_id, a->end_ms != UNKNOWN_MS ? a->end_ms : a->start_ms,
			err))
		return -ERANGE;
	if (!scope.n)
		scope = scope_text(buf, sizeof buf, "pool:", a->cluster, "/", a->gpu_model);
	if (a->start_ms ==
	    UNKNOWN_MS) /* submitted, never started: kept for time-to-value, holds nothing */
		return b->store ? store_add_allocation(b->store, b->nfile, "", a, err) : 0;
	int64_t share = a->share_ppb < 0 ? 1000000000 : a->share_ppb;
	if (a->end_ms != UNKNOWN_MS)
		b->now->held_s += (double)a->gpus_milli / 1e3 * ((double)share / 1e9) *
				  (double)(a->end_ms - a->start_ms) / 1e3;
	uint32_t id = dirty_mark(&b->dirty, scope, a->start_ms, to);
	return b->store ? store_add_allocation(b->store, b->nfile, intern_z(&b->dirty.scope, id), a,
					       err)
			: 0;
}

static int sink_sample(void *ctx, const struct sample_key *k, const struct sample *s,
		       struct err *err)
{
	struct book *b = ctx;
	char buf[512];
	struct sv scope = k->node;

	if (check_clock(b, "a sample of", k->gpu, s->t_ms, err))
		return -ERANGE;
	if (!scope.n)
		scope = scope_text(buf, sizeof buf, "gpu:", k->gpu, "", SV_NULL);
	counts(&b->now->seen_s, 1000, s->step_ms);
	dirty_mark(&b->dirty, scope, s->t_ms, s->t_ms + s->step_ms);
	return b->store ? store_add_sample(b->store, b->nfile, k, s, err) : 0;
}

static int sink_request(void *ctx, const struct request_row *r, struct err *err)
{
	struct book *b = ctx;

	if (check_clock(b, "a request to", r->service, r->t_ms, err))
		return -ERANGE;
	intern_add(&b->services, r->service);
	return b->store ? store_add_request(b->store, b->nfile, r, err) : 0;
}

static int sink_price(void *ctx, const struct price *p, struct err *err)
{
	struct book *b = ctx;
	int rc;

	b->saw_prices = true;
	if ((rc = catalog_add_price(b->catalog, p, err)) < 0)
		return rc;
	return b->store ? store_add_price(b->store, b->nfile, p, err) : 0;
}

/* The bill and month a line belongs to: what --replace replaces. */
static void note_source(struct book *b, const struct bill_line *l)
{
	char buf[512];
	int64_t period = l->period_from_ms != UNKNOWN_MS ? l->period_from_ms : l->from_ms;
	int n = snprintf(buf, sizeof buf, "bill:%.*s:%.*s:%d", SVF(l->provider), SVF(l->account),
			 (int)tm_month(period));

	intern_add(&b->sources,
		   (struct sv){ buf, n < (int)sizeof buf ? (size_t)n : sizeof buf - 1 });
}

static void note_currency(struct book *b, const struct bill_line *l)
{
	size_t before = b->currencies.n;

	if (l->currency.n)
		intern_add(&b->currencies, l->currency);
	if (before == 1 && b->currencies.n == 2)
		feed_note(
			&b->now->report,
			"several currencies: the sums of this file add them up; reports keep them apart");
}

/* A line whose cost is spread over the GPU time of a resource. */
static bool is_gpu_time(const struct bill_line *l)
{
	return l->kind == KIND_GPU && l->gpu_milli > 0 && l->resource_id.n > 0 &&
	       l->to_ms > l->from_ms && !sv_is(l->charge_category, "Purchase") &&
	       !sv_is(l->charge_category, "Tax");
}

static int sink_bill(void *ctx, const struct bill_line *l, struct err *err)
{
	struct book *b = ctx;
	char buf[1024];
	int rc;

	note_source(b, l);
	note_currency(b, l);
	if (!b->store)
		return 0;
	if (!is_gpu_time(l)) {
		if ((rc = direct_add(b->direct, b->nfile, l, err)) < 0)
			return rc;
		return store_add_bill(b->store, b->nfile, "", l, err);
	}
	if (l->has_quantity && (sv_ihas(l->unit, SV("hour")) || sv_ihas(l->unit, SV("hrs"))))
		b->now->paid_s += dec_to_double(l->quantity) * 3600 * (double)l->gpu_milli / 1000;
	uint32_t id = dirty_mark(&b->dirty,
				 scope_text(buf, sizeof buf, "res:", l->resource_id, "", SV_NULL),
				 l->from_ms, l->to_ms);
	return store_add_bill(b->store, b->nfile, intern_z(&b->dirty.scope, id), l, err);
}

static int sink_incident(void *ctx, const struct incident *i, struct err *err)
{
	struct book *b = ctx;

	if (check_clock(b, "an event of", i->node, i->t_ms, err))
		return -ERANGE;
	return b->store ? store_add_incident(b->store, b->nfile, i, err) : 0;
}

void book_sink(struct book *b, struct feed_sink *ret)
{
	*ret = (struct feed_sink){ b,           sink_node,    sink_allocation,
				   sink_sample, sink_request, sink_price,
				   sink_bill,   sink_incident };
}
