/* The fleet's history as the levers see it: the order in which it is loaded, and what does not fit
 * in it. */
#include "plan/fleet/fleet.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/join.h"
#include "model/machine_id.h"
#include "plan/alone/bill_seen.h"
#include "plan/fleet/fleet_in.h"
#include "store/machines.h"
#include "plan/fleet/fleet_sources.h"

void fleet_note(struct fleet *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*vec_push(&f->note) = arena_vprintf(&f->mem, fmt, ap);
	va_end(ap);
}

/* What is paid by the hour and can be given back. Where nobody says how a GPU was bought, it is
 * paid for as long as it is held. */
bool fleet_is_elastic(const char *purchase)
{
	return !*purchase || !strcmp(purchase, "on_demand") || !strcmp(purchase, "spot");
}

/* The window, cut to what the ledger has. */
static int cut_window(struct loader *l, struct err *err)
{
	const struct fleet_opt *o = l->opt;
	struct fleet *f = l->f;
	int r = store_seen_span(l->store, &f->data_from_ms, &f->data_to_ms, err);

	if (r < 0)
		return r;
	if (f->data_from_ms == UNKNOWN_MS || f->data_to_ms == UNKNOWN_MS) {
		err_set(err, -ENODATA, "the ledger is empty: there is nothing to plan from");
		err_hint(
			err,
			"bring in bills, job lists and telemetry: tare import FILE...   Or see it on an example: tare demo");
		return -ENODATA;
	}
	if (o->since_ms > f->data_from_ms)
		f->since_ms = tm_floor(o->since_ms, MS_HOUR);
	else
		f->since_ms = f->data_from_ms;
	if (o->until_ms < f->data_to_ms)
		f->until_ms = tm_floor(o->until_ms + MS_HOUR - 1, MS_HOUR);
	else
		f->until_ms = f->data_to_ms;
	if (f->since_ms < f->until_ms)
		return 0;
	char a[TM_BUF], b[TM_BUF];
	err_set(err, -ENODATA, "the ledger has nothing in the window");
	err_hint(err, "It speaks of %s to %s: choose --since and --until within",
		 tm_format(a, f->data_from_ms), tm_format(b, f->data_to_ms));
	return -ENODATA;
}

/* What is known of a source is told of the time in which it is. */
static int begin_with_sources(struct loader *l, struct err *err)
{
	struct fleet *f = l->f;
	bool open = l->opt->since_ms == INT64_MIN;
	char day[TM_BUF], since[TM_BUF];
	struct gpu_source *src;
	struct sources_start at;
	size_t n;
	f->bill_since_ms = f->since_ms;
	if (!l->when_known)
		return 0;
	int r = store_gpu_sources(l->store, &l->mem, &src, &n, err);

	if (r < 0)
		return r;
	sources_start(src, n, f->since_ms, f->until_ms, &at);
	if (at.first && open) {
		tm_format_date(since, f->since_ms);
		tm_format_date(day, at.from_ms);
		fleet_note(
			f,
			"'%s' is recorded from %s on, other things from %s on: the plan looks at the %.0f days in which all of it is known ('--since' says otherwise)",
			at.first->name, day, since, (double)(f->until_ms - at.from_ms) / MS_DAY);
		f->since_ms = at.from_ms;
	}
	const struct gpu_source *late = open ? at.late : at.first;
	if (late) {
		tm_format_date(day, late->from_ms);
		fleet_note(
			f,
			"'%s' is recorded from %s on, for %.0f of the %.0f days that the plan looks at: what it costs a month, and what changes of it save, is more than is told here ('--since %s')",
			late->name, day, (double)(f->until_ms - late->from_ms) / MS_DAY,
			(double)(f->until_ms - f->since_ms) / MS_DAY, day);
	}
	return 0;
}

int64_t fleet_span_ms(const struct fleet *f)
{
	if (f->covered_ms > 0)
		return f->covered_ms;
	return f->until_ms - f->since_ms;
}

struct cover {
	int64_t from_ms, to_ms;
};

static void cover_add(struct cover *c, int64_t from_ms, int64_t to_ms)
{
	c->from_ms = min_i64(from_ms, c->from_ms);
	c->to_ms = max_i64(to_ms, c->to_ms);
}

