#include "report/plan/plan_gpu.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "model/known.h"
#include "report/grid.h"
#include "report/text.h"

#define NAMES_SHOWN 6 /* of GPUs that are left out */

static enum machine_cpu cpu_of(const struct plan_gpu *a, size_t i)
{
	const struct gpu_price *p = &a->price[plan_gpu_number(a->q.cat, a->gpu[i])];
	return machine_cpu_of(p->provider, p->instance_type, a->gpu[i]->model);
}

/* ---- JSON -------------------------------------------------------------------------------- */

struct own_row {
	const char *gpu;
	double steps_s;
};
struct candidate_row {
	const char *gpu, *maker, *why, *provider, *region, *instance_type, *cpu, *purchase, *source;
	const char *speed_from, *quality;
	bool fits, fit_known, port;
	double memory_gib, speed, lo, hi, saving_frac;
	int64_t hour, work, work_lo, work_hi, steps; /* nano-dollars, UNKNOWN_I64 */
	int64_t as_of_ms;
};
struct no_quote_row {
	const char *gpu, *provider, *region, *zone, *term, *source;
	int64_t hour; /* nano-dollars */
};
struct row {
	const char *against, *group, *workload, *cpu, *currency;
	struct own_row *own;
	size_t nown;
	double vram_gib, max_slowdown, busy_frac;
	struct memory_need memory;
	bool estimated, assumed;
	const char **left_out;
	size_t nleft_out;
	const char *maker;
	struct no_quote_row *no_quote;
	size_t nno_quote;
	struct candidate_row *candidate;
	size_t n;
};
#define NUM(key, S, member, unit, text, decimals)                                 \
	{                                                                         \
		key, COL_NUM, offsetof(S, member), unit, text, .digits = decimals \
	}
#define BYTES(key, member, text) NUM(key, struct row, memory.member, "bytes", text, 0)
#define MONEY(key, member, text)                                                      \
	{                                                                             \
		key, COL_NANO, offsetof(struct candidate_row, member), "USD", text, 0 \
	}
#define TEXT(key, member, text)                                                      \
	{                                                                            \
		key, COL_TEXT, offsetof(struct candidate_row, member), NULL, text, 0 \
	}

static const struct col memory_cols[] = {
	BYTES("weights_bytes", weights, "of the model"),
	BYTES("gradients_bytes", gradients, "of training"),
	BYTES("optimizer_bytes", optimizer, "of training"),
	BYTES("activations_bytes", activations, "of training"),
	BYTES("kv_cache_bytes", kv_cache, "of serving"),
	BYTES("context_bytes", context, "of the driver and libraries"),
	BYTES("fragmentation_bytes", fragmentation, "that cannot be used"),
	BYTES("total_bytes", total, "of one GPU"),
	{ "shape_assumed", COL_BOOL, offsetof(struct row, assumed), NULL,
	  "layers and heads were taken from the size", 0 },
	{ 0 },
};
static const struct col own_cols[] = {
	{ "gpu_model", COL_TEXT, offsetof(struct own_row, gpu), NULL, "on which it was measured",
	  .always = true },
	NUM("steps_s", struct own_row, steps_s, "1/s", "steps a second of one GPU", 6),
	{ 0 },
};
static const struct col candidate_cols[] = {
	{ "gpu_model", COL_TEXT, offsetof(struct candidate_row, gpu), NULL, "what is sold",
	  .always = true },
	{ "fits", COL_BOOL, offsetof(struct candidate_row, fits), NULL,
	  "whether it does the work; null: memory or speed is not known",
	  offsetof(struct candidate_row, fit_known) },
	TEXT("why", why, "why it fits or not, in words"),
	TEXT("maker", maker, "of the GPU"),
	{ "needs_port", COL_BOOL, offsetof(struct candidate_row, port), NULL,
	  "another maker's: the program must be ported before it runs there", 0 },
	NUM("memory_gib", struct candidate_row, memory_gib, "GiB", "of one GPU", 3),
	MONEY("usd_gpu_hour", hour, "cheapest price of one whole GPU an hour"),
	TEXT("provider", provider, "who sells it at that price"),
	TEXT("region", region, "where"),
	TEXT("instance_type", instance_type, "machine that it is in"),
	TEXT("cpu", cpu, "processor of that machine"),
	TEXT("purchase", purchase, "on_demand, spot, ..."),
	{ "as_of", COL_TIME, offsetof(struct candidate_row, as_of_ms), NULL, "of the price", 0 },
	TEXT("source", source, "of the price"),
	NUM("speed", struct candidate_row, speed, NULL, "of one GPU against that it runs on", 4),
	NUM("speed_p05", struct candidate_row, lo, NULL, "5th percentile", 4),
	NUM("speed_p95", struct candidate_row, hi, NULL, "95th percentile", 4),
	TEXT("speed_from", speed_from, "what the speed rests on"),
	{ "quality", COL_TEXT, offsetof(struct candidate_row, quality), NULL,
	  "measured or estimated", .always = true },
	MONEY("usd_per_hour_of_work", work, "what costs an hour on the GPU it runs on, there"),
	MONEY("usd_per_hour_of_work_p05", work_lo, "5th percentile"),
	MONEY("usd_per_hour_of_work_p95", work_hi, "95th percentile"),
	MONEY("usd_per_1000_steps", steps, "where steps were measured"),
	NUM("saving_frac", struct candidate_row, saving_frac, "fraction",
	    "what the work costs less there than now", 4),
	{ 0 },
};
#define MARKED(key, member, text)                                                   \
	{                                                                           \
		key, COL_TEXT, offsetof(struct no_quote_row, member), NULL, text, 0 \
	}
