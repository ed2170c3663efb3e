#include "answer/plan/plan_gpu.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/lever/own_speed.h"

#define REFERENCE_GPU "A100-SXM4-80GB" /* speeds are against it where nobody says another */
#define GIB           ((double)(1 << 30))

/* ---- prices ------------------------------------------------------------------------------ */

static size_t gpu_count(const struct catalog *cat)
{
	size_t n = 0;
	while (catalog_gpu_at(cat, n))
		n++;
	return n;
}

/* Is this the price of a whole GPU in dollars, in a machine with such a processor? A machine
 * without a name is x86, as nearly all are. */
static bool is_whole_gpu(const struct price_row *x, enum machine_cpu cpu)
{
	bool dollars = x->currency && !strcmp(x->currency, "USD");
	if (!x->gpu_model || x->gpu_milli < 1000)
		return false;
	if (!dollars || x->gpu_hour <= 0 || !dec_fits_nano(x->gpu_hour))
		return false;
	if (cpu == CPU_ANY)
		return true;
	return (machine_cpu_of(x->provider, x->instance_type, x->gpu_model) == CPU_ARM) ==
	       (cpu == CPU_ARM);
}

static struct gpu_price *no_prices(size_t ngpu)
{
	struct gpu_price *p = xcalloc(ngpu + 1, sizeof *p);

	for (size_t k = 0; k < ngpu; k++)
		p[k].nano_gpu_hour = INT64_MIN;
	return p;
}

/* The same, and what a row that is no quote would have made cheaper: ret_no_quote [number of
 * GPUs], nano INT64_MIN = nothing; the caller frees both. */
static int plan_gpu_prices_marked(const struct catalog *cat, const struct gpu_market *m,
				  enum machine_cpu cpu, struct gpu_price **ret,
				  struct gpu_price **ret_no_quote, struct err *err)
{
	const char *word = text_or(m->purchase, "on_demand");
	struct price_query q = { .provider = m->provider,
				 .region_glob = m->region,
				 .at_ms = m->now_ms,
				 .purchase = &word,
				 .npurchase = 1,
				 .no_quotes = true };
	struct price_row *row = NULL;
	size_t n = 0, ngpu = gpu_count(cat);
	if (!purchase_is_known(sv_of(word))) {
		err_set(err, -EINVAL, "--purchase: '%s' is not a way to buy", word);
		err_hint(
			err,
			"the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
		return -EINVAL;
	}
	int r = catalog_prices(cat, &q, &row, &n, err);
	if (r < 0)
		return r;
	*ret = no_prices(ngpu);
	*ret_no_quote = no_prices(ngpu);

	/* row [n] the cheapest first, those that are no quotes last. */
	struct gpu_price *quote = *ret;
	struct gpu_price *no_quote = *ret_no_quote;
	for (size_t i = 0; i < n; i++) {
		const struct price_row *x = &row[i];
		const struct gpu_spec *g;
		if (!is_whole_gpu(x, cpu))
			continue;
		for (size_t k = 0; (g = catalog_gpu_at(cat, k)); k++) {
			struct gpu_price *to = x->no_quote ? &no_quote[k] : &quote[k];
			bool better = quote[k].nano_gpu_hour == INT64_MIN ||
				      dec_to_nano(x->gpu_hour) < quote[k].nano_gpu_hour;
			if (better && to->nano_gpu_hour == INT64_MIN &&
			    !strcmp(g->model, x->gpu_model))
				*to = (struct gpu_price){ .nano_gpu_hour = dec_to_nano(x->gpu_hour),
							  .provider = x->provider,
							  .region = x->region,
							  .zone = x->zone,
							  .instance_type = x->instance_type,
							  .purchase = x->purchase,
							  .term = x->term,
							  .source = x->source,
							  .as_of_ms = x->as_of_ms,
							  .gpu_milli = x->gpu_milli };
		}
	}

	free(row);
	return 0;
}

int plan_gpu_prices(const struct catalog *cat, const struct gpu_market *m, enum machine_cpu cpu,
		    struct gpu_price **ret, struct err *err)
{
	struct gpu_price *no_quote = NULL;
	int r = plan_gpu_prices_marked(cat, m, cpu, ret, &no_quote, err);

