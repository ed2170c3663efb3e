/* tare plan gpu: the cheapest GPU that does a work, from numbers; no store needed. See opt/gpu_choice.h, opt/transfer.h, opt/memory.h. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/jw.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/plan_gpu.h"
#include "opt/gpu_choice.h"
#include "opt/memory.h"
#include "plan/gpu_speed.h"
#include "report/grid.h"

#define TABLE_ROWS 20
#define REFERENCE_CARD "A100-SXM4-80GB" /* speeds are against it where --on is not given */

struct ask {
	struct cli *c;
	const struct catalog *cat;
	const struct gpu_spec *on; /* the card it runs on now, or the reference */
	bool on_given, sized;	   /* sized: memory was estimated from --params */
	const char *group, *workload;
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	size_t nown;
	struct roofline_shares shares;
	bool has_shares;
	struct gpu_need need;
	struct memory_need memory;
	bool memory_assumed; /* layers and such were taken from the size */
	size_t n;	      /* candidates: cards with a known memory */
	const struct gpu_spec **gpu;
	struct gpu_candidate *cand;
	struct gpu_speed *speed;
	struct gpu_price *price; /* [card of the catalogue] */
	size_t *order;
	int fit;
};

/* ---- options ------------------------------------------------------------------------------------------------------------------------- */

static int option(const struct cli *c, const char *name, double other, double lo, double hi, double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo, hi);
	return 0;
}

static int find_gpu(const struct catalog *cat, const char *option_name, struct sv text, const struct gpu_spec **ret, struct err *err)
{
	*ret = catalog_gpu(cat, text);
	if (*ret)
		return 0;
	err_set(err, -EINVAL, "--%s: no GPU '%.*s' in the catalogue", option_name, SVF(text));
	err_hint(err, "any usual spelling is fine: \"A100 80GB\", l4, V100-SXM2-16GB; see tare price");
	return -EINVAL;
}

static int add_own(struct ask *a, const struct gpu_spec *g, double speed, struct err *err)
{
	if (a->nown == TRANSFER_MAX_OWN)
		return err_set(err, -E2BIG, "more than %d measurements", TRANSFER_MAX_OWN);
	a->own[a->nown++] = (struct gpu_speed_own){ g, speed };
	return 0;
}

/* --measured GPU=STEPS_PER_S */
static int read_measured(struct ask *a, struct err *err)
{
	const char **v;
	size_t n = cli_values(a->c, "measured", &v);
	for (size_t i = 0; i < n; i++) {
		struct sv value, gpu = sv_trim(sv_cut(sv_of(v[i]), '=', &value));
		const struct gpu_spec *g;
		double speed;
		int r;
		if (!value.p || sv_f64(sv_trim(value), &speed) < 0 || !(speed > 0 && speed < 1e15))
			return err_set(err, -EINVAL, "--measured: '%s' is no GPU=STEPS_PER_SECOND", v[i]);
		if ((r = find_gpu(a->cat, "measured", gpu, &g, err)) < 0 || (r = add_own(a, g, speed, err)) < 0)
			return r;
	}
	return 0;
}

static int read_on(struct ask *a, struct err *err)
{
	const char *on = cli_value(a->c, "on");
	double step_s;
	int r = option(a->c, "step-time", NAN, 1e-9, 1e9, &step_s, err);
	if (r >= 0 && on)
		r = find_gpu(a->cat, "on", sv_of(on), &a->on, err);
	if (r >= 0 && !isnan(step_s) && !on)
		r = err_set(err, -EINVAL, "--step-time needs --on: the GPU that it was measured on");
	if (r >= 0 && !isnan(step_s))
		r = add_own(a, a->on, 1 / step_s, err);
	if (r >= 0)
		r = read_measured(a, err);
	a->on_given = on != NULL || a->nown;
	if (r >= 0 && !a->on)
		a->on = a->nown ? a->own[0].gpu : catalog_gpu(a->cat, SV(REFERENCE_CARD));
	return r;
}

static int read_shares(struct ask *a, struct err *err)
{
	struct { const char *name; double *v; } s[] = { { "util", &a->shares.util }, { "sm", &a->shares.sm }, { "tensor", &a->shares.tensor },
							{ "dram", &a->shares.dram }, { "pcie", &a->shares.pcie } };
	for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
		int r = option(a->c, s[i].name, NAN, 0, 1, s[i].v, err);
		if (r < 0)
			return r;
		a->has_shares |= !isnan(*s[i].v);
	}
	if (a->has_shares && !cli_value(a->c, "on"))
		return err_set(err, -EINVAL, "shares of time (--util, --tensor, --dram ...) need --on: the GPU that they were measured on");
	return 0;
}