static const struct col no_quote_cols[] = {
	MARKED("gpu_model", gpu, "what it is listed for"),
	MARKED("provider", provider, "by whom"),
	MARKED("region", region, "where"),
	MARKED("zone", zone, "where there"),
	{ "usd_gpu_hour", COL_NANO, offsetof(struct no_quote_row, hour), "USD",
	  "as listed for one GPU an hour", 0 },
	MARKED("term", term,
	       "what its source says it is: a placeholder, a price from which others start"),
	MARKED("source", source, "of the price"),
	{ 0 },
};
static const struct col cols[] = {
	{ "against", COL_TEXT, offsetof(struct row, against), NULL, "GPU model it runs on now",
	  .always = true },
	{ "group", COL_TEXT, offsetof(struct row, group), NULL, "table of speeds", 0 },
	{ "workload", COL_TEXT, offsetof(struct row, workload), NULL, "of that table, or measured",
	  0 },
	{ "measured", COL_LIST(struct row, own, nown, own_cols), .help = "own speeds" },
	NUM("vram_need_gib", struct row, vram_gib, "GiB", "memory of one GPU, with room", 3),
	NUM("max_slowdown", struct row, max_slowdown, NULL,
	    "time there to time now, at most; null: any", 4),
	NUM("busy_frac", struct row, busy_frac, "fraction", "of the GPU that the work uses", 4),
	{ "memory", COL_ROW, 0, NULL, "as estimated from the size of the model; null: it was not",
	  offsetof(struct row, estimated), .sub = memory_cols },
	{ "cpu", COL_TEXT, offsetof(struct row, cpu), NULL, "processor of the machines", 0 },
	{ "other_cpu", COL_WORDS(struct row, left_out, nleft_out),
	  .help = "GPU models that are sold with another processor only" },
	{ "maker", COL_TEXT, offsetof(struct row, maker), NULL,
	  "of the GPUs that the program runs on without a port", 0 },
	{ "no_quotes", COL_LIST(struct row, no_quote, nno_quote, no_quote_cols),
	  .help = "prices that would have been the cheapest of their model, and are none by their own source" },
	{ "currency", COL_TEXT, offsetof(struct row, currency), NULL, "of all amounts",
	  .always = true },
	{ "candidates", COL_LIST(struct row, candidate, n, candidate_cols),
	  .help = "those that fit first, the cheapest for the work first" },
	{ 0 },
};
const struct col_doc plan_gpu_doc = { "tare.plan-gpu/1", "plan gpu",
				      "the cheapest GPUs for a workload", cols };

static int64_t nano_of(double v)
{
	if (isfinite(v) && fabs(v) < 9e18)
		return llround(v);
	return UNKNOWN_I64;
}

static const char *some_or_null(const char *z)
{
	return filled_or(z, NULL);
}

static struct candidate_row candidate_row(const struct plan_gpu *a, size_t i)
{
	const struct gpu_candidate *k = &a->cand[i];
	const struct gpu_price *p = &a->price[plan_gpu_number(a->q.cat, a->gpu[i])];
	const struct gpu_speed *s = &a->speed[i];
	bool priced = k->nano_gpu_hour != INT64_MIN;