	free(no_quote);
	return r;
}

size_t plan_gpu_number(const struct catalog *cat, const struct gpu_spec *g)
{
	size_t i = 0;
	while (catalog_gpu_at(cat, i) != g)
		i++;
	return i;
}

/* ---- what is known of the work ----------------------------------------------------------- */

int gpu_ask_add(struct gpu_ask *q, const struct gpu_spec *g, double speed, struct err *err)
{
	if (q->nown == TRANSFER_MAX_OWN)
		return err_set(err, -E2BIG, "more than %d measurements", TRANSFER_MAX_OWN);
	q->own[q->nown++] = (struct gpu_speed_own){ g, speed };
	return 0;
}

/*
 * What tare profile measured of this workload. What the asker gave wins: the GPU is not
 * added twice. Without --on the first of them is the GPU it runs on; without a need of memory,
 * what the runs used.
 */
static int read_kept(struct plan_gpu *a, struct err *err)
{
	const char *work = NULL;
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	struct own_speeds s;
	double vram;
	int r = 0;

	if (a->q.dir)
		work = a->q.wanted;
	if (work)
		r = own_speeds_load(a->q.dir, a->q.cat, &s, err);
	if (r < 0 || !work)
		return r;
	size_t n = own_speeds_of(&s, work, own, &vram);
	own_speeds_free(&s);
	for (size_t i = 0; i < n && r >= 0; i++) {
		bool have = false;
		for (size_t k = 0; k < a->q.nown && !have; k++)
			have = a->q.own[k].gpu == own[i].gpu;
		if (!have)
			r = gpu_ask_add(&a->q, own[i].gpu, own[i].speed, err);
	}
	if (n) {
		a->own_work = work;
		a->own_vram_bytes = vram;
	}
	return r;
}

const char *plan_gpu_in_table(const struct catalog *cat, const char *group, const char *workload)
{
	const struct speed_fact *f;
	struct sv w = sv_of(workload);
	for (size_t i = 0; workload && (f = catalog_speed_at(cat, i)); i++)
		if (!strcmp(f->group, group) &&
		    (sv_ieq(w, sv_of(f->workload)) || sv_ieq(w, sv_of(f->work_class)))) {
			if (sv_ieq(w, sv_of(f->workload)))
				return f->workload;
			return f->work_class;
		}
	return NULL;
}

/* ---- the choice -------------------------------------------------------------------------- */

const char *plan_gpu_maker(const struct plan_gpu *a)
{
	return a->q.on->vendor;
}

static bool is_port(const struct plan_gpu *a, const struct gpu_spec *g)
{
	return strcmp(g->vendor, plan_gpu_maker(a)) != 0;
}

/* GPUs that somebody sells there, and the one it runs on now. */
int plan_gpu_choose(struct plan_gpu *a, struct err *err)
{
	struct gpu_speeds *table = NULL;
	size_t ngpu = gpu_count(a->q.cat);
	int r = plan_gpu_prices_marked(a->q.cat, &a->q.market, a->q.cpu, &a->price, &a->no_quote,
				       err);
	if (r < 0)
		return r;

	/* GPUs that are sold there, but only in machines with the other processor. */
	struct gpu_price *any = NULL;
	if (a->q.cpu != CPU_ANY)
		r = plan_gpu_prices(a->q.cat, &a->q.market, CPU_ANY, &any, err);
	a->left_out = xcalloc(ngpu + 1, sizeof *a->left_out);
	for (size_t i = 0; i < ngpu && any; i++)
		if (any[i].nano_gpu_hour != INT64_MIN && a->price[i].nano_gpu_hour == INT64_MIN)
			a->left_out[a->nleft_out++] = catalog_gpu_at(a->q.cat, i);
	free(any);
	if (r < 0)
		return r;

	a->gpu = xcalloc(ngpu + 1, sizeof *a->gpu);
	for (size_t i = 0; i < ngpu; i++) {
		const struct gpu_spec *g = catalog_gpu_at(a->q.cat, i);
		bool sold = a->price[i].nano_gpu_hour != INT64_MIN &&
			    !(a->q.same_maker && is_port(a, g));
		if (sold || (a->on_given && g == a->q.on))
			a->gpu[a->n++] = g;
	}
	a->cand = xcalloc(a->n + 1, sizeof *a->cand);
	a->speed = xcalloc(a->n + 1, sizeof *a->speed);
	a->order = xcalloc(a->n + 1, sizeof *a->order);
	struct gpu_speed_ask q = {
		a->q.group, a->q.workload, a->q.on,
		a->q.own,   a->q.nown,     a->q.has_shares ? &a->q.shares : NULL
	};
	r = gpu_speeds_new(a->q.cat, a->q.group, &table, err);
	if (r >= 0)
		r = gpu_speeds_ask(table, &q, a->n, a->gpu, a->speed, err);
	gpu_speeds_free(table);
	for (size_t i = 0; i < a->n && r >= 0; i++)
		a->cand[i] = (struct gpu_candidate){
			.memory_gib = gpu_usable_gib(a->gpu[i]),
			.nano_gpu_hour =
				a->price[plan_gpu_number(a->q.cat, a->gpu[i])].nano_gpu_hour,
			.speed = a->speed[i].speed,
			.lo = a->speed[i].lo,
			.hi = a->speed[i].hi,
			.port = is_port(a, a->gpu[i])
		};
	if (r >= 0)
		r = a->fit = gpu_choose(&a->q.need, a->n, a->cand, a->order, err);
	return r;
}

void plan_gpu_free(struct plan_gpu *a)
{
	free(a->gpu);
	free(a->cand);
	free(a->speed);
	free(a->order);
	free(a->price);
	free(a->no_quote);
	free(a->left_out);
}

/* What the work costs on the GPU it runs on now; NAN. */
double plan_gpu_cost_now(const struct plan_gpu *a)
{
	for (size_t i = 0; i < a->n && a->on_given; i++)
		if (a->gpu[i] == a->q.on)
			return a->cand[i].nano_per_work;
	return NAN;
}

double plan_gpu_steps_now(const struct plan_gpu *a)
{
	for (size_t i = 0; i < a->q.nown; i++)
		if (a->q.own[i].gpu == a->q.on)
			return a->q.own[i].speed;
	return NAN;
}

int answer_plan_gpu(const struct gpu_ask *q, struct plan_gpu *ret, struct err *err)
{
	struct plan_gpu *a = ret;
	int r;

	*a = (struct plan_gpu){ .q = *q };
	r = read_kept(a, err);
	if (r < 0)
		return r;
	a->on_given = a->q.on || a->q.nown;
	if (!a->q.on)
		a->q.on = a->q.nown ? a->q.own[0].gpu : catalog_gpu(a->q.cat, SV(REFERENCE_GPU));

	struct gpu_model *m = &a->q.model;

	if (m->model.params > 0) {
		a->memory_assumed = !memory_fill(&m->model);
		if (m->serve)
			r = memory_serve(&m->model, &m->serving, &a->memory, err);
		else
			r = memory_train(&m->model, &m->training, &a->memory, err);
		if (r < 0)
			return r;
		a->estimated = true;
		a->sized = isnan(a->q.need.vram_p99_gib);
	}
	if (a->sized)
		a->q.need.vram_p99_gib = a->memory.total / GIB / GPU_CHOICE_VRAM_ROOM;
	else if (isnan(a->q.need.vram_p99_gib) && a->own_work)
		a->q.need.vram_p99_gib = a->own_vram_bytes / GIB;

	/* Which processor the program is for: said, else that beside the GPU it runs on; a GPU
	 * that is sold with both leaves x86. */
	if (!a->q.cpu_given) {
		a->q.cpu = a->on_given ? machine_cpu_of(NULL, NULL, a->q.on->model) : CPU_ANY;
		if (a->q.cpu == CPU_ANY)
			a->q.cpu = CPU_X86;
	}

	/* Which table has the workload: that of the asker, else any; where none has it, the
	 * learning names those there are. */
	static const char *const group[] = { "serving", "training", "training_fp32" };
	bool given = a->q.group != NULL;
	const char *found;

	if (!given)
		a->q.group = "training";
	a->q.workload = a->q.wanted;
	if ((found = plan_gpu_in_table(a->q.cat, a->q.group, a->q.wanted)))
		a->q.workload = found;
	bool search = a->q.wanted && !given;
	for (size_t i = 0; search && !found && i < sizeof group / sizeof *group; i++)
		if ((found = plan_gpu_in_table(a->q.cat, group[i], a->q.wanted))) {
			a->q.group = group[i];
			a->q.workload = found;
		}
	if (a->own_work && !found)
		/* a name of the user's own: its measurements speak, and the GPUs' data sheets */
		a->q.workload = NULL;

	return plan_gpu_choose(a, err);
}
