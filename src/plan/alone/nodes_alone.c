/*
 * What a list of machines and a list of jobs say together, without knowing where each job ran: how
 * many GPUs were held at once of those there are, what no typical job can use for the want of CPU
 * or memory beside it, what parts of a GPU leave over, what few machines could take at all. Of
 * jobs with machines find_stranded.c says more, hour by hour.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/capacity/stranded.h"
#include "plan/alone/alone.h"

#define KNOWN_FRAC   0.5 /* of the hours: from fewer no most is told */
#define MIN_JOBS     10  /* that say what they ask for */
#define MODELS_SHOWN 8
#define SHAPES_SHOWN 5
#define WORTH_FRAC   50 /* a fiftieth of the GPUs is worth a word */
#define FEW_FRAC     20 /* a request that a twentieth of the machines takes, or fewer */

struct model { /* machines with a model of GPU */
	const char *name;
	int64_t gpus_milli, short_cpu_milli, short_ram_milli;
	int64_t held_ms, paid_ms; /* of workloads that name it */
};
struct hour_sum {
	int64_t *held;            /* [n] GPU-milliseconds held in each hour */
	int64_t *unknown;         /* [n] of which nobody knows who held them, or whether */
	struct alone_sum *unheld; /* [n] that nobody is known to have held */
	int64_t from_ms;
	size_t n;
};
struct look {
	const struct lever_in *in;
	struct rec_list *out;
	struct intern name;
	VEC(struct model) model;
	int64_t gpus_milli;    /* at once, in the mean of the window */
	double mean_nano_ms;   /* of a GPU: what all GPU time costs */
	double short_nano_ms;  /* of the GPUs that the median job cannot fill, at once */
	struct strand_ask ask; /* the median job */
	bool has_ask;
	size_t machines;
};

static double gpus_of(int64_t milli)
{
	return (double)milli / 1000;
}

static const char *count_text(const struct look *l, int64_t milli)
{
	return told_count(l->in, llround(gpus_of(milli)));
}

/* An interval of a machine counts for the part of the window in which it is there; a window ends
 * at a whole hour. */
static int64_t mean_milli(const struct look *l, const struct fleet_node *n)
{
	const struct fleet *f = l->in->fleet;
	int64_t there = n->to_ms - n->from_ms, all = fleet_span_ms(f);

	if (there > all - MS_HOUR)
		return n->gpus_milli;
	return (int64_t)((double)n->gpus_milli * (double)there / (double)all);
}

/* That so many GPUs cost; of what has no price nothing is told. */
static void cost_gpus(const struct look *l, struct rec *r, double n, double nano_ms)
{
	if (nano_ms > 0)
		told_cost(r, dec_from_double(n * nano_ms / 1e9 * l->in->conf->month_hours *
					     (double)MS_HOUR));
}

/* ---- what there is ----------------------------------------------------------------------- */

