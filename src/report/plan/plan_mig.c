#include "report/plan/plan_mig.h"

#include <assert.h>
#include <math.h>

#include "base/jw.h"
#include "base/str.h"
#include "plan/share/mig_gpu.h"
#include "report/grid.h"
#include "report/text.h"

static void put_grid(const struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_CSV) {
		/* As CSV: the head and the rows, without totals. */
		for (size_t k = 0; k < g->col.n; k++) {
			text_csv(out, sv_of(g->col.v[k].head));
			str_addc(out, k + 1 < g->col.n ? ',' : '\n');
		}
		for (size_t i = 0; i < g->row.n; i++)
			for (size_t k = 0; k < g->col.n && g->row.v[i].style != GRID_TOTAL; k++) {
				text_csv(out, sv_of(text_or(g->row.v[i].cell[k], "")));
				str_addc(out, k + 1 < g->col.n ? ',' : '\n');
			}
	} else if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
}

/* the numbers of a row, in a struct that has it as its member r */
#define NUMBERS(S)                                                                                 \
	{ "gpus", COL_I32, offsetof(S, r.gpus), "count", "GPUs needed", .always = true },          \
		{ "lower_bound",                                                                   \
		  COL_I32,                                                                         \
		  offsetof(S, r.lower_bound),                                                      \
		  "count",                                                                         \
		  "fewer GPUs are impossible",                                                     \
		  .always = true },                                                                \
	{                                                                                          \
		"proven", COL_BOOL, offsetof(S, r.proven), NULL, "whether these are the fewest", 0 \
	}

/* ---- one scenario ------------------------------------------------------------------------ */

static const char *profile_of(const struct plan_mig_answer *a, size_t i)
{
	return a->gpu->all.gpu.type[a->instance[i].type].name;
}

