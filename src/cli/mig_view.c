/* See mig_view.h. */
#include "cli/mig_view.h"
#include "opt/share.h"
#include "report/text.h"

/* ---- what is printed --------------------------------------------------------------------- */

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

static void put_grid(const struct mig_job *j, const struct grid *g, struct str *out)
{
	if (j->c->output == OUT_CSV)
		csv_grid(g, out);
	else if (j->c->output == OUT_MD)
		grid_md(g, out);
	else
		grid_table(g, j->c->width, j->c->colour, out);
}

static void json_head(const struct mig_job *j, struct jw *w)
{
	jw_obj(w);
	jw_key(w, "schema");
	jw_str(w, "tare.plan-mig/1");
	jw_key(w, "gpu_model");
	jw_str(w, j->gpu);
}

static void json_numbers(struct jw *w, const struct mig_packing *p)
{
	jw_key(w, "gpus");
	jw_int(w, p->gpus);
	jw_key(w, "lower_bound");
	jw_int(w, p->lower_bound);
	jw_key(w, "proven");
	jw_bool(w, p->proven);
}

static void json_instance(const struct mig_job *j, const struct mig_asked *a,
			  const struct mig_instance *x, struct jw *w)
{
	const struct migprof_row *b = a->best[x->service][x->type];
	jw_obj(w);
	jw_key(w, "profile");
	jw_str(w, j->geom.card.type[x->type].name);
	jw_key(w, "start");
	jw_int(w, x->start);
	jw_key(w, "service");
	jw_str(w, j->prof.name[a->model[x->service]]);
	jw_key(w, "batch");
	jw_int(w, b->batch);
	jw_key(w, "procs");
	jw_int(w, b->procs);
	jw_end_obj(w);
}