/* Which table has the workload; "list" is answered by the error's hint. */
static int find_group(struct ask *a, struct err *err)
{
	const struct speed_fact *f;
	const char *model = cli_value(a->c, "model");
	a->workload = model ? model : cli_value(a->c, "workload");
	a->group = cli_flag(a->c, "serve") ? "serving" : cli_flag(a->c, "fp32") ? "training_fp32" : "training";
	const char *first = NULL;
	for (size_t i = 0; a->workload && (f = catalog_speed_at(a->cat, i)); i++) {
		if (!sv_ieq(sv_of(a->workload), sv_of(f->workload)) && !sv_ieq(sv_of(a->workload), sv_of(f->work_class)))
			continue;
		if (!strcmp(f->group, a->group)) {
			a->workload = sv_ieq(sv_of(a->workload), sv_of(f->workload)) ? f->workload : f->work_class;
			return 0;
		}
		first = first ? first : f->group;
	}
	a->group = first && !cli_flag(a->c, "serve") && !cli_flag(a->c, "fp32") ? first : a->group;
	(void)err;
	return 0;
}

static int read_model(struct ask *a, struct memory_model *m, struct err *err)
{
	struct { const char *name; double other, lo, hi, *v; } o[] = {
		{ "params", NAN, 1e3, 1e15, &m->params }, { "layers", 0, 1, 1e5, &m->layers }, { "hidden", 0, 1, 1e7, &m->hidden }, { "heads", 0, 1, 1e5, &m->heads },
		{ "kv-heads", 0, 1, 1e5, &m->kv_heads }, { "bytes-per-param", 2, .125, 8, &m->bytes_per_param },
	};
	for (size_t i = 0; i < sizeof o / sizeof *o; i++) {
		int r = option(a->c, o[i].name, o[i].other, o[i].lo, o[i].hi, o[i].v, err);
		if (r < 0)
			return r;
	}
	a->memory_assumed = !memory_fill(m);
	return 0;
}

static int estimate_memory(struct ask *a, struct err *err)
{
	struct memory_model m = { 0 };
	double seq, batch, zero, gpus;
	const char *rec = cli_value(a->c, "recompute");
	int r = read_model(a, &m, err);
	if (r >= 0)
		r = option(a->c, "seq", 2048, 1, 1e8, &seq, err);
	if (r >= 0)
		r = option(a->c, "batch", 1, 0, 1e6, &batch, err);
	if (r >= 0)
		r = option(a->c, "zero", 0, 0, 3, &zero, err);
	if (r >= 0)
		r = option(a->c, "gpus", 1, 1, 1e6, &gpus, err);
	if (r < 0)
		return r;
	if (cli_flag(a->c, "serve"))
		return memory_serve(&m, &(struct memory_serve){ seq, batch, 2, gpus }, &a->memory, err);
	enum memory_recompute how = rec && !strcmp(rec, "none") ? RECOMPUTE_NONE : rec && !strcmp(rec, "full") ? RECOMPUTE_FULL : RECOMPUTE_SELECTIVE;
	return memory_train(&m, &(struct memory_train){ seq, batch, (int)zero, gpus, false, how }, &a->memory, err);
}

static int read_need(struct ask *a, struct err *err)
{
	double vram;
	int r = option(a->c, "vram-gib", NAN, 0, 1e6, &vram, err);
	if (r >= 0)
		r = option(a->c, "max-slowdown", INFINITY, 1e-3, 1e6, &a->need.max_slowdown, err);
	if (r >= 0)
		r = option(a->c, "busy", 1, 1e-3, 1, &a->need.busy_frac, err);
	if (r >= 0 && cli_value(a->c, "params")) {
		r = estimate_memory(a, err);
		a->sized = r >= 0 && isnan(vram);
	} else if (r >= 0 && (cli_flag(a->c, "train") || cli_value(a->c, "seq") || cli_value(a->c, "zero"))) {
		r = err_set(err, -EINVAL, "--params is needed to estimate memory, such as --params 7e9");
	}
	a->need.sure = cli_flag(a->c, "sure");
	a->need.vram_p99_gib = a->sized ? a->memory.total / (double)(1 << 30) / GPU_CHOICE_VRAM_ROOM : vram;
	return r;
}

