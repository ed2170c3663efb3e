/*
 * Entries of the ledger to works and their hours. Entries come by hour, so one running hour per
 * work is all the state there is; what a workload is follows from the entry alone (see
 * workload_key()).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/tagset.h"
#include "plan/fleet/fleet_in.h"

#define PART_MS  (8 * MS_DAY) /* of the ledger, read at once: at first */
#define FEW_ROWS 4096         /* in a part: the next is twice as long */

struct row {
	size_t workload;
	struct workload_hour h;
};

struct day_rate {
	int64_t day_ms; /* INT64_MIN: none asked yet */
	dec rate;
	bool known;
};

struct reader {
	struct loader *l;
	struct intern key;
	VEC(struct row) row;           /* hours as they come: by hour, then work */
	VEC(struct workload_hour) now; /* [workload] the hour being summed; ms -1 = none */
	VEC(size_t) touched;           /* works with an open hour */
	int64_t hour_ms;
	struct intern currency;
	VEC(__int128) sum;   /* [currency] as charged, or as planned */
	VEC(int64_t) gpu_ms; /* [currency] GPU time that is paid in it */
	/* second reading: the currency that the others are brought to, with what of each was; NULL:
	 * the first, each in its own */
	const char *planned;
	bool in_gpu_hours;        /* third: nothing has a price, so time is what is added up */
	VEC(__int128) converted;  /* [currency] in the currency itself */
	VEC(struct day_rate) day; /* [currency] the last asked: entries come by hour */
	int64_t rows;
};

static enum workload_kind kind_of_workload(const struct entry *e)
{
	if (e->kind != KIND_GPU)
		return WORKLOAD_LINE;
	if (e->state == STATE_UNALLOCATED)
		return WORKLOAD_FREE;
	if (sv_is(e->owner.field[OWNER_WORKLOAD], "inference"))
		return WORKLOAD_SERVICE;
	return WORKLOAD_JOB;
}

static void add_number(struct str *s, int n)
{
	str_addf(s, "%d\x1f", n);
}

static void add_text(struct str *s, struct sv t)
{
	str_addsv(s, t);
	str_addc(s, '\x1f');
}

/*
 * A workload is a job on a scope; without a job id, an owner on a scope; free time, a scope; a
 * line, its kind and owner. How it was bought, where, and the currency (as charged, as planned)
 * keep works apart, since each has one price.
 */
static void workload_key(struct str *s, enum workload_kind kind, struct sv charged,
			 const struct entry *e)
{
	struct sv job = e->owner.field[OWNER_JOB];

	str_clear(s);
	add_number(s, kind == WORKLOAD_SERVICE ? WORKLOAD_JOB : kind);
	add_number(s, e->kind);
	const struct sv place[] = { charged,      e->currency, e->purchase, e->scope, e->node,
				    e->gpu_model, e->provider, e->region,   e->zone,  e->cluster };
	for (size_t i = 0; i < sizeof place / sizeof *place; i++)
		add_text(s, place[i]);
	if (kind == WORKLOAD_FREE)
		return;
	add_text(s, job);
	if (kind == WORKLOAD_LINE)
		add_text(s, e->owner.tags);
	for (int i = 0; i < OWNER_N; i++)
		if (!job.n && i != OWNER_RUN)
			add_text(s, e->owner.field[i]);
}

