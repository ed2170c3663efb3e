#include "cli/plan/plan_open.h"

#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/dec.h"
#include "base/tm.h"
#include "cli/cmds.h"

static int read_want(const struct cli *c, const struct plan_given *x, struct plan_want *ret,
		     struct err *err)
{
	struct plan_opt *o = &ret->opt;
	int r = plan_levers_read(x->lever.v, x->lever.n, &o->levers, err);

	if (r >= 0 && cli_value(c, "lever") && !x->lever.n)
		r = err_set(err, -EINVAL, "--lever names none");
	if (r >= 0 && isnan(x->target_frac) != !x->within_ms)
		r = err_set(
			err, -EINVAL,
			"--target-frac and --within go together, such as --target-frac 0.4 --within 21d");
	o->max_risk = (enum risk)x->risk;
	if (!isnan(x->effort_days))
		o->max_effort_days = x->effort_days;
	ret->least_given = cli_value(c, "min-saving") != NULL;
	o->min_saving_nano_month = dec_to_nano(x->min_saving);
	o->horizon_days = (double)x->horizon_ms / MS_DAY;
	o->quality_advice = x->quality;
	o->seed = (uint64_t)x->seed;
	ret->target_frac = x->target_frac;
	ret->within_ms = x->within_ms;
	return r;
}

int plan_open_read(struct cli *c, struct plan_open *p, struct plan_given *ret, struct err *err)
{
	const struct cli now = *c;
	int r;

	c->cmd = &cmd_plan_def;
	if (p->last.found) {
		/* What was given then, of what is in the table now. */
		const struct plan_asked *last = &p->last.asked;
		p->q.asked = *last;
		c->given = arena_alloc(&c->mem, last->nword * sizeof *c->given);
		c->ngiven = 0;
		c->no_variables = true;
		for (size_t i = 0; i < last->nword; i++)
			for (const struct cli_opt *o = c->cmd->opt; o->name; o++)
				if (!strcmp(o->name, last->word[i].name))
					c->given[c->ngiven++] =
						(struct cli_given){ o, last->word[i].value };
	} else {
		/* The words that the plan is asked for with, in the order of the table. */
		const struct cli_opt *o = cmd_plan_def.opt;
		size_t n = 0;

		while (o[n].name)
			n++;
		struct plan_asked_word *word = arena_alloc(&c->mem, n * sizeof *word);
		p->q.asked = (struct plan_asked){ word, 0, c->since_ms, c->until_ms };
		for (; o->at < offsetof(struct plan_given, by); o++) {
			const char *value = NULL;
			if (o->arg)
				value = cli_value(c, o->name);
			if (value || (!o->arg && cli_flag(c, o->name)))
				word[p->q.asked.nword++] = (struct plan_asked_word){ o->name,
										     value };
		}
	}
	p->q.want = plan_want_default();
	r = cli_read_opts(c, ret, err);
	if (r >= 0)
		r = read_want(c, ret, &p->q.want, err);
	c->cmd = now.cmd;
	c->given = now.given;
	c->ngiven = now.ngiven;
	c->no_variables = false;
	return r;
}

/* The store alone, to decide about what there is. */
static int plan_open_store(struct cli *c, struct plan_open *p, struct err *err)
{
	if (p->store)
		return 0;
	return cli_open_store(c, STORE_READ, &p->store, err);
}

static void show_progress(void *ctx, const char *label, int64_t rows)
{
	cli_progress(ctx, label, rows, 0, 0);
}

static void show_steps(void *ctx, const char *what, const char *unit, int64_t done, int64_t of)
{
	cli_progress_steps(ctx, what, unit, done, of);
}

int plan_open_ask(struct cli *c, struct plan_open *p, struct err *err)
{
	int r = plan_conf_load(c->config, &p->conf, err);

	if (r < 0)
		return r;
	p->has_conf = true;
	r = plan_open_store(c, p, err);
	if (r >= 0)
		r = catalog_open(NULL, &p->q.catalog, err);
	if (r < 0)
		return r;
	p->q.ask = cli_ask(c, p->store, p->q.catalog);
	p->q.conf = &p->conf;
	p->q.progress = show_progress;
	p->q.ctx = c;
	p->q.watch = (struct plan_watch){ show_steps, c };
	return 0;
}

