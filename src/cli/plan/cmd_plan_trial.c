/* tare plan trial: what to try first, what has to come out, and what came of it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/plan/plan_outcome.h"
#include "answer/plan/plan_trial.h"
#include "base/str.h"
#include "cli/cmds.h"
#include "cli/plan/plan_open.h"
#include "report/plan/plan_trial.h"

struct trial_given {
	const char *result, *reason;
	int verdict; /* 0: go, 1: no-go; -1: not said */
	bool scores;
};

struct trial_open {
	struct plan_open p;
	struct trial_given o;
	struct trial_records kept;
	struct trial_runs runs;
	struct plan_trial trial;
	struct trial_result result;
	const char *id;
	size_t at;
};

static int print_scores(struct cli *c)
{
	struct plan_open p = { 0 };
	struct trial_records all;
	struct trial_scores scores;
	struct plan_marks marks;
	struct out_as as = cli_out_as(c);
	struct str out = { 0 };
	struct err err = { 0 };
	struct outcomes outcomes;
	int r = plan_open_ask(c, &p, &err);

	if (r >= 0)
		r = trial_records_read(cli_db(c), &c->mem, &all, &err);
	if (r >= 0)
		r = plan_marks_read(cli_db(c), &c->mem, &marks, &err);
	if (r >= 0)
		r = answer_plan_outcomes(&p.q, &outcomes, &err);
	plan_open_close(&p);
	if (r < 0)
		return cli_fail(&err);
	trial_scores_make(&all, &marks, &c->mem, &scores);
	outcomes_score(&outcomes, &scores);
	plan_print_trial_scores(&scores, &outcomes, &as, &out);
	r = cli_write(&out);
	str_free(&out);
	return r;
}

/* Of the plan, of its advice, or refused for a risk that a trial could take away. */
static const struct rec *find_rec(const struct plan *p, const char *id, size_t *ret_at)
{
	size_t advice = plan_advice_place(p, id), refused = plan_refused_place(p, id);

	*ret_at = plan_place(p, id);
	if (*ret_at != SIZE_MAX)
		return p->rec.v.v[*ret_at];
	if (advice != SIZE_MAX)
		return p->advice.v.v[advice];
	if (refused == SIZE_MAX)
		return NULL;
	const struct rec *r = p->refused.v.v[refused];
	bool may_try = r->tier == TIER_TRIAL && !r->not_yet && !r->no_gain;
	return may_try ? r : NULL;
}

/* The plan of before, with what was measured since. */
static int open_trial(struct cli *c, struct trial_open *t, struct err *err)
{
	struct plan_given given;
	struct plan_marks marks;
	struct err unknown;
	const struct plan_said *said;
	int r = plan_open_subject_any(c, &t->p, &marks, &t->id, &said, err);
	bool advice = r == -ENOENT; /* it has no number, and is in no list of the last plan */

	unknown = *err;
	if (advice) {
		t->id = c->arg[0];
		r = 0;
	}
	if (r >= 0)
		r = plan_open_read(c, &t->p, &given, err);
	if (r >= 0)
		r = plan_open_answer(c, &t->p, err);
	if (r >= 0)
		r = trial_records_read(cli_db(c), &c->mem, &t->kept, err);
	if (r < 0)
		return r;
	const char *store = cli_store_words(c);
	const struct rec *rec = find_rec(&t->p.a.plan, t->id, &t->at);
	if (!rec && advice) {
		*err = unknown;
		return -ENOENT;
	}
	size_t refused = plan_refused_place(&t->p.a.plan, t->id);
	if (!rec && refused != SIZE_MAX) {
		err_set(err, -ENOENT, "'%s' has nothing to try: %s", t->id,
			t->p.a.plan.refused_why.v[refused]);
		err_hint(err, "All that was not taken: tare plan --refused%s", store);
		return -ENOENT;
	}
	if (!rec) {
		err_set(err, -ENOENT, "'%s' is not in the plan any more", t->id);
		err_hint(err, "Why: tare plan --refused%s; a new plan: tare plan%s", store, store);
		return -ENOENT;
	}
	if (rec->kind != ADVICE_NONE) {
		err_set(err, -EINVAL, "'%s' says what was seen: there is nothing to try", t->id);
		err_hint(err, "All of it: tare explain %s%s", t->id, store);
		return -EINVAL;
	}
	if (rec->tier == TIER_BINDS) {
		err_set(err, -EINVAL, "'%s' binds money to its end: it cannot be tried", t->id);
		err_hint(
			err,
			"What it rests on, and what each part of it would cost unused: tare explain %s%s",
			t->id, store);
		return -EINVAL;
	}
	plan_trial_make(&t->p.a.plan, rec, t->p.q.catalog, &t->p.conf, &c->mem, &t->trial);
	return 0;
}

