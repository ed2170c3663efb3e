/* A trial as text, as Markdown, as JSON. */
#include "report/plan/plan_trial.h"

#include <math.h>

#include "base/sh.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/action/action_text.h"
#include "report/plan/plan_cols.h"
#include "report/plan/plan_formats.h"
#include "report/text.h"

#define GIB   1073741824.0
#define LABEL 10

/* ---- lines ------------------------------------------------------------------------------- */

static void add_line(struct arena *a, struct text_list *l, const char *fmt, const char *name)
{
	*vec_push(l) = sh_line(a, arena_printf(a, fmt, name));
}

static bool speed_counts(const struct plan_trial *t)
{
	for (size_t i = 0; i < t->ncheck; i++)
		if (t->check[i].what == MEASURE_SPEED)
			return true;
	return false;
}

static const char *how_often(struct arena *a, const struct plan_trial *t)
{
	if (t->runs)
		return arena_printf(a, "a machine off and on %lld times, on as many days",
				    (long long)t->runs);
	return "once off and on";
}

/* From the typed actions, and how each kind of trial is looked at. In the arena. */
static struct text_list trial_lines(struct arena *a, const struct trial_view *v,
				    const struct text_list *apply)
{
	const struct plan_trial *t = v->trial;
	struct text_list l = { 0 };

	if (t->kind == TRIAL_AWAY)
		*vec_push(&l) = sh_line(a,
					arena_printf(a, "# tell its owner %g days before: %s",
						     t->told_days, sh_note(a, plan_owner(t->rec))));
	for (size_t i = 0; i < apply->n; i++)
		*vec_push(&l) = apply->v[i];
	switch (t->kind) {
	case TRIAL_RUN:
	case TRIAL_INTERRUPT:
		/* of techniques some look at the model alone */
		if (v->rec != SIZE_MAX || speed_counts(t)) {
			add_line(a, &l, "# in the job, its command under:%s", "");
			const char *quoted_name = "NAME";
			if (*t->workload)
				quoted_name = sh_word(a, t->workload);

			add_line(a, &l,
				 "tare profile --workload %s --steps-file steps.txt -- COMMAND",
				 quoted_name);
			if (t->kind == TRIAL_INTERRUPT) {
				add_line(a, &l,
					 "# once in the middle of it, as the market would:%s", "");
				add_line(a, &l, "scancel --signal=TERM --batch JOBID%s", "");
				add_line(a, &l, "# Kubernetes: kubectl delete pod POD%s", "");
			}
			if (speed_counts(t) && !isfinite(v->result->steps_now))
				add_line(
					a, &l,
					"# one run as today under the same line, to compare with: %s",
					t->from ? sh_note(a, t->from->model) : "today's machine");
		}
		break;
	case TRIAL_WATCH:
		add_line(a, &l,
			 "# nothing to change: the runs as they are, with the limit of today%s",
			 "");
		add_line(a, &l, "# import them when they are done: tare import JOBS.csv%s", "");
		break;
	case TRIAL_CANARY:
		add_line(a, &l,
			 "# leave it so for a day and look at the 99th percentile of its latency%s",
			 "");
		break;
	case TRIAL_WAKE:
		add_line(a, &l, "# %s: how long until a job starts there", how_often(a, t));
		break;
	default: break;
	}
	return l;
}

/* ---- words ------------------------------------------------------------------------------- */

static const char *format_bytes(struct arena *a, double v)
{
	return arena_printf(a, "%.1f GiB", v / GIB);
}

