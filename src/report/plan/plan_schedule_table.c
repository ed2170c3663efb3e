/* `tare plan schedule` of a fleet used some hours a day: on and off hours, as crontab lines too. */
#include <math.h>
#include <stdlib.h>

#include "model/known.h"
#include "report/plan/plan_schedule.h"
#include "report/text.h"

static const char *const day_name[7] = { "mon", "tue", "wed", "thu", "fri", "sat", "sun" };
static const char *const cron_day[7] = { "1", "2", "3", "4", "5", "6", "0" };

struct on_row {
	const char *day, *from, *to;
};
struct row {
	const char *mode, *why;
	struct timetable t;
	int utc_offset_s;
	double on_hours, off_frac;
	const struct on_row *on;
	size_t n;
};
static const struct col on_cols[] = {
	{ "day", COL_TEXT, offsetof(struct on_row, day), NULL, "mon to sun", .always = true },
	{ "from", COL_TEXT, offsetof(struct on_row, from), NULL, "hour of local time",
	  .always = true },
	{ "to", COL_TEXT, offsetof(struct on_row, to), NULL, "hour of local time, to 24:00",
	  .always = true },
	{ 0 },
};
static const struct col cols[] = {
	{ "mode", COL_TEXT, offsetof(struct row, mode), NULL, "timetable", .always = true },
	{ "enough", COL_BOOL, offsetof(struct row, t.enough), NULL,
	  "whether there is history enough", 0 },
	{ "why", COL_TEXT, offsetof(struct row, why), NULL, "what there is to say of that", 0 },
	{ "utc_offset_s", COL_I32, offsetof(struct row, utc_offset_s), "s", "of local time",
	  .always = true },
	{ "weeks", COL_INT, offsetof(struct row, t.weeks), "count", "of history", .always = true },
	{ "on_hours_week", COL_NUM, offsetof(struct row, on_hours), "h", "of a week", .digits = 1 },
	{ "off_frac", COL_NUM, offsetof(struct row, off_frac), "fraction",
	  "of the hours of history that it switches off", .digits = 6 },
	{ "tested_hours", COL_INT, offsetof(struct row, t.tested_hours), "h",
	  "of history on which earlier timetables were tried", .always = true },
	{ "misses", COL_INT, offsetof(struct row, t.misses), "count",
	  "of these hours that were used and would have been off", .always = true },
	{ "on", COL_LIST(struct row, on, n, on_cols), .help = "when it runs, by day" },
	{ 0 },
};
const struct col_doc schedule_table_doc = { "tare.plan-schedule/1", "plan schedule",
					    "on and off hours of a fleet", cols };

void schedule_table_print(const struct schedule_table_ask *q, const struct schedule_table_answer *a,
			  const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		struct arena mem = { 0 };
		struct on_row *on = arena_zalloc(&mem, (a->n + 1) * sizeof *on);
		const struct row row = {
			.mode = "timetable",
			.why = a->t.why[0] ? a->t.why : NULL,
			.t = a->t,
			.utc_offset_s = q->offset_s,
			.on_hours = num_if(a->t.enough, a->t.on_hours),
			.off_frac = num_if(a->t.enough, a->t.off_frac),
			.on = on,
			.n = a->n,
		};

		for (size_t i = 0; i < a->n; i++)
			on[i] = (struct on_row){ day_name[a->on[i].day],
						 arena_printf(&mem, "%02d:00", a->on[i].from_h),
						 arena_printf(&mem, "%02d:00", a->on[i].to_h) };
		cols_doc(&schedule_table_doc, &row, out);
		arena_free(&mem);
		return;
	}

	const struct timetable *t = &a->t;
	if (!t->enough) {
		str_addf(out, "Too little for a timetable: %s.\n", t->why);
		return;
	}
	str_addf(
		out,
		"On %.0f of 168 hours a week; %.1f %% of the hours of %lld weeks are switched off.\n\n",
		t->on_hours, t->off_frac * 100, (long long)t->weeks);

	/* Days with the same intervals stand together. */
	for (int day = 0; day < 7; day++) {
		bool any = false;
		str_addf(out, "  %s ", day_name[day]);
		for (size_t i = 0; i < a->n; i++)
			if (a->on[i].day == day) {
				str_addf(out, "%s%02d:00-%02d:00", any ? ", " : " ",
					 a->on[i].from_h, a->on[i].to_h);
				any = true;
			}
		str_addz(out, any ? "\n" : " off\n");
	}

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
	for (size_t i = 0; i < a->n; i++) {
		const struct on_interval *s = &a->on[i];
		if (s->starts)
			str_addf(out, "  0 %d * * %s  START\n", s->from_h, cron_day[s->day]);
		if (s->stops)
			str_addf(out, "  0 %d * * %s  STOP\n", s->to_h % 24,
				 cron_day[(s->day + s->to_h / 24) % 7]);
	}
}
