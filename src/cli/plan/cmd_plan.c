/* tare plan: what to change, what it saves. Asks with its options, prints with the report room. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/str.h"
#include "base/tm.h"
#include "cli/cmds.h"
#include "cli/plan/plan_open.h"
#include "cli/report_views.h"
#include "report/plan/plan_view.h"

#define AT(m) .at = offsetof(struct plan_given, m)
static const struct cli_opt opts[] = {
	{ "lever", "NAME[,NAME...]", "only these levers (default: all; they are listed below)",
	  .words = plan_lever_words, .type = OPT_LIST, AT(lever) },
	{ "risk", "LEVEL",
	  "low: no misses in replay, no interruption, no sharing; medium (default): also spot and sharing, at most 1 % misses; high: all",
	  .values = "low|medium|high", .type = OPT_CHOICE, AT(risk), .def = "medium" },
	{ "effort", "DAYS", "only what takes at most this many days of work", .type = OPT_NUM,
	  AT(effort_days), .hi = 1e6, .what = "number of days" },
	{ "min-saving", "USD",
	  "only what saves at least this much a month (default: 0.05 % of today's cost)",
	  .type = OPT_MONEY, AT(min_saving), .hi = 9e9, .what = "amount a month" },
	{ "horizon", "SPAN",
	  "how far ahead commitments are judged: beyond it they count as unused (default: their term)",
	  .type = OPT_SPAN, AT(horizon_ms), .lo = MS_DAY, .hi = INFINITY,
	  .what = "duration of a day or more, such as 90d or 1y" },
	{ "target-frac", "F",
	  "the least risky set that saves this part (0.4 = 40 %), as a calendar; with --within; exits with 1 where none does",
	  .type = OPT_NUM, AT(target_frac), .lo = 1e-9, .hi = 1 - 1e-9,
	  .what = "share between 0 and 1, such as 0.4" },
	{ "within", "SPAN", "by when the target is to be reached, such as 21d", .type = OPT_SPAN,
	  AT(within_ms), .lo = 1, .hi = INFINITY, .what = "duration such as 21d" },
	{ "quality", NULL, "also advice that could change the quality of models", .type = OPT_FLAG,
	  AT(quality) },
	{ "seed", "N", "of the resampling behind the ranges", .type = OPT_INT, .hi = INFINITY,
	  AT(seed), .def = "1" },
	{ "by", "DIM",
	  "savings by workload, team, project, env, cluster, user, service, purchase, gpu_model, kind or lever",
	  .values = "workload|team|project|env|cluster|user|service|purchase|gpu_model|kind|lever",
	  .type = OPT_TEXT, AT(by) },
	{ "calendar", NULL,
	  "who does what by when, and what it has saved by week and month, less the work",
	  .type = OPT_FLAG, AT(calendar) },
	{ "case-study", NULL,
	  "what each part saves beside a case study: training -70 %, evaluation -66 %, serving -40 %, all -58 %",
	  .type = OPT_FLAG, AT(case_study) },
	{ "findings", NULL, "what was observed, in money, whatever can be done about it",
	  .type = OPT_FLAG, AT(findings) },
	{ "all", NULL, "also what saves less than plan.gates.fold_frac of the bill (0.2 %)",
	  .type = OPT_FLAG, AT(all) },
	{ "refused", NULL, "what was proposed and not taken, with the reasons", .type = OPT_FLAG,
	  AT(refused) },
	{ "backtest", NULL, "plan on the first half of the history and score it on the second",
	  .type = OPT_FLAG, AT(backtest) },
	{ "html", "FILE", "write one self-contained page (- is standard output)", .values = "FILE",
	  .type = OPT_FILE, AT(html) },
	{ 0 },
};

static int read_given(struct cli *c, struct plan_open *p, struct plan_given *x, struct err *err)
{
	const char *output = cli_value(c, "output");
	int r = plan_open_read(c, p, x, err);

	if (r < 0)
		return r;
	if (output && !strcmp(output, "focus"))
		return err_set(err, -EINVAL,
			       "a plan has no FOCUS rows: -o takes table, json, csv or md here");
	if (output && !strcmp(output, "html") && !x->html)
		x->html = "-";
	if ((x->by != NULL) + (x->html != NULL) + x->findings + x->refused + x->backtest +
		    x->calendar + x->case_study >
	    1)
		return err_set(
			err, -EINVAL,
			"only one of --by, --calendar, --case-study, --findings, --refused, --backtest and --html at a time");
	return 0;
}

/* What the commands that are proposed say themselves. */
static const char *const own[] = { "by",  "calendar", "case-study", "findings",
				   "all", "refused",  "backtest",   NULL };