static void json_layout(const struct mig_job *j, const struct mig_asked *a,
			const struct mig_packing *p, struct jw *w)
{
	jw_key(w, "layout");
	jw_arr(w);
	for (size_t i = 0; i < p->instance.n;) {
		int gpu = p->instance.v[i].gpu;
		jw_obj(w);
		jw_key(w, "gpu");
		jw_int(w, gpu);
		jw_key(w, "instances");
		jw_arr(w);
		for (; i < p->instance.n && p->instance.v[i].gpu == gpu; i++)
			json_instance(j, a, &p->instance.v[i], w);
		jw_end_arr(w);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void print_layout(const struct mig_job *j, const struct mig_asked *a,
			 const struct mig_packing *p, struct str *out)
{
	struct grid g = { 0 };
	static const char *const head[] = { "gpu",   "start", "profile",   "service",
					    "batch", "procs", "requests/s" };
	for (size_t i = 0; i < 7; i++)
		grid_add_col(&g, head[i], i == 2 || i == 3 ? GRID_LEFT : GRID_RIGHT, i == 3);
	for (size_t i = 0; i < p->instance.n; i++) {
		const struct mig_instance *x = &p->instance.v[i];
		const struct migprof_row *b = a->best[x->service][x->type];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = i && p->instance.v[i - 1].gpu == x->gpu && j->c->output != OUT_CSV
				  ? ""
				  : arena_printf(&g.mem, "%d", x->gpu);
		cell[1] = arena_printf(&g.mem, "%d", x->start);
		cell[2] = j->geom.card.type[x->type].name;
		cell[3] = j->prof.name[a->model[x->service]];
		cell[4] = arena_printf(&g.mem, "%d", b->batch);
		cell[5] = arena_printf(&g.mem, "%d", b->procs);
		cell[6] = arena_printf(&g.mem, "%.1f", a->service[x->service].thr[x->type]);
	}
	put_grid(j, &g, out);
	grid_free(&g);
}

static int most_of(const struct mig_job *j, size_t t)
{
	int most = 0;
	for (size_t i = 0; i < j->geom.nmaximal; i++)
		if (j->geom.config[i].count[t] > most)
			most = j->geom.config[i].count[t];
	return most;
}

/* The same layout for NVIDIA's mig-parted, one device a card; see opt/share.h. */
static void print_parted(const struct mig_job *j, const struct mig_packing *p, struct str *out)
{
	share_parted_begin(out, "tare");
	for (size_t i = 0; i < p->instance.n;) {
		int gpu = p->instance.v[i].gpu, count[MIG_TYPES] = { 0 };
		for (; i < p->instance.n && p->instance.v[i].gpu == gpu; i++)
			count[p->instance.v[i].type]++;
		share_parted_device(out, gpu, &j->geom.card, count);
	}
}

void mig_print_one(const struct mig_job *j, size_t row, const struct mig_asked *a,
		   const struct mig_packing *p, struct str *out)
{
	if (cli_flag(j->c, "parted")) {
		print_parted(j, p, out);
		return;
	}
	if (j->c->output == OUT_JSON) {
		struct jw w;
		jw_init(&w, out, 0);
		json_head(j, &w);
		jw_key(&w, "scenario");
		jw_int(&w, (int64_t)row + 1);
		json_numbers(&w, p);
		json_layout(j, a, p, &w);
		jw_end_obj(&w);
		str_addc(out, '\n');
		return;
	}
	if (j->c->output == OUT_CSV) {
		print_layout(j, a, p, out);
		return;
	}
	str_addf(out, "Scenario %zu: %zu services on %s need %d GPUs", row + 1, a->n, j->gpu,
		 p->gpus);
	if (p->proven)
		str_addf(out, "; fewer is impossible (proven).\n\n");
	else
		str_addf(out, "; at least %d are needed (not proven to be the fewest).\n\n",
			 p->lower_bound);
	print_layout(j, a, p, out);
}

void mig_summary_begin(const struct mig_job *j, struct mig_summary *s, struct str *out)
{
	static const char *const head[] = { "", "services", "GPUs", "bound", "proven" };
	if (j->c->output == OUT_JSON) {
		jw_init(&s->w, out, 0);
		json_head(j, &s->w);
		jw_key(&s->w, s->key);
		jw_arr(&s->w);
		return;
	}
	for (size_t i = 0; i < 5; i++)
		grid_add_col(&s->g, i ? head[i] : s->word, GRID_RIGHT, false);
}

void mig_summary_row(const struct mig_job *j, struct mig_summary *s, size_t number,
		     const struct mig_asked *a, const struct mig_packing *p)
{
	s->gpus += p->gpus;
	s->bound += p->lower_bound;
	s->proven += p->proven;
	s->n++;
	if (j->c->output == OUT_JSON) {
		jw_obj(&s->w);
		jw_key(&s->w, s->word);
		jw_int(&s->w, (int64_t)number);
		jw_key(&s->w, "services");
		jw_int(&s->w, (int64_t)a->n);
		json_numbers(&s->w, p);
		jw_end_obj(&s->w);
		return;
	}
	const char **cell = grid_add_row(&s->g, GRID_PLAIN);
	cell[0] = arena_printf(&s->g.mem, "%zu", number);
	cell[1] = arena_printf(&s->g.mem, "%zu", a->n);
	cell[2] = arena_printf(&s->g.mem, "%d", p->gpus);
	cell[3] = arena_printf(&s->g.mem, "%d", p->lower_bound);
	cell[4] = p->proven ? "yes" : "no";
}

void mig_summary_end(const struct mig_job *j, struct mig_summary *s, struct str *out)
{
	if (j->c->output == OUT_JSON) {
		jw_end_arr(&s->w);
		jw_key(&s->w, "gpus");
		jw_int(&s->w, s->gpus);
		jw_key(&s->w, "lower_bound");
		jw_int(&s->w, s->bound);
		jw_key(&s->w, "proven");
		jw_int(&s->w, s->proven);
		if (j->timing) {
			jw_key(&s->w, "slowest_ms");
			jw_num(&s->w, j->worst_ms, 2);
		}
		jw_end_obj(&s->w);
		str_addc(out, '\n');
		return;
	}
	const char **cell = grid_add_row(&s->g, GRID_TOTAL);
	cell[2] = arena_printf(&s->g.mem, "%lld", (long long)s->gpus);
	cell[3] = arena_printf(&s->g.mem, "%lld", (long long)s->bound);
	cell[4] = arena_printf(&s->g.mem, "%lld of %lld", (long long)s->proven, (long long)s->n);
	put_grid(j, &s->g, out);
	if (j->timing && j->c->output != OUT_CSV)
		str_addf(out, "\nThe slowest took %.2f ms.\n", j->worst_ms);
}

/* ---- the table of a card ----------------------------------------------------------------- */

static void json_table(const struct mig_job *j, struct str *out)
{
	const struct mig_card *c = &j->geom.card;
	struct jw w;
	jw_init(&w, out, 0);
	json_head(j, &w);
	jw_key(&w, "profiles");
	jw_arr(&w);
	for (size_t t = 0; t < c->ntype; t++) {
		jw_obj(&w);
		jw_key(&w, "profile");
		jw_str(&w, c->type[t].name);
		jw_key(&w, "compute_slices");
		jw_int(&w, c->type[t].compute);
		jw_key(&w, "memory_slices");
		jw_int(&w, c->type[t].memory);
		jw_key(&w, "memory_gib");
		jw_num(&w, j->mem_bytes[t] / 0x1p30, 3);
		jw_key(&w, "most");
		jw_int(&w, most_of(j, t));
		jw_key(&w, "starts");
		jw_arr(&w);
		for (int s = 0; s < c->memory; s++)
			if (c->type[t].starts >> s & 1)
				jw_int(&w, s);
		jw_end_arr(&w);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_key(&w, "sets");
	jw_arr(&w);
	for (size_t i = 0; i < j->geom.nmaximal; i++) {
		jw_arr(&w);
		for (size_t p = 0; p < j->geom.config[i].nplace; p++)
			jw_str(&w, c->type[j->geom.config[i].place[p].type].name);
		jw_end_arr(&w);
	}
	jw_end_arr(&w);
	jw_key(&w, "placements");
	jw_int(&w, (int64_t)j->geom.nlayout);
	jw_end_obj(&w);
	str_addc(out, '\n');
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

static void print_profiles(const struct mig_job *j, struct str *out)
{
	static const char *const head[] = { "profile", "most",   "GiB each",
					    "compute", "memory", "may start at" };
	const struct mig_card *c = &j->geom.card;
	struct grid g = { 0 };
	for (size_t i = 0; i < 6; i++)
		grid_add_col(&g, head[i], i == 0 || i == 5 ? GRID_LEFT : GRID_RIGHT, false);
	for (size_t t = 0; t < c->ntype; t++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = c->type[t].name;
		cell[1] = arena_printf(&g.mem, "%d", most_of(j, t));
		cell[2] = arena_printf(&g.mem, "%.4g", j->mem_bytes[t] / 0x1p30);
		cell[3] = arena_printf(&g.mem, "%d of %d", c->type[t].compute, c->compute);
		cell[4] = arena_printf(&g.mem, "%d of %d", c->type[t].memory, c->memory);
		cell[5] = starts_text(&g.mem, c, t);
	}
	put_grid(j, &g, out);
	grid_free(&g);
}

/* Which instances fill a card: nothing can be added to any of these. */
void mig_print_table(const struct mig_job *j, struct str *out)
{
	const struct mig_geom *g = &j->geom;
	if (j->c->output == OUT_JSON) {
		json_table(j, out);
		return;
	}
	if (j->c->output == OUT_CSV) {
		print_profiles(j, out);
		return;
	}
	str_addf(out, "%s in instances\n\n", j->gpu);
	print_profiles(j, out);
	str_addf(out, "\n%zu sets fill the card (%zu ways to place them):\n", g->nmaximal,
		 g->nlayout);
	for (size_t i = 0; i < g->nmaximal; i++) {
		str_addz(out, "  ");
		const char *plus = "";
		for (size_t t = g->card.ntype; t--;)
			if (g->config[i].count[t]) {
				str_addf(out, "%s%d x %s", plus, g->config[i].count[t],
					 g->card.type[t].name);
				plus = " + ";
			}
		str_addc(out, '\n');
	}
}