/* "speed >= 0.47 of today's" */
static const char *check_words(struct arena *a, const struct trial_view *v,
			       const struct trial_check *c)
{
	double now = v->result->steps_now;
	char buf[TM_BUF];

	switch (c->what) {
	case MEASURE_SPEED:
		return isfinite(now) ? arena_printf(a, "steps/s >= %.4g (%.2f of today's %.4g)",
						    c->least * now, c->least, now)
				     : arena_printf(a, "steps/s >= %.2f of today's", c->least);
	case MEASURE_STEPS: return arena_printf(a, "steps/s >= %.4g", c->least);
	case MEASURE_MEMORY:
		return arena_printf(a, "peak GPU memory <= %s", format_bytes(a, c->most));
	case MEASURE_RUN:
		return arena_printf(a, "each run <= %s",
				    tm_format_span(buf, (int64_t)(c->most * 1000)));
	case MEASURE_EXIT: return "exit code 0";
	case MEASURE_P99: return arena_printf(a, "p99 of latency <= %.4g ms", c->most);
	case MEASURE_WAKE: return arena_printf(a, "there again within %g min", c->most);
	case MEASURE_ASKED: return "nobody asks for it";
	case MEASURE_LOST: return arena_printf(a, "at most %.0f min done again", c->most);
	case MEASURE_QUALITY: return arena_printf(a, "metric >= %.4g of today's", c->least);
	case MEASURE_N: break;
	}
	return "";
}

/* "team=nlp name="bert-*" instance_type=p3.2xlarge" */
static const char *which_words(struct arena *a, const struct habit *h)
{
	const struct {
		const char *key;
		struct raw_name name;
	} part[] = { { "team", h->team },         { "user", h->user },
		     { "workload", h->workload }, { "cluster", h->cluster },
		     { "service", h->service },   { "name", h->name },
		     { "script", h->script },     { "image", h->image },
		     { "on", h->instance_type } };
	struct str s = { 0 };

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i].name.z)
			str_addf(&s, "%s%s %s", text_if(s.n, ", "), part[i].key,
				 text_line(a, sv_of(part[i].name.z), 60));
	const char *z = "any of them";
	if (s.n)
		z = arena_strn(a, s.p, s.n);
	str_free(&s);
	return z;
}

static const char *try_words(struct arena *a, const struct plan_trial *t)
{
	const char *where =
		text_if(*t->instance_type,
			arena_printf(a, " on %s", text_line(a, sv_of(t->instance_type), 40)));
	const char *more = text_if(speed_counts(t),
				   "; one more where the speed is within 10 % of the bound");

	if (t->kind == TRIAL_INTERRUPT)
		more = "; stopped once and continued";
	switch (t->kind) {
	case TRIAL_RUN:
	case TRIAL_INTERRUPT:
		return arena_printf(a, "%lld run%s%s of: %s%s", (long long)t->runs, plural(t->runs),
				    where, which_words(a, &t->which), more);
	case TRIAL_WATCH:
		return arena_printf(a, "%lld more run%s of: %s", (long long)t->runs,
				    plural(t->runs), which_words(a, &t->which));
	case TRIAL_CANARY: return "one step of it, for a day";
	case TRIAL_AWAY: return "it is away for 3 days, and can come back";
	default: return arena_printf(a, "%s, outside the hours of use", how_often(a, t));
	}
}

static const char *verdict_words(struct arena *a, enum trial_verdict verdict, const char *why)
{
	static const char *const word[] = { "open", "go", "no go" };

	return arena_printf(a, "%s%s%s", word[verdict], text_if(*why, ": "),
			    text_line(a, sv_of(why), 0));
}

static const char *so_far(struct arena *a, const struct trial_result *r)
{
	struct str s = { 0 };

	str_addz(&s, verdict_words(a, r->verdict, r->why));
	if (r->there)
		str_addf(&s, " (%zu run%s", r->there, plural(r->there));
	if (r->there && isfinite(r->steps_there))
		str_addf(&s, ", %.4g steps/s", r->steps_there);
	if (r->there && isfinite(r->speed_frac))
		str_addf(&s, ", %.2f of today's", r->speed_frac);
	if (r->there && isfinite(r->memory_bytes))
		str_addf(&s, ", %s", format_bytes(a, r->memory_bytes));
	str_addz(&s, r->there ? ")" : "");
	const char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}

/* ---- text -------------------------------------------------------------------------------- */

static void write_field(const char *label, const char *text, int width, struct str *out)
{
	str_addf(out, "%-*s", LABEL, label);
	plan_fold(out, text, LABEL, width);
}