static void learn_machines(struct look *l)
{
	const struct fleet *f = l->in->fleet;
	struct alone_sum all = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) /* of a pool no machine knows its part */
		if (f->workload.v[i].kind != WORKLOAD_LINE)
			alone_add(&all, f->workload.v[i].ms, alone_of(&f->workload.v[i]));
	if (all.ms > 0)
		l->mean_nano_ms = all.nano / (double)all.ms;
	for (size_t i = 0; i < f->node.n; i++) {
		const struct fleet_node *n = &f->node.v[i];
		if (f->other.n && !n->ms) /* paid in a currency that is not planned */
			continue;
		uint32_t k = intern_add(&l->name, sv_of(n->gpu_model));

		if (k == l->model.n)
			*vec_push(&l->model) =
				(struct model){ .name = filled_or(n->gpu_model, "(unknown)") };
		struct model *m = &l->model.v[k];
		bool cpu = false;
		int64_t milli = 0;

		/* GPUs of an empty machine that median jobs cannot fill; which of both is short. */
		if (l->has_ask) {
			double by_cpu = INFINITY, by_ram = INFINITY;
			if (l->ask.cpu_milli > 0 && !isnan(n->vcpu))
				by_cpu = floor(n->vcpu * 1000 / (double)l->ask.cpu_milli);
			if (l->ask.ram_mib > 0 && !isnan(n->ram_gib))
				by_ram = floor(n->ram_gib * 1024 / (double)l->ask.ram_mib);
			cpu = by_cpu <= by_ram;
			double fit = fmin(by_cpu, by_ram) * (double)l->ask.gpus_milli;
			milli = mean_milli(l, n);
			if (fit < (double)n->gpus_milli)
				milli -= (int64_t)((double)milli * fit / (double)n->gpus_milli);
			else
				milli = 0;
		}
		/* Jobs that name no machine leave none with a time and a cost of its own. */
		double nano_ms = l->mean_nano_ms;
		struct price_ask ask = { .catalog = l->in->catalog,
					 .fleet = f,
					 .provider = n->provider,
					 .region = n->region,
					 .zone = n->zone,
					 .instance_type = n->instance_type,
					 .gpu_model = n->gpu_model,
					 .purchase = n->purchase,
					 .gpus_milli = n->gpus_milli,
					 .at_ms = f->until_ms };
		struct rate listed;
		if (n->ms > 0)
			nano_ms = (double)n->cost_nano / (double)n->ms;
		else if (!isnan(n->told_nano_hour) && n->gpus_milli > 0)
			nano_ms = n->told_nano_hour / gpus_of(n->gpus_milli) / (double)MS_HOUR;
		else if (*n->instance_type && fleet_rate(&ask, &listed))
			nano_ms = (double)listed.nano_gpu_hour / (double)MS_HOUR;
		l->short_nano_ms += gpus_of(milli) * nano_ms;
		m->gpus_milli += mean_milli(l, n);
		*(cpu ? &m->short_cpu_milli : &m->short_ram_milli) += milli;
		l->gpus_milli += mean_milli(l, n);
		l->machines++;
	}
}

/* ---- how many at once -------------------------------------------------------------------- */

static double mean_gpus(const struct hour_sum *h, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += (double)h->held[i] / MS_HOUR;
	if (to > from)
		return sum / (double)(to - from);
	return 0;
}

static void tell_held(struct look *l, const struct hour_sum *h)
{
	const struct lever_in *in = l->in;
	double all = gpus_of(l->gpus_milli), peak = 0,
	       unseen = 1 - in->conf->gates.stop_watched_frac;
	size_t at = 0, known = 0;
	char day[TM_BUF];

	/* An hour in which nobody knows who held some of them, or whether, says nothing of the most
	 * that were held. */
	for (size_t i = 0; i < h->n; i++) {
		known += (double)h->unknown[i] / MS_HOUR <= unseen * all;
		if ((double)h->held[i] / MS_HOUR > peak) {
			peak = (double)h->held[i] / MS_HOUR;
			at = i;
		}
	}
	if (!h->n || !(peak > 0) || !(all > 0) || (double)known < KNOWN_FRAC * (double)h->n)
		return;
	const char *of_hours = "";
	if ((double)known < (1 - unseen) * (double)h->n)
		of_hours = arena_printf(in->mem, ", in the %.0f %% of the hours that are known",
					100.0 * (double)known / (double)h->n);
	double never = fmax(0, all - peak), mean = mean_gpus(h, 0, h->n), nano_ms = l->mean_nano_ms;
	struct alone_sum rest = { 0 };
	if (never < 1 || never * WORTH_FRAC < all)
		return;
	struct rec *r = told_new(in, l->out, ADVICE_NODES_HELD, "nodes-held");
	/* They cost what is left over in the busiest hours does. */
	for (size_t i = 0; i < h->n; i++) {
		if (llround((double)h->held[i] / MS_HOUR) < llround(peak))
			continue;
		rest.ms += h->unheld[i].ms;
		rest.nano += h->unheld[i].nano;
	}
	if (rest.ms > 0)
		nano_ms = rest.nano / (double)rest.ms;
	cost_gpus(l, r, never, nano_ms);
	r->title = arena_printf(
		in->mem,
		"at most %s of %s GPUs were held in the mean of an hour, %s in the mean of all: %s more were there%s",
		told_count(in, llround(peak)), told_count(in, llround(all)),
		told_count(in, llround(mean)), told_count(in, llround(never)), of_hours);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "machines", .source = "node list" }, "%s",
		     told_count(in, (int64_t)l->machines));
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "GPUs, in the mean", .source = "node list" },
		"%.0f", all);
	rec_evidence(in, r,
		     (struct evidence){
			     QUALITY_MEASURED,
			     arena_printf(in->mem, "held in the busiest hour, %s",
					  tm_format_date(day, h->from_ms + (int64_t)at * MS_HOUR)),
			     .unit = "GPU", .source = "job list" },
		     "%.1f", peak);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "held in the mean", .unit = "GPU",
					.source = "job list" },
		     "%.1f", mean);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"in the first quarter of the time, in the last",
					.unit = "GPU", .source = "job list" },
		     "%.1f, %.1f", mean_gpus(h, 0, h->n / 4), mean_gpus(h, h->n - h->n / 4, h->n));
	for (size_t i = 0; i < l->model.n && i < MODELS_SHOWN; i++) {
		const struct model *m = &l->model.v[i];
		if (m->held_ms > 0 && m->paid_ms > 0)
			rec_evidence(
				in, r,
				(struct evidence){ QUALITY_MEASURED,
						   arena_printf(in->mem, "held of %s", m->name),
						   .unit = "frac", .source = "ledger" },
				"%.3f", (double)m->held_ms / (double)m->paid_ms);
	}
	rec_risk(in, r, "A job list of a part of the work holds less than was held.");
}