void fleet_cover(struct fleet *f)
{
	struct cover c = { INT64_MAX, INT64_MIN };

	for (size_t i = 0; i < f->node.n; i++) {
		/* One whose end is open is known for as long as there are entries of it. */
		const struct fleet_node *n = &f->node.v[i];
		int64_t known_ms = 0, end_ms = n->to_ms;
		if (n->gpus_milli > 0)
			known_ms = n->ms * 1000 / n->gpus_milli;
		if (known_ms > 0 && n->from_ms + known_ms < end_ms)
			end_ms = n->from_ms + known_ms;
		cover_add(&c, n->from_ms, end_ms);
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		/* Lines of a bill are of whole hours, and so is work whose start and end nobody
		 * told. */
		const struct workload *w = &f->workload.v[i];
		const struct workload_hour *h = NULL;
		bool told = w->start_ms != UNKNOWN_MS && w->end_ms != UNKNOWN_MS;

		if (w->nhour)
			h = &f->hour.v[w->hour0];
		if (w->kind != WORKLOAD_LINE && w->node_index != SIZE_MAX)
			continue; /* its node says when */
		if (told && w->kind != WORKLOAD_LINE)
			cover_add(&c, w->start_ms, w->end_ms);
		else if (h)
			cover_add(&c, h->hour_ms, h[w->nhour - 1].hour_ms + MS_HOUR);
	}
	int64_t from_ms = f->since_ms, to_ms = f->until_ms;
	bool late = c.from_ms > f->since_ms && c.from_ms < f->since_ms + MS_HOUR;
	bool early = c.to_ms < f->until_ms && c.to_ms > f->until_ms - MS_HOUR;
	if (late)
		from_ms = c.from_ms;
	if (early)
		to_ms = c.to_ms;
	f->covered_ms = to_ms - from_ms;
	f->last_in_part = early;
}

#define TOLD_FRAC 0.5 /* of the part of a cluster's GPU time that is told of in the mean */

struct told {
	bool jobs; /* some name a job */
	int64_t to_ms;
	double *known, *all; /* [hours] GPU time */
};

void fleet_find_told(struct fleet *f)
{
	int64_t from_ms = tm_floor(f->since_ms, MS_HOUR);
	size_t hours = (size_t)((fleet_whole_until(f) - from_ms + MS_HOUR - 1) / MS_HOUR);
	struct intern cluster = { 0 }, node = { 0 };
	VEC(struct told) told = { 0 };
	VEC(int64_t) last = { 0 }; /* [node.n] end of the last hour that is told of */

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		uint32_t c = intern_add(&cluster, sv_of(w->cluster));
		if (c == told.n)
			*vec_push(&told) = (struct told){
				.known = xcalloc(hours + 1, sizeof(double)),
				.all = xcalloc(hours + 1, sizeof(double)),
			};
		if (intern_add(&node, sv_of(w->node)) == last.n)
			*vec_push(&last) = 0;
		told.v[c].jobs |= w->kind == WORKLOAD_SERVICE || *w->job;
	}
	/* First what is told of each cluster, then of its machines up to there. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < f->workload.n; i++) {
			const struct workload *w = &f->workload.v[i];
			struct told *t = &told.v[intern_find(&cluster, sv_of(w->cluster))];
			int64_t *to_ms = &last.v[intern_find(&node, sv_of(w->node))];
			/* Where a list tells of jobs, what it does not name is known to nobody. */
			bool known = w->kind == WORKLOAD_FREE || w->kind == WORKLOAD_SERVICE ||
				     (w->kind == WORKLOAD_JOB && (*w->job || !t->jobs));
			for (size_t k = 0; k < w->nhour && w->kind != WORKLOAD_LINE; k++) {
				const struct workload_hour *h = &f->hour.v[w->hour0 + k];
				int64_t at = (h->hour_ms - from_ms) / MS_HOUR;
				if (at < 0 || at >= (int64_t)hours)
					continue;
				if (!pass) {
					t->all[at] += (double)h->ms;
					t->known[at] += known ? (double)h->ms : 0;
				} else if (known && h->hour_ms < t->to_ms) {
					*to_ms = max_i64(h->hour_ms + MS_HOUR, *to_ms);
				}
			}
		}
		for (size_t c = 0; c < told.n && !pass; c++) {
			struct told *t = &told.v[c];
			double known = 0, all = 0;
			for (size_t h = 0; h < hours; h++) {
				known += t->known[h];
				all += t->all[h];
			}
			for (size_t h = 0; h < hours; h++)
				if (t->known[h] > 0 &&
				    t->known[h] * all >= TOLD_FRAC * t->all[h] * known)
					t->to_ms = from_ms + (int64_t)(h + 1) * MS_HOUR;
		}
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		int64_t to_ms = last.v[intern_find(&node, sv_of(w->node))];
		w->told_ms = told.v[intern_find(&cluster, sv_of(w->cluster))].to_ms;
		/* Of one that falls silent for longer while others of its cluster are told of
		 * somebody may have taken it. */
		if (*w->node && (!to_ms || to_ms >= w->told_ms - fleet_tail_ms(f)))
			w->told_ms = to_ms;
		if (f->until_ms - w->told_ms > fleet_tail_ms(f))
			w->told_ms = 0;
	}
	for (size_t c = 0; c < told.n; c++) {
		free(told.v[c].known);
		free(told.v[c].all);
	}
	vec_free(&told);
	vec_free(&last);
	intern_free(&cluster);
	intern_free(&node);
}