static bool is_advice(const struct trial_view *v)
{
	return v->rec == SIZE_MAX;
}

static const char *format_decides(struct arena *a, const struct trial_view *v)
{
	const struct plan *p = v->plan->plan;
	const struct rec *r = v->trial->rec;
	int digits = plan_digits(p);

	if (!is_advice(v))
		return arena_printf(a, "%s %s, range %s",
				    plan_money(a, plan_shown(p, v->rec), digits), plan_unit(a, p),
				    plan_range_of(a, p, v->rec));
	if (*plan_may_save(a, p, r))
		return arena_printf(a, "%s, estimated; in no sum", plan_may_save(a, p, r));
	return "what it may save";
}

static void put_text(struct arena *a, const struct trial_view *v, struct str *out)
{
	const struct rec *r = v->trial->rec;
	int width = columns_or_80(v->plan->width);
	const char *store = text_or(v->plan->store, "");
	char day[TM_BUF];
	struct action_text how;

	action_text_make(v->trial->action, v->trial->naction, &how);
	struct text_list lines = trial_lines(a, v, &how.apply);
	str_addz(out, is_advice(v) ? "-  " : arena_printf(a, "%zu  ", v->rec + 1));
	plan_fold(out, text_line(a, sv_of(r->title), 0), 3, width);
	str_addf(out, "   %s\n\n", r->id);
	write_field("Decides", format_decides(a, v), width, out);
	write_field("Try", try_words(a, v->trial), width, out);

	char buf[DEC_BUF];
	const char *cost_words;
	if (v->trial->cost_nano <= 0)
		cost_words = "nothing beyond the work of looking";
	else
		cost_words =
			arena_printf(a, "about %s %s a run, which does its work",
				     dec_format_people(buf, nano_to_dec(v->trial->cost_nano), 2),
				     plan_currency_sign(a, v->plan->plan));
	write_field("Costs", cost_words, width, out);
	write_field("Who", text_line(a, sv_of(plan_owner(r)), 0), width, out);
	write_field("So far", so_far(a, v->result), width, out);
	if (v->kept)
		write_field("Kept",
			    arena_printf(a, "%s on %s%s%s",
					 verdict_words(a, v->kept->verdict, v->kept->why),
					 tm_format_date(day, v->kept->at_ms),
					 text_if(*v->kept->user, " by "),
					 text_line(a, sv_of(v->kept->user), 0)),
			    width, out);
	plan_paste(a, "Do", &lines, out);
	str_addz(out, "\nGo if\n");
	for (size_t i = 0; i < v->trial->ncheck; i++) {
		const struct trial_check *c = &v->trial->check[i];
		str_addz(out, "  ");
		plan_fold(out,
			  arena_printf(a, "%s  (%s)", check_words(a, v, c),
				       text_line(a, sv_of(c->why), 0)),
			  4, width);
	}
	if (!v->trial->ncheck)
		str_addz(out, "  its owner says so\n");
	plan_paste(a, "Else undo", &how.undo, out);
	if (*v->trial->workload)
		str_addf(out,
			 "\nWith what tare profile -o json printed, or people saw:\n"
			 "tare plan trial %s --result FILE%s\n",
			 r->id, store);
	else
		str_addz(out, "\nWith what people saw:\n");
	str_addf(out, "tare plan trial %s --verdict go|no-go --reason TEXT%s\n", r->id, store);
	vec_free(&lines);
	action_text_free(&how);
}

/* ---- JSON -------------------------------------------------------------------------------- */

static bool get_measure(const void *row, union col_value *ret)
{
	ret->text = trial_measure_name(((const struct trial_check *)row)->what);
	return true;
}

static const struct col check_cols[] = {
	{ "measure", COL_TEXT, .get = get_measure, .always = true,
	  .help = "speed_frac, steps_s, peak_memory_bytes, run_s, exit_code, p99_ms, wake_min, asked_for, lost_min, quality_frac" },
	{ "least", COL_NUM, offsetof(struct trial_check, least), .digits = 6,
	  .help = "go if at least; null: no such bound" },
	{ "most", COL_NUM, offsetof(struct trial_check, most), .digits = 6,
	  .help = "go if at most; null: no such bound" },
	{ "why", COL_TEXT, offsetof(struct trial_check, why), .help = "whence the bound" },
	{ 0 },
};

