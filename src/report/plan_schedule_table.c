#include <math.h>
#include <stdlib.h>

#include "base/jw.h"
#include "report/plan_schedule.h"

static const char *const day_name[7] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };
static const char *const cron_day[7] = { "1", "2", "3", "4", "5", "6", "0" };

static void print_json(const struct schedule_table_ask *q, const struct schedule_table_answer *x,
		       struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-schedule/1");
	jw_key(&w, "mode");
	jw_str(&w, "timetable");
	jw_key(&w, "enough");
	jw_bool(&w, x->t.enough);
	jw_key(&w, "why");
	jw_str(&w, x->t.why[0] ? x->t.why : NULL);
	jw_key(&w, "utc_offset_s");
	jw_int(&w, q->offset_s);
	jw_key(&w, "weeks");
	jw_int(&w, x->t.weeks);
	jw_key(&w, "on_hours_week");
	jw_num(&w, x->t.enough ? x->t.on_hours : NAN, 1);
	jw_key(&w, "off_frac");
	jw_num(&w, x->t.enough ? x->t.off_frac : NAN, 6);
	jw_key(&w, "tested_hours");
	jw_int(&w, x->t.tested_hours);
	jw_key(&w, "misses");
	jw_int(&w, x->t.misses);
	jw_key(&w, "on");
	jw_arr(&w);
	for (size_t i = 0; i < x->n; i++) {
		char b[8];
		jw_obj(&w);
		jw_key(&w, "day");
		jw_str(&w, day_name[x->on[i].day]);
		snprintf(b, sizeof b, "%02d:00", x->on[i].from_h);
		jw_key(&w, "from");
		jw_str(&w, b);
		snprintf(b, sizeof b, "%02d:00", x->on[i].to_h);
		jw_key(&w, "to");
		jw_str(&w, b);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

/* Days with the same stretches stand together. */
static void print_days(const struct schedule_table_answer *x, struct str *out)
{
	for (int day = 0; day < 7; day++) {
		bool any = false;
		str_addf(out, "  %s ", day_name[day]);
		for (size_t i = 0; i < x->n; i++)
			if (x->on[i].day == day) {
				str_addf(out, "%s%02d:00-%02d:00", any ? ", " : " ",
					 x->on[i].from_h, x->on[i].to_h);
				any = true;
			}
		str_addz(out, any ? "\n" : " off\n");
	}
}

static void print_cron(const struct schedule_table_answer *x, struct str *out)
{
	for (size_t i = 0; i < x->n; i++) {
		const struct on_stretch *s = &x->on[i];
		if (s->starts)
			str_addf(out, "  0 %d * * %s  START\n", s->from_h, cron_day[s->day]);
		if (s->stops)
			str_addf(out, "  0 %d * * %s  STOP\n", s->to_h % 24,
				 cron_day[(s->day + s->to_h / 24) % 7]);
	}
}

static void print_text(const struct schedule_table_ask *q, const struct schedule_table_answer *x,
		       struct str *out)
{
	const struct timetable *t = &x->t;
	if (!t->enough) {
		str_addf(out, "Too little for a timetable: %s.\n", t->why);
		return;
	}
	str_addf(
		out,
		"On %.0f of 168 hours a week; %.1f %% of the hours of %lld weeks are switched off.\n\n",
		t->on_hours, t->off_frac * 100, (long long)t->weeks);
	print_days(x, out);
	str_addf(
		out,
		"\nTested on each week with a timetable of the others: %lld of %lld known hours were in use and would have been off.\n",
		(long long)t->misses, (long long)t->tested_hours);
	if (t->unknown_off)
		str_addf(
			out,
			"%lld hours of which nothing is known fall outside; they are not counted as saved.\n",
			(long long)t->unknown_off);
	if (t->on_hours >= WEEK_HOURS) {
		str_addz(out, "There is nothing to switch off.\n");
		return;
	}
	str_addf(
		out,
		"\nAs cron lines (UTC%s%d:%02d), START and STOP being what scales the fleet up and to zero:\n\n",
		q->offset_s < 0 ? "-" : "+", abs(q->offset_s) / 3600, abs(q->offset_s) / 60 % 60);
	print_cron(x, out);
}

void schedule_table_print(const struct schedule_table_ask *q, const struct schedule_table_answer *a,
			  const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(q, a, out);
	else
		print_text(q, a, out);
}
