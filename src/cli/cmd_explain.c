/* tare explain: all about one recommendation of the last plan, one job, or one run of tare
 * profile. */
#include <errno.h>

#include "base/near.h"
#include "cli/cmds.h"
#include "cli/explain_file.h"
#include "cli/plan_open.h"
#include "cli/profile_explain.h"

static bool is_job(const struct plan_open *p, const char *id)
{
	for (size_t i = 0; i < p->a.fleet.work.n; i++)
		if (!strcmp(p->a.fleet.work.v[i].job, id))
			return true;
	return false;
}

static int unknown(const struct plan_open *p, const char *word, struct err *err)
{
	VEC(const char *) ids = { 0 };
	const char *near;

	for (size_t i = 0; i < p->a.plan.rec.v.n; i++)
		*vec_push(&ids) = p->a.plan.rec.v.v[i]->id;
	near = ids.n ? near_word(word, ids.v, ids.n) : NULL;
	err_set(err, -ENOENT, "'%s' is no recommendation of the plan and no job of the history",
		word);
	if (near)
		err_hint(err, "Did you mean '%s'?", near);
	else
		err_hint(err, "Numbers and ids are those of: tare plan");
	vec_free(&ids);
	return -ENOENT;
}

/* A number that the last plan printed is that recommendation; other words are ids of
 * recommendations, then of jobs. */
static int find(struct cli *c, const struct plan_open *p, const char *word, struct str *out,
		struct err *err)
{
	struct plan_view v = plan_open_view(c, p);
	struct err quiet;
	int64_t n;
	bool number = sv_i64(sv_of(word), &n) == 0 && n >= 1 &&
		      (uint64_t)n <= (p->last.n ? p->last.n : p->a.plan.rec.v.n);
	const char *id = !number     ? word
			 : p->last.n ? plan_last_id(&p->last, word, &quiet)
				     : p->a.plan.rec.v.v[n - 1]->id;
	size_t at = plan_place(&p->a.plan, id);

	if (at != SIZE_MAX) {
		plan_print_rec(&v, at, c->output, out);
		return 0;
	}
	if (is_job(p, word)) {
		plan_print_job(&v, word, c->output, out);
		return 0;
	}
	if (!number && sv_i64(sv_of(word), &n) == 0 && p->last.n) {
		err_set(err, -ENOENT,
			"the last plan has %zu recommendation%s, and there is no job '%s'",
			p->last.n, p->last.n == 1 ? "" : "s", word);
		err_hint(err, "See it again: tare plan%s%s", *v.asked ? " " : "", v.asked);
		return -ENOENT;
	}
	if (number) {
		err_set(err, -ENOENT,
			"'%s', number %s of the last plan, is not in the plan any more: the store or the settings have changed",
			id, word);
		err_hint(err, "Make a new one: tare plan");
		return -ENOENT;
	}
	return unknown(p, word, err);
}

static int run(struct cli *c)
{
	struct plan_open p = { 0 };
	struct err err = { 0 };
	struct str out = { 0 };
	int r, rc;

	if (cli_value(c, "trace"))
		return c->narg ? cli_usage_error(c, "a trace, or an id: not both")
			       : explain_trace(c, cli_value(c, "trace"));
	if (cli_value(c, "samples"))
		return c->narg ? cli_usage_error(c, "samples, or an id: not both")
			       : explain_samples(c, cli_value(c, "samples"));
	if (profile_explain_wants(c))
		return profile_explain(c);
	if (c->narg != 1)
		return cli_usage_error(
			c, c->narg ? "one at a time"
				   : "what? name a number or an id of the last plan, or a job");
	plan_last_read(cli_db(c), &c->mem, &p.last);
	if (p.last.found)
		p.q.asked = p.last.asked;
	else
		plan_open_asked(c, &p.q.asked);
	r = plan_asked_read(&p.q.asked, &p.q.want, &err);
	r = r < 0 ? r : plan_open_answer(c, &p, &err);
	r = r < 0 ? r : find(c, &p, c->arg[0], &out, &err);
	rc = r < 0 ? plan_open_fail(r, &err) : cli_write(&out);
	str_free(&out);
	plan_open_close(&p);
	return rc;
}

static const struct cli_opt opts[] = {
	{ "profile", "FILE", "a run that tare profile kept, by its file", 0, false, "FILE" },
	{ "trace", "FILE",
	  "a profiler's trace (torch.profiler, JSON, also .gz): gaps, copies, collectives, kernels",
	  0, false, "FILE" },
	{ "samples", "FILE",
	  "readings of cards (the columns of tare import --as samples): why they were slow", 0,
	  false, "FILE" },
	{ "window", "SPAN", "with --samples: cut into windows of this length; default 10m", 0,
	  false, NULL },
	{ "usd-gpu-hour", "USD", "price of a GPU-hour, to say what it costs a day (with --trace)",
	  0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_explain_def = {
	.name = "explain",
	.group = "see",
	.summary = "why: a recommendation, a job or a profiled run in full",
	.usage = "ID|NUMBER|JOB|RUN|last | --profile FILE | --trace FILE | --samples FILE",
	.examples =
		"tare explain 4\ntare explain share-search\n# what a job did, what it cost, and what the plan does to it\ntare explain 4117\n# the newest run of tare profile, and an older one\ntare explain last\ntare explain p-20261121-155123\n# why a training step is slow, from a trace of it\ntare explain --trace trace.json.gz --usd-gpu-hour 2.50\n# causes of low utilisation in recorded readings, a line a window\ntare explain --samples samples.csv --window 15m -o csv",
	.about =
		"A recommendation: why, evidence and how it is known, replay, range, what it is worth alone, what could go wrong, how to do it\n"
		"and undo it, what it depends on. Numbers are those of the last 'tare plan', with the options it had.",
	.common = CLI_STORE | CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