static bool get_result_verdict(const void *row, union col_value *ret)
{
	ret->text = trial_verdict_name(((const struct trial_result *)row)->verdict);
	return true;
}

#define RESULT_NUM(key, member, n, about)                                                       \
	{                                                                                       \
		key, COL_NUM, offsetof(struct trial_result, member), .digits = n, .help = about \
	}
static const struct col result_cols[] = {
	{ "verdict", COL_TEXT, .get = get_result_verdict, .always = true,
	  .help = "go, no_go or open" },
	{ "why", COL_WORD, offsetof(struct trial_result, why), .help = "one sentence" },
	{ "runs", COL_SIZE, offsetof(struct trial_result, there), "count", "on what is proposed",
	  0 },
	{ "runs_today", COL_SIZE, offsetof(struct trial_result, here), "count", "as today", 0 },
	RESULT_NUM("steps_s", steps_there, 6, "median, on what is proposed"),
	RESULT_NUM("steps_s_today", steps_now, 6, "median, as today"),
	RESULT_NUM("speed_frac", speed_frac, 6, "the one against the other"),
	RESULT_NUM("peak_memory_bytes", memory_bytes, 0, "highest, of a GPU"),
	RESULT_NUM("run_s", seconds, 3, "longest"),
	{ 0 },
};

static bool get_kept_verdict(const void *row, union col_value *ret)
{
	ret->text = trial_verdict_name(((const struct trial_record *)row)->verdict);
	return true;
}

const struct col trial_record_cols[] = {
	{ "verdict", COL_TEXT, .get = get_kept_verdict, .always = true,
	  .help = "go, no_go or open" },
	{ "at", COL_TIME, offsetof(struct trial_record, at_ms), .help = "when" },
	{ "by", COL_WORD, offsetof(struct trial_record, user), .help = "who" },
	{ "why", COL_WORD, offsetof(struct trial_record, why), .help = "one sentence" },
	{ "speed_frac", COL_NUM, offsetof(struct trial_record, speed_frac), .digits = 6,
	  .help = "measured, against today's machine" },
	{ 0 },
};