static struct workload workload_of(struct fleet *f, enum workload_kind kind, const struct entry *e)
{
	const struct sv *o = e->owner.field;
#define T(v) fleet_text(f, v)
	struct workload w = {
		.kind = kind,
		.line_kind = e->kind,
		.job = T(o[OWNER_JOB]),
		.name = T(SV("")),
		.user = T(o[OWNER_USER]),
		.team = T(o[OWNER_TEAM]),
		.project = T(o[OWNER_PROJECT]),
		.env = T(o[OWNER_ENV]),
		.workload = T(o[OWNER_WORKLOAD]),
		.cluster = T(e->cluster),
		.node = T(e->node),
		.currency = T(e->currency),
		.service = T(SV("")),
		.namespace_ = T(SV("")),
		.queue = T(SV("")),
		.provider = T(e->provider),
		.region = T(e->region),
		.zone = T(e->zone),
		/* what the bill says; a list of machines knows better (fleet_nodes.c) */
		.instance_type = T(e->charge.instance_type),
		.gpu_model = T(e->gpu_model),
		.purchase = T(e->purchase),
		.resource = T(SV("")),
		.end_state = T(SV("")),
		.submit_ms = UNKNOWN_MS,
		.start_ms = UNKNOWN_MS,
		.end_ms = UNKNOWN_MS,
		.limit_ms = UNKNOWN_MS,
		.deadline_ms = UNKNOWN_MS,
		.checkpointable = -1,
		.node_index = SIZE_MAX,
		.job_index = SIZE_MAX,
	};
#undef T
	w.elastic = fleet_is_elastic(w.purchase);
	/* Resources are told apart by their tags: entries carry these, and no ids. */
	if (kind == WORKLOAD_LINE) {
		struct tagset t = { 0 };
		if (e->owner.tags.n && tagset_read(&f->mem, e->owner.tags, &t))
			w.name = fleet_text(f, tagset_get(&t, SV("Name")));
		tagset_free(&t);
	}
	w.stats = (struct workload_stats){ .util_mean_pct = NAN,
					   .util_p95_pct = NAN,
					   .active_util_mean_pct = NAN,
					   .idle_frac = NAN,
					   .sm_mean_frac = NAN,
					   .tensor_mean_frac = NAN,
					   .dram_mean_frac = NAN,
					   .occupancy_mean_frac = NAN,
					   .pcie_mean_bytes_s = NAN,
					   .cpu_mean_pct = NAN,
					   .power_mean_w = NAN,
					   .power_idle_w = NAN,
					   .mem_p99_bytes = NAN,
					   .mem_peak_bytes = NAN,
					   .mem_total_bytes = NAN,
					   .spare_active_frac = NAN,
					   .work_util_mean_pct = NAN,
					   .cpu_peak_pct = NAN,
					   .mem_flat_frac = NAN,
					   .step_ms = NAN,
					   .all_worked_ms = UNKNOWN_MS,
					   .last_active_ms = UNKNOWN_MS,
					   .first_busy_ms = UNKNOWN_MS,
					   .last_busy_ms = UNKNOWN_MS };
	return w;
}

static void close_hour(struct reader *r)
{
	for (size_t i = 0; i < r->touched.n; i++) {
		size_t w = r->touched.v[i];
		*vec_push(&r->row) = (struct row){ w, r->now.v[w] };
		r->now.v[w].ms = -1;
	}
	vec_clear(&r->touched);
}

/* Effective, else as billed; but what a commitment covers is billed at 0, and its effective cost
 * may be unknown: that is no 0. */
static int64_t cost_of(const struct entry *e)
{
	if (e->nano[BASIS_EFFECTIVE] != UNKNOWN_NANO)
		return e->nano[BASIS_EFFECTIVE];
	if (e->nano[BASIS_BILLED])
		return e->nano[BASIS_BILLED];
	return UNKNOWN_NANO;
}

static void add_money(struct reader *r, struct workload *w, struct workload_hour *h,
		      const struct entry *e)
{
	int64_t nano = cost_of(e);
	uint32_t c = intern_add(&r->currency, e->currency);

	while (r->sum.n <= c) {
		*vec_push(&r->sum) = 0;
		*vec_push(&r->gpu_ms) = 0;
	}
	/* What tells the customer's own rate (own_rate.h). */
	bool own = e->kind == KIND_GPU && !r->in_gpu_hours,
	     known = nano != UNKNOWN_NANO && e->nano[BASIS_LIST] != UNKNOWN_NANO;
	if (own && e->priced == PRICED_CATALOG)
		w->catalog_ms += e->ms;
	if (own && known && e->priced == PRICED_BILL) {
		w->paid_nano += nano;
		w->list_nano += e->nano[BASIS_LIST];
	}
	if (nano == UNKNOWN_NANO) {
		if (e->kind == KIND_GPU)
			w->unpriced_ms += e->ms;
		return;
	}
	r->sum.v[c] += nano;
	if (e->kind == KIND_GPU)
		r->gpu_ms.v[c] += e->ms;
	h->nano += nano;
	w->cost_nano += nano;
	w->state_nano[e->state] += nano;
	w->cause_nano[e->cause] += nano;
}

/* To the planned currency on the day of the instant. Asked once a day and currency: by way of a
 * third currency it takes a look at all rates. */
