/* The sink that feeds write to: rows go into the store, and what they touch is remembered. */
#include <errno.h>
#include <stdio.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "book/in.h"
#include "book/replace.h"
#include "feed/bill/bill.h"

/*
 * Rows of a time that has not come. A little is clock skew between machines and is kept with a
 * note; more than a day is a wrong clock or a wrong unit (milliseconds read as seconds), and
 * nothing good comes of booking it.
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
			(long long)b->now->report.rows_read, what, (int)min_size(name.n, 80),
			text_or(name.p, ""), tm_format(when, t_ms));
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

/*
 * GPU-seconds that rows stand for, for the import report: paid_s, held_s and seen_s. A file may
 * tell of the same time three times, as what an agent exports does: the machine that is paid, the
 * job that held it, the samples.
 */
static int sink_node(void *ctx, const struct node *n, struct err *err)
{
	struct book *b = ctx;
	int64_t to = INT64_MAX;

	if (n->to_ms != UNKNOWN_MS)
		to = n->to_ms;
	if (check_clock(b, "node", n->node, n->from_ms, err))
		return -ERANGE;
	if (twins_add(&b->twins, n, err) < 0) {
		err_prefix(err, "row %lld", (long long)b->now->report.rows_read);
		return -EEXIST;
	}
	if (n->to_ms != UNKNOWN_MS && n->to_ms > n->from_ms)
		b->now->paid_s += (double)n->gpu_milli * (double)(n->to_ms - n->from_ms) / 1e6;
	dirty_mark_node(&b->dirty, n->node, n->from_ms, to);
	b->saw_machines = true;
	if (b->store)
		return store_add_node(b->store, b->nfile, n, err);
	return 0;
}

static int put_allocation(struct book *b, const struct scope *scope, const struct allocation *a,
			  struct err *err)
{
	int64_t to = a->end_ms == UNKNOWN_MS ? INT64_MAX : a->end_ms;
	uint32_t id = dirty_mark(&b->dirty, scope, a->start_ms, to);

	dirty_by(&b->dirty, id, DIRTY_JOBS);
	if (b->store)
		return store_add_allocation(b->store, b->nfile, intern_z(&b->dirty.scope, id), a,
					    err);
	return 0;
}

/* How many GPUs are named in a way that no two machines share; 0: not all of them. */
static int64_t named_gpus(struct sv ids)
{
	int64_t n = 0;

	while (ids.n) {
		struct sv id = sv_trim(sv_cut(ids, ';', &ids));
		if (!sv_starts(id, SV("GPU-")))
			return 0;
		n++;
	}
	return n;
}

static struct scope scope_of_allocation(const struct allocation *a)
{
	struct sv mig;

	if (a->node.n)
		return scope_node(a->node);
	if (named_gpus(a->gpu_ids) == 1)
		return (struct scope){ .kind = SCOPE_GPU, .name = sv_cut(a->gpu_ids, '/', &mig) };
	return (struct scope){ .kind = SCOPE_POOL,
			       .cluster = a->cluster,
			       .gpu_model = a->gpu_model };
}

void sink_mark_allocation(struct book *b, const struct allocation *a)
{
	struct scope scope = scope_of_allocation(a);

	dirty_mark(&b->dirty, &scope, a->start_ms, a->end_ms == UNKNOWN_MS ? INT64_MAX : a->end_ms);
}

/* The GPU of a row, or of the record of its machine; NULL: not known. */
static const struct gpu_spec *gpu_of(struct book *b, const struct allocation *a)
{
	struct arena mem = { 0 };
	struct sv model = a->gpu_model;
	struct node *node = NULL;
	struct err err = { 0 };
	size_t n = 0;

	if (!model.n && a->node.n && b->store)
		store_nodes(b->store, arena_sv(&mem, a->node), &mem, &node, &n, &err);
	if (n) /* a note, not the ledger: without the record it is of seven slices */
		model = node[n - 1].gpu_model;
	const struct gpu_spec *gpu = model.n ? catalog_gpu(b->catalog, model) : NULL;
	arena_free(&mem);
	return gpu;
}

/* How many GPUs it holds, as the ledger counts them: an instance is its slices. */
static double gpus_held(struct book *b, const struct allocation *a)
{
	double gpus = (double)a->gpus_milli / 1e3;
	bool mig = a->share_kind == SHARE_MIG || a->mig_profile.n;

	if (!mig)
		return a->share_ppb >= 0 ? gpus * (double)a->share_ppb / 1e9 : gpus;
	const struct gpu_spec *gpu = gpu_of(b, a);
	struct arena mem = { 0 };
	struct share_geom geom;
	int compute, memory;
	share_geom_of(b->catalog, gpu, b->opt.conf->attrib.mig_share_by_memory, &mem, &geom);
	share_slices(b->catalog, gpu, a->mig_profile, &compute, &memory);
	int64_t part = share_of_slices(&geom, compute, memory);
	arena_free(&mem);
	return part > 0 ? gpus * (double)part / (double)SHARE_ONE : gpus;
}

