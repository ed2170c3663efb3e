#include "report/plan/plan_reserved.h"

#include <math.h>

#include "base/str.h"
#include "report/grid.h"
#include "report/text.h"

struct offer_row {
	struct reserve_offer o;
	struct reserve_result r;
};
struct row {
	int64_t machines;
	double hours_month, util_frac;
	dec on_demand_hour, on_demand_month, on_demand_year;
	struct offer_row *offer;
	size_t n;
	const char *best;
};
static const struct col offer_cols[] = {
	{ "name", COL_TEXT, offsetof(struct offer_row, o.name), NULL, "as it was given",
	  .always = true },
	{ "term_months", COL_I32, offsetof(struct offer_row, o.months), "months", "of the offer",
	  .always = true },
	{ "upfront_instance", COL_DEC, offsetof(struct offer_row, o.upfront), "money",
	  "money down for each instance", 0 },
	{ "hour_instance", COL_DEC, offsetof(struct offer_row, o.hour), "money",
	  "of each instance, used or not", 0 },
	{ "month", COL_DEC, offsetof(struct offer_row, r.month), "money",
	  "of all instances a month, without the money down", 0 },
	{ "upfront", COL_DEC, offsetof(struct offer_row, r.upfront), "money",
	  "money down for all instances", 0 },
	{ "total", COL_DEC, offsetof(struct offer_row, r.total), "money",
	  "over the term, the money down in it", 0 },
	{ "annual", COL_DEC, offsetof(struct offer_row, r.annual), "money", "a year of the total",
	  0 },
	{ "saving", COL_DEC, offsetof(struct offer_row, r.saving_term), "money",
	  "against on demand, over the term", 0 },
	{ "saving_year", COL_DEC, offsetof(struct offer_row, r.saving_year), "money",
	  "against on demand, a year", 0 },
	{ "saving_frac", COL_NUM, offsetof(struct offer_row, r.saving_frac), "fraction",
	  "of what on demand costs over the term", .digits = 6 },
	{ "break_even_hours_month", COL_NUM, offsetof(struct offer_row, r.break_even_hours_month),
	  "h", "pays off from so many hours used a month on; above the hours of a month: never",
	  .digits = 6 },
	{ "break_even_months", COL_NUM, offsetof(struct offer_row, r.break_even_months), "months",
	  "until the money down is back; null: never", .digits = 6 },
	{ "upfront_capital_cost", COL_DEC, offsetof(struct offer_row, r.upfront_cost), "money",
	  "what the money down costs over the term, by the cost of capital", 0 },
	{ "saving_after_capital_frac", COL_NUM,
	  offsetof(struct offer_row, r.saving_after_capital_frac), "fraction",
	  "saving_frac after the cost of the money down", .digits = 6 },
	{ 0 },
};
static const struct col cols[] = {
	{ "instances", COL_INT, offsetof(struct row, machines), "count", "that were asked about",
	  .always = true },
	{ "hours_month", COL_NUM, offsetof(struct row, hours_month), "h",
	  "that a reservation is paid for, of each instance a month", .digits = 6 },
	{ "util_frac", COL_NUM, offsetof(struct row, util_frac), "fraction",
	  "share of these hours in which they are used", .digits = 6 },
	{ "on_demand_hour", COL_DEC, offsetof(struct row, on_demand_hour), "money",
	  "of one instance", 0 },
	{ "on_demand_month", COL_DEC, offsetof(struct row, on_demand_month), "money",
	  "of all instances, for the hours they are used", 0 },
	{ "on_demand_year", COL_DEC, offsetof(struct row, on_demand_year), "money",
	  "the same of a year", 0 },
	{ "offers", COL_LIST(struct row, offer, n, offer_cols), .help = "in the order given" },
	{ "best", COL_TEXT, offsetof(struct row, best), NULL,
	  "name of the offer that costs least a year, or on_demand", .always = true },
	{ 0 },
};
const struct col_doc plan_reserved_doc = { "tare.plan-reserved/1", "plan reserved",
					   "offers to reserve against renting on demand", cols };