static const struct day_rate *rate_of_day(struct reader *r, uint32_t c, const char *from,
					  int64_t at_ms)
{
	int64_t day_ms = tm_floor(at_ms, MS_DAY);

	while (r->day.n <= c)
		*vec_push(&r->day) = (struct day_rate){ .day_ms = INT64_MIN };
	struct day_rate *d = &r->day.v[c];
	if (d->day_ms == day_ms)
		return d;
	d->day_ms = day_ms;
	struct exchange_found found = { .rate = d->rate };
	d->known = exchange_at(&r->l->f->exchange, from, r->planned, day_ms, EXCHANGE_OLD_DAYS,
			       &found);
	d->rate = found.rate;
	return d;
}

/* At the rate of the day it was charged on, where one is known. */
static void convert_entry(struct reader *r, struct entry *e)
{
	char from[16];
	int64_t nano = cost_of(e);
	uint32_t c;

	if (!r->planned || sv_is(e->currency, r->planned) || e->currency.n >= sizeof from)
		return;
	snprintf(from, sizeof from, "%.*s", SVF(e->currency));
	c = intern_add(&r->currency, e->currency);
	const struct day_rate *day = rate_of_day(r, c, from, e->hour_ms);
	if (!day->known)
		return;
	while (r->converted.n <= c)
		*vec_push(&r->converted) = 0;
	if (nano != UNKNOWN_NANO)
		r->converted.v[c] += nano;
	for (int b = 0; b < BASIS_N; b++)
		if (e->nano[b] != UNKNOWN_NANO)
			e->nano[b] = exchange_nano(e->nano[b], day->rate);
	e->currency = sv_of(r->planned);
}

static void tell_rows(const struct reader *r)
{
	if (r->l->opt->progress)
		r->l->opt->progress(r->l->opt->progress_ctx, "ledger", r->rows);
}

/* Which GPUs a job has that names none: the ledger decided. What it left open is unknown there. */
static void add_on(struct loader *l, const struct entry *e)
{
	struct sv job = e->owner.field[OWNER_JOB];
	struct str key = { 0 };

	if (e->kind != KIND_GPU || !job.n || !e->gpu.n || e->state == STATE_UNKNOWN)
		return;
	fleet_on_key(&key, e->node, job, e->gpu);
	uint32_t i = intern_add(&l->on, str_sv(&key));
	str_free(&key);
	if (i == l->on_hours.n)
		*vec_push(&l->on_hours) = (struct held_hours){ e->hour_ms, e->hour_ms };
	struct held_hours *h = &l->on_hours.v[i];
	h->from_ms = min_i64(e->hour_ms, h->from_ms);
	h->to_ms = max_i64(e->hour_ms + MS_HOUR, h->to_ms);
}

static int take_entry(void *ctx, const struct entry *charged, struct err *err)
{
	struct reader *r = ctx;
	struct fleet *f = r->l->f;
	struct entry own = *charged;
	const struct entry *e = &own;
	enum workload_kind kind = kind_of_workload(e);
	struct str key = { 0 };

	(void)err;
	add_on(r->l, e);
	convert_entry(r, &own);

	/* A GPU-hour is 1 of the "currency" GPU·h. */
	int64_t nano = (int64_t)div_half_even((__int128)own.ms * 1000000000, MS_HOUR);
	if (r->in_gpu_hours && own.kind == KIND_GPU) {
		for (int b = 0; b < BASIS_N; b++)
			own.nano[b] = nano;
		own.currency = SV(FLEET_GPU_HOURS);
	}

	workload_key(&key, kind, charged->currency, e);
	size_t i = intern_add(&r->key, str_sv(&key));
	str_free(&key);
	if (i == f->workload.n)
		*vec_push(&f->workload) = workload_of(f, kind, e);
	struct workload *w = &f->workload.v[i];
	int64_t hour_ms = e->hour_ms;
	while (r->now.n <= i)
		*vec_push(&r->now) = (struct workload_hour){ .ms = -1 };
	if (hour_ms != r->hour_ms) {
		close_hour(r);
		r->hour_ms = hour_ms;
	}
	struct workload_hour *h = &r->now.v[i];
	if (h->ms < 0) {
		*h = (struct workload_hour){ .hour_ms = hour_ms };
		*vec_push(&r->touched) = i;
	}

	/* Time of lines that are no GPU time does not count as time. */
	if (e->kind == KIND_GPU) {
		h->ms += e->ms;
		w->ms += e->ms;
		w->state_ms[e->state] += e->ms;
		if (e->state == STATE_BUSY || e->state == STATE_UNDERUSED)
			h->busy_ms += e->ms;
		if (e->state == STATE_IDLE_HELD || e->state == STATE_IDLE_EMPTY)
			h->idle_ms += e->ms;
		if (e->state == STATE_UNKNOWN)
			h->unknown_ms += e->ms;
		if (e->quality == QUALITY_MEASURED && e->state != STATE_UNKNOWN)
			w->measured_ms += e->ms;
		if (e->quality == QUALITY_ASSUMED && e->state == STATE_UNALLOCATED)
			w->assumed_ms += e->ms;
	}

	add_money(r, w, h, e);
	if (++r->rows % 65536 == 0)
		tell_rows(r);
	return 0;
}