static int sink_allocation(void *ctx, const struct allocation *a, struct err *err)
{
	struct book *b = ctx;
	struct scope scope = scope_of_allocation(a);
	int64_t gpus = 0;

	if (!a->node.n)
		gpus = named_gpus(a->gpu_ids);
	if (check_clock(b, "job", a->job_id, a->end_ms != UNKNOWN_MS ? a->end_ms : a->start_ms,
			err))
		return -ERANGE;
	b->now->has_jobs = true;
	if (a->start_ms != UNKNOWN_MS)
		repeats_add(&b->repeats, a);
	/* submitted, never started: kept for time-to-value, holds nothing */
	if (a->start_ms == UNKNOWN_MS) {
		if (b->store)
			return store_add_allocation(b->store, b->nfile, "", a, err);
		return 0;
	}
	double held = gpus_held(b, a);
	if (a->end_ms != UNKNOWN_MS) {
		b->now->held_s += held * (double)(a->end_ms - a->start_ms) / 1e3;
	} else {
		b->now->running += held;
		b->now->running_from_s += held * (double)a->start_ms / 1e3;
	}
	if (!gpus)
		return put_allocation(b, &scope, a, err);
	/* on no machine, but on these GPUs: their readings may name no machine either */
	struct allocation one = *a;
	struct sv ids = a->gpu_ids, mig;
	int rc = 0;
	for (int64_t i = 0; i < gpus && !rc; i++) {
		one.gpu_ids = sv_trim(sv_cut(ids, ';', &ids));
		one.gpus_milli = a->gpus_milli / gpus + (i < a->gpus_milli % gpus);
		scope = (struct scope){ .kind = SCOPE_GPU, .name = sv_cut(one.gpu_ids, '/', &mig) };
		rc = put_allocation(b, &scope, &one, err);
	}
	return rc;
}

void sink_mark_series(struct book *b, const struct sample_key *k, int64_t from_ms, int64_t to_ms)
{
	struct scope scope = { .kind = SCOPE_GPU, .name = k->gpu };

	if (k->node.n)
		scope = scope_node(k->node);
	uint32_t id = dirty_mark(&b->dirty, &scope, from_ms, to_ms);
	dirty_by(&b->dirty, id, DIRTY_READINGS);
	if (k->job_id.n)
		dirty_by(&b->dirty, id, DIRTY_READS_JOB);
}

static int sink_sample(void *ctx, const struct sample_key *k, const struct sample *s,
		       struct err *err)
{
	struct book *b = ctx;

	if (check_clock(b, "a sample of", k->gpu, s->t_ms, err))
		return -ERANGE;
	if (s->step_ms > 0)
		b->now->seen_s += 1000 * (double)s->step_ms / 1e6;
	b->now->instances |= k->mig.n > 0;
	sink_mark_series(b, k, s->t_ms, s->t_ms + s->step_ms);
	if (b->store)
		return store_add_sample(b->store, b->nfile, k, s, err);
	return 0;
}

static int sink_request(void *ctx, const struct request_row *r, struct err *err)
{
	struct book *b = ctx;

	if (check_clock(b, "a request to", r->service, r->t_ms, err))
		return -ERANGE;
	b->saw_requests = true;
	intern_add(&b->services, r->service);
	if (b->store)
		return store_add_request(b->store, b->nfile, r, err);
	return 0;
}

static int sink_price(void *ctx, const struct price *p, struct err *err)
{
	struct book *b = ctx;
	int rc;

	b->saw_prices = true;
	if ((rc = catalog_add_price(b->catalog, p, err)) < 0)
		return rc;
	if (b->store)
		return store_add_price(b->store, b->nfile, p, err);
	return 0;
}

/*
 * A line whose cost is spread over the GPU time of a machine; all others are entries of their own
 * as they are read. Never both: the key of a scope with such a line says so in the store
 * (store_bill_gpu). A line of a machine that does not say its type is an entry of its own with the
 * key, until a recorded machine takes it (adopt.c).
 */