/* ---- what a typical job cannot use ------------------------------------------------------- */

static int by_short(const void *pa, const void *pb)
{
	const struct model *a = pa, *b = pb;
	int64_t x = a->short_cpu_milli + a->short_ram_milli,
		y = b->short_cpu_milli + b->short_ram_milli;

	if (x != y)
		return cmp_i64(y, x);
	return strcmp(a->name, b->name);
}

static void tell_stranded(struct look *l)
{
	const struct lever_in *in = l->in;
	int64_t cpu = 0, ram = 0;

	for (size_t i = 0; i < l->model.n; i++) {
		cpu += l->model.v[i].short_cpu_milli;
		ram += l->model.v[i].short_ram_milli;
	}
	if (!l->has_ask || (cpu + ram) * WORTH_FRAC < l->gpus_milli)
		return;
	struct rec *r = told_new(in, l->out, ADVICE_NODES_STRANDED, "nodes-stranded");
	cost_gpus(l, r, 1, l->short_nano_ms);
	sort_items(l->model.v, l->model.n, sizeof *l->model.v, by_short);
	const struct model *m = &l->model.v[0];
	r->title = arena_printf(
		in->mem,
		"%s of %s GPUs cannot be filled with the median job (%.3g GPU, %.3g CPUs, %.3g GiB): %s of %s %s, for want of %s",
		count_text(l, cpu + ram), count_text(l, l->gpus_milli), gpus_of(l->ask.gpus_milli),
		gpus_of(l->ask.cpu_milli), (double)l->ask.ram_mib / 1024,
		count_text(l, m->short_cpu_milli + m->short_ram_milli),
		count_text(l, m->gpus_milli), m->name,
		m->short_cpu_milli >= m->short_ram_milli ? "CPU" : "memory");
	for (size_t i = 0; i < l->model.n && i < MODELS_SHOWN; i++) {
		const struct model *x = &l->model.v[i];
		if (!(x->short_cpu_milli + x->short_ram_milli))
			break;
		rec_evidence(
			in, r,
			(struct evidence){
				QUALITY_MEASURED,
				arena_printf(in->mem, "%s: of %s GPUs, for want of CPU, of memory",
					     x->name, count_text(l, x->gpus_milli)),
				.unit = "GPU", .source = "node list, job list" },
			"%s, %s", count_text(l, x->short_cpu_milli),
			count_text(l, x->short_ram_milli));
	}
	rec_risk(
		in, r,
		"Smaller jobs fill what the median leaves; of placed jobs tare plan --findings says what was stranded.");
}

