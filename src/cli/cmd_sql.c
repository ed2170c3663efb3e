/* tare sql: one SELECT over the views of the store. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "answer/sql.h"
#include "base/input.h"
#include "base/str.h"
#include "cli/cmds.h"
#include "report/sql.h"

struct sql_opts {
	int64_t limit, timeout_ms;
	bool views;
};

static const struct cli_opt opts[] = {
	{ "limit", "N", "at most so many rows", .type = OPT_INT,
	  .at = offsetof(struct sql_opts, limit), .lo = 1, .hi = 1000000, .def = "10000" },
	{ "timeout", "SPAN", "a statement that takes longer is ended", .type = OPT_SPAN,
	  .at = offsetof(struct sql_opts, timeout_ms), .lo = 1000, .hi = 86400000.0 * 30,
	  .def = "10m", .what = "duration of a second or more, such as 10m" },
	{ "views", NULL, "what can be read: views, their columns and units", .type = OPT_FLAG,
	  .at = offsetof(struct sql_opts, views) },
	{ 0 },
};

/* The statement: an argument, or "-" for what stdin has. */
static int read_statement(struct cli *c, const char **ret, struct err *err)
{
	struct input *in;
	struct str text = { 0 };
	char buf[4096];
	int64_t n;

	*ret = c->arg[0];
	if (strcmp(c->arg[0], "-") != 0)
		return 0;
	int r = input_open("-", &in, err);
	if (r < 0)
		return r;
	while ((n = input_read(in, buf, sizeof buf, err)) > 0 && text.n <= QUERY_SQL_MAX)
		str_add(&text, buf, (size_t)n);
	input_close(in);
	if (n >= 0)
		*ret = arena_strn(&c->mem, str_z(&text), text.n);
	str_free(&text);
	if (n < 0)
		return (int)n;
	return 0;
}

/* ---- what the engine does not bound --------------------------------------------------------- */

/* One function call (repeat, lpad, list_transform) looks at no limit of memory and at no
 * interruption: the system's limit makes it an error, and an alarm ends it. */
#define MEMORY_FACTOR 2  /* times TARE_MEMORY, above what the program has already */
#define GRACE_S       10 /* after --timeout, which the engine itself keeps in most cases */

static void end_at_alarm(int sig)
{
	static const char text[] =
		"\ntare: the statement took longer than --timeout and could not be interrupted inside of one function: ended\n";

	(void)sig;
	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	_exit(EXIT_ERROR);
}

/* Of TARE_MEMORY, as the store reads it; 0: it says no number of bytes. */
static double memory_bytes(void)
{
	static const struct {
		const char *unit;
		double bytes;
	} of[] = { { "B", 1 },        { "KB", 1e3 },     { "MB", 1e6 },
		   { "GB", 1e9 },     { "TB", 1e12 },    { "KIB", 1024 },
		   { "MIB", 0x1p20 }, { "GIB", 0x1p30 }, { "TIB", 0x1p40 } };
	const char *text = filled_or(getenv("TARE_MEMORY"), "1200MB"); /* as store/duck/open.c */
	char *end;
	double n = strtod(text, &end);

	while (*end == ' ')
		end++;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (!strcasecmp(of[i].unit, end))
			return n * of[i].bytes;
	return 0;
}

static void bound_memory(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;
	double bytes = memory_bytes();
	struct rlimit now;

	if (f && fscanf(f, "%ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	if (!pages || !(bytes > 0) || getrlimit(RLIMIT_AS, &now) < 0)
		return;
	double most = (double)pages * (double)sysconf(_SC_PAGESIZE) + MEMORY_FACTOR * bytes;
	if (most < (double)now.rlim_cur) /* RLIM_INFINITY is the largest there is */
		now.rlim_cur = (rlim_t)most;
	(void)!setrlimit(RLIMIT_AS, &now); /* where it fails the engine's own limit stays */
}

static int ask_store(struct cli *c, const char *sql, const struct sql_opts *x)
{
	const struct query_ask what = { sql, (size_t)x->limit, x->timeout_ms };
	struct out_as as = cli_out_as(c);
	struct store *store = NULL;
	struct query_result q;
	struct str out = { 0 };
	struct err err = { 0 };
	int rc = cli_open_store(c, STORE_READ, &store, &err);

	if (rc >= 0) {
		struct ask ask = cli_ask(c, store, NULL);
		signal(SIGALRM, end_at_alarm);
		alarm((unsigned)(x->timeout_ms / 1000) + GRACE_S);
		bound_memory();
		rc = answer_sql(&ask, &what, &q, &err);
		alarm(0);
	}
	if (rc >= 0)
		rc = sql_print(&q, &as, &out, &err);
	if (rc < 0) {
		rc = cli_fail(&err);
	} else {
		rc = cli_write(&out);
		if (q.more && !c->quiet)
			fprintf(stderr,
				"tare: there are more rows than these %zu: --limit N shows more, or add up\n",
				q.nrow);
	}
	str_free(&out);
	if (store)
		store_close(store);
	return rc;
}

static int run_sql(struct cli *c)
{
	struct sql_opts x;
	struct err err = { 0 };
	const char *sql;

	if (cli_read_opts(c, &x, &err) < 0)
		return cli_fail(&err);
	if (x.views) {
		struct out_as as = cli_out_as(c);
		struct str out = { 0 };
		size_t n;
		const struct query_view *v = store_views(&n);

		sql_print_views(v, n, &as, &out);
		int rc = cli_write(&out);
		str_free(&out);
		return rc;
	}
	if (c->narg != 1)
		return cli_usage_error(
			c,
			"sql takes one statement in quotes, or - to read it: tare sql 'SELECT ...'");
	if (read_statement(c, &sql, &err) < 0)
		return cli_fail(&err);
	return ask_store(c, sql, &x);
}

const struct cli_cmd cmd_sql_def = {
	.name = "sql",
	.group = "see",
	.summary = "one SELECT over the store's views",
	.usage = "[--limit N] [--timeout SPAN] [--views] 'SELECT ...'",
	.examples =
		"tare sql --views\n"
		"tare sql 'SELECT team, currency, sum(effective_cost) AS cost FROM entries GROUP BY ALL ORDER BY cost DESC'\n"
		"tare sql 'SELECT day_utc, sum(gpu_seconds) / 3600 AS gpu_hours FROM entries GROUP BY 1 ORDER BY 1' -o csv\n"
		"tare sql \"SELECT job, end_utc - start_utc > INTERVAL 1 DAY AS long FROM jobs WHERE team = 'vision'\"\n"
		"tare sql - -o json < report.sql",
	.about =
		"Reads the views that --views lists (docs/SQL.md): their names, columns and units stay as they are. Nothing can be\n"
		"written, no file or address be read, and no extension be loaded. Decimals are exact; '-' is NULL, unknown.",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT,
	.opt = opts,
	.docs = CLI_DOCS(&sql_doc, &sql_views_doc),
	.run = run_sql,
};