static int print_plan(struct cli *c, struct plan_open *p, const struct plan_given *w,
		      struct str *out, struct err *err)
{
	struct plan_view v = plan_open_view(c, p);
	enum out_format f = OUT_HTML;

	if (!w->html)
		f = c->output;
	v.all = w->all;
	v.again = cli_again(c, own);
	if (w->backtest) {
		struct backtest b = { 0 };
		int r = answer_plan_backtest(&p->q, &p->a, &b, err);
		if (r >= 0)
			plan_print_backtest(&b, &v, c->output, out);
		vec_free(&b.row);
		return r;
	}
	if (w->by) {
		struct plan_by by;
		int r = plan_by_make(v.plan, w->by, &by, err);
		if (r < 0)
			return r;
		plan_print_by(&v, &by, c->output, out);
		plan_by_free(&by);
		return 0;
	}
	if (w->calendar && (f == OUT_TABLE || f == OUT_MD))
		plan_print_calendar(&v, f, out);
	else if (w->case_study)
		plan_print_case(&v, f, out);
	else if (w->findings)
		plan_print_findings(&v, f, out);
	else if (w->refused)
		plan_print_refused(&v, f, out);
	else
		plan_print(&v, f, out);
	return 0;
}

static int finish_plan(struct cli *c, const struct plan_open *open, const struct plan_given *w,
		       const struct str *out)
{
	const struct plan *p = &open->a.plan;
	int rc = report_emit(c, w->html, out);
	bool other_table = w->by || w->findings || w->refused;
	bool other_plan = w->backtest || w->case_study;
	bool told = !w->html && c->output == OUT_TABLE; /* the table says it itself */
	if (other_table || other_plan)
		told = false;
	if (rc == EXIT_DONE && !p->undecidable) {
		/* A target that the best plan there is does not meet is a threshold that is
		 * violated. */
		const struct plan_answer *a = &open->a;
		double target_frac = open->q.want.target_frac, gap = target_frac - a->reached_frac;
		bool said = told && !w->calendar;
		if (isnan(target_frac) || a->reached)
			return EXIT_DONE;
		struct plan_view v = plan_open_view(c, open);
		v.again = cli_again(c, own);
		if (!c->quiet && !said)
			fprintf(stderr,
				"tare: the target is out of reach: %.1f %% of %.1f %% are in force by then, %.1f %% short, met with a probability of %.0f %%. %s\n",
				a->reached_frac * 100, target_frac * 100, fmax(0, gap) * 100,
				a->chance_frac * 100, plan_limits_sentence(&c->mem, &v));
		return EXIT_VIOLATED;
	}
	if (rc != EXIT_DONE)
		return rc;
	bool lacks_notes = w->by || (!w->html && c->output == OUT_CSV);
	if (!c->quiet && (w->html || c->output != OUT_TABLE))
		fprintf(stderr, "tare: nothing can be decided from this history; %s\n",
			!lacks_notes ? "\"notes\" say why"
				     : arena_printf(&c->mem, "why says: tare plan%s",
						    cli_store_words(c)));
	return EXIT_INCOMPLETE;
}

