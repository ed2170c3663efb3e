/* tare top: the GPUs of this machine now, with an owner, a price and a state; see top/top.h. */
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <unistd.h>
#include "top/docs.h"
#include "top/top.h"
#include "base/tm.h"
#include "cli/agent_open.h"
#include "cli/cli.h"
#include "cli/cmds.h"

static int print_once(struct cli *c, const struct top_opt *opt, struct err *err)
{
	struct out_as as = cli_out_as(c);
	struct str out = { 0 };
	int r;

	if (!isatty(1) && !getenv("COLUMNS"))
		as.width = 120;
	r = top_print_once(opt, &as, &out, err) < 0 ? cli_fail(err) : cli_write(&out);
	str_free(&out);
	return r;
}

static int show_top(const struct top_opt *opt, struct err *err)
{
	int r = top_run(opt, err);
	if (r < 0)
		return cli_fail(err);
	if (r == 0 || r == SIGINT)
		return EXIT_DONE;
	raise(r); /* the terminal is as it was: whoever waits sees the signal */
	return 128 + r;
}

struct asked {
	bool once, pcie;
};

static int run_top(struct cli *c)
{
	struct top_opt opt = { .now_ms = tm_now_ms,
			       .colour = c->colour,
			       .watch = { .conf = &c->conf } };
	struct agent_conf agent;
	struct catalog *cat = NULL;
	struct err err = { 0 }, none = { 0 };
	struct asked x;
	if (c->narg)
		return cli_usage_error(c, "top takes no arguments, and was given '%s'", c->arg[0]);
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "top prints a table or json");
	if (cli_read_opts(c, &x, &err) < 0 || agent_settings(c, &agent, &err) < 0)
		return cli_fail(&err);
	opt.interval_ms = agent.interval_ms;
	opt.watch.rate = agent.rate;
	/* Texts of the page are cut by what the terminal's characters are wide: that is the
	 * locale's to say. */
	setlocale(LC_CTYPE, "");
	opt.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	/* without it there is no price, and the page says so */
	if (catalog_open(NULL, &cat, &none) >= 0)
		opt.watch.catalog = cat;
	opt.watch.gpu = (struct gpu_feed_opt){ .want_procs = true,
					       .want_gpm = true,
					       .want_pcie = agent.pcie || x.pcie,
					       .scrape = agent.scrape };
	opt.watch.serving = agent.serving;
	opt.state_dir = agent_state_dir(&agent, &c->mem);
	bool on_screen = isatty(0) && isatty(1);
	bool once = x.once || cli_value(c, "output") || !on_screen;
	int r = once ? print_once(c, &opt, &err) : show_top(&opt, &err);
	catalog_free(cat);
	agent_conf_free(&agent);
	return r;
}

static const struct cli_opt OPTS[] = {
	{ "interval", "SPAN", "time between polls, 100ms to 1h (default 1s); + and - change it",
	  .letter = 'i', .section = &agent_section },
	{ "once", NULL, "print once and leave: two polls a second apart, so that there are rates",
	  .type = OPT_FLAG, .at = offsetof(struct asked, once) },
	{ "usd-gpu-hour", "USD",
	  "price of a GPU-hour here, instead of the one found in settings and catalogue",
	  .section = &agent_section },
	AGENT_STATE_OPT,
	{ "scrape", "URL",
	  "show this exporter's GPUs (dcgm-exporter, Triton, an agent) instead of the driver's",
	  .section = &agent_section },
	{ "serving", "URL", "metrics of an inference server here (vLLM, Triton), for the diagnosis",
	  .section = &agent_section },
	{ "pcie", NULL, "read PCIe throughput too (it takes some drivers 20 ms a GPU)",
	  .type = OPT_FLAG, .at = offsetof(struct asked, pcie) },
	{ 0 },
};

const struct cli_cmd cmd_top_def = {
	.name = "top",
	.group = "see",
	.summary = "the GPUs of this machine now: use, owner, $/h, what is wasted today and why",
	.usage = "[--interval SPAN] [--usd-gpu-hour USD] [--once] [-o json]",
	.examples =
		"tare top\n"
		"tare top --usd-gpu-hour 3.10 --interval 5s\n"
		"tare top --once\n"
		"tare top -o json | jq '.gpus[] | {index, gpu_util_pct, wasted_cost}'\n"
		"# a recording instead of this machine's GPUs, a minute a second: here what tare demo made\n"
		"TARE_GPU_REPLAY_SPEED=60 TARE_GPU_REPLAY=~/.local/share/tare-demo/samples-training.csv.zst tare top",
	.about =
		"A page of the GPUs of this machine, each with its owner, price and state (docs/LEDGER.md has the words), and the processes on them. "
		"Enter explains why the selected GPU wastes: evidence, cause, since when, what it costs a day, what to do. s sorts, / filters, Tab goes "
		"to the processes, f shows the GPU on the whole page, P goes to its processes, p pauses, ? shows all keys, q leaves.\n"
		"\n"
		"What is wasted is counted since tare top was started, or since 00:00 UTC where tare agent keeps a book on this machine; the second line "
		"says which. Without a terminal, with --once or with -o it prints once. Where there is no GPU it says why; tare doctor says more.",
	.common = CLI_STORE | CLI_OUTPUT,
	.opt = OPTS,
	.docs = CLI_DOCS(&top_doc),
	.run = run_top,
};