static void add_notes(struct loader *l)
{
	struct fleet *f = l->f;
	int64_t dark = 0;

	if (f->in_gpu_hours)
		fleet_note(
			f,
			"nothing has a price: amounts are GPU-hours, and what compares prices (another GPU, region, spot, commitments) is left out; with a price (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map and --as are said again where FILE took one");
	if (l->nameless.ngpu)
		fleet_note(f, "%s",
			   join_nameless_words(&f->mem, l->nameless.ms, l->nameless.ngpu,
					       l->nameless.nmachine));
	if (f->unpriced_ms)
		fleet_note(
			f,
			"%s%.1f GPU·h have no price and are in no amount: import a bill, or prices ('tare help price')",
			text_if(f->unpriced_ms < MS_HOUR / 10, "<"),
			fmax((double)f->unpriced_ms / MS_HOUR, 0.1));
	for (size_t i = 0; i < f->workload.n; i++)
		if (f->workload.v[i].kind == WORKLOAD_UNKNOWN)
			dark += f->workload.v[i].ms;
	if (dark >= MS_HOUR / 20) /* else 0.0 of them */
		fleet_note(
			f,
			"%.1f GPU·h belong to no job that is known and have no readings: job lists and telemetry would tell what they did",
			(double)dark / MS_HOUR);
	if (l->longer)
		fleet_note(
			f,
			"%zu job%s began before the data or went on after it: only the part in the window is known",
			l->longer, plural(l->longer));
	if (l->unmatched)
		fleet_note(f, "%zu allocation%s without an entry in the ledger%s%s %s left out",
			   l->unmatched, plural(l->unmatched), text_if(l->currencies, " in "),
			   text_if(l->currencies, f->currency), l->unmatched == 1 ? "was" : "were");
	if (l->odd)
		fleet_note(f, "%zu allocation%s that end before they begin were left out", l->odd,
			   plural(l->odd));
	if (f->gpu_ms && f->unknown_ms > f->gpu_ms / 10 * 9)
		fleet_note(
			f,
			"%.0f %% of the GPU time has no readings: what it did is unknown, and unknown is never waste",
			100.0 * (double)f->unknown_ms / (double)f->gpu_ms);
	if (f->until_ms - f->since_ms < 7 * MS_DAY)
		fleet_note(
			f,
			"the window is shorter than a week: what repeats by the week cannot be seen");
}

static int read_exchange(struct loader *l, struct err *err)
{
	struct exchange_rate *v;
	size_t n;
	int r = store_exchange_rates(l->store, &l->f->mem, &v, &n, err);

	if (r >= 0)
		exchange_take(&l->f->exchange, v, n);
	if (r < 0)
		return r;
	return 0;
}

/* Of AKS the machine's name, or its id, has the node pool, where no label on a bill does; and the
 * id has the cluster, where nothing else names it. */