/* ---- parts of a GPU --------------------------------------------------------------------- */

static void tell_parts(struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	double time = 0, left = 0;
	int64_t jobs = 0, all = 0;
	const struct fleet_ask *most = NULL;

	for (size_t i = 0; i < f->ask.n; i++) {
		const struct fleet_ask *a = &f->ask.v[i];
		all += a->jobs;
		if (!a->part || a->gpus_milli >= 1000)
			continue;
		double frac = gpus_of(a->gpus_milli), fits = floor(1 / frac + 1e-9);
		time += (double)a->gpu_ms;
		left += (double)a->gpu_ms / (fits * frac) * (1 - fits * frac);
		jobs += a->jobs;
		if (!most || a->gpu_ms > most->gpu_ms)
			most = a;
	}
	if (!most || jobs < MIN_JOBS || left * WORTH_FRAC < time)
		return;
	struct rec *r = told_new(in, l->out, ADVICE_NODES_PARTS, "nodes-parts");
	double fits = floor(1 / gpus_of(most->gpus_milli) + 1e-9);
	r->title = arena_printf(
		in->mem,
		"%s jobs ask for a part of a GPU and leave %.0f %% of it when equal ones fill it; most is %.3g of a GPU: %.0f fit",
		told_count(in, jobs), left / (left + time) * 100, gpus_of(most->gpus_milli), fits);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "jobs with a part of a GPU",
					.source = "job list" },
		     "%s of %s", told_count(in, jobs), told_count(in, all));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "their GPU time", .unit = "GPU·h",
					.source = "job list" },
		     "%.1f", time / MS_HOUR);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED,
					"left over beside them, filled with equal ones",
					.unit = "GPU·h", .source = "job list" },
		     "%.1f", left / MS_HOUR);
	rec_risk(in, r, "Different sizes on one GPU may leave less: a scheduler that packs them.");
}

/* ---- what few machines take -------------------------------------------------------------- */

static bool takes_ask(const struct fleet_node *n, const struct fleet_ask *a)
{
	bool cpu = isnan(n->vcpu) || a->cpu_milli <= llround(n->vcpu * 1000),
	     ram = isnan(n->ram_gib) || a->ram_mib <= llround(n->ram_gib * 1024);

	return a->gpus_milli <= n->gpus_milli && cpu && ram;
}

struct shape {
	const struct fleet_ask *ask;
	size_t machines;
};

static int by_jobs(const void *pa, const void *pb)
{
	const struct shape *a = pa, *b = pb;

	if (a->ask->jobs != b->ask->jobs)
		return cmp_i64(b->ask->jobs, a->ask->jobs);
	return cmp_i64(a->ask->gpus_milli, b->ask->gpus_milli);
}

static const char *shape_text(const struct look *l, const struct fleet_ask *a)
{
	return arena_printf(l->in->mem, "%.3g GPU, %.4g CPUs, %.4g GiB", gpus_of(a->gpus_milli),
			    gpus_of(a->cpu_milli), (double)a->ram_mib / 1024);
}