struct instance_row {
	const char *profile;
	int start;
	struct plan_mig_use use;
	bool stays, from_today;
};
struct gpu_row {
	int gpu;
	struct instance_row *instance;
	size_t n;
};
struct layout_row {
	const char *model;
	struct plan_mig_row r;
	struct gpu_row *gpu;
	size_t n;
	bool from_today;
	const struct plan_mig_running *drained;
	const struct mig_step *step;
	const struct plan_mig_way *way;
	size_t ndrained, nstep, nway;
};
static const struct col instance_cols[] = {
	{ "profile", COL_TEXT, offsetof(struct instance_row, profile), NULL, "MIG profile",
	  .always = true },
	{ "start", COL_I32, offsetof(struct instance_row, start), NULL,
	  "memory slice that it begins at", .always = true },
	{ "service", COL_TEXT, offsetof(struct instance_row, use.service), NULL, "that it runs",
	  .always = true },
	{ "batch", COL_I32, offsetof(struct instance_row, use.batch), "count",
	  "requests of a batch", .always = true },
	{ "procs", COL_I32, offsetof(struct instance_row, use.procs), "count",
	  "processes that share it", .always = true },
	{ "stays", COL_BOOL, offsetof(struct instance_row, stays), NULL,
	  "runs there today already, where --current says what does",
	  offsetof(struct instance_row, from_today) },
	{ 0 },
};
static const struct col drained_cols[] = {
	{ "gpu", COL_I32, offsetof(struct plan_mig_running, gpu), NULL, "its number",
	  .always = true },
	{ "start", COL_I32, offsetof(struct plan_mig_running, start), NULL,
	  "memory slice that it begins at", .always = true },
	{ "profile", COL_TEXT, offsetof(struct plan_mig_running, profile), NULL, "MIG profile",
	  .always = true },
	{ "service", COL_TEXT, offsetof(struct plan_mig_running, service), NULL, "that it runs",
	  .always = true },
	{ 0 },
};
static const struct col step_cols[] = {
	{ "gpu", COL_I32, offsetof(struct mig_step, gpu), NULL, "its number", .always = true },
	{ "drained", COL_I32, offsetof(struct mig_step, drained), "count",
	  "instances of it that are drained", .always = true },
	{ "made", COL_I32, offsetof(struct mig_step, made), "count",
	  "instances of it that are made then", .always = true },
	{ 0 },
};
static const struct col way_cols[] = {
	{ "gpus", COL_I32, offsetof(struct plan_mig_way, gpus), "count", "GPUs in use after it",
	  .always = true },
	{ "kept", COL_I32, offsetof(struct plan_mig_way, kept), "count", "instances that stay",
	  .always = true },
	{ "drained", COL_I32, offsetof(struct plan_mig_way, drained), "count",
	  "instances that are stopped while their service is used", .always = true },
	{ "made", COL_I32, offsetof(struct plan_mig_way, made), "count", "new instances",
	  .always = true },
	{ "low_frac", COL_NUM, offsetof(struct plan_mig_way, low_frac), "fraction",
	  "least part of its rate that a service has on the way; null: nothing is drained",
	  .digits = 4 },
	{ "low_service", COL_TEXT, offsetof(struct plan_mig_way, low_service), NULL, "that service",
	  0 },
	{ "taken", COL_BOOL, offsetof(struct plan_mig_way, taken), NULL,
	  "the one whose layout is given", 0 },
	{ 0 },
};
static const struct col gpu_cols[] = {
	{ "gpu", COL_I32, offsetof(struct gpu_row, gpu), NULL, "its number, from 0",
	  .always = true },
	{ "instances", COL_LIST(struct gpu_row, instance, n, instance_cols),
	  .help = "in the order in which they must be made" },
	{ 0 },
};
static const struct col layout_cols[] = {
	{ "gpu_model", COL_TEXT, offsetof(struct layout_row, model), NULL, "of all GPUs",
	  .always = true },
	{ "scenario", COL_SIZE, offsetof(struct layout_row, r.number), NULL, "from 1", 0 },
	NUMBERS(struct layout_row),
	{ "layout", COL_LIST(struct layout_row, gpu, n, gpu_cols), .help = "by GPU" },
	{ "drained", COL_LIST(struct layout_row, drained, ndrained, drained_cols),
	  .has_at = offsetof(struct layout_row, from_today), .optional = true,
	  .help = "instances of today that must be drained" },
	{ "steps", COL_LIST(struct layout_row, step, nstep, step_cols),
	  .has_at = offsetof(struct layout_row, from_today), .optional = true,
	  .help = "GPUs that are drained, in this order; all else is made before" },
	{ "ways", COL_LIST(struct layout_row, way, nway, way_cols),
	  .has_at = offsetof(struct layout_row, from_today), .optional = true,
	  .help = "from today's layout, by GPUs in use after it" },
	{ 0 },
};
static const struct col_doc layout_doc = { "tare.plan-mig/1", "plan mig",
					   "the layout of one scenario", layout_cols };

static void json_layout(const struct plan_mig_answer *a, struct str *out)
{
	struct arena mem = { 0 };
	struct instance_row *instance = arena_zalloc(&mem, (a->ninstance + 1) * sizeof *instance);
	struct layout_row row = {
		.model = a->gpu->model,
		.r = *a->row,
		.gpu = arena_zalloc(&mem, (a->ninstance + 1) * sizeof *row.gpu),
		.from_today = a->from_today,
		.drained = a->drained,
		.ndrained = a->ndrained,
		.step = a->step,
		.nstep = a->nstep,
		.way = a->way,
		.nway = a->nway,
	};

	for (size_t i = 0; i < a->ninstance; i++) {
		instance[i] = (struct instance_row){ .profile = profile_of(a, i),
						     .start = a->instance[i].start,
						     .use = a->use[i],
						     .stays = a->from_today && a->stays[i],
						     .from_today = a->from_today };
		if (!i || a->instance[i].gpu != a->instance[i - 1].gpu)
			row.gpu[row.n++] = (struct gpu_row){ a->instance[i].gpu, &instance[i], 0 };
		row.gpu[row.n - 1].n++;
	}
	cols_doc(&layout_doc, &row, out);
	arena_free(&mem);
}