/* ---- one currency ------------------------------------------------------------------------ */

static const char *currency_at(const struct reader *r, size_t i)
{
	return intern_z(&r->currency, (uint32_t)i);
}

/* How many of the others can be brought to it. */
static size_t reach_of(const struct reader *r, size_t c)
{
	const struct fleet *f = r->l->f;
	size_t n = 0;
	struct exchange_found found;

	for (size_t i = 0; i < r->sum.n; i++)
		n += i != c && exchange_at(&f->exchange, currency_at(r, i), currency_at(r, c),
					   f->until_ms, -1, &found);
	return n;
}

/* Is more planned in a than in b? What others can be brought to goes before, then most GPU time,
 * then the larger sum: by the newest rate, where none is known by their numbers. */
static bool is_larger(const struct reader *r, size_t a, size_t b)
{
	const struct fleet *f = r->l->f;
	size_t reach_a = reach_of(r, a), reach_b = reach_of(r, b);
	struct exchange_found found;

	if (reach_a != reach_b)
		return reach_a > reach_b;
	if (r->gpu_ms.v[a] != r->gpu_ms.v[b])
		return r->gpu_ms.v[a] > r->gpu_ms.v[b];
	if (!exchange_at(&f->exchange, currency_at(r, a), currency_at(r, b), f->until_ms, -1,
			 &found))
		return r->sum.v[a] > r->sum.v[b];
	return (double)r->sum.v[a] * dec_to_double(found.rate) > (double)r->sum.v[b];
}

static size_t largest_sum(const struct reader *r)
{
	size_t best = 0;

	for (size_t i = 1; i < r->sum.n; i++)
		if (is_larger(r, i, best))
			best = i;
	return best;
}

/* That of the settings, where they say one and rates bring as much to it as to any other, else that
 * of most. */
static const char *currency_to_plan(const struct reader *r)
{
	const struct fleet *f = r->l->f;
	const char *own = r->l->opt->conf->currency;
	size_t best = largest_sum(r), n = 0;
	struct exchange_found found;

	for (size_t i = 0; i < r->sum.n; i++)
		n += !strcmp(currency_at(r, i), own) ||
		     exchange_at(&f->exchange, currency_at(r, i), own, f->until_ms, -1, &found);
	if (r->l->opt->conf->currency_told && f->exchange.n && n > reach_of(r, best))
		return own;
	return currency_at(r, best);
}

/* "5,605.60 USD (21,504 GPU·h)" */
static const char *amount_in(struct reader *r, size_t c)
{
	char buf[DEC_BUF], hours[DEC_BUF];
	const char *money = arena_printf(&r->l->f->mem, "%s %s",
					 dec_format_people(buf, (dec)r->sum.v[c] * 1000, 2),
					 filled_or(currency_at(r, c), "(no currency)"));

	if (!r->gpu_ms.v[c])
		return money;
	return arena_printf(
		&r->l->f->mem, "%s (%s GPU·h)", money,
		dec_format_people(hours, dec_muldiv(DEC_ONE, r->gpu_ms.v[c], MS_HOUR), 0));
}

/* ---- order ------------------------------------------------------------------------------- */

struct place {
	size_t old;
	const struct workload *w;
	int64_t first_ms;
};

static int by_place(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	int d = 0;

	if (a->w->kind != b->w->kind)
		d = cmp_int(a->w->kind, b->w->kind);
	if (!d)
		d = strcmp(a->w->cluster, b->w->cluster);
	if (!d)
		d = strcmp(a->w->node, b->w->node);
	if (!d)
		d = a->first_ms == b->first_ms ? 0 : cmp_i64(a->first_ms, b->first_ms);
	if (!d)
		d = strcmp(a->w->job, b->w->job);
	if (d)
		return d;
	return cmp_size(a->old, b->old);
}