struct trial_row {
	const struct rec *r;
	struct plan_trial t;
	const struct trial_check *check; /* [t.ncheck] */
	const char *id, *lever, *title, *kind, *actions, *gpu_from, *gpu_to, *currency, *owner;
	dec saving_month, p05, p95;
	bool has_saving;
	struct text_list apply, undo;
	struct trial_result result;
	const struct trial_record *kept;
	int64_t cost_nano, runs, runs_max;
};
#define IN(member) offsetof(struct trial_row, member)
static const struct col trial_cols[] = {
	{ "id", COL_WORD, IN(id), .always = true, .help = "of the recommendation" },
	{ "lever", COL_WORD, IN(lever), .always = true, .help = "what kind of change" },
	{ "title", COL_WORD, IN(title), .help = "what it decides" },
	{ "owner", COL_WORD, IN(owner), .help = "who does it" },
	{ "currency", COL_WORD, IN(currency), .help = "of all amounts" },
	{ "saving_month", COL_DEC, IN(saving_month), "money", "that it decides; null: advice",
	  IN(has_saving) },
	{ "p05", COL_DEC, IN(p05), "money", "of the saving: its 5th percentile", 0 },
	{ "p95", COL_DEC, IN(p95), "money", "of the saving: its 95th percentile", 0 },
	{ "kind", COL_WORD, IN(kind), .always = true,
	  .help = "run, interrupt, watch, canary, away or wake" },
	{ "workload", COL_WORD, IN(t.workload),
	  .help = "what the runs are called under tare profile; null: no such runs" },
	{ "runs", COL_INT, IN(runs), "count", "at least; null: it is no run", 0 },
	{ "runs_max", COL_INT, IN(runs_max), "count", "where the first are too close to the bound",
	  0 },
	{ "hours", COL_NUM, IN(t.hours), "h", "that it takes where it is no run; 0: not told",
	  .digits = 3 },
	{ "cost_run", COL_NANO, IN(cost_nano), "money", "about; null: nothing", 0 },
	{ "instance_type", COL_WORD, IN(t.instance_type), .help = "to run on; null: as today" },
	{ "gpu_from", COL_WORD, IN(gpu_from), .help = "GPU of today" },
	{ "gpu_to", COL_WORD, IN(gpu_to), .help = "GPU to try" },
	{ "speed_told_frac", COL_NUM, IN(t.speed_told), .digits = 6,
	  .help = "against today's machine, as the plan has it" },
	{ "apply", COL_WORDS(struct trial_row, apply.v, apply.n),
	  .help = "lines that can be pasted, to do it" },
	{ "undo", COL_WORDS(struct trial_row, undo.v, undo.n),
	  .help = "lines that can be pasted, where it is no go" },
	{ "actions", COL_RAW, IN(actions), .always = true,
	  .help = "what these lines are made of, for these runs alone" },
	{ "checks", COL_LIST(struct trial_row, check, t.ncheck, check_cols),
	  .help = "go if all of them hold" },
	{ "result", COL_ROW, IN(result), .sub = result_cols, .help = "of the runs there are" },
	{ "kept", COL_ROW, COL_BEHIND(struct trial_row, kept), .sub = trial_record_cols,
	  .help = "what the last trial came to; null: none" },
	{ 0 },
};
const struct col_doc plan_trial_doc = { "tare.plan-trial/1", "plan trial",
					"the smallest experiment that decides a recommendation",
					trial_cols };

static const char *model_of(const struct gpu_spec *g)
{
	if (g)
		return g->model;
	return NULL;
}

void plan_print_trial(const struct trial_view *v, enum out_format f, struct str *out)
{
	struct arena a = { 0 };

	if (f == OUT_JSON) {
		const struct plan *p = v->plan->plan;
		const struct plan_trial *t = v->trial;
		struct action_text how;
		struct str raw = { 0 };
		struct jw w;

		jw_init(&w, &raw, 0);
		action_json(t->action, t->naction, &w);
		action_text_make(t->action, t->naction, &how);
		struct trial_row row = {
			.t = *t,
			.check = t->check,
			.id = t->rec->id,
			.lever = t->rec->lever,
			.title = t->rec->title,
			.owner = plan_owner(t->rec),
			.currency = p->fleet->currency,
			.kind = trial_kind_name(t->kind),
			.actions = arena_strn(&a, raw.p, raw.n),
			.gpu_from = model_of(t->from),
			.gpu_to = model_of(t->to),
			.has_saving = !is_advice(v),
			.p05 = plan_month(p, t->rec->p05_nano),
			.p95 = plan_month(p, t->rec->p95_nano),
			.apply = trial_lines(&a, v, &how.apply),
			.undo = how.undo,
			.result = *v->result,
			.kept = v->kept,
			.cost_nano = i64_if(t->cost_nano > 0, t->cost_nano),
			.runs = i64_if(t->runs, t->runs),
			.runs_max = i64_if(t->runs, t->runs_max),
		};

		if (row.has_saving) {
			row.saving_month = p->saving_month.v[v->rec];
			row.p05 = p->p05_month.v[v->rec];
			row.p95 = p->p95_month.v[v->rec];
		}
		cols_doc(&plan_trial_doc, &row, out);
		vec_free(&row.apply);
		action_text_free(&how);
		str_free(&raw);
	} else if (f == OUT_CSV) {
		cols_csv(check_cols, v->trial->check, v->trial->ncheck, sizeof *v->trial->check,
			 out);
	} else {
		str_addz(out, text_if(f == OUT_MD, "```\n"));
		put_text(&a, v, out);
		str_addz(out, text_if(f == OUT_MD, "```\n"));
	}
	arena_free(&a);
}
