#include "report/plan_mig.h"

#include <math.h>

#include "base/jw.h"
#include "plan/mig_card.h"
#include "report/grid.h"
#include "report/text.h"

/* As CSV: the head and the rows, without totals. */
static void csv_grid(const struct grid *g, struct str *out)
{
	for (size_t k = 0; k < g->col.n; k++) {
		text_csv(out, sv_of(g->col.v[k].head));
		str_addc(out, k + 1 < g->col.n ? ',' : '\n');
	}
	for (size_t i = 0; i < g->row.n; i++)
		for (size_t k = 0; k < g->col.n && g->row.v[i].style != GRID_TOTAL; k++) {
			text_csv(out, sv_of(g->row.v[i].cell[k] ? g->row.v[i].cell[k] : ""));
			str_addc(out, k + 1 < g->col.n ? ',' : '\n');
		}
}

static void put_grid(const struct grid *g, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_CSV)
		csv_grid(g, out);
	else if (as->format == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, as->width, as->colour, out);
}

static void json_head(const struct plan_mig_card *c, struct jw *w, struct str *out)
{
	jw_init(w, out, 0);
	jw_obj(w);
	jw_put_str(w, "schema", "tare.plan-mig/1");
	jw_put_str(w, "gpu_model", c->model);
}

static void json_end(struct jw *w, struct str *out)
{
	jw_end_obj(w);
	str_addc(out, '\n');
}

static void json_numbers(struct jw *w, const struct plan_mig_row *r)
{
	jw_put_int(w, "gpus", r->gpus);
	jw_put_int(w, "lower_bound", r->lower_bound);
	jw_key(w, "proven");
	jw_bool(w, r->proven);
}

/* ---- one scenario ------------------------------------------------------------------------ */

static const char *profile_of(const struct plan_mig_answer *a, size_t i)
{
	return a->card->geom.card.type[a->instance[i].type].name;
}

static void json_instance(const struct plan_mig_answer *a, size_t i, struct jw *w)
{
	const struct plan_mig_use *u = &a->use[i];

	jw_obj(w);
	jw_put_str(w, "profile", profile_of(a, i));
	jw_put_int(w, "start", a->instance[i].start);
	jw_put_str(w, "service", u->service);
	jw_put_int(w, "batch", u->batch);
	jw_put_int(w, "procs", u->procs);
	jw_end_obj(w);
}

static void json_layout(const struct plan_mig_answer *a, struct str *out)
{
	struct jw w;

	json_head(a->card, &w, out);
	jw_put_int(&w, "scenario", (int64_t)a->row->number);
	json_numbers(&w, a->row);
	jw_key(&w, "layout");
	jw_arr(&w);
	for (size_t i = 0; i < a->ninstance;) {
		int gpu = a->instance[i].gpu;
		jw_obj(&w);
		jw_put_int(&w, "gpu", gpu);
		jw_key(&w, "instances");
		jw_arr(&w);
		for (; i < a->ninstance && a->instance[i].gpu == gpu; i++)
			json_instance(a, i, &w);
		jw_end_arr(&w);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	json_end(&w, out);
}

static void grid_layout(const struct plan_mig_answer *a, const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "gpu",   "start", "profile",   "service",
					    "batch", "procs", "requests/s" };
	struct grid g = { 0 };

	for (size_t i = 0; i < 7; i++)
		grid_add_col(&g, head[i], i == 2 || i == 3 ? GRID_LEFT : GRID_RIGHT, i == 3);
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
	}
	put_grid(&g, as, out);
	grid_free(&g);
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
		 a->card->model, r->gpus);
	if (r->proven)
		str_addz(out, "; fewer is impossible (proven).\n\n");
	else
		str_addf(out, "; at least %d are needed (not proven to be the fewest).\n\n",
			 r->lower_bound);
	grid_layout(a, as, out);
}

void plan_mig_print_parted(const struct plan_mig_answer *a, struct str *out)
{
	mig_card_parted(&a->card->geom.card, a->ninstance, a->instance, out);
}

/* ---- scenarios and mixes ----------------------------------------------------------------- */