/* "tare plan gpuu", "tare plan 3". */
static int no_such_planner(struct cli *c)
{
	const char *names[64], *word = c->arg[0], *near;
	size_t n = 0;

	for (size_t i = 0; cli_commands[i] && n < 64; i++)
		if (!strncmp(cli_commands[i]->name, "plan ", 5))
			names[n++] = cli_commands[i]->name + 5;
	near = near_word(word, names, n);
	if (near)
		return cli_usage_error(c, "plan has no '%s'; did you mean: tare plan %s?", word,
				       near);
	if (*word && !word[strspn(word, "0123456789")])
		return cli_usage_error(
			c, "plan has no '%s'; a recommendation in full: tare explain %s", word,
			word);
	return cli_usage_error(c, "plan has no '%s'", word);
}

static int run_plan(struct cli *c)
{
	struct plan_open p = { 0 };
	struct err err = { 0 };
	struct str out = { 0 };
	struct plan_given w;
	int rc, r;

	if (c->narg)
		return no_such_planner(c);
	if (read_given(c, &p, &w, &err) < 0)
		return cli_usage_error(c, "%s%s%s", err.msg, text_if(err.hint[0], ". "), err.hint);
	r = plan_open_answer(c, &p, &err);
	if (r >= 0)
		r = print_plan(c, &p, &w, &out, &err);
	if (r >= 0 && !w.backtest)
		plan_last_keep(cli_db(c), &p.q.asked, &p.a.plan);
	rc = r < 0 ? plan_open_fail(r, &err) : finish_plan(c, &p, &w, &out);
	str_free(&out);
	plan_open_close(&p);
	return rc;
}

#define PROPOSES                                    true
#define NAMED_ONLY                                  false
#define LEVER(id, name, stage, excludes, has, text) { has, #name, text },
static void add_levers(struct str *out)
{
	static const struct {
		bool proposes;
		const char *name, *text;
	} row[] = {
#include "plan/levers.def"
	};

	str_addz(out, "\nLevers:\n");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if (row[i].proposes)
			str_addf(out, "  %-23s %s\n", row[i].name, row[i].text);
}
#undef LEVER
#undef PROPOSES
#undef NAMED_ONLY

const struct cli_cmd cmd_plan_def = {
	.name = "plan",
	.group = "see",
	.summary = "what to change, what it saves",
	.usage = "[--lever NAME,...] [--risk LEVEL] [--target-frac F --within SPAN] ...",
	.examples = "tare plan\n"
		    "tare plan --lever spot,share,trim_time,commit\n"
		    "tare plan --risk low --effort 2\n"
		    "# a calendar with an owner for each step\n"
		    "tare plan --target-frac 0.4 --within 21d\n"
		    "tare plan --by team\n"
		    "# owner, due date and status of each, savings by week and month\n"
		    "tare plan --calendar\n"
		    "tare plan --findings\n"
		    "tare plan --html plan.html\n"
		    "# then\n"
		    "tare explain 1\n"
		    "tare plan dismiss 3 --reason \"moves to another cloud in May\"",
	.about =
		"Every proposal was replayed on the fleet's own history. Savings are marginal, in the order of the list: they add\n"
		"up to today less after, and nothing is counted twice. Ranges are the 5th and 95th percentile. Amounts are of a\n"
		"month (month_hours of the settings, 730).\n"
		"'sure' as a range: nothing in it is uncertain.\n\n"
		"What each lever needs and what it never does: docs/PLAN.md. What people know and the history does not say (who may be\n"
		"interrupted, limits of latency, teams to be left alone) stands in the settings, section plan: docs/CONFIG.md.\n\n"
		"One question each, from numbers or a file, without a store: tare help PLANNER lists what they take.",
	.more = add_levers,
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT | CLI_WINDOW | CLI_HOURS,
	.opt = opts,
	.docs = CLI_DOCS(&plan_doc, &plan_backtest_doc, &plan_by_doc, &plan_findings_doc,
			 &plan_refused_doc, &plan_case_doc),
	.run = run_plan,
	.if_stopped = "no plan was made; the store and the last plan are as they were",
};
