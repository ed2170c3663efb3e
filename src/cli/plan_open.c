#include "cli/plan_open.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

void plan_open_asked(struct cli *c, struct plan_asked *ret)
{
	const char *name;

	*ret = (struct plan_asked){ .since_ms = c->since_ms,
				    .until_ms = c->until_ms,
				    .quality = cli_flag(c, "quality") };
	for (size_t i = 0; i < PLAN_ASKED_TEXTS; i++) {
		const char **text = plan_asked_text(ret, i, &name);
		*text = cli_value(c, name);
	}
}

int plan_open_store(struct cli *c, struct plan_open *p, struct err *err)
{
	return p->store ? 0 : cli_open_store(c, STORE_READ, &p->store, err);
}

static void progress(void *ctx, const char *label, int64_t rows)
{
	cli_progress(ctx, label, rows, 0, 0);
}

int plan_open_answer(struct cli *c, struct plan_open *p, struct err *err)
{
	int r = plan_conf_load(c->config, &p->conf, err);

	if (r < 0)
		return r;
	p->has_conf = true;
	r = plan_open_store(c, p, err);
	r = r < 0 ? r : catalog_open(NULL, &p->q.catalog, err);
	if (r < 0)
		return r;
	p->q.ask = cli_ask(c, p->store, p->q.catalog);
	p->q.conf = &p->conf;
	p->q.progress = progress;
	p->q.ctx = c;
	p->has_answer = true;
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
				   .trials = &p->a.trials,
				   .target_frac = p->q.want.target_frac,
				   .target_reached_frac = p->a.reached_frac,
				   .target_most_frac = p->a.most_frac,
				   .target_chance_frac = p->a.chance_frac,
				   .target_reached = p->a.reached,
				   .target_ms = c->now_ms + p->q.want.within_ms,
				   .asked = plan_asked_words(&p->q.asked, &c->mem),
				   .with_sensitivity = true,
				   .width = c->width,
				   .colour = c->colour,
				   .now_ms = c->now_ms };
}

int plan_open_fail(int r, const struct err *err)
{
	cli_fail(err);
	return r == -ENODATA ? EXIT_INCOMPLETE : EXIT_ERROR;
}

int plan_open_one_argument(struct cli *c)
{
	if (c->narg == 1 && *c->arg[0])
		return 0;
	return c->narg ? cli_usage_error(c, "one recommendation at a time: '%s' is too much",
					 c->arg[c->narg > 1 ? 1 : 0])
		       : cli_usage_error(c,
					 "which one? name its number in the last plan, or its id");
}

const char *plan_open_user(void)
{
	const struct passwd *p = getpwuid(getuid());
	const char *env = getenv("USER");

	if (env && *env)
		return env;
	return p && p->pw_name ? p->pw_name : "";
}

int plan_open_subject(struct cli *c, struct plan_open *p, struct plan_marks *marks,
		      const char **ret, struct err *err)
{
	int r = plan_open_store(c, p, err);

	r = r < 0 ? r : plan_marks_read(cli_db(c), &c->mem, marks, err);
	if (r < 0)
		return r;
	plan_last_read(cli_db(c), &c->mem, &p->last);
	return plan_subject(&p->last, marks, c->arg[0], ret, err);
}