int plan_open_answer(struct cli *c, struct plan_open *p, struct err *err)
{
	int r = plan_open_ask(c, p, err);

	if (r < 0)
		return r;
	p->has_answer = true;
	cli_progress(c, "ledger", 0, 0, 0); /* from here on it is at work */
	return answer_plan(&p->q, &p->a, err);
}

void plan_open_close(struct plan_open *p)
{
	if (p->has_answer)
		plan_answer_free(&p->a);
	if (p->has_conf)
		plan_conf_free(&p->conf);
	catalog_free(p->q.catalog);
	if (p->store)
		store_close(p->store);
}

struct plan_view plan_open_view(struct cli *c, const struct plan_open *p)
{
	return (struct plan_view){ .plan = &p->a.plan,
				   .conf = &p->a.conf,
				   .mark = p->a.mark.v,
				   .nmark = p->a.mark.n,
				   .step = p->a.step,
				   .nstep = p->a.nstep,
				   .week = p->a.week,
				   .month = p->a.month,
				   .trials = &p->a.trials,
				   .energy = &p->a.energy,
				   .target_frac = p->q.want.target_frac,
				   .target_reached_frac = p->a.reached_frac,
				   .target_most_frac = p->a.most_frac,
				   .target_soonest_day = p->a.soonest_day,
				   .target_chance_frac = p->a.chance_frac,
				   .target_reached = p->a.reached,
				   .target_limit_frac = p->a.limit_adds_frac,
				   .target_limits_frac = p->a.limits_add_frac,
				   .target_ms = c->now_ms + p->q.want.within_ms,
				   .asked = plan_asked_words(&p->q.asked, &c->mem),
				   .store = cli_store_words(c),
				   .with_sensitivity = true,
				   .width = c->width,
				   .colour = c->colour,
				   .now_ms = c->now_ms };
}

int plan_open_fail(int r, const struct err *err)
{
	cli_fail(err);
	if (r == -ENODATA)
		return EXIT_INCOMPLETE;
	return EXIT_ERROR;
}

int plan_open_one_argument(struct cli *c)
{
	if (c->narg == 1 && *c->arg[0])
		return 0;
	if (c->narg)
		return cli_usage_error(c, "one recommendation at a time: '%s' is too much",
				       c->arg[c->narg > 1 ? 1 : 0]);
	return cli_usage_error(c, "which one? name its number in the last plan, or its id");
}

const char *plan_open_user(void)
{
	const struct passwd *p = getpwuid(getuid());
	const char *env = getenv("USER");

	if (env && *env)
		return env;
	if (p && p->pw_name)
		return p->pw_name;
	return "";
}

static int read_last(struct cli *c, struct plan_open *p, struct plan_marks *marks, struct err *err)
{
	int r = plan_open_store(c, p, err);

	if (r >= 0)
		r = plan_marks_read(cli_db(c), &c->mem, marks, err);
	if (r >= 0)
		plan_last_read(cli_db(c), cli_store_words(c), &c->mem, &p->last);
	return r;
}

int plan_open_subject(struct cli *c, struct plan_open *p, struct plan_marks *marks,
		      const char **ret, struct err *err)
{
	int r = read_last(c, p, marks, err);

	if (r < 0)
		return r;
	return plan_subject(&p->last, marks, c->arg[0], ret, err);
}

int plan_open_subject_any(struct cli *c, struct plan_open *p, struct plan_marks *marks,
			  const char **ret, const struct plan_said **ret_said, struct err *err)
{
	int r = read_last(c, p, marks, err);

	if (r < 0)
		return r;
	return plan_subject_any(&p->last, marks, c->arg[0], ret, ret_said, err);
}