static void tell_no_fit(struct look *l)
{
	const struct lever_in *in = l->in;
	const struct fleet *f = in->fleet;
	VEC(struct shape) few = { 0 };
	int64_t none = 0, jobs = 0, most_milli = INT64_MIN;

	for (size_t i = 0; i < f->node.n; i++)
		most_milli = max_i64(f->node.v[i].gpus_milli, most_milli);
	for (size_t i = 0; i < f->ask.n; i++) {
		struct shape s = { &f->ask.v[i], 0 };
		/* a request of more GPUs than any machine has is one of several machines */
		if (s.ask->gpus_milli > most_milli)
			continue;
		for (size_t k = 0; k < f->node.n; k++)
			s.machines += takes_ask(&f->node.v[k], s.ask);
		if (s.machines * FEW_FRAC > l->machines)
			continue;
		if (!s.machines)
			none += s.ask->jobs;
		jobs += s.ask->jobs;
		*vec_push(&few) = s;
	}
	if (few.n) {
		sort_items(few.v, few.n, sizeof *few.v, by_jobs);
		struct rec *r = told_new(in, l->out, ADVICE_NODES_NO_FIT, "nodes-no-fit");
		const char *nowhere = "";
		if (none)
			nowhere = arena_printf(in->mem, " (of these %s fit on none)",
					       told_count(in, none));
		r->title = arena_printf(
			in->mem,
			"jobs that at most %.0f %% of the machines could take, were they empty: %s%s; most ask for %s, which %zu of %s can give",
			100.0 / FEW_FRAC, told_count(in, jobs), nowhere,
			shape_text(l, few.v[0].ask), few.v[0].machines,
			told_count(in, (int64_t)l->machines));
		for (size_t i = 0; i < few.n && i < SHAPES_SHOWN; i++)
			rec_evidence(
				in, r,
				(struct evidence){ QUALITY_MEASURED,
						   arena_printf(in->mem,
								"%s: jobs, machines that take one",
								shape_text(l, few.v[i].ask)),
						   .source = "job list, node list" },
				"%lld, %zu", (long long)few.v[i].ask->jobs, few.v[i].machines);
	}
	vec_free(&few);
}

void nodes_alone(const struct lever_in *in, struct rec_list *out)
{
	const struct fleet *f = in->fleet;
	struct look l = { .in = in, .out = out };
	struct hour_sum h = { .from_ms = tm_floor(f->since_ms, MS_HOUR) };

	/* Of a machine that only its workloads name nobody knows how many GPUs it has. */
	bool listed = f->node.n > 0;
	for (size_t i = 0; i < f->node.n; i++)
		listed &= !f->node.v[i].unrecorded;
	if (!f->ask.n || !listed || f->until_ms <= f->since_ms)
		return;
	h.n = (size_t)((f->until_ms - h.from_ms + MS_HOUR - 1) / MS_HOUR);
	h.held = xcalloc(2 * (h.n + 1), sizeof *h.held);
	h.unknown = h.held + h.n + 1;
	h.unheld = xcalloc(h.n + 1, sizeof *h.unheld);

	const struct fleet *fleet = l.in->fleet;
	VEC(struct strand_ask) v = { 0 };

	for (size_t i = 0; i < fleet->ask.n; i++)
		for (int64_t k = 0; k < fleet->ask.v[i].jobs; k++)
			*vec_push(&v) = (struct strand_ask){ fleet->ask.v[i].gpus_milli,
							     fleet->ask.v[i].cpu_milli,
							     fleet->ask.v[i].ram_mib };
	l.has_ask = v.n && stranded_typical(v.n, v.v, MIN_JOBS, &l.ask);
	vec_free(&v);
	learn_machines(&l);
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind == WORKLOAD_LINE)
			continue;
		int64_t at = -1;
		if (*w->gpu_model)
			at = intern_find(&l.name, sv_of(w->gpu_model));
		if (at >= 0)
			l.model.v[at].paid_ms += w->ms;
		bool held = w->kind == WORKLOAD_JOB || w->kind == WORKLOAD_SERVICE;
		if (held && at >= 0)
			l.model.v[at].held_ms += w->ms;
		for (size_t k = w->hour0; k < w->hour0 + w->nhour; k++) {
			int64_t t = (f->hour.v[k].hour_ms - h.from_ms) / MS_HOUR;
			if (t < 0 || t >= (int64_t)h.n)
				continue;
			if (held) {
				h.held[t] += f->hour.v[k].ms;
			} else if (w->kind == WORKLOAD_UNKNOWN) {
				h.unknown[t] += f->hour.v[k].ms;
			} else {
				h.unheld[t].ms += f->hour.v[k].ms;
				h.unheld[t].nano += (double)f->hour.v[k].nano;
			}
		}
	}
	tell_held(&l, &h);
	tell_stranded(&l);
	tell_parts(&l);
	tell_no_fit(&l);
	free(h.held);
	free(h.unheld);
	vec_free(&l.model);
	intern_free(&l.name);
}
