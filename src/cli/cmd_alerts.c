/* tare alerts: what fires or fired by the store's samples; the rules in force; a test of a
 * receiver; silences. */
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "alerts/alerts_silence.h"
#include "alerts/alerts_test.h"
#include "alerts/fires.h"
#include "answer/alerts/alerts.h"
#include "base/near.h"
#include "base/str.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/alerts/alerts.h"

struct alerts_cmd {
	struct cli *c;
	const char *match, *by, *why, *state;
	bool all, fail;
	int64_t for_ms, limit;
	struct alerts_conf conf;
	struct err err;
	struct str out;
};

/* ---- what fired -------------------------------------------------------------------------- */

/* The variable TARE_STATE is where an agent keeps its files, and is no reason not to look at the
 * store: its folder is meant where the option names it. */
static bool of_agent(const struct alerts_cmd *a)
{
	return a->state && !cli_variable(a->c, "state");
}

/* Where silences are kept: an agent minds those of its own folder. */
static const char *silence_folder(const struct alerts_cmd *a)
{
	return of_agent(a) ? a->state : cli_db(a->c);
}

/* Those of the configuration, then those that people set, that end after since_ms. */
static int list_silences(struct alerts_cmd *a, int64_t since_ms, struct silences *ret)
{
	const struct silences given = { a->conf.silence.v, a->conf.silence.n };

	return silence_list_with(given, silence_folder(a), since_ms, &a->c->mem, ret, &a->err);
}

static void show_progress(void *ctx, int64_t samples)
{
	cli_progress(ctx, "judging", samples, 0, 0);
}

static int ask_alerts(struct alerts_cmd *a, struct alerts_ask *q, struct alerts_answer *ret)
{
	struct store *store = NULL;
	struct catalog *catalog = NULL;
	int rc = cli_open_store(a->c, STORE_READ, &store, &a->err);

	if (rc >= 0)
		rc = catalog_open(NULL, &catalog, &a->err);
	struct silences set = { 0 };
	if (rc >= 0)
		rc = list_silences(a, INT64_MIN, &set);
	q->silence = set.v;
	q->nsilence = set.n;
	if (rc >= 0) {
		q->ask = cli_ask(a->c, store, catalog);
		rc = answer_alerts(q, ret, &a->err);
		cli_progress(a->c, NULL, 0, 0, 0);
	}
	catalog_free(catalog);
	store_close(store);
	return rc;
}

/* Of the agent's folder that was named here, and whether it is of now. */
static int ask_agent(struct alerts_cmd *a, const struct alerts_ask *q, struct alerts_answer *ret,
		     struct alerts_agent *ret_agent)
{
	struct agent_fires_ask f = { .dir = a->state,
				     .rule = q->rule,
				     .nrule = q->nrule,
				     .match = q->match,
				     .nmatch = q->nmatch,
				     .mem = &a->c->mem };

	int r = agent_fires_answer(&f, ret, &a->err);
	if (r < 0)
		return r;
	*ret_agent = (struct alerts_agent){ a->state, agent_fires_watched(a->state), ret->until_ms,
					    a->c->now_ms };
	return 0;
}

/* What the commands that are proposed say themselves. */
static const char *const own[] = { "match", "limit", NULL };

static int show_alerts(struct alerts_cmd *a)
{
	struct alerts_ask q = { .rule = a->conf.rule.v,
				.nrule = a->conf.rule.n,
				.progress = show_progress,
				.ctx = a->c };
	struct alerts_answer r = { 0 };
	struct alert_match match[ALERT_MATCH_MAX];
	struct out_as as = cli_out_as(a->c);
	const char *const *by;
	size_t nby;
	int rc;

	if (alerts_by_parse(a->by, &a->c->mem, &by, &nby, &a->err) < 0)
		return cli_usage_error(a->c, "%s", a->err.msg);
	if (a->match &&
	    alert_match_parse(arena_sv(&a->c->mem, sv_of(a->match)), match, &q.nmatch, &a->err) < 0)
		return cli_fail(&a->err);
	q.match = match;
	bool live = of_agent(a);
	struct alerts_agent agent = { 0 };
	if ((live ? ask_agent(a, &q, &r, &agent) : ask_alerts(a, &q, &r)) < 0)
		return cli_fail(&a->err);
	struct alerts_view v = { .by = by,
				 .nby = nby,
				 .all = a->all,
				 .limit = (size_t)a->limit,
				 .again = cli_again(a->c, own),
				 .match = a->match,
				 .agent = live ? &agent : NULL };
	bool stale = live && alerts_agent_stale(&agent);
	bool told = as.format == OUT_TABLE || as.format == OUT_MD;
	if (stale && !told && !a->c->quiet)
		fprintf(stderr, "tare: %s\n", alerts_agent_words(&agent, &a->c->mem));
	alerts_print(&r, &v, &as, &a->out);
	rc = cli_write(&a->out);
	if (rc == EXIT_DONE && (live ? stale : !r.gpus))
		return EXIT_INCOMPLETE;
	if (rc == EXIT_DONE && a->fail && alerts_still_fire(&r))
		return EXIT_VIOLATED;
	return rc;
}