/* Runs that say another workload are another's. */
static int check_workload(const struct trial_open *t, struct err *err)
{
	for (size_t i = 0; i < t->runs.v.n; i++) {
		const char *name = t->runs.v.v[i].workload;
		if (!*name || !*t->trial.workload || sv_ieq(sv_of(name), sv_of(t->trial.workload)))
			continue;
		err_set(err, -EINVAL, "--result: '%s' has runs of '%s', the trial is of '%s'",
			t->o.result, name, t->trial.workload);
		err_hint(err, "Run it under: tare profile --workload %s", t->trial.workload);
		return -EINVAL;
	}
	return 0;
}

static int read_results(struct cli *c, struct trial_open *t, struct err *err)
{
	const struct own_speeds *own = &t->p.a.own;
	int r = 0;

	if (t->o.result)
		r = trial_results_read(t->o.result, t->p.q.catalog, &c->mem, &t->runs, err);
	if (r >= 0)
		r = check_workload(t, err);
	if (r >= 0 && t->o.result && !c->dry_run)
		r = trial_results_keep(cli_db(c), own, t->trial.workload, &t->runs, err);
	/* what is kept already is not counted twice */
	for (size_t i = 0; r >= 0 && i < own->v.n; i++) {
		const struct own_speed *o = &own->v.v[i];
		bool again = false;
		if (!sv_ieq(sv_of(o->workload), sv_of(t->trial.workload)))
			continue;
		for (size_t k = 0; k < t->runs.v.n; k++)
			again |= t->runs.v.v[k].gpu == o->gpu && t->runs.v.v[k].at_ms == o->at_ms;
		if (!again)
			trial_runs_add(o, &t->runs);
	}
	return r;
}

static int keep_trial(struct cli *c, struct trial_open *t, struct err *err)
{
	const struct rec *rec = t->trial.rec;
	const char *why = text_or(t->o.reason, t->result.why);
	struct trial_record k = { .id = t->id,
				  .lever = rec->lever,
				  .user = plan_open_user(),
				  .why = why,
				  .verdict = t->result.verdict,
				  .at_ms = c->now_ms,
				  .speed_told = t->trial.speed_told,
				  .speed_least = NAN,
				  .speed_frac = t->result.speed_frac,
				  .memory_bytes = t->result.memory_bytes,
				  .saving_nano = rec->saving_nano,
				  .runs = (int64_t)t->result.there };
	const struct plan_mark no = { .id = t->id,
				      .word = PLAN_DISMISSED,
				      .reason = arena_printf(&c->mem, "trial: %s", why),
				      .user = k.user,
				      .at_ms = c->now_ms };
	int r;

	for (size_t i = 0; i < t->trial.ncheck; i++)
		if (t->trial.check[i].what == MEASURE_SPEED)
			k.speed_least = t->trial.check[i].least;
	if (c->dry_run)
		return 0;
	r = trial_record_keep(cli_db(c), &k, err);
	if (r >= 0 && k.verdict == TRIAL_NO_GO)
		r = plan_decide(cli_db(c), &no, err);
	return r;
}