	struct candidate_row row = {
		.gpu = a->gpu[i]->model,
		.maker = a->gpu[i]->vendor,
		.port = k->port,
		.fits = k->fit == GPU_FITS,
		.fit_known = k->fit != GPU_MEMORY_UNKNOWN && k->fit != GPU_SPEED_UNKNOWN,
		.why = some_or_null(gpu_fit_text(k->fit)),
		.memory_gib = k->memory_gib,
		.hour = nano_of(num_if(priced, (double)k->nano_gpu_hour)),
		.provider = some_or_null(p->provider),
		.region = some_or_null(p->region),
		.instance_type = some_or_null(p->instance_type),
		.purchase = some_or_null(p->purchase),
		.as_of_ms = i64_if(priced, p->as_of_ms),
		.source = some_or_null(p->source),
		.speed = s->speed,
		.lo = s->lo,
		.hi = s->hi,
		.speed_from = some_or_null(speed_how_name(s->how)),
		.quality = s->how == SPEED_MEASURED ? "measured" : "estimated",
		.work = nano_of(k->nano_per_work),
		.work_lo = nano_of(k->nano_lo),
		.work_hi = nano_of(k->nano_hi),
		.steps = nano_of(k->nano_per_work / plan_gpu_steps_now(a) / 3.6),
		.saving_frac = 1 - k->nano_per_work / plan_gpu_cost_now(a),
	};

	if (priced)
		row.cpu = machine_cpu_name(cpu_of(a, i));
	return row;
}

/* ret [GPUs of the catalogue + 1], of those left out; how many. */
static size_t fill_no_quotes(const struct plan_gpu *a, struct arena *mem, struct no_quote_row **ret)
{
	const struct gpu_spec *g;
	size_t n = 0, ngpu = 0;

	while (catalog_gpu_at(a->q.cat, ngpu))
		ngpu++;
	*ret = arena_zalloc(mem, (ngpu + 1) * sizeof **ret);
	for (size_t k = 0; (g = catalog_gpu_at(a->q.cat, k)); k++) {
		const struct gpu_price *p = &a->no_quote[k];
		if (p->nano_gpu_hour != INT64_MIN)
			(*ret)[n++] = (struct no_quote_row){ g->model,        p->provider,
							     p->region,       p->zone,
							     p->term,         p->source,
							     p->nano_gpu_hour };
	}
	return n;
}

/* ---- for people -------------------------------------------------------------------------- */

/* Nano-dollars of an hour's work to what is shown: dollars of 1,000 steps where steps were
 * measured, else of that hour. */
static double unit_of(const struct plan_gpu *a)
{
	double steps = plan_gpu_steps_now(a);
	if (isnan(steps))
		return 1e9;
	return 1e9 * steps * 3.6;
}

static void add_candidate(const struct plan_gpu *a, struct grid *g, size_t i)
{
	const struct gpu_candidate *k = &a->cand[i];
	const struct gpu_price *p = &a->price[plan_gpu_number(a->q.cat, a->gpu[i])];
	struct arena *mem = &g->mem;
	double now = plan_gpu_cost_now(a), per = unit_of(a);
	const char **cell = grid_add_row(g, grid_faint(k->fit != GPU_FITS));
	bool priced = k->nano_gpu_hour != INT64_MIN;
	if (priced && cpu_of(a, i) == CPU_ARM)
		cell[0] = arena_printf(mem, "%s (ARM)", a->gpu[i]->model);
	else
		cell[0] = a->gpu[i]->model;
	cell[1] = priced ? arena_printf(mem, "%.2f", (double)k->nano_gpu_hour / 1e9) : "-";

	const struct gpu_speed *s = &a->speed[i];
	if (isnan(s->speed))
		cell[2] = "-";
	else if (s->how == SPEED_MEASURED)
		cell[2] = arena_printf(mem, "%.2f", s->speed);
	else
		cell[2] = arena_printf(mem, "%.2f (%.2f-%.2f)", s->speed, s->lo, s->hi);
	if (isnan(k->nano_per_work))
		cell[3] = "-";
	else {
		/* One for the column: by what it costs now. */
		double usd = plan_gpu_cost_now(a) / unit_of(a);
		int digits = 6;
		if (isnan(plan_gpu_steps_now(a)) || usd >= 1)
			digits = 3;
		else if (usd >= .1)
			digits = 4;
		else if (usd >= .01)
			digits = 5;

		cell[3] = arena_printf(mem, "%.*f", digits, k->nano_per_work / per);
	}
	if (isnan(k->nano_per_work) || isnan(now))
		cell[4] = "-";
	else if (a->gpu[i] == a->q.on)
		cell[4] = "now";
	else
		cell[4] = arena_printf(mem, "%+.0f %%", (k->nano_per_work / now - 1) * 100);
	cell[5] = gpu_fit_text(k->fit);
	if (priced)
		cell[6] = arena_printf(mem, "%s %s", p->provider,
				       text_if(p->region && *p->region, p->region));
	else
		cell[6] = "-";
}

