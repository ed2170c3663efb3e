#include "report/plan_gpu.h"

#include <math.h>

#include "base/jw.h"
#include "report/grid.h"
#include "report/text.h"

#define NAMES_SHOWN 6 /* of cards that are left out */

static void memory_json(struct jw *w, const struct plan_gpu *a)
{
	const struct memory_need *m = &a->memory;
	jw_key(w, "memory");
	if (!a->estimated) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_put_num(w, "weights_bytes", m->weights, 0);
	jw_put_num(w, "gradients_bytes", m->gradients, 0);
	jw_put_num(w, "optimizer_bytes", m->optimizer, 0);
	jw_put_num(w, "activations_bytes", m->activations, 0);
	jw_put_num(w, "kv_cache_bytes", m->kv_cache, 0);
	jw_put_num(w, "context_bytes", m->context, 0);
	jw_put_num(w, "fragmentation_bytes", m->fragmentation, 0);
	jw_put_num(w, "total_bytes", m->total, 0);
	jw_key(w, "shape_assumed");
	jw_bool(w, a->memory_assumed);
	jw_end_obj(w);
}

static enum machine_cpu cpu_of(const struct plan_gpu *a, size_t i)
{
	const struct gpu_price *p = &a->price[plan_gpu_card(a->q.cat, a->gpu[i])];
	return machine_cpu_of(p->provider, p->instance_type, a->gpu[i]->model);
}

static void candidate_json(struct jw *w, const struct plan_gpu *a, size_t i)
{
	const struct gpu_candidate *k = &a->cand[i];
	const struct gpu_price *p = &a->price[plan_gpu_card(a->q.cat, a->gpu[i])];
	bool priced = k->nano_gpu_hour != INT64_MIN;
	jw_obj(w);
	jw_put_text(w, "gpu_model", a->gpu[i]->model);
	jw_key(w, "fits");
	if (k->fit == GPU_MEMORY_UNKNOWN || k->fit == GPU_SPEED_UNKNOWN)
		jw_null(w);
	else
		jw_bool(w, k->fit == GPU_FITS);
	jw_put_text(w, "why", gpu_fit_text(k->fit));
	jw_put_num(w, "memory_gib", k->memory_gib, 3);
	jw_put_nano(w, "usd_gpu_hour", priced ? (double)k->nano_gpu_hour : NAN);
	jw_put_text(w, "provider", p->provider);
	jw_put_text(w, "region", p->region);
	jw_put_text(w, "instance_type", p->instance_type);
	jw_put_str(w, "cpu", priced ? machine_cpu_name(cpu_of(a, i)) : NULL);
	jw_put_text(w, "purchase", p->purchase);
	jw_key(w, "as_of");
	if (priced && p->as_of_ms != UNKNOWN_MS)
		jw_time(w, p->as_of_ms);
	else
		jw_null(w);
	jw_put_text(w, "source", p->source);
	jw_put_num(w, "speed", a->speed[i].speed, 4);
	jw_put_num(w, "speed_p05", a->speed[i].lo, 4);
	jw_put_num(w, "speed_p95", a->speed[i].hi, 4);
	jw_put_text(w, "speed_from", speed_how_name(a->speed[i].how));
	jw_put_text(w, "quality", a->speed[i].how == SPEED_MEASURED ? "measured" : "estimated");
	jw_put_nano(w, "usd_per_hour_of_work", k->nano_per_work);
	jw_put_nano(w, "usd_per_hour_of_work_p05", k->nano_lo);
	jw_put_nano(w, "usd_per_hour_of_work_p95", k->nano_hi);
	jw_put_nano(w, "usd_per_1000_steps", k->nano_per_work / plan_gpu_steps_now(a) / 3.6);
	jw_put_num(w, "saving_frac", 1 - k->nano_per_work / plan_gpu_cost_now(a), 4);
	jw_end_obj(w);
}