static void grid_layout(const struct plan_mig_answer *a, const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "gpu",   "start", "profile",    "service",
					    "batch", "procs", "requests/s", "today" };
	struct grid g = { 0 };

	for (size_t i = 0; i < (a->from_today ? 8 : 7); i++)
		grid_add_col(&g, head[i], i == 2 || i == 3 || i == 7 ? GRID_LEFT : GRID_RIGHT,
			     i == 3);
	for (size_t i = 0; i < a->ninstance; i++) {
		const struct mig_instance *x = &a->instance[i];
		const struct plan_mig_use *u = &a->use[i];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		bool same = i && a->instance[i - 1].gpu == x->gpu && as->format != OUT_CSV;
		cell[0] = same ? "" : arena_printf(&g.mem, "%d", x->gpu);
		cell[1] = arena_printf(&g.mem, "%d", x->start);
		cell[2] = profile_of(a, i);
		cell[3] = u->service;
		cell[4] = arena_printf(&g.mem, "%d", u->batch);
		cell[5] = arena_printf(&g.mem, "%d", u->procs);
		cell[6] = arena_printf(&g.mem, "%.1f", u->rate_s);
		if (a->from_today)
			cell[7] = a->stays[i] ? "stays" : "made";
	}
	put_grid(&g, as, out);
	grid_free(&g);
}

/* ---- from today's layout ----------------------------------------------------------------- */

static const struct plan_mig_way *find_taken(const struct plan_mig_answer *a)
{
	for (size_t i = 0; i < a->nway; i++)
		if (a->way[i].taken)
			return &a->way[i];
	return NULL;
}

static void put_drained(const struct plan_mig_answer *a, struct str *out)
{
	if (!a->ndrained)
		return;
	str_addf(out, "\nDrain %zu instance%s:\n", a->ndrained, plural(a->ndrained));
	for (size_t i = 0; i < a->ndrained; i++) {
		const struct plan_mig_running *d = &a->drained[i];
		str_addf(out, "  gpu %d start %d  %s  %s\n", d->gpu, d->start, d->profile,
			 d->service);
	}
	str_addz(out, "Make first what fits beside what runs; then GPU by GPU, in this order:");
	for (size_t i = 0; i < a->nstep; i++)
		str_addf(out, "%s %d", text_if(i, ","), a->step[i].gpu);
	str_addz(out, ".\n");
	const struct plan_mig_way *w = find_taken(a);
	assert(w);
	if (w->low_frac < 1)
		str_addf(
			out,
			"On the way %s has %.0f %% of its rate at the lowest: move in a quiet hour, or lend a spare GPU.\n",
			w->low_service, w->low_frac * 100);
	else
		str_addz(out, "No service falls below its rate on the way.\n");
}

void plan_mig_print_layout(const struct plan_mig_answer *a, const struct out_as *as,
			   struct str *out)
{
	const struct plan_mig_row *r = a->row;