static void print_text(const struct reserved_ask *q, const struct reserved_answer *a,
		       const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };
	const struct reserve_offer *b = a->best;
	char buf[DEC_BUF], hour[DEC_BUF];
	str_addf(out, "%lld instance%s at %s $/h on demand, %s h a month",
		 (long long)q->machine.machines, plural(q->machine.machines),
		 dec_format(hour, q->machine.on_demand_hour),
		 dec_format(buf, q->machine.paid_hours_month));
	if (q->util_frac < 1)
		str_addf(out, ", used %.0f %% of them", q->util_frac * 100);
	str_addz(out, "\n\n");

	static const char *const head[] = { "offer",    "term",  "upfront", "$/month",
					    "$ a year", "saves", "",        "pays off" };
	for (int i = 0; i < 8; i++)
		grid_add_col(&g, head[i], grid_side(i), false);
	const char **cell = grid_add_row(&g, GRID_PLAIN);
	cell[0] = "on demand";
	cell[3] = text_money(&g.mem, a->offer[0].od_month, 2);
	cell[4] = text_money(&g.mem, a->offer[0].od_year, 2);
	for (size_t i = 0; i < q->n; i++) {
		const struct reserve_result *r = &a->offer[i];
		cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = q->offer[i].name;
		cell[1] = arena_printf(&g.mem, "%d mo", q->offer[i].months);
		cell[2] = text_money(&g.mem, r->upfront, 2);
		cell[3] = text_money(&g.mem, r->month, 2);
		cell[4] = text_money(&g.mem, r->annual, 2);
		cell[5] = text_money(&g.mem, r->saving_year, 2);
		cell[6] = arena_printf(&g.mem, "%.1f %%", r->saving_frac * 100);
		double h = r->break_even_hours_month;
		if (h > dec_to_double(q->machine.paid_hours_month) + 1e-9)
			cell[7] = "never";
		else
			cell[7] = arena_printf(&g.mem, "%.0f h", ceil(h - 1e-9));
	}
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	for (size_t i = 0; i < q->n; i++)
		if (a->offer[i].upfront > 0 && !isinf(a->offer[i].break_even_months))
			str_addf(out, "\n%s: %s upfront is back after %.1f months%s%s%s.",
				 q->offer[i].name, text_money(&g.mem, a->offer[i].upfront, 2),
				 a->offer[i].break_even_months,
				 text_if(a->offer[i].upfront_cost, "; it costs "),
				 a->offer[i].upfront_cost
					 ? text_money(&g.mem, a->offer[i].upfront_cost, 2)
					 : "",
				 text_if(a->offer[i].upfront_cost, " of capital over the term"));
	str_addz(
		out,
		"\n\"saves\": $ a year. \"pays off\": from so many hours used a month on, of each instance.\n");
	if (b)
		str_addf(out, "Least over its term: %s, if the machines are needed that long.\n",
			 b->name);
	else
		str_addz(out, "On demand costs least.\n");
	grid_free(&g);
}

void plan_reserved_print(const struct reserved_ask *q, const struct reserved_answer *a,
			 const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		struct offer_row offer[RESERVED_MAX_OFFERS];
		const struct row row = {
			.machines = q->machine.machines,
			.hours_month = dec_to_double(q->machine.paid_hours_month),
			.util_frac = q->util_frac,
			.on_demand_hour = q->machine.on_demand_hour,
			.on_demand_month = a->offer[0].od_month,
			.on_demand_year = a->offer[0].od_year,
			.offer = offer,
			.n = q->n,
			.best = a->best ? a->best->name : "on_demand",
		};

		for (size_t i = 0; i < q->n; i++)
			offer[i] = (struct offer_row){ q->offer[i], a->offer[i] };
		cols_doc(&plan_reserved_doc, &row, out);
	} else
		print_text(q, a, as, out);
}
