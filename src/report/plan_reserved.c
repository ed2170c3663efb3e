#include "report/plan_reserved.h"

#include <math.h>

#include "base/jw.h"
#include "report/grid.h"
#include "report/text.h"

static void money(struct jw *w, const char *key, dec v)
{
	jw_key(w, key);
	jw_dec(w, v);
}

static void json_offer(struct jw *w, const struct reserve_offer *o, const struct reserve_result *r)
{
	jw_obj(w);
	jw_key(w, "name");
	jw_str(w, o->name);
	jw_key(w, "term_months");
	jw_int(w, o->months);
	money(w, "upfront_instance", o->upfront);
	money(w, "hour_instance", o->hour);
	money(w, "month", r->month);
	money(w, "upfront", r->upfront);
	money(w, "total", r->total);
	money(w, "annual", r->annual);
	money(w, "saving", r->saving_term);
	money(w, "saving_year", r->saving_year);
	jw_put_num(w, "saving_frac", r->saving_frac, 6);
	jw_put_num(w, "break_even_hours_month", r->break_even_hours_month, 6);
	jw_put_num(w, "break_even_months", r->break_even_months, 6);
	money(w, "upfront_capital_cost", r->upfront_cost);
	jw_put_num(w, "saving_after_capital_frac", r->saving_after_capital_frac, 6);
	jw_end_obj(w);
}

static void print_json(const struct reserved_ask *q, const struct reserved_answer *a,
		       struct str *out)
{
	struct jw w;
	const struct reserve_offer *b = a->best;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-reserved/1");
	jw_key(&w, "instances");
	jw_int(&w, q->machine.machines);
	jw_put_num(&w, "hours_month", dec_to_double(q->machine.paid_hours_month), 6);
	jw_put_num(&w, "util_frac", q->util_frac, 6);
	money(&w, "on_demand_hour", q->machine.on_demand_hour);
	money(&w, "on_demand_month", a->offer[0].od_month);
	money(&w, "on_demand_year", a->offer[0].od_year);
	jw_key(&w, "offers");
	jw_arr(&w);
	for (size_t i = 0; i < q->n; i++)
		json_offer(&w, &q->offer[i], &a->offer[i]);
	jw_end_arr(&w);
	jw_key(&w, "best");
	jw_str(&w, b ? b->name : "on_demand");
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *hours_text(struct arena *m, double h, double month)
{
	return h > month + 1e-9 ? "never" : arena_printf(m, "%.0f h", ceil(h - 1e-9));
}

static void fill(const struct reserved_ask *q, const struct reserved_answer *a, struct grid *g)
{
	static const char *const head[] = { "offer",    "term",  "upfront", "$/month",
					    "$ a year", "saves", "",        "pays off" };
	for (int i = 0; i < 8; i++)
		grid_add_col(g, head[i], i ? GRID_RIGHT : GRID_LEFT, false);
	const char **cell = grid_add_row(g, GRID_PLAIN);
	cell[0] = "on demand";
	cell[3] = text_money(&g->mem, a->offer[0].od_month, 2);
	cell[4] = text_money(&g->mem, a->offer[0].od_year, 2);
	for (size_t i = 0; i < q->n; i++) {
		const struct reserve_result *r = &a->offer[i];
		cell = grid_add_row(g, GRID_PLAIN);
		cell[0] = q->offer[i].name;
		cell[1] = arena_printf(&g->mem, "%d mo", q->offer[i].months);
		cell[2] = text_money(&g->mem, r->upfront, 2);
		cell[3] = text_money(&g->mem, r->month, 2);
		cell[4] = text_money(&g->mem, r->annual, 2);
		cell[5] = text_money(&g->mem, r->saving_year, 2);
		cell[6] = arena_printf(&g->mem, "%.1f %%", r->saving_frac * 100);
		cell[7] = hours_text(&g->mem, r->break_even_hours_month,
				     dec_to_double(q->machine.paid_hours_month));
	}
}

static void print_text(const struct reserved_ask *q, const struct reserved_answer *a,
		       const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	const struct reserve_offer *b = a->best;
	char buf[DEC_BUF], hour[DEC_BUF];
	str_addf(out, "%lld instance%s at %s $/h on demand, %s h a month",
		 (long long)q->machine.machines, q->machine.machines == 1 ? "" : "s",
		 dec_format(hour, q->machine.on_demand_hour),
		 dec_format(buf, q->machine.paid_hours_month));
	if (q->util_frac < 1)
		str_addf(out, ", used %.0f %% of them", q->util_frac * 100);
	str_addz(out, "\n\n");
	fill(q, a, &g);
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	for (size_t i = 0; i < q->n; i++)
		if (a->offer[i].upfront > 0 && !isinf(a->offer[i].break_even_months))
			str_addf(out, "\n%s: %s upfront is back after %.1f months%s%s%s.",
				 q->offer[i].name, text_money(&g.mem, a->offer[i].upfront, 2),
				 a->offer[i].break_even_months,
				 a->offer[i].upfront_cost ? "; it costs " : "",
				 a->offer[i].upfront_cost
					 ? text_money(&g.mem, a->offer[i].upfront_cost, 2)
					 : "",
				 a->offer[i].upfront_cost ? " of capital over the term" : "");
	str_addf(
		out,
		"\n\"saves\": $ a year. \"pays off\": from so many hours used a month on, of each instance.\n%s%s%s\n",
		b ? "Least over its term: " : "On demand costs least.", b ? b->name : "",
		b ? ", if the machines are needed that long." : "");
	grid_free(&g);
}

void plan_reserved_print(const struct reserved_ask *q, const struct reserved_answer *a,
			 const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(q, a, out);
	else
		print_text(q, a, as, out);
}
