#include <math.h>

#include "base/jw.h"
#include "base/tm.h"
#include "report/grid.h"
#include "report/plan_schedule.h"

#define SHOWN 15 /* places of the table */

static void json_option(struct jw *w, const struct schedule_option *o)
{
	jw_obj(w);
	jw_key(w, "place");
	jw_str(w, o->name);
	jw_key(w, "feasible");
	jw_bool(w, o->feasible);
	jw_key(w, "start");
	o->feasible ? jw_time(w, o->start_ms) : jw_null(w);
	jw_key(w, "end");
	o->feasible ? jw_time(w, o->end_ms) : jw_null(w);
	jw_put_dec(w, "run_cost", o->feasible, nano_to_dec(o->run_nano));
	jw_put_dec(w, "egress_cost", true, o->egress);
	jw_put_dec(w, "cost", o->feasible, o->total);
	jw_put_dec(w, "at_once_cost", o->now_nano >= 0, nano_to_dec(o->now_nano) + o->egress);
	jw_key(w, "pieces");
	jw_arr(w);
	for (size_t i = 0; i < o->npiece; i++) {
		jw_obj(w);
		jw_key(w, "from");
		jw_time(w, o->piece[i].from_ms);
		jw_key(w, "to");
		jw_time(w, o->piece[i].to_ms);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void print_json(const struct schedule_job_answer *a, struct str *out)
{
	struct jw w;
	const struct schedule_option *home = a->at_home, *o = a->option;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-schedule/1");
	jw_key(&w, "mode");
	jw_str(&w, "job");
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "from");
	jw_time(&w, a->from_ms);
	jw_key(&w, "deadline");
	jw_time(&w, a->deadline_ms);
	jw_key(&w, "home");
	jw_str(&w, a->home);
	jw_key(&w, "best");
	o->feasible ? json_option(&w, o) : jw_null(&w);
	jw_put_dec(&w, "at_once_cost", home, home ? nano_to_dec(home->now_nano) : 0);
	jw_key(&w, "saving_frac");
	jw_num(&w, a->saving_frac, 6);
	jw_key(&w, "places");
	jw_arr(&w);
	for (size_t i = 0; i < a->n; i++)
		json_option(&w, &o[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *usd(struct grid *g, bool known, dec v)
{
	char b[DEC_BUF];
	return known ? arena_printf(&g->mem, "%s",
				    dec_format_people(b, v, v < DEC_ONE * 100 ? 4 : 2))
		     : "-";
}

static const char *minute(struct arena *a, int64_t ms)
{
	char t[TM_BUF];
	return arena_printf(a, "%.10s %.5s", tm_format(t, ms), tm_format(t, ms) + 11);
}

static void print_places(const struct schedule_job_answer *a, const struct out_as *as,
			 struct str *out)
{
	const struct schedule_option *o = a->option;
	static const char *const head[] = { "start (UTC)", "run", "data", "$/job", "at once" };
	struct grid g = { 0 };
	grid_add_col(&g, "place", GRID_LEFT, true);
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		grid_add_col(&g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t i = 0; i < a->n && i < SHOWN; i++) {
		const char **c = grid_add_row(&g, GRID_PLAIN);
		c[0] = *o[i].name ? o[i].name : "(prices)";
		c[1] = o[i].feasible ? minute(&g.mem, o[i].start_ms) : "no price in time";
		c[2] = usd(&g, o[i].feasible, nano_to_dec(o[i].run_nano));
		c[3] = usd(&g, true, o[i].egress);
		c[4] = usd(&g, o[i].feasible, o[i].total);
		c[5] = usd(&g, o[i].now_nano >= 0, nano_to_dec(o[i].now_nano) + o[i].egress);
	}
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	if (a->n > SHOWN)
		str_addf(out, "... and %zu more places (-o json has all)\n", a->n - SHOWN);
	grid_free(&g);
}

static void print_text(const struct schedule_job_ask *q, const struct schedule_job_answer *a,
		       const struct out_as *as, struct str *out)
{
	char b[DEC_BUF];
	struct arena own = { 0 }, *mem = &own;
	const struct schedule_option *home = a->at_home, *o = a->option;
	if (!o->feasible) {
		str_addz(out,
			 "No place has prices for the whole of the job before its deadline.\n");
		return;
	}
	str_addf(out, "Cheapest: %s%sfrom %s", o->name, *o->name ? " " : "",
		 minute(mem, o->start_ms));
	str_addf(out, " to %s UTC, %s $/job", minute(mem, o->end_ms),
		 dec_format_people(b, o->total, 4));
	if (home)
		str_addf(out, " (%s at home, at once: %.1f %% less)",
			 dec_format_people(b, nano_to_dec(home->now_nano), 4),
			 100 * a->saving_frac);
	str_addz(out, ".\n");
	for (size_t i = 0; i < o->npiece && o->npiece > 1; i++)
		str_addf(out, "  piece %zu: %s to %s\n", i + 1, minute(mem, o->piece[i].from_ms),
			 minute(mem, o->piece[i].to_ms));
	str_addc(out, '\n');
	arena_free(mem);
	print_places(a, as, out);
	if (isnan(q->a.egress_gb) && a->n > 1)
		str_addz(out, "\nNo data is charged: say what follows the job with --egress-gb.\n");
}

void schedule_job_print(const struct schedule_job_ask *q, const struct schedule_job_answer *a,
			const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(a, out);
	else
		print_text(q, a, as, out);
}
