/* tare plan accept, dismiss, reset, apply: what people decide about recommendations. */
#include <errno.h>
#include <stdio.h>

#include "answer/plan/plan_outcome.h"
#include "cli/cmds.h"
#include "cli/plan/plan_open.h"
#include "report/text.h"

static int keep_decision(struct cli *c, const char *id, enum plan_word word,
			 const struct plan_said *said, struct err *err)
{
	const char *reason;
	int r = cli_read_opts(c, &reason, err);

	const struct plan_mark m = { .id = id,
				     .word = word,
				     .reason = reason,
				     .user = plan_open_user(),
				     .at_ms = c->now_ms,
				     .said = said };

	if (r < 0 || c->dry_run)
		return r;
	return plan_decide(cli_db(c), &m, err);
}

static void say_done(struct cli *c, const char *fmt, const char *id)
{
	const char *safe = text_line(&c->mem, sv_of(id), 0);

	if (!c->quiet)
		printf(fmt, safe, safe, cli_store_words(c));
}

static int forget_decision(struct cli *c, const struct plan_marks *marks, const char *id,
			   struct err *err)
{
	int r = plan_forget(cli_db(c), marks, id, c->dry_run, err);

	if (r < 0 || c->dry_run)
		return r;
	return outcome_forget(cli_db(c), id, err);
}

/* word < 0: forget what was decided */
static int decide_item(struct cli *c, int word, const char *done)
{
	struct plan_open p = { 0 };
	struct plan_marks marks;
	struct err err = { 0 };
	const struct plan_said *said = NULL;
	const char *id = NULL;
	int r, rc = plan_open_one_argument(c);

	if (rc)
		return rc;
	if (word == PLAN_ACCEPTED)
		r = plan_open_subject(c, &p, &marks, &id, &err);
	else
		r = plan_open_subject_any(c, &p, &marks, &id, &said, &err);
	if (r >= 0 && word < 0)
		r = forget_decision(c, &marks, id, &err);
	else if (r >= 0)
		r = keep_decision(c, id, (enum plan_word)word, said, &err);
	if (said && word == PLAN_DISMISSED)
		done = "Dismissed %s; it is not shown again until it says something else, or: tare plan reset %s%s\n";
	if (r >= 0)
		say_done(c, c->dry_run ? "Would be recorded for %s; nothing was written.\n" : done,
			 id);
	rc = r < 0 ? cli_fail(&err) : EXIT_DONE;
	plan_open_close(&p);
	return rc;
}

static int run_accept(struct cli *c)
{
	return decide_item(c, PLAN_ACCEPTED, "Accepted %s. How to do it: tare plan apply %s%s\n");
}

static int run_dismiss(struct cli *c)
{
	struct err err = { 0 };
	const char *reason;

	if (cli_read_opts(c, &reason, &err) < 0)
		return cli_fail(&err);
	if (c->narg == 1 && *c->arg[0] && !*text_or(reason, ""))
		return cli_usage_error(
			c, "a dismissal needs a --reason: it is shown with the next plans");
	return decide_item(c, PLAN_DISMISSED,
			   "Dismissed %s; it is not proposed again until: tare plan reset %s%s\n");
}

static int run_reset(struct cli *c)
{
	return decide_item(c, -1, "Forgot what was decided about %s.\n");
}

/* ---- apply ------------------------------------------------------------------------------- */

static int print_apply(const struct rec *r)
{
	struct str out = { 0 };
	int rc;

	plan_print_apply(r, &out);
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

static int run_apply(struct cli *c)
{
	struct plan_open p = { 0 };
	struct plan_given given;
	struct plan_marks marks;
	struct err err = { 0 };
	const char *id = NULL;
	size_t at = SIZE_MAX;
	int r, rc = plan_open_one_argument(c);

	if (rc)
		return rc;
	r = plan_open_subject(c, &p, &marks, &id, &err);
	if (r >= 0)
		r = plan_open_read(c, &p, &given, &err);
	if (r >= 0)
		r = plan_open_answer(c, &p, &err);
	if (r >= 0 && (at = plan_place(&p.a.plan, id)) == SIZE_MAX) {
		err_set(&err, -ENOENT,
			"'%s' is not in the plan any more: the store or the settings have changed, or it was dismissed",
			id);
		err_hint(&err, "Make a new one: tare plan%s", cli_store_words(c));
		r = -ENOENT;
	}
	if (r >= 0)
		r = keep_decision(c, id, PLAN_APPLIED, NULL, &err);
	if (r >= 0 && !c->dry_run)
		r = outcome_keep(cli_db(c), &p.a.plan, at, c->now_ms, &err);
	rc = r < 0 ? plan_open_fail(r, &err) : print_apply(p.a.plan.rec.v.v[at]);
	plan_open_close(&p);
	return rc;
}

static const struct cli_opt reason_opt[] = {
	{ "reason", "TEXT", "kept and shown with the next plans", .type = OPT_TEXT }, { 0 }
};

const struct cli_cmd cmd_plan_accept_def = {
	.name = "plan accept",
	.group = "",
	.summary = "say yes to a recommendation",
	.usage = "ID|NUMBER [--reason TEXT]",
	.examples =
		"tare plan accept 1\ntare plan accept stop_idle-gpu-legacy --reason \"agreed with platform, 2026-11-21\"",
	.about =
		"Nothing is carried out. The decision is kept in the store with who and when, and is shown with the next plans.",
	.common = CLI_STORE | CLI_DEMO | CLI_ACT,
	.opt = reason_opt,
	.run = run_accept,
};
const struct cli_cmd cmd_plan_dismiss_def = {
	.name = "plan dismiss",
	.group = "",
	.summary = "say no to a recommendation, with a reason",
	.usage = "ID|NUMBER --reason TEXT",
	.examples = "tare plan dismiss 3 --reason \"moves to another cloud in May\"",
	.about =
		"It is not proposed again until 'tare plan reset ID'. 'tare plan --refused' lists what was dismissed, and why. Advice\n"
		"is not shown again until it says something else, or its amount has changed by more than a quarter.",
	.common = CLI_STORE | CLI_DEMO | CLI_ACT,
	.opt = reason_opt,
	.run = run_dismiss,
};
const struct cli_cmd cmd_plan_reset_def = {
	.name = "plan reset",
	.group = "",
	.summary = "forget what was decided about a recommendation",
	.usage = "ID|NUMBER",
	.examples = "tare plan reset share-search",
	.common = CLI_STORE | CLI_DEMO | CLI_ACT,
	.run = run_reset,
};
const struct cli_cmd cmd_plan_apply_def = {
	.name = "plan apply",
	.group = "",
	.summary = "print how to do a recommendation, and undo it",
	.usage = "ID|NUMBER [--reason TEXT]",
	.examples = "tare plan apply 1\ntare plan apply 1 --dry-run > do.sh",
	.about =
		"This version prints what to do and records that it was given out; it changes nothing anywhere. --dry-run records nothing.",
	.common = CLI_STORE | CLI_DEMO | CLI_ACT,
	.opt = reason_opt,
	.run = run_apply,
};