/* What the estimated speeds rest on: one sentence for each way that occurs. */
static void print_sources(const struct plan_gpu *a, struct str *out)
{
	static const char *const text[] = {
		[SPEED_MEASURED] = "",
		[SPEED_TABLE] = "published speeds of such work, data sheets and what was measured",
		[SPEED_ROOFLINE] = "the shares of time given and the data sheets (a roofline)",
		[SPEED_SPECS] =
			"data sheets and published speeds of other work (name yours: --workload)",
		[SPEED_NOTHING] = ""
	};
	bool seen[SPEED_NOTHING + 1] = { false };
	if (isnan(plan_gpu_steps_now(a)))
		str_addf(
			out,
			"\n$/work: what an hour of work on %s costs there. Speeds without a range are measured.\n",
			a->q.on->model);
	else
		str_addf(
			out,
			"\n$/1k steps: what 1,000 steps cost there, %.4g a second on %s. Speeds without a range are measured.\n",
			plan_gpu_steps_now(a), a->q.on->model);
	for (size_t i = 0; i < a->n; i++)
		seen[a->speed[i].how] = true;
	for (int h = SPEED_TABLE; h <= SPEED_SPECS; h++)
		if (seen[h])
			str_addf(out, "Ranges are estimates (5th to 95th percentile) from %s.\n",
				 text[h]);
}

static void print_need(const struct plan_gpu *a, struct arena *mem, struct str *out)
{
	const struct memory_need *m = &a->memory;
	const double gib = (double)(1 << 30);
	if (a->estimated) {
		str_addf(out, "Memory, estimated: %.1f GiB a GPU = weights %.1f", m->total / gib,
			 m->weights / gib);
		if (m->optimizer > 0)
			str_addf(out, ", gradients %.1f, optimizer %.1f, activations %.1f",
				 m->gradients / gib, m->optimizer / gib, m->activations / gib);
		else
			str_addf(out, ", KV cache %.1f", m->kv_cache / gib);
		str_addf(out, ", context %.1f, fragmentation %.1f.%s\n", m->context / gib,
			 m->fragmentation / gib,
			 text_if(a->memory_assumed, " Layers and heads assumed from the size."));
	}
	if (isnan(a->q.need.vram_p99_gib))
		str_addz(
			out,
			"Memory need not known: nothing can be said to fit. Give --vram-gib or --params.\n");
	else if (!a->sized)
		str_addf(out, "Needs %.1f GiB (%.1f used, with 10 %% room).\n",
			 a->q.need.vram_p99_gib * GPU_CHOICE_VRAM_ROOM, a->q.need.vram_p99_gib);
	if (a->q.need.busy_frac < 1)
		str_addf(out,
			 "Uses %.0f %% of a %s: a GPU of that share of its speed is as good.\n",
			 a->q.need.busy_frac * 100, a->q.on->model);
	if (a->own_work) {
		str_addf(out, "Measured, %s, steps a second of one GPU:",
			 text_line(mem, sv_of(a->own_work), 60));
		for (size_t i = 0; i < a->q.nown; i++)
			str_addf(out, "%s %s %.4g", text_if(i, ","), a->q.own[i].gpu->model,
				 a->q.own[i].speed);
		str_addz(out, ".\n");
	}
	str_addf(out, "Speed of one GPU against %s%s%s%s; %s prices.\n\n", a->q.on->model,
		 text_if(a->q.workload, ", workload "), text_or(a->q.workload, ""),
		 text_if(!a->on_given, " (--on names yours)"),
		 text_or(a->q.market.purchase, "on_demand"));
}

/* Programs run on the GPUs of one maker: which others would do, once it is ported. */
static void print_ports(const struct plan_gpu *a, struct str *out)
{
	struct str s = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct gpu_candidate *k = &a->cand[a->order[i]];
		bool would_do = k->fit == GPU_NEEDS_PORT || (k->port && k->fit == GPU_FITS);
		if (would_do && n++ < NAMES_SHOWN)
			str_addf(&s, "%s%s", text_if(n > 1, ", "), a->gpu[a->order[i]]->model);
	}
	if (n > NAMES_SHOWN)
		str_addf(&s, " and %zu more", n - NAMES_SHOWN);
	if (!n)
		return;

	/* What the programs for a maker's GPUs are written for. */
	const char *maker = plan_gpu_maker(a);
	const char *platform = "ROCm";
	if (!strcmp(maker, "nvidia"))
		platform = "CUDA";
	else if (strcmp(maker, "amd"))
		platform = maker;

	str_addf(out, "The work runs on %s%s; a port of the program is needed for %s", platform,
		 text_if(!a->on_given, " (assumed: --on names your GPU)"), str_z(&s));

	str_addz(out,
		 a->q.need.ports
			 ? ": ranked among the others, as asked.\n"
			 : ": ranked after the others (--any-maker ranks them among these).\n");
	str_free(&s);
}