static void json_rows(const struct plan_mig_answer *a, struct str *out)
{
	struct jw w;

	json_head(a->card, &w, out);
	jw_key(&w, a->random ? "mixes" : "scenarios");
	jw_arr(&w);
	for (size_t i = 0; i < a->n; i++) {
		const struct plan_mig_row *r = &a->row[i];
		jw_obj(&w);
		jw_put_int(&w, a->random ? "mix" : "scenario", (int64_t)r->number);
		jw_put_int(&w, "services", (int64_t)r->nservice);
		json_numbers(&w, r);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_put_int(&w, "gpus", a->gpus);
	jw_put_int(&w, "lower_bound", a->lower_bound);
	jw_put_int(&w, "proven", a->proven);
	if (!isnan(a->slowest_ms))
		jw_put_num(&w, "slowest_ms", a->slowest_ms, 2);
	json_end(&w, out);
}

void plan_mig_print(const struct plan_mig_answer *a, const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "services", "GPUs", "bound", "proven" };
	struct grid g = { 0 };
	const char **cell;

	if (as->format == OUT_JSON) {
		json_rows(a, out);
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

/* ---- the table of a card ----------------------------------------------------------------- */

static int most_of(const struct mig_geom *g, size_t t)
{
	int most = 0;

	for (size_t i = 0; i < g->nmaximal; i++)
		if (g->config[i].count[t] > most)
			most = g->config[i].count[t];
	return most;
}

static void json_profile(const struct plan_mig_card *c, size_t t, struct jw *w)
{
	const struct mig_type *x = &c->geom.card.type[t];

	jw_obj(w);
	jw_put_str(w, "profile", x->name);
	jw_put_int(w, "compute_slices", x->compute);
	jw_put_int(w, "memory_slices", x->memory);
	jw_put_num(w, "memory_gib", c->mem_bytes[t] / 0x1p30, 3);
	jw_put_int(w, "most", most_of(&c->geom, t));
	jw_key(w, "starts");
	jw_arr(w);
	for (int s = 0; s < c->geom.card.memory; s++)
		if (x->starts >> s & 1)
			jw_int(w, s);
	jw_end_arr(w);
	jw_end_obj(w);
}

static void json_card(const struct plan_mig_card *c, struct str *out)
{
	const struct mig_geom *g = &c->geom;
	struct jw w;

	json_head(c, &w, out);
	jw_key(&w, "profiles");
	jw_arr(&w);
	for (size_t t = 0; t < g->card.ntype; t++)
		json_profile(c, t, &w);
	jw_end_arr(&w);
	jw_key(&w, "sets");
	jw_arr(&w);
	for (size_t i = 0; i < g->nmaximal; i++) {
		jw_arr(&w);
		for (size_t p = 0; p < g->config[i].nplace; p++)
			jw_str(&w, g->card.type[g->config[i].place[p].type].name);
		jw_end_arr(&w);
	}
	jw_end_arr(&w);
	jw_put_int(&w, "placements", (int64_t)g->nlayout);
	json_end(&w, out);
}

static const char *starts_text(struct arena *a, const struct mig_card *c, size_t t)
{
	struct str s = { 0 };

	for (int i = 0; i < c->memory; i++)
		if (c->type[t].starts >> i & 1)
			str_addf(&s, "%s%d", s.n ? " " : "", i);
	const char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}

static void grid_profiles(const struct plan_mig_card *x, const struct out_as *as, struct str *out)
{
	static const char *const head[] = { "profile", "most",   "GiB each",
					    "compute", "memory", "may start at" };
	const struct mig_card *c = &x->geom.card;
	struct grid g = { 0 };

	for (size_t i = 0; i < 6; i++)
		grid_add_col(&g, head[i], i == 0 || i == 5 ? GRID_LEFT : GRID_RIGHT, false);
	for (size_t t = 0; t < c->ntype; t++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = c->type[t].name;
		cell[1] = arena_printf(&g.mem, "%d", most_of(&x->geom, t));
		cell[2] = arena_printf(&g.mem, "%.4g", x->mem_bytes[t] / 0x1p30);
		cell[3] = arena_printf(&g.mem, "%d of %d", c->type[t].compute, c->compute);
		cell[4] = arena_printf(&g.mem, "%d of %d", c->type[t].memory, c->memory);
		cell[5] = starts_text(&g.mem, c, t);
	}
	put_grid(&g, as, out);
	grid_free(&g);
}

/* "1 x 3g.40gb + 2 x 2g.20gb" */
static void put_set(const struct mig_geom *g, const struct mig_config *set, struct str *out)
{
	const char *plus = "";

	for (size_t t = g->card.ntype; t--;)
		if (set->count[t]) {
			str_addf(out, "%s%d x %s", plus, set->count[t], g->card.type[t].name);
			plus = " + ";
		}
}

void plan_mig_print_card(const struct plan_mig_card *c, const struct out_as *as, struct str *out)
{
	const struct mig_geom *g = &c->geom;

	if (as->format == OUT_JSON) {
		json_card(c, out);
		return;
	}
	if (as->format == OUT_CSV) {
		grid_profiles(c, as, out);
		return;
	}
	str_addf(out, "%s in instances\n\n", c->model);
	grid_profiles(c, as, out);
	str_addf(out, "\n%zu sets fill the card (%zu ways to place them):\n", g->nmaximal,
		 g->nlayout);
	for (size_t i = 0; i < g->nmaximal; i++) {
		str_addz(out, "  ");
		put_set(g, &g->config[i], out);
		str_addc(out, '\n');
	}
}