/* Works of the chosen currency in their order, each with its hours in a row. */
static void arrange_workloads(struct reader *r)
{
	struct fleet *f = r->l->f;
	VEC(struct place) p = { 0 };
	int64_t *first = xcalloc(f->workload.n + 1, sizeof *first);
	size_t *at = xcalloc(f->workload.n + 1, sizeof *at);
	struct workload *out = xcalloc(f->workload.n + 1, sizeof *out);

	for (size_t i = r->row.n; i-- > 0;) {
		first[r->row.v[i].workload] = r->row.v[i].h.hour_ms;
		f->workload.v[r->row.v[i].workload].nhour++;
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		at[i] = SIZE_MAX;
		if (f->workload.v[i].currency == f->currency)
			*vec_push(&p) = (struct place){ i, &f->workload.v[i], first[i] };
		else {
			const struct workload *w = &f->workload.v[i];
			size_t k = 0;

			while (k < f->other.n && f->other.v[k].currency != w->currency)
				k++;
			if (k == f->other.n)
				*vec_push(&f->other) =
					(struct fleet_other){ .currency = w->currency };
			f->other.v[k].gpu_ms += w->ms;
			f->other.v[k].nano += w->cost_nano;
		}
	}
	if (p.n)
		sort_items(p.v, p.n, sizeof *p.v, by_place);
	size_t n = 0;
	for (size_t i = 0; i < p.n; i++) {
		out[i] = *p.v[i].w;
		out[i].hour0 = at[p.v[i].old] = n;
		n += out[i].nhour;
	}
	vec_grow(&f->hour, n + 1);
	for (size_t i = 0; i < r->row.n; i++)
		if (at[r->row.v[i].workload] != SIZE_MAX)
			f->hour.v[at[r->row.v[i].workload]++] = r->row.v[i].h;
	f->hour.n = n;
	free(f->workload.v);
	f->workload.v = out;
	f->workload.cap = f->workload.n + 1;
	f->workload.n = p.n;
	vec_free(&p);
	free(first);
	free(at);
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		f->cost_nano += w->cost_nano;
		f->gpu_ms += w->ms;
		f->unknown_ms += w->state_ms[STATE_UNKNOWN];
		f->unpriced_ms += w->unpriced_ms;
		f->measured_ms += w->measured_ms;
	}
}

/* ---- by job ------------------------------------------------------------------------------ */

/* What the hours alone tell of a workload: when, and how many GPUs at most. Allocations know better
 * where there are any. */
static void from_hours(struct fleet *f, struct workload *w)
{
	int64_t most = 0;

	if (!w->nhour)
		return;
	w->start_ms = f->hour.v[w->hour0].hour_ms;
	w->end_ms = f->hour.v[w->hour0 + w->nhour - 1].hour_ms + MS_HOUR;
	for (size_t i = 0; i < w->nhour; i++)
		if (f->hour.v[w->hour0 + i].ms > most)
			most = f->hour.v[w->hour0 + i].ms;
	w->held_ms = w->end_ms - w->start_ms;
	w->last_start_ms = w->start_ms;
	w->gpus_milli = (most * 1000 + MS_HOUR / 2) / MS_HOUR;
}

static void reader_clear(struct reader *r)
{
	intern_free(&r->key);
	vec_free(&r->row);
	vec_free(&r->now);
	vec_free(&r->touched);
	vec_free(&r->sum);
	vec_free(&r->gpu_ms);
	vec_free(&r->converted);
	vec_free(&r->day);
	intern_free(&r->currency);
}

/* In parts, so that what is sorted at once stays small and people see that it goes on. */
static int read_entries(struct reader *r, struct err *err)
{
	struct fleet *f = r->l->f;
	int64_t part_ms = PART_MS;
	int rc = 0;

	tell_rows(r);
	for (int64_t from_ms = f->since_ms, to_ms; rc == 0 && from_ms < f->until_ms;
	     from_ms = to_ms) {
		int64_t before = r->rows;
		to_ms = f->until_ms;
		if (part_ms < to_ms - from_ms)
			to_ms = tm_floor(from_ms, MS_HOUR) + part_ms;
		rc = store_entries(r->l->store, from_ms, to_ms, take_entry, r, err);
		if (r->rows - before < FEW_ROWS)
			part_ms *= 2;
		tell_rows(r);
	}
	if (rc == 0)
		close_hour(r);
	return rc;
}