static int read_ask(struct ask *a, struct err *err)
{
	int r = read_on(a, err);
	if (r >= 0)
		r = read_shares(a, err);
	if (r >= 0)
		r = read_need(a, err);
	return r < 0 ? r : find_group(a, err);
}

/* ---- prices and candidates -------------------------------------------------------------------------------------------------------------- */

static size_t card_count(const struct catalog *cat)
{
	size_t n = 0;
	while (catalog_gpu_at(cat, n))
		n++;
	return n;
}

int plan_gpu_prices(struct cli *c, const struct catalog *cat, const char *provider, const char *region_glob, const char *purchase,
		    struct gpu_price **ret, struct err *err)
{
	const char *word = purchase ? purchase : "on_demand";
	struct price_query q = { .provider = provider, .region_glob = region_glob, .at_ms = c->now_ms, .purchase = &word, .npurchase = 1 };
	struct price_row *row = NULL;
	size_t n = 0, ncard = card_count(cat);
	if (!purchase_is_known(sv_of(word))) {
		err_set(err, -EINVAL, "--purchase: '%s' is no way to buy", word);
		err_hint(err, "the words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned");
		return -EINVAL;
	}
	int r = catalog_prices(cat, &q, &row, &n, err);
	if (r < 0)
		return r;
	struct gpu_price *p = xcalloc(ncard + 1, sizeof *p);
	for (size_t k = 0; k < ncard; k++)
		p[k].nano_gpu_hour = INT64_MIN;
	for (size_t i = 0; i < n; i++) { /* cheapest first */
		const struct price_row *x = &row[i];
		if (!x->gpu_model || x->gpu_milli < 1000 || !x->currency || strcmp(x->currency, "USD") != 0 || x->gpu_hour <= 0 || !dec_fits_nano(x->gpu_hour))
			continue;
		for (size_t k = 0; k < ncard; k++)
			if (p[k].nano_gpu_hour == INT64_MIN && !strcmp(catalog_gpu_at(cat, k)->model, x->gpu_model))
				p[k] = (struct gpu_price){ dec_to_nano(x->gpu_hour), x->provider, x->region, x->instance_type, x->purchase, x->source, x->as_of_ms,
							   x->gpu_milli };
	}
	free(row);
	*ret = p;
	return 0;
}

static size_t card_index(const struct catalog *cat, const struct gpu_spec *g)
{
	size_t i = 0;
	while (catalog_gpu_at(cat, i) != g)
		i++;
	return i;
}

/* Cards that somebody sells there, and the one it runs on now. */
static int choose(struct ask *a, struct err *err)
{
	struct gpu_speeds *table = NULL;
	size_t ncard = card_count(a->cat);
	int r = plan_gpu_prices(a->c, a->cat, cli_value(a->c, "provider"), cli_value(a->c, "region"), cli_value(a->c, "purchase"), &a->price, err);
	if (r < 0)
		return r;
	a->gpu = xcalloc(ncard + 1, sizeof *a->gpu);
	for (size_t i = 0; i < ncard; i++)
		if (a->price[i].nano_gpu_hour != INT64_MIN || (a->on_given && catalog_gpu_at(a->cat, i) == a->on))
			a->gpu[a->n++] = catalog_gpu_at(a->cat, i);
	a->cand = xcalloc(a->n + 1, sizeof *a->cand);
	a->speed = xcalloc(a->n + 1, sizeof *a->speed);
	a->order = xcalloc(a->n + 1, sizeof *a->order);
	struct gpu_speed_ask q = { a->group, a->workload, a->on, a->own, a->nown, a->has_shares ? &a->shares : NULL };
	r = gpu_speeds_new(a->cat, a->group, &table, err);
	if (r >= 0)
		r = gpu_speeds_ask(table, &q, a->n, a->gpu, a->speed, err);
	gpu_speeds_free(table);
	for (size_t i = 0; i < a->n && r >= 0; i++)
		a->cand[i] = (struct gpu_candidate){ .memory_gib = gpu_usable_gib(a->gpu[i]), .nano_gpu_hour = a->price[card_index(a->cat, a->gpu[i])].nano_gpu_hour,
						     .speed = a->speed[i].speed, .lo = a->speed[i].lo, .hi = a->speed[i].hi };
	if (r >= 0)
		r = a->fit = gpu_choose(&a->need, a->n, a->cand, a->order, err);
	return r;
}

