/* tare demo: write the files of an invented fleet, import them as anybody's, report. */
#include "base/str.h"
#include "cli/cmds.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/sh.h"
#include "cli/demo_store.h"
#include "demo/make.h"

static void show_progress(void *ctx, const char *label, int64_t rows, int64_t done_bytes,
			  int64_t size_bytes)
{
	cli_progress(ctx, label, rows, done_bytes, size_bytes);
}

/* The same command line that the user would type. */
static int show_report(struct cli *c, const char *db, const char *config)
{
	const char *format = cli_value(c, "output");
	char *argv[] = { (char *)"tare",
			 (char *)"report",
			 (char *)"--by",
			 (char *)"team",
			 (char *)"--db",
			 (char *)db,
			 (char *)"--config",
			 (char *)config,
			 (char *)(format ? "--output" : NULL),
			 (char *)format,
			 NULL };

	return cli_main(format ? 10 : 8, argv);
}

static void next_steps(struct cli *c, const char *dir, const char *db)
{
	const char *config = sh_show(&c->mem, arena_printf(&c->mem, "%s/config.yaml", dir));

	if (c->quiet || c->output != OUT_TABLE)
		return;
	if (!strcmp(dir, demo_store_dir(c))) {
		/* At the usual place it is found by itself where there is no store, and else by
		 * --demo. */
		const char *mine = arena_printf(&c->mem, "%s/control.db", cli_db(c));
		const char *own = text_if(access(mine, F_OK) == 0 || !c->db_unnamed, " --demo");

		printf("\nNext:  tare plan%s\n"
		       "       tare report%s --by workload\n"
		       "       tare report%s --by team,state\n"
		       "In scripts and pipes add --demo. The files that were imported are in %s:\n"
		       "yours may look the same.\n",
		       own, own, own, dir);
		return;
	}
	db = sh_show(&c->mem, db);
	printf("\nNext:  tare plan --db %s --config %s\n"
	       "       tare report --db %s --by workload\n"
	       "       tare report --db %s --by team,state\n"
	       "The files that were imported are in %s: yours may look the same.\n",
	       db, config, db, db, dir);
}

struct asked {
	const char *dir;
	int fleet; /* enum demo_kind */
	int64_t seed;
};

/* What the options say. */
static int read_options(struct cli *c, struct demo_make *m, struct err *err)
{
	struct asked x;
	int r = cli_read_opts(c, &x, err);

	if (r < 0)
		return r;
	m->kind = (enum demo_kind)x.fleet;
	m->dir = x.dir && *x.dir ? x.dir : demo_store_dir(c);
	m->db = arena_printf(&c->mem, "%s/db", m->dir);
	m->seed = (uint64_t)x.seed;
	return 0;
}

static int run_demo(struct cli *c)
{
	struct demo_make m = { .now_ms = c->now_ms,
			       .wait_ms = c->wait_ms,
			       .progress = show_progress,
			       .said = cli_said,
			       .ctx = c };
	struct demo_made made;
	struct err err = { 0 };
	int rc;

	if (c->narg)
		return cli_usage_error(c, "'%s': tare demo takes no arguments", c->arg[0]);
	if (read_options(c, &m, &err) < 0 || demo_make(&m, &made, &err) < 0)
		return cli_fail(&err);
	if (!c->quiet)
		fprintf(stderr,
			"%s fleet, seed %llu: %lld MB in %s, %lld rows imported into %s\n\n",
			demo_kind_name(m.kind), (unsigned long long)m.seed,
			(long long)(made.bytes / 1000000), m.dir, (long long)made.rows, m.db);
	rc = show_report(c, m.db, arena_printf(&c->mem, "%s/config.yaml", m.dir));
	if (rc == EXIT_DONE)
		next_steps(c, m.dir, m.db);
	return rc;
}

#define AT(m) .at = offsetof(struct asked, m)
/* words of --fleet: in the order of enum demo_kind */
static const struct cli_opt opts[] = {
	{ "dir", "DIR",
	  "an empty folder, or one that it made, for the files; the store goes into DIR/db (default: $XDG_DATA_HOME/tare-demo)",
	  .values = "DIR", .type = OPT_FILE, AT(dir) },
	{ "seed", "N", "another fleet of the same kind", .type = OPT_INT, AT(seed), .hi = INFINITY,
	  .def = "1", .what = "whole number from 0" },
	{ "fleet", "KIND",
	  "wasteful: 200,000 dollars a month, much of it for nothing; tidy: how it could be",
	  .values = "wasteful|tidy", .type = OPT_CHOICE, AT(fleet), .def = "wasteful" },
	{ 0 },
};

const struct cli_cmd cmd_demo_def = {
	.name = "demo",
	.group = "bring",
	.summary = "an invented fleet of 200,000 dollars a month, to try things on",
	.usage = "[--dir DIR] [--seed N] [--fleet wasteful|tidy]",
	.examples =
		"tare demo\ntare plan --demo\ntare report --demo --by workload\ntare demo --dir /tmp/tidy --fleet tidy\ntare report --db /tmp/tidy/db",
	.about =
		"Writes a FOCUS bill, node list, job list, minute telemetry and request log of 730 hours, made from the seed without a network, and\n"
		"imports them as it would import yours. The same seed gives the same bytes.\n"
		"\n"
		"Commands that read a store take this one with --demo; on a terminal also by themselves, as long as there is no store of your own and\n"
		"none is named (--db, TARE_DB). The first line of what they print says so.",
	.common = CLI_STORE | CLI_OUTPUT,
	.opt = opts,
	.run = run_demo,
	.if_stopped = "the demo is half made: tare demo makes it again",
};
