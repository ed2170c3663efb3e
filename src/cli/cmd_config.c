/* tare config: the settings, their values and where each comes from. */
#include "agent/settings.h"
#include "cli/agent_open.h"
#include "cli/cmds.h"
#include "report/config.h"

/* What is shown would be taken: the readers have their say first, and so has the agent, of the
 * variables over its section. */
static int check_all(struct cli *c, struct err *err)
{
	struct agent_conf agent;
	int r = settings_check(c->config, err);

	if (r < 0 || (r = agent_settings(c, &agent, err)) < 0)
		return r;
	agent_conf_free(&agent);
	return 0;
}

static const char *variable_of(void *ctx, const struct setting *s)
{
	struct cli *c = ctx;

	if (s->type == SETTING_BOOL) {
		if (cli_flag(c, s->option))
			return "yes";
		return NULL;
	}
	return cli_value(c, s->option);
}

static struct config_ask ask_of(struct cli *c, struct arena *mem)
{
	struct config_ask q = { .top = conf_settings,
				.section = settings_section,
				.nsection = SETTINGS_SECTIONS,
				.ctx = c,
				.mem = mem };

	if (c) {
		q.file = c->config;
		q.variable = variable_of;
	}
	return q;
}

static int run_config(struct cli *c)
{
	struct config_ask q = ask_of(c, &c->mem);
	struct config_answer a;
	struct out_as as = cli_out_as(c);
	struct err err = { 0 };
	struct str out = { 0 };

	q.want = (const char *const *)c->arg;
	q.nwant = (size_t)c->narg;
	int r = cli_read_opts(c, &q, &err);
	if (r >= 0)
		r = check_all(c, &err);
	if (r >= 0)
		r = answer_config(&q, &a, &err);
	if (r < 0)
		return cli_fail(&err);
	config_print(&a, c->narg == 1, &as, &out);
	int rc = cli_write(&out);
	str_free(&out);
	return rc;
}

static void add_words(struct str *out)
{
	struct arena mem = { 0 };
	const struct config_ask q = ask_of(NULL, &mem);

	config_words(&q, out);
	arena_free(&mem);
}

static const struct cli_opt opts[] = {
	{ "changed", NULL, "only what the file or a variable says", .type = OPT_FLAG,
	  .at = offsetof(struct config_ask, changed) },
	{ "all", NULL, "also what items of lists may have (plan.rules, alerts.receivers, ...)",
	  .type = OPT_FLAG, .at = offsetof(struct config_ask, fields) },
	{ 0 },
};

const struct cli_cmd cmd_config_def = {
	.name = "config",
	.group = "govern",
	.summary = "the settings: what each is, and which file and line says so",
	.usage = "[--changed] [--all] [SECTION|KEY...]",
	.examples =
		"tare config\n# what is not as by default, with file and line\ntare config --changed\n"
		"# one section; one setting in full\ntare config plan\ntare config plan.wacc_frac\n"
		"# what a rule of the plan may say\ntare config plan.rules\n"
		"tare config --changed -o json | jq -r '.settings[] | [.key, .value, .at] | @tsv'",
	.about =
		"Reads only. An option of a command wins over its variable, a variable over the file, the file over the default. What the file\n"
		"says is checked first: a value that would not be taken is an error with its line. docs/CONFIG.md explains the sections.",
	.common = CLI_CONFIG | CLI_OUTPUT,
	.opt = opts,
	.words = add_words,
	.docs = CLI_DOCS(&config_doc),
	.run = run_config,
};