/* ---- rules and receivers ----------------------------------------------------------------- */

static int show_rules(struct alerts_cmd *a)
{
	struct out_as as = cli_out_as(a->c);

	alerts_print_rules(a->conf.rule.v, a->conf.rule.n, a->conf.receiver.n > 0, &as, &a->out);
	return cli_write(&a->out);
}

static int test_receiver(struct alerts_cmd *a)
{
	const struct notify_target *t;

	if (a->c->narg != 2)
		return cli_usage_error(a->c, "which receiver? tare alerts test NAME");
	t = alerts_test_receiver(&a->conf, a->c->arg[1], a->c->config, &a->err);
	if (!t)
		return cli_fail(&a->err);
	if (a->c->dry_run) {
		alerts_test_show(t, a->c->now_ms, &a->out);
		return cli_write(&a->out);
	}
	if (alerts_test_send(t, a->c->now_ms, &a->err) < 0)
		return cli_fail(&a->err);
	if (!a->c->quiet)
		str_addf(&a->out, "%s (%s) took the test\n", t->name, notify_kind_name[t->kind]);
	return cli_write(&a->out);
}

/* ---- silences ---------------------------------------------------------------------------- */

static int add_silence(struct alerts_cmd *a)
{
	int64_t ends_ms = a->c->now_ms + a->for_ms;
	char id[20], until[TM_BUF];

	if (a->c->narg != 2)
		return cli_usage_error(
			a->c, "what? tare alerts silence team=vision --for 2h --why 'new cluster'");
	if (!a->for_ms || !a->why || !*a->why)
		return cli_usage_error(
			a->c,
			"a silence needs --for SPAN and --why TEXT: it ends by itself, and others can read why it is there");
	if (a->c->dry_run) {
		if (silence_check(a->c->arg[1], &a->err) < 0)
			return cli_fail(&a->err);
		str_addf(&a->out, "would be silent until %s: %s\n", tm_format(until, ends_ms),
			 a->c->arg[1]);
		return cli_write(&a->out);
	}
	const char *dir = silence_folder(a);
	const struct passwd *user = getpwuid(getuid());
	const char *who = "";
	if (user)
		who = text_or(user->pw_name, "");
	static const char *const once[] = { "for", "why", NULL };
	struct silence_new set = { .match = a->c->arg[1],
				   .why = a->why,
				   .by = who,
				   .now_ms = a->c->now_ms,
				   .until_ms = ends_ms };
	if (silence_sweep(dir, a->c->now_ms, &a->err) < 0 ||
	    silence_add(dir, &set, id, &a->err) < 0)
		return cli_fail(&a->err);
	str_addf(&a->out, "Silent until %s.\nUndo: %s unsilence %s\n", tm_format(until, ends_ms),
		 cli_again(a->c, once), id);
	if (!of_agent(a))
		str_addz(
			&a->out,
			"An agent minds it where its settings name this store (agent: silences: DIR).\n"
			"To silence the agent of a machine: the same with --state DIR, its folder.\n");
	return cli_write(&a->out);
}

static int end_silence(struct alerts_cmd *a)
{
	if (a->c->narg != 2)
		return cli_usage_error(a->c, "which? ids are those of: tare alerts silences");
	if (!a->c->dry_run && silence_remove(silence_folder(a), a->c->arg[1], &a->err) < 0)
		return cli_fail(&a->err);
	if (!a->c->quiet)
		str_addf(&a->out, "%s %s\n", a->c->arg[1],
			 a->c->dry_run ? "would be removed" : "is removed");
	return cli_write(&a->out);
}

static int show_silences(struct alerts_cmd *a)
{
	struct silences set;
	struct out_as as = cli_out_as(a->c);

	if (list_silences(a, a->c->now_ms, &set) < 0)
		return cli_fail(&a->err);
	alerts_print_silences(set.v, set.n, &as, &a->out);
	return cli_write(&a->out);
}

/* ---- the command ------------------------------------------------------------------------- */

static int dispatch_verb(struct alerts_cmd *a)
{
	static const struct {
		const char *word;
		int (*run)(struct alerts_cmd *);
	} verb[] = {
		{ "rules", show_rules },       { "test", test_receiver },
		{ "silence", add_silence },    { "unsilence", end_silence },
		{ "silences", show_silences },
	};
	const char *words[5], *near;

	if (!a->c->narg)
		return show_alerts(a);
	for (size_t i = 0; i < 5; i++) {
		words[i] = verb[i].word;
		if (!strcmp(a->c->arg[0], verb[i].word))
			return verb[i].run(a);
	}
	near = near_word(a->c->arg[0], words, 5);
	return cli_usage_error(a->c, "'%s' is nothing that tare alerts does%s%s%s", a->c->arg[0],
			       near ? "; did you mean '"
				    : ": it does rules, test, silence, unsilence, silences",
			       text_or(near, ""), text_if(near, "'?"));
}