int sink_route(struct book *b, int64_t src, bool in_force, const struct bill_line *l,
	       const char **ret_scope, struct err *err)
{
	struct scope scope = { .kind = SCOPE_RESOURCE,
			       .provider = l->provider,
			       .name = l->resource_id };
	/* Of one resource, over some time, and neither a fee nor a tax nor what nobody used. */
	bool timed = l->resource_id.n > 0 && l->to_ms > l->from_ms;
	bool fee = sv_is(l->charge_category, "Purchase") || sv_is(l->charge_category, "Tax");
	bool machine = timed && !fee && !sv_is(l->commitment_status, "Unused") &&
		       !bill_line_is_capacity(l);
	bool gpu = machine && l->gpu_milli > 0;
	bool mark = in_force && !b->replacing;
	uint32_t id;

	*ret_scope = "";
	if (machine && !gpu && bill_is_compute(l)) {
		str_clear(&b->route_key);
		scope_key(&scope, &b->route_key);
		*ret_scope = str_z(&b->route_key);
	}
	if (!gpu) {
		if (in_force)
			return direct_add(b->direct, src, l, err);
		return 0;
	}
	if (mark)
		id = dirty_mark(&b->dirty, &scope, l->from_ms, l->to_ms);
	else
		id = dirty_mark(&b->dirty, &scope, INT64_MAX, INT64_MIN);
	*ret_scope = intern_z(&b->dirty.scope, id);
	return 0;
}

static int sink_bill(void *ctx, const struct bill_line *l, struct err *err)
{
	struct book *b = ctx;
	const char *scope;
	int rc = replace_check_line(l, err);

	if (rc)
		return rc;
	b->saw_machines = true;
	b->now->lines += l->rows;
	bool ahead = l->from_ms > b->opt.now_ms + MS_DAY && l->to_ms - l->from_ms <= MS_DAY;
	if (ahead && !b->noted_future && sv_is(l->charge_category, "Usage")) {
		char from[TM_BUF];

		b->noted_future = true;
		feed_note(
			&b->now->report,
			"row %lld and perhaps more are of use on %s, which lies in the future: is a "
			"clock wrong, or is it a forecast? GPU time of such days is counted once they "
			"have come, other lines are at once",
			(long long)b->now->report.rows_read, tm_format_date(from, l->from_ms));
	}
	replace_note_line(b->now, l);
	size_t ncurrency = b->currencies.n;
	if (l->currency.n)
		intern_add(&b->currencies, l->currency);
	if (ncurrency == 1 && b->currencies.n == 2)
		feed_note(
			&b->now->report,
			"several currencies: each has sums of its own here, and a report of its own");
	if (!b->store)
		return 0;
	rc = sink_route(b, store_source(b->batch, b->nfile), true, l, &scope, err);
	if (rc < 0)
		return rc;
	bool counted = *scope && l->has_quantity;
	if (counted && (sv_ihas(l->unit, SV("hour")) || sv_ihas(l->unit, SV("hrs"))))
		b->now->paid_s += dec_to_double(l->quantity) * 3600 * (double)l->gpu_milli / 1000;
	return store_add_bill(b->store, b->nfile, scope, l, err);
}

static int sink_incident(void *ctx, const struct incident *i, struct err *err)
{
	struct book *b = ctx;

	if (check_clock(b, "an event of", i->node, i->t_ms, err))
		return -ERANGE;
	/* a GPU that was lost is so until it is told to be back; a gap speaks of the time before */
	int64_t from = i->t_ms - (sv_is(i->kind, "gap") ? max_i64(i->code, 0) : 0);
	dirty_mark_node(&b->dirty, i->node, from, INT64_MAX);
	if (b->store)
		return store_add_incident(b->store, b->nfile, i, err);
	return 0;
}

static int sink_witness(void *ctx, const struct witness *w, struct err *err)
{
	struct book *b = ctx;

	if (b->store)
		return store_add_witness(b->store, b->nfile, w, err);
	return 0;
}

/* Nothing of the ledger hangs on it: GPUs that a job leaves alone are nobody's beside it. */
static int sink_presence(void *ctx, const struct presence *p, struct err *err)
{
	struct book *b = ctx;

	if (b->store)
		return store_add_presence(b->store, b->nfile, p, err);
	return 0;
}

/* Rates price nothing in the ledger, which keeps each amount in its own currency. */
static int sink_rate(void *ctx, const struct exchange_rate *x, struct err *err)
{
	struct book *b = ctx;

	if (b->store)
		return store_add_exchange_rate(b->store, b->nfile, x, err);
	return 0;
}

static int sink_curve(void *ctx, const struct curve_point *p, struct err *err)
{
	struct book *b = ctx;

	if (check_clock(b, "a point of run", p->run, p->t_ms, err))
		return -ERANGE;
	if (b->store)
		return store_add_curve(b->store, b->nfile, p, err);
	return 0;
}

void book_sink(struct book *b, struct feed_sink *ret)
{
	*ret = (struct feed_sink){
		b,          sink_node,  sink_allocation, sink_sample,  sink_request,
		sink_price, sink_bill,  sink_incident,   sink_witness, sink_presence,
		sink_rate,  sink_curve, lone_before
	};
}
