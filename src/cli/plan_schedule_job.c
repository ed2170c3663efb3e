/* One job: at each place the cheapest start or pieces, then the place with data on its way. */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "base/tm.h"
#include "cli/plan_schedule.h"
#include "report/grid.h"

struct option { /* at one place */
	const char *name;
	bool feasible;
	int64_t start_ms, end_ms, run_nano, now_nano;
	dec egress, total;
	struct schedule_pieces pieces;
};

static int deadline_of(struct schedule_ask *a, struct err *err)
{
	const char *z = cli_value(a->cli, "deadline");
	int64_t first = INT64_MAX, last = INT64_MIN, ms;
	for (size_t i = 0; i < a->place.n; i++) {
		const struct price_series *s = &a->place.v[i].series;
		first = s->step[0].at_ms < first ? s->step[0].at_ms : first;
		last = s->end_ms > last ? s->end_ms : last;
	}
	if (a->from_ms == UNKNOWN_MS)
		a->from_ms = first;
	a->deadline_ms = last;
	if (z && tm_parse_span(sv_of(z), &ms) >= 0)
		a->deadline_ms = a->from_ms + ms;
	else if (z && tm_parse(sv_of(z), 0, &a->deadline_ms) < 0)
		return err_set(err, -EINVAL,
			       "--deadline: '%s' is neither a time nor a span such as 24h", z);
	if (last <= a->from_ms)
		return err_set(err, -ENODATA, "no price lies behind --from");
	if (a->deadline_ms <= a->from_ms)
		return err_set(err, -EINVAL, "the deadline does not lie behind the earliest start");
	return 0;
}

static dec data_cost(const struct schedule_ask *a, const char *place)
{
	double gb = (isnan(a->egress_gb) ? 0 : a->egress_gb) + (isnan(a->back_gb) ? 0 : a->back_gb);
	if (!strcmp(place, a->home) || gb <= 0)
		return 0;
	return dec_muldiv(a->egress_usd_gb, llround(gb * 1000), 1000);
}

static int look_at(const struct schedule_ask *a, const struct schedule_place *p, struct option *o,
		   struct err *err)
{
	struct schedule_job j = { a->from_ms, a->deadline_ms, a->length_ms, a->units,
				  a->restart_ms };
	struct schedule_start s;
	int r = schedule_start(&p->series, &j, &s, err);
	if (r < 0)
		return r;
	*o = (struct option){ .name = p->name,
			      .feasible = s.feasible,
			      .start_ms = s.start_ms,
			      .end_ms = s.start_ms + a->length_ms,
			      .run_nano = s.cost_nano,
			      .now_nano = s.now_nano };
	if (cli_flag(a->cli, "preemptible")) {
		if ((r = schedule_pieces(&p->series, &j, a->slot_ms, &o->pieces, err)) < 0)
			return r;
		/* slots may lie worse than free starts: then one piece is better */
		if (o->pieces.feasible && (!o->feasible || o->pieces.cost_nano < o->run_nano)) {
			o->feasible = true;
			o->run_nano = o->pieces.cost_nano;
			o->start_ms = o->pieces.piece[0].from_ms;
			o->end_ms = o->pieces.piece[o->pieces.n - 1].to_ms;
		} else
			o->pieces.n = 0;
	}
	o->egress = data_cost(a, p->name);
	o->total = o->feasible ? nano_to_dec(o->run_nano) + o->egress : -1;
	return 0;
}

static int by_total(const void *a, const void *b)
{
	const struct option *x = a, *y = b;
	if (x->feasible != y->feasible)
		return x->feasible ? -1 : 1;
	return x->feasible && x->total != y->total ? (x->total > y->total) - (x->total < y->total)
						   : strcmp(x->name, y->name);
}

/* At home at once: what would be done without thinking. */
static const struct option *at_home(const struct schedule_ask *a, const struct option *o)
{
	for (size_t i = 0; i < a->place.n; i++)
		if (!strcmp(o[i].name, a->home))
			return o[i].now_nano >= 0 ? &o[i] : NULL;
	return NULL;
}