static int run_alerts(struct cli *c)
{
	struct alerts_cmd a = { .c = c };
	int rc = alerts_conf_load(c->config, &a.conf, &a.err);

	if (rc >= 0)
		rc = cli_read_opts(c, &a, &a.err);
	rc = rc < 0 ? cli_fail(&a.err) : dispatch_verb(&a);
	alerts_conf_free(&a.conf);
	str_free(&a.out);
	return rc;
}

static void by_words(struct str *out)
{
	str_addz(out, "rule severity ");
	for (int i = 0; i < ALERT_FIELD_N; i++)
		str_addf(out, "%s ", alert_field_name[i]);
}

#define AT(m) .at = offsetof(struct alerts_cmd, m)
static const struct cli_opt opts[] = {
	{ "match", "MATCH",
	  "only alerts of these: FIELD=PATTERN or FIELD!=PATTERN, several separated by commas",
	  .type = OPT_TEXT, AT(match) },
	{ "by", "FIELD[,...]",
	  "add up over rule, severity, node, gpu, gpu_model, cluster, job, user, team, project, env or workload",
	  .words = by_words, .type = OPT_TEXT, AT(by) },
	{ "all", NULL,
	  "also those that follow from another alert on the same GPU, and silenced ones",
	  .type = OPT_FLAG, AT(all) },
	{ "limit", "N",
	  "of each rule the N most expensive lines, and a count of the others; 0: all",
	  .type = OPT_INT, AT(limit), .hi = INFINITY, .def = "5", .what = "number of lines" },
	{ "fail", NULL, "exit code 1 when an alert fires at the end of the window",
	  .type = OPT_FLAG, AT(fail) },
	{ "state", "DIR",
	  "what fires now on this machine, and its silences, by the agent that keeps its files there, instead of the store",
	  .values = "DIR", .type = OPT_FILE, AT(state) },
	{ "for", "SPAN", "silence: how long, 2h, 3d; at most a year", .type = OPT_SPAN, AT(for_ms),
	  .lo = 1, .hi = 366.0 * MS_DAY, .what = "duration up to a year, such as 2h or 3d" },
	{ "why", "TEXT", "silence: the reason, for others to read", .type = OPT_TEXT, AT(why) },
	{ 0 },
};

const struct cli_cmd cmd_alerts_def = {
	.name = "alerts",
	.group = "see",
	.summary =
		"what is wrong with which GPU: fires now, fired before, for how long, what it cost",
	.usage =
		"[--match MATCH] [--by FIELD,...] | rules | test RECEIVER | silence MATCH --for SPAN --why TEXT | unsilence ID | silences",
	.examples =
		"tare alerts\n# what fires now, by the agent of this machine\ntare alerts --state /var/lib/tare-agent\n# the last week, most expensive team and rule first\ntare alerts --since 7d --by team,rule\n"
		"# in a pipeline: exit code 1 when something critical fires\ntare alerts --match severity=critical --fail -q\n"
		"tare alerts rules\n# does the message arrive? first see it, then send it\ntare alerts test ops --dry-run\ntare alerts test ops\n"
		"tare alerts silence 'node=gpu-07' --for 2h --why 'fan is being replaced'\ntare alerts silences\n# the agent of this machine, which pages, is silenced in its own folder\ntare alerts silence 'rule=gpu_hot' --for 2h --why 'fan is being replaced' --state /var/lib/tare-agent",
	.about =
		"Rules run over the samples in the store, as the agent runs them live; without --since over the last 24 hours there are. One alert per cause:\n"
		"what follows from another alert on the same GPU is not told (--all shows it). 'for' is how long it fired, 'cost' what the GPU cost meanwhile\n"
		"by the ledger (effective); '-' is unknown.\n\n"
		"MATCH looks at rule, severity, node, gpu, mig, gpu_model, cluster, job, user, team, project, env and workload; patterns have * and ?.\n\n"
		"Silences are kept in the store's folder (--db) beside its data and need no lock; an agent reads, within 15 seconds, those of\n"
		"its own folder (--state DIR puts them there) and of the store that its settings name (agent: silences). Rules, receivers and routes are set in the configuration under alerts: (docs/CONFIG.md). Exit code 3: no readings, or with --state\n"
		"no agent that runs and wrote in the last three minutes: what fires now is not known.",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT | CLI_WINDOW | CLI_ACT,
	.opt = opts,
	.docs = CLI_DOCS(&alerts_doc, &alerts_rules_doc, &alerts_silences_doc),
	.run = run_alerts,
};