static void own_json(struct jw *w, const struct plan_gpu *a)
{
	jw_key(w, "measured");
	jw_arr(w);
	for (size_t i = 0; i < a->q.nown; i++) {
		jw_obj(w);
		jw_put_text(w, "gpu_model", a->q.own[i].gpu->model);
		jw_put_num(w, "steps_s", a->q.own[i].speed, 6);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void print_json(const struct plan_gpu *a, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-gpu/1");
	jw_put_text(&w, "against", a->q.on->model);
	jw_put_text(&w, "group", a->q.group);
	jw_put_text(&w, "workload", a->own_work ? a->own_work : a->q.workload);
	own_json(&w, a);
	jw_put_num(&w, "vram_need_gib", a->q.need.vram_p99_gib * GPU_CHOICE_VRAM_ROOM, 3);
	jw_put_num(&w, "max_slowdown", a->q.need.max_slowdown, 4);
	jw_put_num(&w, "busy_frac", a->q.need.busy_frac, 4);
	memory_json(&w, a);
	jw_put_str(&w, "cpu", machine_cpu_name(a->q.cpu));
	jw_key(&w, "other_cpu");
	jw_arr(&w);
	for (size_t i = 0; i < a->nleft_out; i++)
		jw_str(&w, a->left_out[i]->model);
	jw_end_arr(&w);
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

static const char *speed_text(const struct plan_gpu *a, size_t i, struct arena *mem)
{
	const struct gpu_speed *s = &a->speed[i];
	if (isnan(s->speed))
		return "-";
	if (s->how == SPEED_MEASURED)
		return arena_printf(mem, "%.2f", s->speed);
	return arena_printf(mem, "%.2f (%.2f-%.2f)", s->speed, s->lo, s->hi);
}

/* Nano-dollars of an hour's work to what is shown: dollars of 1,000 steps where steps were
 * measured, else of that hour. */
static double unit_of(const struct plan_gpu *a)
{
	double steps = plan_gpu_steps_now(a);
	return isnan(steps) ? 1e9 : 1e9 * steps * 3.6;
}

/* One for the column: by what it costs now. */
static int digits_of(const struct plan_gpu *a)
{
	double usd = plan_gpu_cost_now(a) / unit_of(a);
	return isnan(plan_gpu_steps_now(a)) || usd >= 1 ? 3 : usd >= .1 ? 4 : usd >= .01 ? 5 : 6;
}

static void add_candidate(const struct plan_gpu *a, struct grid *g, size_t i)
{
	const struct gpu_candidate *k = &a->cand[i];
	const struct gpu_price *p = &a->price[plan_gpu_card(a->q.cat, a->gpu[i])];
	struct arena *mem = &g->mem;
	double now = plan_gpu_cost_now(a), per = unit_of(a);
	const char **cell = grid_add_row(g, k->fit == GPU_FITS ? GRID_PLAIN : GRID_FAINT);
	bool priced = k->nano_gpu_hour != INT64_MIN;
	cell[0] = priced && cpu_of(a, i) == CPU_ARM
			  ? arena_printf(mem, "%s (ARM)", a->gpu[i]->model)
			  : a->gpu[i]->model;
	cell[1] = priced ? arena_printf(mem, "%.2f", (double)k->nano_gpu_hour / 1e9) : "-";
	cell[2] = speed_text(a, i, mem);
	cell[3] = isnan(k->nano_per_work)
			  ? "-"
			  : arena_printf(mem, "%.*f", digits_of(a), k->nano_per_work / per);
	cell[4] = isnan(k->nano_per_work) || isnan(now) ? "-"
		  : a->gpu[i] == a->q.on
			  ? "now"
			  : arena_printf(mem, "%+.0f %%", (k->nano_per_work / now - 1) * 100);
	cell[5] = gpu_fit_text(k->fit);
	cell[6] = priced ? arena_printf(mem, "%s %s", p->provider,
					p->region && *p->region ? p->region : "")
			 : "-";
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
			 a->memory_assumed ? " Layers and heads assumed from the size." : "");
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
			 "Uses %.0f %% of a %s: a card of that share of its speed is as good.\n",
			 a->q.need.busy_frac * 100, a->q.on->model);
	if (a->own_work) {
		str_addf(out, "Measured, %s, steps a second of one GPU:",
			 text_line(mem, sv_of(a->own_work), 60));
		for (size_t i = 0; i < a->q.nown; i++)
			str_addf(out, "%s %s %.4g", i ? "," : "", a->q.own[i].gpu->model,
				 a->q.own[i].speed);
		str_addz(out, ".\n");
	}
	str_addf(out, "Speed of one GPU against %s%s%s%s; %s prices.\n\n", a->q.on->model,
		 a->q.workload ? ", workload " : "", a->q.workload ? a->q.workload : "",
		 a->on_given ? "" : " (--on names yours)",
		 a->q.market.purchase ? a->q.market.purchase : "on_demand");
}

/* Cards that a program for this processor cannot be moved to as it is. */
static void print_left_out(const struct plan_gpu *a, struct str *out)
{
	struct str s = { 0 };

	for (size_t i = 0; i < a->nleft_out && i < NAMES_SHOWN; i++)
		str_addf(&s, "%s%s", i ? ", " : "", a->left_out[i]->model);
	if (a->nleft_out > NAMES_SHOWN)
		str_addf(&s, " and %zu more", a->nleft_out - NAMES_SHOWN);
	if (s.n)
		str_addf(out,
			 "Left out, sold with %s processors only: %s (--cpu any shows them).\n",
			 a->q.cpu == CPU_X86 ? "ARM" : "x86", str_z(&s));
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
	size_t rows = limit && limit < a->n ? limit : a->n;

	print_need(a, &g.mem, out);
	for (int i = 0; i < 7; i++)
		grid_add_col(&g, head[i], i >= 1 && i <= 4 ? GRID_RIGHT : GRID_LEFT, i == 6);
	for (size_t i = 0; i < rows; i++)
		add_candidate(a, &g, a->order[i]);
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	grid_free(&g);
	if (a->n > rows)
		str_addf(out, "... and %zu more (--limit 0)\n", a->n - rows);
	print_sources(a, out);
	print_left_out(a, out);
	if (!a->fit && !isnan(a->q.need.vram_p99_gib))
		str_addz(out, "No GPU sold there fits.\n");
}

void plan_gpu_print(const struct plan_gpu *a, size_t limit, const struct out_as *as,
		    struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(a, out);
	else
		print_text(a, limit, as, out);
}