	if (as->format == OUT_JSON) {
		json_layout(a, out);
		return;
	}
	if (as->format == OUT_CSV) {
		grid_layout(a, as, out);
		return;
	}
	str_addf(out, "Scenario %zu: %zu services on %s need %d GPUs", r->number, r->nservice,
		 a->gpu->model, r->gpus);
	if (r->proven)
		str_addz(out, "; fewer is impossible (proven).\n");
	else
		str_addf(out, "; at least %d are needed (not proven to be the fewest).\n",
			 r->lower_bound);
	if (a->from_today) {
		const struct plan_mig_way *w = find_taken(a);
		assert(w);
		str_addf(
			out,
			"From today's layout, %d GPUs: %d instances stay, %d are drained, %d made.\n",
			w->gpus, w->kept, w->drained, w->made);
	}
	str_addc(out, '\n');
	grid_layout(a, as, out);
	if (a->from_today) {
		put_drained(a, out);
		str_addf(
			out,
			"\nFrom today's %d GPUs, what fewer cost in instances drained (lowest: part of its rate that a service keeps):\n",
			a->gpus_today);

		static const char *const head[] = {
			"GPUs", "stay", "drained", "made", "lowest", ""
		};
		struct grid g = { 0 };

		for (size_t i = 0; i < 6; i++)
			grid_add_col(&g, head[i], grid_side(i != 5), false);
		for (size_t i = 0; i < a->nway; i++) {
			const struct plan_mig_way *w = &a->way[i];
			const char **cell = grid_add_row(&g, GRID_PLAIN);
			cell[0] = arena_printf(&g.mem, "%d", w->gpus);
			cell[1] = arena_printf(&g.mem, "%d", w->kept);
			cell[2] = arena_printf(&g.mem, "%d", w->drained);
			cell[3] = arena_printf(&g.mem, "%d", w->made);
			cell[4] = text_or_dash(isfinite(w->low_frac),
					       arena_printf(&g.mem, "%.0f %%", w->low_frac * 100));
			cell[5] = text_if(w->taken, "this layout");
		}
		put_grid(&g, as, out);
		grid_free(&g);
		if (a->none_within)
			str_addz(out, "No way drains as few as asked: this one drains least.\n");
		else if (a->nway > 1 && a->way[0].taken && a->way[0].drained)
			str_addz(out,
				 "--max-drained N takes the fewest GPUs that drain at most N.\n");
	}
}

void plan_mig_print_parted(const struct plan_mig_answer *a, struct str *out)
{
	mig_gpu_parted(&a->gpu->all.gpu, a->ninstance, a->instance, out);
}

/* ---- scenarios and mixes ----------------------------------------------------------------- */

struct set_row {
	struct plan_mig_row r;
};
struct sets_row {
	const char *model;
	const struct plan_mig_row *row;
	size_t n;
	int64_t gpus, lower_bound, proven;
	double slowest_ms;
	bool scenarios, mixes;
};
#define SET(key)                                                                                     \
	{ key, COL_SIZE, offsetof(struct set_row, r.number), NULL, "from 1", 0 },                    \
		{ "services", COL_SIZE, offsetof(struct set_row, r.nservice), "count", "in it", 0 }, \
		NUMBERS(struct set_row)
static const struct col scenario_cols[] = { SET("scenario"), { 0 } };
static const struct col mix_cols[] = { SET("mix"), { 0 } };
static const struct col sets_cols[] = {
	{ "gpu_model", COL_TEXT, offsetof(struct sets_row, model), NULL, "of all GPUs",
	  .always = true },
	{ "mixes", COL_LIST(struct sets_row, row, n, mix_cols),
	  .has_at = offsetof(struct sets_row, mixes), .optional = true,
	  .help = "random ones, where asked for" },
	{ "scenarios", COL_LIST(struct sets_row, row, n, scenario_cols),
	  .has_at = offsetof(struct sets_row, scenarios), .optional = true,
	  .help = "as the tables have them" },
	{ "gpus", COL_INT, offsetof(struct sets_row, gpus), "count", "GPUs of all rows",
	  .always = true },
	{ "lower_bound", COL_INT, offsetof(struct sets_row, lower_bound), "count", "of all rows",
	  .always = true },
	{ "proven", COL_INT, offsetof(struct sets_row, proven), "count",
	  "rows that are proven to need no fewer", .always = true },
	{ "slowest_ms", COL_NUM, offsetof(struct sets_row, slowest_ms), "ms",
	  "time that the slowest row took, where asked for", .digits = 2, .optional = true },
	{ 0 },
};
static const struct col_doc sets_doc = { "tare.plan-mig/1", "plan mig",
					 "the fewest GPUs for sets of services", sets_cols,
					 &layout_doc };