static int print_trial(struct cli *c, struct trial_open *t)
{
	struct plan_view view = plan_open_view(c, &t->p);
	struct trial_view v = { .plan = &view,
				.rec = t->at,
				.trial = &t->trial,
				.result = &t->result,
				.kept = trial_record_of(&t->kept, t->id) };
	struct str out = { 0 };

	plan_print_trial(&v, c->output, &out);
	int rc = cli_write(&out);
	str_free(&out);
	return rc;
}

static int run_plan_trial(struct cli *c)
{
	struct trial_open t = { 0 };
	struct err err = { 0 };
	int r, rc;

	if (cli_read_opts(c, &t.o, &err) < 0)
		return cli_fail(&err);
	if (t.o.scores && !c->narg)
		return print_scores(c);
	if ((rc = plan_open_one_argument(c)) != 0)
		return rc;
	if (t.o.verdict >= 0 && (!t.o.reason || !*t.o.reason))
		return cli_usage_error(c, "a verdict needs a --reason: it is kept with it");
	r = open_trial(c, &t, &err);
	if (r >= 0)
		r = read_results(c, &t, &err);
	if (r >= 0)
		plan_trial_judge(&t.trial, &t.runs, &c->mem, &t.result);
	if (r >= 0 && t.o.verdict >= 0) {
		t.result.verdict = t.o.verdict ? TRIAL_NO_GO : TRIAL_GO;
		t.result.why = t.o.reason;
	}
	if (r >= 0 && (t.o.result || t.o.verdict >= 0))
		r = keep_trial(c, &t, &err);
	rc = r < 0 ? plan_open_fail(r, &err) : print_trial(c, &t);
	if (rc == EXIT_DONE && t.o.result && t.result.verdict == TRIAL_NO_GO)
		rc = EXIT_VIOLATED;
	vec_free(&t.runs.v);
	plan_open_close(&t.p);
	return rc;
}

static const struct cli_opt opts[] = {
	{ "result", "FILE",
	  "runs of the trial: what tare profile -o json printed, or a table like speeds.csv",
	  .type = OPT_FILE, .at = offsetof(struct trial_given, result) },
	{ "verdict", "go|no-go", "what people saw, where no profile tells it; with --reason",
	  .type = OPT_CHOICE, .values = "go|no-go", .at = offsetof(struct trial_given, verdict) },
	{ "reason", "TEXT", "kept with the verdict", .type = OPT_TEXT,
	  .at = offsetof(struct trial_given, reason) },
	{ "scores", NULL, "what came of the proposals of each lever so far", .type = OPT_FLAG,
	  .at = offsetof(struct trial_given, scores) },
	{ 0 },
};

const struct cli_cmd cmd_plan_trial_def = {
	.name = "plan trial",
	.group = "",
	.summary = "the smallest experiment that decides a recommendation",
	.usage = "ID|NUMBER [--result FILE] [--verdict go|no-go --reason TEXT] | --scores",
	.examples =
		"tare plan trial 5\n"
		"# on the other machine, then here\n"
		"tare profile --workload bert --steps 500 -o json --report bert.json -- python train.py\n"
		"tare plan trial 5 --result bert.json\n"
		"tare plan trial 7 --verdict no-go --reason \"the team needs the host on Fridays\"\n"
		"tare plan trial --scores",
	.about =
		"Prints which runs to make, how, and what has to come out: X and Y of 'go if steps/s >= X and peak memory <= Y' are\n"
		"the slow end of the plan's own range and the headroom of its gates. Speeds of --result, and of runs under\n"
		"'tare profile --workload NAME' with this store, are kept and narrow the next plan's range. A verdict is kept; what\n"
		"came to no go is proposed no more until 'tare plan reset ID'. --scores: by lever what was decided, what trials came to,\n"
		"and what applied items came to since: the work done since at the cost of before, less what it cost.",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT | CLI_ACT,
	.opt = opts,
	.docs = CLI_DOCS(&plan_trial_doc, &plan_trial_scores_doc),
	.run = run_plan_trial,
};
