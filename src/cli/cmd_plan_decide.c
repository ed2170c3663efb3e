/* tare plan accept, dismiss, reset, apply: what people decide about recommendations. */
#include <errno.h>
#include <stdio.h>

#include "base/near.h"
#include "base/sh.h"
#include "cli/cmds.h"
#include "cli/plan_load.h"
#include "report/text.h"

static int one_argument(struct cli *c, const char *what)
{
	if (c->narg == 1 && *c->arg[0])
		return 0;
	return c->narg ? cli_usage_error(c, "one %s at a time: '%s' is too much", what,
					 c->arg[c->narg > 1 ? 1 : 0])
		       : cli_usage_error(c,
					 "which one? name its number in the last plan, or its id");
}

static bool has_mark(const struct plan_load *l, const char *id)
{
	for (size_t i = 0; i < l->mark.n; i++)
		if (!strcmp(l->mark.v[i].id, id))
			return true;
	return false;
}

static bool in_last(const struct plan_load *l, const char *id)
{
	for (size_t i = 0; i < l->last.n; i++)
		if (!strcmp(l->last.v[i], id))
			return true;
	return false;
}

static int unknown_id(struct plan_load *l, const char *id, struct err *err)
{
	const char *near = l->last.n ? near_word(id, l->last.v, l->last.n) : NULL;

	err_set(err, -ENOENT, "the last plan has no '%s'", id);
	if (near)
		err_hint(err, "Did you mean '%s'?", near);
	else
		err_hint(err, "Its ids: tare plan -o csv");
	return -ENOENT;
}

/* The id of the command's argument; it must be in the last plan or have been decided about
 * before. */
static int subject(struct plan_load *l, const char **ret, struct err *err)
{
	int r = plan_load_marks(l, err);

	if (r < 0)
		return r;
	plan_load_last(l);
	*ret = plan_load_id(l, l->c->arg[0], err);
	if (!*ret)
		return -ENOENT;
	return in_last(l, *ret) || has_mark(l, *ret) ? 0 : unknown_id(l, *ret, err);
}

/* Numbers are of the last plan, which what was dismissed is no part of: say what there is. */
static int nothing_decided(const struct plan_load *l, const char *id, struct err *err)
{
	struct str s = { 0 };

	for (size_t i = 0; i < l->mark.n && s.n < 400; i++)
		str_addf(&s, "%s%s", i ? ", " : "", l->mark.v[i].id);
	err_set(err, -ENOENT, "nothing was decided about '%s'", id);
	if (s.n)
		err_hint(err, "Decided is: %s", str_z(&s));
	str_free(&s);
	return -ENOENT;
}

static void say(struct cli *c, const char *fmt, const char *id)
{
	const char *safe = text_line(&c->mem, sv_of(id), 0);

	if (!c->quiet)
		printf(fmt, safe, safe);
}

static int decide(struct cli *c, int word, bool want_reason, const char *done)
{
	struct plan_load l = { .c = c };
	struct err err = { 0 };
	const char *id = NULL, *reason = word < 0 ? NULL : cli_value(c, "reason");
	int r, rc = one_argument(c, "recommendation");

	if (rc)
		return rc;
	if (want_reason && (!reason || !*reason))
		return cli_usage_error(
			c, "a dismissal needs a --reason: it is shown with the next plans");
	r = subject(&l, &id, &err);
	if (r >= 0 && word < 0 && !has_mark(&l, id))
		r = nothing_decided(&l, id, &err);
	if (r >= 0 && !c->dry_run)
		r = plan_load_decide(&l, id, word, reason, &err);
	if (r >= 0)
		say(c, c->dry_run ? "Would be recorded for %s; nothing was written.\n" : done, id);
	rc = r < 0 ? cli_fail(&err) : EXIT_DONE;
	plan_load_free(&l);
	return rc;
}

static int run_accept(struct cli *c)
{
	return decide(c, PLAN_ACCEPTED, false, "Accepted %s. How to do it: tare plan apply %s\n");
}

static int run_dismiss(struct cli *c)
{
	return decide(c, PLAN_DISMISSED, true,
		      "Dismissed %s; it is not proposed again until: tare plan reset %s\n");
}

static int run_reset(struct cli *c)
{
	return decide(c, -1, false, "Forgot what was decided about %s.\n");
}

/* ---- apply ------------------------------------------------------------------------------- */

static void put_lines(struct str *out, const char *title, const struct text_list *l,
		      struct arena *a)
{
	str_addf(out, "# %s\n", title);
	for (size_t i = 0; i < l->n; i++)
		str_addf(out, "%s\n", text_line(a, sv_of(l->v[i]), 0));
	if (!l->n)
		str_addz(out, "# (nothing)\n");
}

/* In a comment that a shell may not take for one: "40 -> 24" would write a file. */
static const char *title_note(struct arena *a, const char *title)
{
	struct str s = { 0 };

	for (const char *z = title; *z; z++)
		if (!strncmp(z, "->", 2))
			str_addz(&s, "to"), z++;
		else
			str_addc(&s, *z);
	const char *ret = sh_note(a, str_z(&s));
	str_free(&s);
	return ret;
}

static int print_apply(struct plan_load *l, const char *id)
{
	size_t at = plan_load_place(l, id);
	const struct rec *r = l->plan.rec.v.v[at];
	struct str out = { 0 };
	int rc;

	str_addf(
		&out,
		"# %s\n# This version of tare does not carry it out: these lines do, where you put them.\n",
		title_note(&l->c->mem, r->title));
	for (size_t i = 0; i < r->depends_on.n; i++)
		str_addf(&out, "# first: %s\n", sh_note(&l->c->mem, r->depends_on.v[i]));
	put_lines(&out, "do", &r->apply, &l->c->mem);
	put_lines(&out, "undo", &r->undo, &l->c->mem);
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

static int run_apply(struct cli *c)
{
	struct plan_load l = { .c = c };
	struct err err = { 0 };
	const char *id = NULL;
	int r, rc = one_argument(c, "recommendation");

	if (rc)
		return rc;
	r = subject(&l, &id, &err);
	r = r < 0 ? r : plan_load_opt(&l, &err);
	r = r < 0 ? r : plan_load_plan(&l, &err);
	if (r >= 0 && plan_load_place(&l, id) == SIZE_MAX) {
		r = err_set(
			&err, -ENOENT,
			"'%s' is not in the plan any more: the store or the settings have changed, or it was dismissed",
			id);
		err_hint(&err, "Make a new one: tare plan");
	}
	if (r >= 0 && !c->dry_run)
		r = plan_load_decide(&l, id, PLAN_APPLIED, cli_value(c, "reason"), &err);
	rc = r < 0 ? plan_load_fail(r, &err) : print_apply(&l, id);
	plan_load_free(&l);
	return rc;
}

static const struct cli_opt reason_opt[] = {
	{ "reason", "TEXT", "kept and shown with the next plans", 0, false, NULL }, { 0 }
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
	.common = CLI_STORE | CLI_ACT,
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
		"It is not proposed again until 'tare plan reset ID'. 'tare plan --refused' lists what was dismissed, and why.",
	.common = CLI_STORE | CLI_ACT,
	.opt = reason_opt,
	.run = run_dismiss,
};
const struct cli_cmd cmd_plan_reset_def = {
	.name = "plan reset",
	.group = "",
	.summary = "forget what was decided about a recommendation",
	.usage = "ID|NUMBER",
	.examples = "tare plan reset share-search",
	.common = CLI_STORE | CLI_ACT,
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
	.common = CLI_STORE | CLI_ACT,
	.opt = reason_opt,
	.run = run_apply,
};
