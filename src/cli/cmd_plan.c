/* tare plan: what to change, what it saves. Asks with its options, prints with the report room. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/cmds.h"
#include "cli/plan_open.h"
#include "cli/report_views.h"

static const struct cli_opt opts[] = {
	{ "lever", "NAME[,NAME...]", "only these levers (default: all; they are listed below)",
	  .words = plan_lever_words },
	{ "risk", "LEVEL",
	  "low: no misses in replay, no interruption, no sharing; medium (default): also spot and sharing, at most 1 % misses; high: all",
	  0, false, "low|medium|high" },
	{ "effort", "DAYS", "only what takes at most this many days of work", 0, false, NULL },
	{ "min-saving", "USD",
	  "only what saves at least this much a month (default: 0.05 % of today's cost)", 0, false,
	  NULL },
	{ "horizon", "SPAN",
	  "how far ahead commitments are judged: beyond it they count as unused (default: their term)",
	  0, false, NULL },
	{ "target-frac", "F",
	  "the least risky set that saves this part (0.4 = 40 %), as a calendar; with --within", 0,
	  false, NULL },
	{ "within", "SPAN", "by when the target is to be reached, such as 21d", 0, false, NULL },
	{ "quality", NULL, "also advice that could change the quality of models", 0, false, NULL },
	{ "by", "DIM",
	  "savings by workload, team, project, env, cluster, user, service, purchase, gpu_model, kind or lever",
	  0, false,
	  "workload|team|project|env|cluster|user|service|purchase|gpu_model|kind|lever" },
	{ "calendar", NULL,
	  "who does what by when, and what it has saved by week and month, less the work", 0, false,
	  NULL },
	{ "case-study", NULL,
	  "what each part saves beside a case study: training -70 %, evaluation -66 %, serving -40 %, all -58 %",
	  0, false, NULL },
	{ "findings", NULL, "what was observed, in money, whatever can be done about it", 0, false,
	  NULL },
	{ "all", NULL, "also what saves less than plan.gates.fold_frac of the bill (0.2 %)", 0,
	  false, NULL },
	{ "refused", NULL, "what was proposed and not taken, with the reasons", 0, false, NULL },
	{ "backtest", NULL, "plan on the first half of the history and score it on the second", 0,
	  false, NULL },
	{ "html", "FILE", "write one self-contained page (- is standard output)", 0, false,
	  "FILE" },
	{ "seed", "N", "of the resampling behind the ranges (default: 1)", 0, false, NULL },
	{ 0 },
};

struct views {
	const char *by, *html;
	bool findings, refused, backtest, calendar, case_study;
};

static int read_views(struct cli *c, struct views *v, struct err *err)
{
	const char *output = cli_value(c, "output");

	*v = (struct views){ .by = cli_value(c, "by"),
			     .html = cli_value(c, "html"),
			     .findings = cli_flag(c, "findings"),
			     .refused = cli_flag(c, "refused"),
			     .backtest = cli_flag(c, "backtest"),
			     .calendar = cli_flag(c, "calendar"),
			     .case_study = cli_flag(c, "case-study") };
	if (output && !strcmp(output, "focus"))
		return err_set(err, -EINVAL,
			       "a plan has no FOCUS rows: -o takes table, json, csv or md here");
	if (output && !strcmp(output, "html") && !v->html)
		v->html = "-";
	if ((v->by != NULL) + (v->html != NULL) + v->findings + v->refused + v->backtest +
		    v->calendar + v->case_study >
	    1)
		return err_set(
			err, -EINVAL,
			"only one of --by, --calendar, --case-study, --findings, --refused, --backtest and --html at a time");
	return 0;
}

static int print_backtest(struct cli *c, struct plan_open *p, const struct plan_view *v,
			  struct str *out, struct err *err)
{
	struct backtest b = { 0 };
	int r = answer_plan_backtest(&p->q, &p->a, &b, err);

	if (r >= 0)
		plan_print_backtest(&b, v, c->output, out);
	vec_free(&b.row);
	return r;
}

static int print_by(struct cli *c, const struct plan_view *v, const char *dim, struct str *out,
		    struct err *err)
{
	struct plan_by by;
	int r = plan_by_make(v->plan, dim, &by, err);

	if (r < 0)
		return r;
	plan_print_by(v, &by, c->output, out);
	plan_by_free(&by);
	return 0;
}

static int print(struct cli *c, struct plan_open *p, const struct views *w, struct str *out,
		 struct err *err)
{
	struct plan_view v = plan_open_view(c, p);
	enum out_format f = w->html ? OUT_HTML : c->output;

	v.all = cli_flag(c, "all");

	if (w->backtest)
		return print_backtest(c, p, &v, out, err);
	if (w->by)
		return print_by(c, &v, w->by, out, err);
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

static int finish(struct cli *c, const struct plan *p, const struct views *w, const struct str *out)
{
	int rc = report_emit(c, w->html, out);

	if (rc != EXIT_DONE || !p->undecidable)
		return rc;
	if (!c->quiet && (w->html || c->output != OUT_TABLE)) /* the table says it itself */
		fprintf(stderr,
			"tare: nothing can be decided from this history; \"notes\" say why\n");
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

static int run(struct cli *c)
{
	struct plan_open p = { 0 };
	struct err err = { 0 };
	struct str out = { 0 };
	struct views w;
	int rc, r;

	if (c->narg)
		return no_such_planner(c);
	plan_open_asked(c, &p.q.asked);
	if (read_views(c, &w, &err) < 0 || plan_asked_read(&p.q.asked, &p.q.want, &err) < 0)
		return cli_usage_error(c, "%s%s%s", err.msg, err.hint[0] ? ". " : "", err.hint);
	r = plan_open_answer(c, &p, &err);
	r = r < 0 ? r : print(c, &p, &w, &out, &err);
	if (r >= 0 && !w.backtest)
		plan_last_keep(cli_db(c), &p.q.asked, &p.a.plan);
	rc = r < 0 ? plan_open_fail(r, &err) : finish(c, &p.a.plan, &w, &out);
	str_free(&out);
	plan_open_close(&p);
	return rc;
}

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
		"Levers: stop_idle trim_time rightsize_count rightsize_gpu share spot commit schedule region input_bound storage;\n"
		"what each needs and what it never does: docs/PLAN.md. What people know and the history does not say (who may be\n"
		"interrupted, limits of latency, teams to be left alone) stands in the settings, section plan: docs/CONFIG.md.\n\n"
		"One question each, from numbers or a file, without a store: tare help PLANNER lists what they take.",
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW,
	.opt = opts,
	.run = run,
};