void plan_mig_print(const struct plan_mig_answer *a, const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "services", "GPUs", "bound", "proven" };
	struct grid g = { 0 };
	const char **cell;

	if (as->format == OUT_JSON) {
		const struct sets_row row = {
			.model = a->gpu->model,
			.row = a->row,
			.n = a->n,
			.gpus = a->gpus,
			.lower_bound = a->lower_bound,
			.proven = a->proven,
			.slowest_ms = a->slowest_ms,
			.scenarios = !a->random,
			.mixes = a->random,
		};

		cols_doc(&sets_doc, &row, out);
		return;
	}
	grid_add_col(&g, a->random ? "mix" : "scenario", GRID_RIGHT, false);
	for (size_t i = 0; i < 4; i++)
		grid_add_col(&g, head[i], GRID_RIGHT, false);
	for (size_t i = 0; i < a->n; i++) {
		const struct plan_mig_row *r = &a->row[i];
		cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = arena_printf(&g.mem, "%zu", r->number);
		cell[1] = arena_printf(&g.mem, "%zu", r->nservice);
		cell[2] = arena_printf(&g.mem, "%d", r->gpus);
		cell[3] = arena_printf(&g.mem, "%d", r->lower_bound);
		cell[4] = r->proven ? "yes" : "no";
	}
	cell = grid_add_row(&g, GRID_TOTAL);
	cell[2] = arena_printf(&g.mem, "%lld", (long long)a->gpus);
	cell[3] = arena_printf(&g.mem, "%lld", (long long)a->lower_bound);
	cell[4] = arena_printf(&g.mem, "%lld of %zu", (long long)a->proven, a->n);
	put_grid(&g, as, out);
	grid_free(&g);
	if (!isnan(a->slowest_ms) && as->format != OUT_CSV)
		str_addf(out, "\nThe slowest took %.2f ms.\n", a->slowest_ms);
}

/* ---- the table of a GPU ----------------------------------------------------------------- */

struct profile_row {
	const char *name;
	int compute, memory, most;
	double memory_gib;
	const char *starts;
};
struct model_row {
	const char *model, *sets;
	struct profile_row profile[PLAN_MIG_PROFILES], *profiles;
	size_t n, placements;
	bool placed;
};
static const struct col profile_cols[] = {
	{ "profile", COL_TEXT, offsetof(struct profile_row, name), NULL, "MIG profile",
	  .always = true },
	{ "compute_slices", COL_I32, offsetof(struct profile_row, compute), "count", "of the GPU's",
	  .always = true },
	{ "memory_slices", COL_I32, offsetof(struct profile_row, memory), "count", "of the GPU's",
	  .always = true },
	{ "memory_gib", COL_NUM, offsetof(struct profile_row, memory_gib), "GiB", "of each",
	  .digits = 3 },
	{ "most", COL_I32, offsetof(struct profile_row, most), "count", "that fit on a GPU",
	  .always = true },
	{ "starts", COL_RAW, offsetof(struct profile_row, starts), NULL,
	  "array of the memory slices at which it may begin; null: not known", .always = true },
	{ 0 },
};
static const struct col model_cols[] = {
	{ "gpu_model", COL_TEXT, offsetof(struct model_row, model), NULL, "the GPU",
	  .always = true },
	{ "profiles", COL_LIST(struct model_row, profiles, n, profile_cols),
	  .help = "that the GPU knows" },
	{ "sets", COL_RAW, offsetof(struct model_row, sets), NULL,
	  "array of arrays of plain profiles that fill the GPU: nothing can be added; null: not known",
	  .always = true },
	{ "placements", COL_SIZE, offsetof(struct model_row, placements), "count",
	  "ways to place these sets; null: not known", offsetof(struct model_row, placed) },
	{ 0 },
};
const struct col_doc plan_mig_doc = { "tare.plan-mig/1", "plan mig", "which instances fill a GPU",
				      model_cols, &sets_doc };