static double saving(const struct option *home, const struct option *best)
{
	return home && best->feasible && home->now_nano > 0
		       ? 1 - dec_to_double(best->total) / dec_to_double(nano_to_dec(home->now_nano))
		       : NAN;
}

static void json_option(struct jw *w, const struct option *o)
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
	for (size_t i = 0; i < o->pieces.n; i++) {
		jw_obj(w);
		jw_key(w, "from");
		jw_time(w, o->pieces.piece[i].from_ms);
		jw_key(w, "to");
		jw_time(w, o->pieces.piece[i].to_ms);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void print_json(const struct schedule_ask *a, const struct option *o, struct str *out)
{
	struct jw w;
	const struct option *home = at_home(a, o);
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
	jw_num(&w, saving(home, o), 6);
	jw_key(&w, "places");
	jw_arr(&w);
	for (size_t i = 0; i < a->place.n; i++)
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

#define SHOWN 15
static void print_places(const struct schedule_ask *a, const struct option *o, struct str *out)
{
	static const char *const head[] = { "start (UTC)", "run", "data", "$/job", "at once" };
	struct grid g = { 0 };
	grid_add_col(&g, "place", GRID_LEFT, true);
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		grid_add_col(&g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	for (size_t i = 0; i < a->place.n && i < SHOWN; i++) {
		const char **c = grid_add_row(&g, GRID_PLAIN);
		c[0] = *o[i].name ? o[i].name : "(prices)";
		c[1] = o[i].feasible ? minute(&g.mem, o[i].start_ms) : "no price in time";
		c[2] = usd(&g, o[i].feasible, nano_to_dec(o[i].run_nano));
		c[3] = usd(&g, true, o[i].egress);
		c[4] = usd(&g, o[i].feasible, o[i].total);
		c[5] = usd(&g, o[i].now_nano >= 0, nano_to_dec(o[i].now_nano) + o[i].egress);
	}
	if (a->cli->output == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, a->cli->width, a->cli->colour, out);
	if (a->place.n > SHOWN)
		str_addf(out, "... and %zu more places (-o json has all)\n", a->place.n - SHOWN);
	grid_free(&g);
}

static void print_text(const struct schedule_ask *a, const struct option *o, struct str *out)
{
	char b[DEC_BUF];
	struct arena *mem = &a->cli->mem;
	const struct option *home = at_home(a, o);
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
			 100 * saving(home, o));
	str_addz(out, ".\n");
	for (size_t i = 0; i < o->pieces.n && o->pieces.n > 1; i++)
		str_addf(out, "  piece %zu: %s to %s\n", i + 1,
			 minute(mem, o->pieces.piece[i].from_ms),
			 minute(mem, o->pieces.piece[i].to_ms));
	str_addc(out, '\n');
	print_places(a, o, out);
	if (isnan(a->egress_gb) && a->place.n > 1)
		str_addz(out, "\nNo data is charged: say what follows the job with --egress-gb.\n");
}

int schedule_job_run(struct schedule_ask *a, struct str *out, struct err *err)
{
	int r = deadline_of(a, err);
	if (r < 0)
		return r;
	struct option *o = xcalloc(a->place.n, sizeof *o);
	if (!a->home)
		a->home = a->place.v[0].name;
	for (size_t i = 0; i < a->place.n && r >= 0; i++)
		r = look_at(a, &a->place.v[i], &o[i], err);
	if (r >= 0) {
		qsort(o, a->place.n, sizeof *o, by_total);
		if (a->cli->output == OUT_JSON)
			print_json(a, o, out);
		else
			print_text(a, o, out);
		r = o->feasible ? EXIT_DONE : EXIT_INCOMPLETE;
	}
	for (size_t i = 0; i < a->place.n; i++)
		schedule_pieces_free(&o[i].pieces);
	free(o);
	return r;
}