static void free_ask(struct ask *a)
{
	free(a->gpu);
	free(a->cand);
	free(a->speed);
	free(a->order);
	free(a->price);
}

/* ---- what is printed ------------------------------------------------------------------------------------------------------------------- */

/* What the work costs on the card it runs on now; NAN. */
static double cost_now(const struct ask *a)
{
	for (size_t i = 0; i < a->n && a->on_given; i++)
		if (a->gpu[i] == a->on)
			return a->cand[i].nano_per_work;
	return NAN;
}

static double steps_now(const struct ask *a)
{
	for (size_t i = 0; i < a->nown; i++)
		if (a->own[i].gpu == a->on)
			return a->own[i].speed;
	return NAN;
}

static void num(struct jw *w, const char *key, double v, int digits)
{
	jw_key(w, key);
	jw_num(w, isfinite(v) ? v : NAN, digits);
}

static void money(struct jw *w, const char *key, double nano)
{
	jw_key(w, key);
	if (isfinite(nano) && fabs(nano) < 9e18)
		jw_dec(w, nano_to_dec((int64_t)llround(nano)));
	else
		jw_null(w);
}

static void text(struct jw *w, const char *key, const char *v)
{
	jw_key(w, key);
	jw_str(w, v && *v ? v : NULL);
}

static void memory_json(struct jw *w, const struct ask *a)
{
	const struct memory_need *m = &a->memory;
	jw_key(w, "memory");
	if (!cli_value(a->c, "params")) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	num(w, "weights_bytes", m->weights, 0);
	num(w, "gradients_bytes", m->gradients, 0);
	num(w, "optimizer_bytes", m->optimizer, 0);
	num(w, "activations_bytes", m->activations, 0);
	num(w, "kv_cache_bytes", m->kv_cache, 0);
	num(w, "context_bytes", m->context, 0);
	num(w, "fragmentation_bytes", m->fragmentation, 0);
	num(w, "total_bytes", m->total, 0);
	jw_key(w, "shape_assumed");
	jw_bool(w, a->memory_assumed);
	jw_end_obj(w);
}

static void candidate_json(struct jw *w, const struct ask *a, size_t i)
{
	const struct gpu_candidate *k = &a->cand[i];
	const struct gpu_price *p = &a->price[card_index(a->cat, a->gpu[i])];
	bool priced = k->nano_gpu_hour != INT64_MIN;
	jw_obj(w);
	text(w, "gpu_model", a->gpu[i]->model);
	jw_key(w, "fits");
	if (k->fit == GPU_MEMORY_UNKNOWN || k->fit == GPU_SPEED_UNKNOWN)
		jw_null(w);
	else
		jw_bool(w, k->fit == GPU_FITS);
	text(w, "why", gpu_fit_text(k->fit));
	num(w, "memory_gib", k->memory_gib, 3);
	money(w, "usd_gpu_hour", priced ? (double)k->nano_gpu_hour : NAN);
	text(w, "provider", p->provider);
	text(w, "region", p->region);
	text(w, "instance_type", p->instance_type);
	text(w, "purchase", p->purchase);
	jw_key(w, "as_of");
	if (priced && p->as_of_ms != UNKNOWN_MS)
		jw_time(w, p->as_of_ms);
	else
		jw_null(w);
	text(w, "source", p->source);
	num(w, "speed", a->speed[i].speed, 4);
	num(w, "speed_p05", a->speed[i].lo, 4);
	num(w, "speed_p95", a->speed[i].hi, 4);
	text(w, "speed_from", speed_how_name(a->speed[i].how));
	text(w, "quality", a->speed[i].how == SPEED_MEASURED ? "measured" : "estimated");
	money(w, "usd_per_hour_of_work", k->nano_per_work);
	money(w, "usd_per_hour_of_work_p05", k->nano_lo);
	money(w, "usd_per_hour_of_work_p95", k->nano_hi);
	money(w, "usd_per_1000_steps", k->nano_per_work / steps_now(a) / 3.6);
	num(w, "saving_frac", 1 - k->nano_per_work / cost_now(a), 4);
	jw_end_obj(w);
}