static void name_aks_pools(struct fleet *f)
{
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		struct sv pool = machine_id_aks_pool(sv_of(w->resource));

		if (!pool.n)
			pool = machine_id_aks_pool(sv_of(w->node));
		if (w->kind == WORKLOAD_LINE || !pool.n)
			continue;
		if (!filled_or(w->node_pool, NULL)) {
			w->node_pool = fleet_text(f, pool);
			w->pool_cluster = w->cluster;
		}
		if (!filled_or(w->pool_cluster, NULL))
			w->pool_cluster = filled_or(w->cluster, NULL);
		if (!w->pool_cluster)
			w->pool_cluster = fleet_text(f, machine_id_aks_cluster(sv_of(w->resource)));
	}
}

/* Machines of jobs and readings that may be those of bills and node lists. */
static int note_twice(struct loader *l, struct err *err)
{
	struct machine_time *v;
	size_t n = 0;
	int rc = store_machine_times(l->store, (struct span){ l->f->since_ms, l->f->until_ms },
				     &l->mem, &v, &n, err);

	if (rc || !n)
		return rc;
	struct join_twice t = join_twice(l->opt->catalog, v, n, &l->mem);
	const char *words = join_twice_words(&l->mem, &t);
	if (words)
		fleet_note(l->f, "%s", words);
	return 0;
}

static int load_fleet(struct store *s, const struct fleet_opt *o, bool when_known,
		      struct fleet *ret, struct err *err)
{
	struct loader l = { .store = s, .opt = o, .f = ret, .when_known = when_known };
	const struct span asked = { o->since_ms, o->until_ms };
	int r;

	*ret = (struct fleet){ .currency = "" };
	if ((r = cut_window(&l, err)) == 0 && (r = begin_with_sources(&l, err)) == 0 &&
	    (r = read_exchange(&l, err)) == 0 && (r = fleet_read_workloads(&l, err)) == 0 &&
	    (r = fleet_read_nodes(&l, err)) == 0 && (r = fleet_read_present(&l, err)) == 0 &&
	    (r = fleet_read_services(&l, err)) == 0 && (r = fleet_read_jobs(&l, err)) == 0 &&
	    (r = fleet_read_curves(&l, err)) == 0 && (r = fleet_read_stats(&l, err)) == 0 &&
	    (r = store_nameless_gpu(s, ret->since_ms, ret->until_ms, &l.nameless, err)) == 0 &&
	    (r = note_twice(&l, err)) == 0 &&
	    (r = bill_seen_load(s, o->conf, asked, ret, &ret->bill, err)) == 0)
		own_rates_learn(ret, o->catalog, &ret->mem, &ret->own_rates);
	if (r >= 0) {
		name_aks_pools(ret);
		fleet_cover(ret);
		fleet_find_told(ret);
		add_notes(&l);
	}
	vec_free(&l.hold);
	intern_free(&l.job);
	intern_free(&l.on);
	vec_free(&l.on_hours);
	intern_free(&l.ask);
	vec_free(&l.by_job);
	intern_free(&l.number);
	vec_free(&l.number_of);
	intern_free(&l.pod);
	vec_free(&l.pod_of);
	vec_free(&l.next);
	arena_free(&l.mem);
	if (r < 0)
		fleet_free(ret);
	return r;
}

int fleet_load(struct store *s, const struct fleet_opt *o, struct fleet *ret, struct err *err)
{
	return load_fleet(s, o, false, ret, err);
}

int fleet_load_known(struct store *s, const struct fleet_opt *o, struct fleet *ret, struct err *err)
{
	return load_fleet(s, o, true, ret, err);
}

void fleet_free(struct fleet *f)
{
	vec_free(&f->workload);
	vec_free(&f->other);
	vec_free(&f->hour);
	vec_free(&f->node);
	vec_free(&f->minute);
	vec_free(&f->service);
	vec_free(&f->job);
	vec_free(&f->host);
	vec_free(&f->ask);
	vec_free(&f->present);
	vec_free(&f->gpu);
	vec_free(&f->curve);
	vec_free(&f->point);
	vec_free(&f->note);
	own_rates_free(&f->own_rates);
	bill_seen_free(f->bill);
	intern_free(&f->text);
	arena_free(&f->mem);
	*f = (struct fleet){ 0 };
}