static void json_model(const struct plan_mig_gpu *c, struct str *out)
{
	struct str starts[PLAN_MIG_PROFILES] = { 0 }, sets = { 0 };
	struct model_row row = { .model = c->model,
				 .n = c->nprofile,
				 .placements = c->all.nlayout,
				 .placed = c->placed };
	struct jw w;

	for (size_t i = 0; i < row.n; i++) {
		const struct mig_profile *p = c->profile[i];
		if (p->nstart) {
			jw_init(&w, &starts[i], 0);
			jw_arr(&w);
			for (int s = 0; s < p->nstart; s++)
				jw_int(&w, p->start[s]);
			jw_end_arr(&w);
		} else
			str_addz(&starts[i], "null");
		row.profile[i] = (struct profile_row){ .name = p->name,
						       .compute = p->compute_slices,
						       .memory = p->memory_slices,
						       .most = p->max_instances,
						       .memory_gib = p->memory_gib,
						       .starts = str_z(&starts[i]) };
	}
	if (c->placed) {
		const struct mig_geom *g = &c->all;

		jw_init(&w, &sets, 0);
		jw_arr(&w);
		for (size_t i = 0; i < g->nmaximal; i++) {
			jw_arr(&w);
			for (size_t p = 0; p < g->config[i].nplace; p++)
				jw_str(&w, g->gpu.type[g->config[i].place[p].type].name);
			jw_end_arr(&w);
		}
		jw_end_arr(&w);
	} else
		str_addz(&sets, "null");
	row.profiles = row.profile;
	row.sets = str_z(&sets);
	cols_doc(&plan_mig_doc, &row, out);
	for (size_t i = 0; i < row.n; i++)
		str_free(&starts[i]);
	str_free(&sets);
}

static void grid_profiles(const struct plan_mig_gpu *x, const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "profile", "most",   "GiB each",
					    "compute", "memory", "may start at" };
	const struct mig_gpu *c = &x->geom.gpu;
	struct grid g = { 0 };

	for (size_t i = 0; i < 6; i++)
		grid_add_col(&g, head[i], grid_side(i != 0 && i != 5), false);
	for (size_t i = 0; i < x->nprofile; i++) {
		const struct mig_profile *p = x->profile[i];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = p->name;
		cell[1] = arena_printf(&g.mem, "%d", p->max_instances);
		cell[2] = arena_printf(&g.mem, "%.4g", p->memory_gib);
		cell[3] = arena_printf(&g.mem, "%d of %d", p->compute_slices, c->compute);
		cell[4] = arena_printf(&g.mem, "%d of %d", p->memory_slices, c->memory);

		struct str s = { 0 };

		for (int k = 0; k < p->nstart; k++)
			str_addf(&s, "%s%d", text_if(s.n, " "), p->start[k]);
		const char *starts_text = "not known";
		if (p->nstart)
			starts_text = arena_strn(&g.mem, str_z(&s), s.n);
		str_free(&s);
		cell[5] = starts_text;
	}
	put_grid(&g, as, out);
	grid_free(&g);
}

void plan_mig_print_gpu(const struct plan_mig_gpu *c, const struct out_as *as, struct str *out)
{
	const struct mig_geom *g = &c->all;

	if (as->format == OUT_JSON) {
		json_model(c, out);
		return;
	}
	if (as->format == OUT_CSV) {
		grid_profiles(c, as, out);
		return;
	}
	str_addf(out, "%s in instances\n\n", c->model);
	grid_profiles(c, as, out);
	if (!c->placed) {
		str_addz(
			out,
			"\nWhere they may start, and so which sets fill the GPU, is not known: nvidia-smi mig -lgipp says it.\n");
		return;
	}
	str_addf(out, "\n%zu sets of plain profiles fill the GPU (%zu ways to place them):\n",
		 g->nmaximal, g->nlayout);
	for (size_t i = 0; i < g->nmaximal; i++) {
		str_addz(out, "  ");

		/* "1 x 3g.40gb + 2 x 2g.20gb" */
		const char *plus = "";

		for (size_t t = g->gpu.ntype; t--;)
			if (g->config[i].count[t]) {
				str_addf(out, "%s%d x %s", plus, g->config[i].count[t],
					 g->gpu.type[t].name);
				plus = " + ";
			}

		str_addc(out, '\n');
	}
}
