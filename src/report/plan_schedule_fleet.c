#include <math.h>

#include "base/jw.h"
#include "base/tm.h"
#include "report/plan_schedule.h"

static void json_nano(struct jw *w, const char *key, int64_t nano)
{
	jw_key(w, key);
	if (nano < 0)
		jw_null(w);
	else
		jw_dec(w, nano_to_dec(nano));
}

static void json_runs(struct jw *w, const struct schedule_fleet_answer *f)
{
	jw_key(w, "schedule");
	jw_arr(w);
	for (size_t k = 0; k < f->n; k++) {
		const struct schedule_run *j = &f->run[k];
		jw_obj(w);
		jw_key(w, "id");
		jw_str(w, *j->id ? j->id : NULL);
		jw_key(w, "line");
		jw_int(w, j->line);
		jw_key(w, "units");
		jw_int(w, j->units);
		jw_key(w, "place");
		jw_str(w, j->place);
		jw_key(w, "start");
		j->place ? jw_time(w, j->start_ms) : jw_null(w);
		jw_key(w, "end");
		j->place ? jw_time(w, j->end_ms) : jw_null(w);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void print_json(const struct schedule_fleet_answer *f, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-schedule/1");
	jw_key(&w, "mode");
	jw_str(&w, "fleet");
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "jobs");
	jw_int(&w, (int64_t)f->n);
	jw_key(&w, "outside");
	jw_int(&w, (int64_t)f->outside);
	jw_key(&w, "left_out");
	jw_int(&w, (int64_t)f->left_out);
	jw_key(&w, "moved_by_s");
	jw_int(&w, f->shift_ms / 1000);
	json_nano(&w, "cost", f->cost_nano);
	jw_key(&w, "at_once_cost");
	f->has_at_once ? jw_dec(&w, f->at_once) : jw_null(&w);
	json_nano(&w, "flow_bound", f->flow_nano);
	json_nano(&w, "price_bound", f->price_nano);
	jw_key(&w, "gap_frac");
	jw_num(&w, f->gap_frac, 6);
	json_runs(&w, f);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *people(struct arena *a, int64_t nano)
{
	char b[DEC_BUF];
	return nano < 0 ? "-" : arena_printf(a, "%s", dec_format_people(b, nano_to_dec(nano), 2));
}

static void print_text(const struct schedule_fleet_ask *q, const struct schedule_fleet_answer *f,
		       struct str *out)
{
	struct arena own = { 0 }, *a = &own;
	char b[DEC_BUF];
	str_addf(out, "%zu job%s at %zu place%s", f->n, f->n == 1 ? "" : "s", f->nplace,
		 f->nplace == 1 ? "" : "s");
	if (q->capacity >= 0)
		str_addf(out, ", %lld machines at each", (long long)q->capacity);
	str_addf(out, ": %s $ in all\n", people(a, f->cost_nano));
	if (f->has_at_once)
		str_addf(out, "  as they come, at %s, without limit  %s $\n",
			 *f->home ? f->home : "home", dec_format_people(b, f->at_once, 2));
	str_addf(
		out,
		"  no schedule is below               %s $ (min-cost flow %s, priced capacity %s)\n",
		people(a, f->flow_nano > f->price_nano ? f->flow_nano : f->price_nano),
		people(a, f->flow_nano), people(a, f->price_nano));
	if (!isnan(f->gap_frac))
		str_addf(out, "  above the bound                    %.3f %%\n", f->gap_frac * 100);
	if (f->left_out)
		str_addf(out, "%zu job%s without room before the deadline: not in the sums.\n",
			 f->left_out, f->left_out == 1 ? "" : "s");
	if (f->outside)
		str_addf(out, "%zu job%s outside of the hours of the prices: not in the sums.\n",
			 f->outside, f->outside == 1 ? "" : "s");
	if (f->shift_ms)
		str_addf(out,
			 "The jobs' times do not meet the prices': all were moved by %.0f hours.\n",
			 (double)f->shift_ms / (double)MS_HOUR);
	str_addz(out, "-o csv or -o json gives each job's place and start.\n");
	arena_free(a);
}

static void print_csv(const struct schedule_fleet_answer *f, struct str *out)
{
	char t[TM_BUF];
	str_addz(out, "line,id,units,place,start,end\n");
	for (size_t k = 0; k < f->n; k++) {
		const struct schedule_run *j = &f->run[k];
		str_addf(out, "%lld,", (long long)j->line);
		if (*j->id) {
			str_addc(out, '"');
			for (const char *c = j->id; *c; c++)
				*c == '"' ? str_addz(out, "\"\"") : str_addc(out, *c);
			str_addc(out, '"');
		}
		str_addf(out, ",%lld,%s", (long long)j->units, j->place ? j->place : "");
		str_addf(out, ",%s", j->place ? tm_format(t, j->start_ms) : "");
		str_addf(out, ",%s\n", j->place ? tm_format(t, j->end_ms) : "");
	}
}

void schedule_fleet_print(const struct schedule_fleet_ask *q, const struct schedule_fleet_answer *a,
			  const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(a, out);
	else if (as->format == OUT_CSV)
		print_csv(a, out);
	else
		print_text(q, a, out);
}