/* Several currencies and rates between them: which one is planned in shows only at the end, so they
 * are read once more. */
static int read_converted(struct reader *r, struct err *err)
{
	struct fleet *f = r->l->f;
	struct reader again = { .l = r->l, .hour_ms = INT64_MIN };

	if (r->sum.n < 2 || !f->exchange.n)
		return 0;
	again.planned = fleet_text(f, sv_of(currency_to_plan(r)));
	vec_clear(&f->workload);
	reader_clear(r);
	*r = again;
	return read_entries(r, err);
}

/* Without any price the fleet is planned in GPU-hours: entries are read once more, each worth its
 * time. */
static int read_in_hours(struct reader *r, struct err *err)
{
	struct fleet *f = r->l->f;
	struct reader again = { .l = r->l, .hour_ms = INT64_MIN, .in_gpu_hours = true };

	/* Is there GPU time, and not one amount? */
	int64_t ms = 0;

	for (size_t i = 0; i < r->sum.n; i++)
		if (r->sum.v[i])
			return 0;
	for (size_t i = 0; i < r->l->f->workload.n; i++)
		ms += r->l->f->workload.v[i].ms;
	if (ms <= 0)
		return 0;

	vec_clear(&f->workload);
	reader_clear(r);
	*r = again;
	f->in_gpu_hours = true;
	return read_entries(r, err);
}

int fleet_read_workloads(struct loader *l, struct err *err)
{
	struct reader r = { .l = l, .hour_ms = INT64_MIN };
	int rc = read_entries(&r, err);

	if (!rc)
		rc = read_converted(&r, err);
	if (!rc)
		rc = read_in_hours(&r, err);
	if (rc == 0) {
		struct fleet *fleet = r.l->f;
		const char *planned = r.planned;

		if (!planned)
			planned = r.sum.n ? currency_at(&r, largest_sum(&r)) : "";
		fleet->currency = fleet_text(fleet, sv_of(planned));
		char buf[DEC_BUF];

		for (size_t i = 0; i < r.converted.n; i++)
			if (r.converted.v[i])
				fleet_note(
					fleet,
					"%s %s are planned in %s, each charge at the rate of its day",
					dec_format_people(buf, (dec)r.converted.v[i] * 1000, 2),
					currency_at(&r, i), fleet->currency);
		for (size_t i = 0; i < r.sum.n; i++) {
			const char *own = currency_at(&r, i);
			bool lacks = fleet->exchange.n && *own;
			if (!strcmp(own, planned) || !r.sum.v[i])
				continue;
			r.l->currencies = true;
			fleet_note(fleet, "%s are not planned: %s%s%s%s", amount_in(&r, i),
				   lacks ? "no exchange rate to "
					 : "amounts of different currencies are not added",
				   lacks ? planned : "", text_if(lacks, " is known of their days"),
				   text_if(!(lacks || !*own), " (tare import --as rates)"));
		}
		arrange_workloads(&r);

		struct fleet *f = l->f;

		for (size_t i = 0; i < f->workload.n; i++) {
			struct workload *w = &f->workload.v[i];
			*vec_push(&l->next) = SIZE_MAX;
			from_hours(f, w);
			/* no job, no reading: a machine that is paid for, and that is all */
			bool unread = w->state_ms[STATE_UNKNOWN] == w->ms;
			if (w->kind == WORKLOAD_JOB && !*w->job && unread)
				w->kind = WORKLOAD_UNKNOWN;
			if (!*w->job || w->kind == WORKLOAD_FREE || w->kind == WORKLOAD_LINE)
				continue;
			uint32_t j = intern_add(&l->job, sv_of(w->job));
			if (j == l->by_job.n)
				*vec_push(&l->by_job) = SIZE_MAX;
			size_t like = l->by_job.v[j]; /* ids are of a cluster */
			while (like != SIZE_MAX && f->workload.v[like].cluster != w->cluster)
				like = l->next.v[like];
			w->job_index = like == SIZE_MAX ? l->njob++ : f->workload.v[like].job_index;
			l->next.v[i] = l->by_job.v[j];
			l->by_job.v[j] = i;
		}
	}
	reader_clear(&r);
	return rc;
}
