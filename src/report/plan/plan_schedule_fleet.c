/* `tare plan schedule` of many jobs within a capacity: when and where each runs. */
#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/plan/plan_schedule.h"

static bool run_id(const void *row, union col_value *ret)
{
	ret->text = ((const struct schedule_run *)row)->id;
	return *ret->text;
}

static bool run_start(const void *row, union col_value *ret)
{
	const struct schedule_run *r = row;

	ret->n = r->start_ms;
	return r->place;
}

static bool run_end(const void *row, union col_value *ret)
{
	const struct schedule_run *r = row;

	ret->n = r->end_ms;
	return r->place;
}

static const struct col run_cols[] = {
	{ "id", COL_TEXT, .get = run_id, .help = "of the job, where it has one" },
	{ "line", COL_INT, offsetof(struct schedule_run, line), NULL, "of the list of jobs",
	  .always = true },
	{ "units", COL_INT, offsetof(struct schedule_run, units), "count", "machines",
	  .always = true },
	{ "place", COL_TEXT, offsetof(struct schedule_run, place), NULL,
	  "where it runs; null: no room before its deadline", 0 },
	{ "start", COL_TIME, .get = run_start, .help = "when it starts" },
	{ "end", COL_TIME, .get = run_end, .help = "when it ends" },
	{ 0 },
};
struct row {
	const char *mode, *currency;
	struct schedule_fleet_answer f;
	int64_t shift_s, cost_nano, flow_nano, price_nano;
};
static const struct col cols[] = {
	{ "mode", COL_TEXT, offsetof(struct row, mode), NULL, "fleet", .always = true },
	{ "currency", COL_TEXT, offsetof(struct row, currency), NULL, "of all amounts",
	  .always = true },
	{ "jobs", COL_SIZE, offsetof(struct row, f.n), "count", "of the list, within the prices",
	  0 },
	{ "outside", COL_SIZE, offsetof(struct row, f.outside), "count",
	  "jobs that do not lie within the prices", 0 },
	{ "left_out", COL_SIZE, offsetof(struct row, f.left_out), "count",
	  "jobs without room before their deadline, not in the sums", 0 },
	{ "rounded_up", COL_INT, offsetof(struct row, f.rounded_up), "count",
	  "jobs of a part of a machine, which were given the whole of it", 0 },
	{ "moved_by_s", COL_INT, offsetof(struct row, shift_s), "s",
	  "by which jobs were moved, as their times do not meet the prices'", .always = true },
	{ "cost", COL_NANO, offsetof(struct row, cost_nano), "money", "of all runs", 0 },
	{ "at_once_cost", COL_DEC, offsetof(struct row, f.at_once), "money",
	  "of all at home as they come, without limit", offsetof(struct row, f.has_at_once) },
	{ "flow_bound", COL_NANO, offsetof(struct row, flow_nano), "money",
	  "no schedule costs less, by a flow", 0 },
	{ "price_bound", COL_NANO, offsetof(struct row, price_nano), "money",
	  "no schedule costs less, by priced capacity", 0 },
	{ "gap_frac", COL_NUM, offsetof(struct row, f.gap_frac), "fraction",
	  "cost above the higher bound", .digits = 6 },
	{ "schedule", COL_LIST(struct row, f.run, f.n, run_cols),
	  .help = "in the order of the list of jobs" },
	{ 0 },
};
const struct col_doc schedule_fleet_doc = { "tare.plan-schedule/1", "plan schedule",
					    "many jobs on the machines of several places", cols,
					    &schedule_table_doc };

static const char *format_nano(struct arena *a, int64_t nano)
{
	char b[DEC_BUF];
	if (nano < 0)
		return "-";
	return arena_printf(a, "%s", dec_format_people(b, nano_to_dec(nano), 2));
}

void schedule_fleet_print(const struct schedule_fleet_ask *q, const struct schedule_fleet_answer *a,
			  const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		const struct row row = {
			.mode = "fleet",
			.currency = "USD",
			.f = *a,
			.shift_s = a->shift_ms / 1000,
			.cost_nano = i64_if(a->cost_nano >= 0, a->cost_nano),
			.flow_nano = i64_if(a->flow_nano >= 0, a->flow_nano),
			.price_nano = i64_if(a->price_nano >= 0, a->price_nano),
		};

		cols_doc(&schedule_fleet_doc, &row, out);
		return;
	}
	if (as->format == OUT_CSV) {
		char t[TM_BUF];
		str_addz(out, "line,id,units,place,start,end\n");
		for (size_t k = 0; k < a->n; k++) {
			const struct schedule_run *j = &a->run[k];
			str_addf(out, "%lld,", (long long)j->line);
			if (*j->id) {
				str_addc(out, '"');
				for (const char *c = j->id; *c; c++)
					*c == '"' ? str_addz(out, "\"\"") : str_addc(out, *c);
				str_addc(out, '"');
			}
			str_addf(out, ",%lld,%s", (long long)j->units, text_or(j->place, ""));
			str_addf(out, ",%s", j->place ? tm_format(t, j->start_ms) : "");
			str_addf(out, ",%s\n", j->place ? tm_format(t, j->end_ms) : "");
		}
		return;
	}

	struct arena own = { 0 }, *mem = &own;
	char b[DEC_BUF];
	str_addf(out, "%zu job%s at %zu place%s", a->n, plural(a->n), a->nplace, plural(a->nplace));
	if (q->capacity >= 0)
		str_addf(out, ", %lld machines at each", (long long)q->capacity);
	str_addf(out, ": %s $ in all\n", format_nano(mem, a->cost_nano));
	if (a->has_at_once)
		str_addf(out, "  as they come, at %s, without limit  %s $\n",
			 filled_or(a->home, "home"), dec_format_people(b, a->at_once, 2));
	str_addf(
		out,
		"  no schedule is below               %s $ (min-cost flow %s, priced capacity %s)\n",
		format_nano(mem, max_i64(a->flow_nano, a->price_nano)),
		format_nano(mem, a->flow_nano), format_nano(mem, a->price_nano));
	if (!isnan(a->gap_frac))
		str_addf(out, "  above the bound                    %.3f %%\n", a->gap_frac * 100);
	if (a->left_out)
		str_addf(out, "%zu job%s without room before the deadline: not in the sums.\n",
			 a->left_out, plural(a->left_out));
	if (a->outside)
		str_addf(out, "%zu job%s outside of the hours of the prices: not in the sums.\n",
			 a->outside, plural(a->outside));
	if (a->rounded_up)
		str_addf(out,
			 "%lld job%s of a part of a machine: each was given the whole of it.\n",
			 (long long)a->rounded_up, plural(a->rounded_up));
	if (a->shift_ms)
		str_addf(out,
			 "The jobs' times do not meet the prices': all were moved by %.0f hours.\n",
			 (double)a->shift_ms / (double)MS_HOUR);
	str_addz(out, "-o csv or -o json gives each job's place and start.\n");
	arena_free(mem);
}