static void print_text(const struct plan_gpu *a, size_t limit, const struct out_as *as,
		       struct str *out)
{
	const char *const head[] = {
		"GPU",        "$/h",
		"speed",      isnan(plan_gpu_steps_now(a)) ? "$/work" : "$/1k steps",
		"vs now",     "",
		"cheapest at"
	};
	struct grid g = { 0 };
	size_t rows = grid_limit(limit, a->n);

	print_need(a, &g.mem, out);
	/* where lines may be wider, the place is whole */
	for (int i = 0; i < 7; i++)
		grid_add_col(&g, head[i], grid_side(i >= 1 && i <= 4), i == 6 && grid_fits_lines());
	for (size_t i = 0; i < rows; i++)
		add_candidate(a, &g, a->order[i]);
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	if (a->n > rows)
		str_addf(out, "... and %zu more (--limit 0)\n", a->n - rows);
	print_sources(a, out);
	print_ports(a, out);

	/* GPUs that a program for this processor cannot be moved to as it is. */
	struct str s = { 0 };

	for (size_t i = 0; i < a->nleft_out && i < NAMES_SHOWN; i++)
		str_addf(&s, "%s%s", text_if(i, ", "), a->left_out[i]->model);
	if (a->nleft_out > NAMES_SHOWN)
		str_addf(&s, " and %zu more", a->nleft_out - NAMES_SHOWN);
	if (s.n)
		str_addf(out,
			 "Left out, sold with %s processors only: %s (--cpu any shows them).\n",
			 a->q.cpu == CPU_X86 ? "ARM" : "x86", str_z(&s));
	str_free(&s);

	struct no_quote_row *row;
	size_t n = fill_no_quotes(a, &g.mem, &row);

	for (size_t i = 0; i < n && i < NAMES_SHOWN; i++)
		str_addf(out,
			 "Price left out: %s at %.2f $/h, %s %s; by its source no quote (%s).\n",
			 row[i].gpu, (double)row[i].hour / 1e9, row[i].provider,
			 row[i].zone ? row[i].zone : row[i].region, row[i].term);
	if (n > NAMES_SHOWN)
		str_addf(out, "... and %zu more such prices (-o json)\n", n - NAMES_SHOWN);
	grid_free(&g);
	if (!a->fit && !isnan(a->q.need.vram_p99_gib))
		str_addz(out, "No GPU sold there fits.\n");
}

void plan_gpu_print(const struct plan_gpu *a, size_t limit, const struct out_as *as,
		    struct str *out)
{
	if (as->format == OUT_JSON) {
		struct arena mem = { 0 };
		struct row row = {
			.against = a->q.on->model,
			.group = some_or_null(a->q.group),
			.workload = some_or_null(text_or(a->own_work, a->q.workload)),
			.cpu = machine_cpu_name(a->q.cpu),
			.maker = plan_gpu_maker(a),
			.currency = "USD",
			.nown = a->q.nown,
			.vram_gib = a->q.need.vram_p99_gib * GPU_CHOICE_VRAM_ROOM,
			.max_slowdown = a->q.need.max_slowdown,
			.busy_frac = a->q.need.busy_frac,
			.memory = a->memory,
			.estimated = a->estimated,
			.assumed = a->memory_assumed,
			.nleft_out = a->nleft_out,
			.n = a->n,
		};

		row.own = arena_zalloc(&mem, (a->q.nown + 1) * sizeof *row.own);
		row.left_out = arena_zalloc(&mem, (a->nleft_out + 1) * sizeof *row.left_out);
		row.candidate = arena_zalloc(&mem, (a->n + 1) * sizeof *row.candidate);
		row.nno_quote = fill_no_quotes(a, &mem, &row.no_quote);
		for (size_t i = 0; i < a->q.nown; i++)
			row.own[i] = (struct own_row){ a->q.own[i].gpu->model, a->q.own[i].speed };
		for (size_t i = 0; i < a->nleft_out; i++)
			row.left_out[i] = a->left_out[i]->model;
		for (size_t i = 0; i < a->n; i++)
			row.candidate[i] = candidate_row(a, a->order[i]);
		cols_doc(&plan_gpu_doc, &row, out);
		arena_free(&mem);
	} else
		print_text(a, limit, as, out);
}