static void print_json(const struct ask *a, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-gpu/1");
	text(&w, "against", a->on->model);
	text(&w, "group", a->group);
	text(&w, "workload", a->workload);
	num(&w, "vram_need_gib", a->need.vram_p99_gib * GPU_CHOICE_VRAM_ROOM, 3);
	num(&w, "max_slowdown", a->need.max_slowdown, 4);
	num(&w, "busy_frac", a->need.busy_frac, 4);
	memory_json(&w, a);
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "candidates");
	jw_arr(&w);
	for (size_t i = 0; i < a->n; i++)
		candidate_json(&w, a, a->order[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *speed_text(const struct ask *a, size_t i)
{
	const struct gpu_speed *s = &a->speed[i];
	if (isnan(s->speed))
		return "-";
	if (s->how == SPEED_MEASURED)
		return arena_printf(&a->c->mem, "%.2f", s->speed);
	return arena_printf(&a->c->mem, "%.2f (%.2f-%.2f)", s->speed, s->lo, s->hi);
}

static void add_candidate(const struct ask *a, struct grid *g, size_t i)
{
	const struct gpu_candidate *k = &a->cand[i];
	const struct gpu_price *p = &a->price[card_index(a->cat, a->gpu[i])];
	struct arena *mem = &a->c->mem;
	double now = cost_now(a);
	const char **cell = grid_add_row(g, k->fit == GPU_FITS ? GRID_PLAIN : GRID_FAINT);
	bool priced = k->nano_gpu_hour != INT64_MIN;
	cell[0] = a->gpu[i]->model;
	cell[1] = priced ? arena_printf(mem, "%.2f", (double)k->nano_gpu_hour / 1e9) : "-";
	cell[2] = speed_text(a, i);
	cell[3] = isnan(k->nano_per_work) ? "-" : arena_printf(mem, "%.3f", k->nano_per_work / 1e9);
	cell[4] = isnan(k->nano_per_work) || isnan(now) ? "-" : a->gpu[i] == a->on ? "now" : arena_printf(mem, "%+.0f %%", (k->nano_per_work / now - 1) * 100);
	cell[5] = gpu_fit_text(k->fit);
	cell[6] = priced ? arena_printf(mem, "%s %s", p->provider, p->region && *p->region ? p->region : "") : "-";
}

/* What the estimated speeds rest on: one sentence for each way that occurs. */
static void print_sources(const struct ask *a, struct str *out)
{
	static const char *const text[] = { [SPEED_MEASURED] = "", [SPEED_TABLE] = "published speeds of such work, data sheets and what was measured",
					    [SPEED_ROOFLINE] = "the shares of time given and the data sheets (a roofline)",
					    [SPEED_SPECS] = "data sheets and published speeds of other work (name yours: --workload)", [SPEED_NOTHING] = "" };
	bool seen[SPEED_NOTHING + 1] = { false };
	str_addf(out, "\n$/work: what an hour of work on %s costs there. Speeds without a range are measured.\n", a->on->model);
	for (size_t i = 0; i < a->n; i++)
		seen[a->speed[i].how] = true;
	for (int h = SPEED_TABLE; h <= SPEED_SPECS; h++)
		if (seen[h])
			str_addf(out, "Ranges are estimates (5th to 95th percentile) from %s.\n", text[h]);
}

static void print_need(const struct ask *a, struct str *out)
{
	const struct memory_need *m = &a->memory;
	const double gib = (double)(1 << 30);
	if (cli_value(a->c, "params")) {
		str_addf(out, "Memory, estimated: %.1f GiB a GPU = weights %.1f", m->total / gib, m->weights / gib);
		if (m->optimizer > 0)
			str_addf(out, ", gradients %.1f, optimizer %.1f, activations %.1f", m->gradients / gib, m->optimizer / gib, m->activations / gib);
		else
			str_addf(out, ", KV cache %.1f", m->kv_cache / gib);
		str_addf(out, ", context %.1f, fragmentation %.1f.%s\n", m->context / gib, m->fragmentation / gib,
			 a->memory_assumed ? " Layers and heads assumed from the size." : "");
	}
	if (isnan(a->need.vram_p99_gib))
		str_addz(out, "Memory need not known: nothing can be said to fit. Give --vram-gib or --params.\n");
	else if (!a->sized)
		str_addf(out, "Needs %.1f GiB (%.1f used, with 10 %% room).\n", a->need.vram_p99_gib * GPU_CHOICE_VRAM_ROOM, a->need.vram_p99_gib);
	if (a->need.busy_frac < 1)
		str_addf(out, "Uses %.0f %% of a %s: a card of that share of its speed is as good.\n", a->need.busy_frac * 100, a->on->model);
	str_addf(out, "Speed of one GPU against %s%s%s%s; %s prices.\n\n", a->on->model, a->workload ? ", workload " : "", a->workload ? a->workload : "",
		 a->on_given ? "" : " (--on names yours)", cli_value(a->c, "purchase") ? cli_value(a->c, "purchase") : "on_demand");
}

static void print_text(const struct ask *a, struct str *out)
{
	static const char *const head[] = { "GPU", "$/h", "speed", "$/work", "vs now", "", "cheapest at" };
	struct grid g = { 0 };
	int64_t limit = TABLE_ROWS;
	const char *z = cli_value(a->c, "limit");
	if (z && sv_i64(sv_of(z), &limit) >= 0 && limit == 0)
		limit = INT64_MAX;
	print_need(a, out);
	for (int i = 0; i < 7; i++)
		grid_add_col(&g, head[i], i >= 1 && i <= 4 ? GRID_RIGHT : GRID_LEFT, i == 6);
	for (size_t i = 0; i < a->n && (int64_t)i < limit; i++)
		add_candidate(a, &g, a->order[i]);
	if (a->c->output == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, a->c->width, a->c->colour, out);
	grid_free(&g);
	if (a->n > (size_t)limit)
		str_addf(out, "... and %zu more (--limit 0)\n", a->n - (size_t)limit);
	print_sources(a, out);
	if (!a->fit && !isnan(a->need.vram_p99_gib))
		str_addz(out, "No GPU sold there fits.\n");
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct catalog *cat = NULL;
	struct ask a = { .c = c };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	int r = catalog_open(NULL, &cat, &err), code = EXIT_DONE;
	a.cat = cat;
	if (r >= 0 && cli_value(c, "evaluate")) {
		r = plan_gpu_evaluate(c, cat, &out, &err);
	} else if (r >= 0) {
		if ((r = read_ask(&a, &err)) >= 0)
			r = choose(&a, &err);
		if (r >= 0 && c->output == OUT_JSON)
			print_json(&a, &out);
		else if (r >= 0)
			print_text(&a, &out);
		code = isnan(a.need.vram_p99_gib) ? EXIT_INCOMPLETE : EXIT_DONE;
	}
	code = r < 0 ? cli_fail(&err) : cli_write(&out) == EXIT_DONE ? code : EXIT_ERROR;
	str_free(&out);
	free_ask(&a);
	catalog_free(cat);
	return code;
}

static const struct cli_opt opts[] = {
	{ "vram-gib", "GIB", "memory used, 99th percentile; 10 % room is added", 0, false, NULL },
	{ "workload", "NAME", "what it resembles: a workload or class of the table of speeds (resnet50, nlp, llama2-70b-99/server)", 0, false, NULL },
	{ "model", "NAME", "the same as --workload", 0, false, NULL },
	{ "on", "GPU", "the GPU it runs on now", 0, false, NULL },
	{ "step-time", "S", "seconds per step, measured on --on", 0, false, NULL },
	{ "measured", "GPU=N", "steps per second of one GPU, measured; several times", 0, true, NULL },
	{ "util", "F", "share of time with a kernel on --on, 0 to 1", 0, false, NULL },
	{ "sm", "F", "mean SM activity there", 0, false, NULL },
	{ "tensor", "F", "mean tensor pipe activity there", 0, false, NULL },
	{ "dram", "F", "mean memory activity there", 0, false, NULL },
	{ "pcie", "F", "mean share of the PCIe link there", 0, false, NULL },
	{ "busy", "F", "part of --on's compute that the work needs at its peak (a server at 20 %: 0.2)", 0, false, NULL },
	{ "max-slowdown", "F", "how many times slower it may become", 0, false, NULL },
	{ "sure", NULL, "hold --max-slowdown at the low end of the range too", 0, false, NULL },
	{ "params", "N", "estimate the memory of a transformer with N parameters (7e9)", 0, false, NULL },
	{ "train", NULL, "training (default)", 0, false, NULL },
	{ "serve", NULL, "serving: weights and KV cache; speeds from the serving table", 0, false, NULL },
	{ "fp32", NULL, "single precision: speeds from the single-precision table", 0, false, NULL },
	{ "seq", "N", "tokens per sequence (default 2048)", 0, false, NULL },
	{ "batch", "N", "sequences per GPU and step, or served at once (default 1)", 0, false, NULL },
	{ "zero", "STAGE", "ZeRO stage 0 to 3 (default 0)", 0, false, "0|1|2|3" },
	{ "gpus", "N", "GPUs that ZeRO or tensor parallelism divide over (default 1)", 0, false, NULL },
	{ "recompute", "HOW", "of activations: none, selective (default) or full", 0, false, "none|selective|full" },
	{ "bytes-per-param", "N", "2 for half precision (default), 1 for 8 bits, 0.5 for 4", 0, false, NULL },
	{ "layers", "N", "layers; else assumed from the size, as are the next three", 0, false, NULL },
	{ "hidden", "N", "hidden size", 0, false, NULL },
	{ "heads", "N", "attention heads", 0, false, NULL },
	{ "kv-heads", "N", "key-value heads", 0, false, NULL },
	{ "provider", "P", "prices of this provider (default: all)", 0, false, NULL },
	{ "region", "GLOB", "prices of these regions", 0, false, NULL },
	{ "purchase", "P", "on_demand (default), spot, reserved_1y, ...", 0, false, NULL },
	{ "limit", "N", "rows of the table (default 20; 0: all)", 0, false, NULL },
	{ "evaluate", "FILE", "how good the predictions are on this table of speeds; see below", 0, false, "FILE" },
	{ "also", "FILE", "evaluate: another table to learn from; several times", 0, true, "FILE" },
	{ "pairs", "N", "evaluate: pairs of own measurements drawn per system (default 20)", 0, false, NULL },
	{ "seed", "N", "evaluate: of the pairs (default 1)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_plan_gpu_def = {
	.name = "plan gpu",
	.group = "",
	.summary = "the cheapest GPU that a work fits on, per unit of work",
	.usage = "[--vram-gib GIB | --params N] [--workload NAME] [--on GPU [--step-time S]] [--max-slowdown F] ... | --evaluate FILE",
	.examples = "# small models on A100s: what would an L4 do? A server that keeps its card 20 % busy\n"
		    "tare plan gpu --vram-gib 14 --on A100-40GB --busy 0.2 --provider gcp --region us-central1\n"
		    "# ResNet-50 measured on a V100 and a T4; at most twice as slow as on the V100\n"
		    "tare plan gpu --vram-gib 11 --workload resnet50 --on V100 --step-time 0.31 --measured T4=1.4 --max-slowdown 2\n"
		    "# from the counters of a profile\n"
		    "tare plan gpu --vram-gib 30 --on H100 --util 0.9 --tensor 0.1 --dram 0.6\n"
		    "# fine-tune 7 billion parameters on 8 GPUs with ZeRO-3; serve them in 8 bits\n"
		    "tare plan gpu --params 7e9 --train --seq 2048 --batch 1 --zero 3 --gpus 8\n"
		    "tare plan gpu --params 7e9 --serve --bytes-per-param 1 --seq 4096 --batch 16\n"
		    "# how good is that? leave one GPU model out\n"
		    "tare plan gpu --evaluate pytorch-train-throughput-v2-fp16.csv --also pytorch-train-throughput-fp16.csv",
	.about = "Candidates that fit come first, cheapest per unit of work first. Each is the cheapest whole GPU of its model in the catalogue at that place.\n"
		 "Speeds: what you measured; else learned from the catalogue's table of published speeds (data/speeds.csv), the data sheets and your\n"
		 "measurements; with counters and no workload, a roofline. Ranges hold the 5th to 95th percentile; counters alone give a wide one. Memory\n"
		 "that is not known fits nothing: the exit code is then 3.\n\n"
		 "--evaluate reads Lambda's training tables (CSV), Gavel's throughputs (JSON), MLPerf inference results (CSV) or a CSV with gpu, workload, speed\n"
		 "(and gpus, batch, class), .gz and .zst too. Training tables: each GPU model is left out with all its systems; of each system two random works\n"
		 "are \"measured\", the others predicted; beside it the one-factor model with the same two. MLPerf: the cost of the GPU chosen by prediction above\n"
		 "that of the GPU that measured cheapest, for held-out submitters and held-out GPU models.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
