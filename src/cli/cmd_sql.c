/* tare sql: one SELECT over the views of the store. */
#include <errno.h>
#include <stdio.h>

#include "answer/sql.h"
#include "base/input.h"
#include "cli/cmds.h"
#include "report/sql.h"

struct asked {
	int64_t limit;
	bool views;
};

static const struct cli_opt opts[] = {
	{ "limit", "N", "at most so many rows", .type = OPT_INT,
	  .at = offsetof(struct asked, limit), .lo = 1, .hi = 1000000, .def = "10000" },
	{ "views", NULL, "what can be read: views, their columns and units", .type = OPT_FLAG,
	  .at = offsetof(struct asked, views) },
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
	return n < 0 ? (int)n : 0;
}

static int print_views(struct cli *c)
{
	struct out_as as = cli_out_as(c);
	struct str out = { 0 };
	size_t n;
	const struct query_view *v = store_views(&n);

	sql_print_views(v, n, &as, &out);
	int rc = cli_write(&out);
	str_free(&out);
	return rc;
}

static void say_limit(const struct cli *c, const struct query_result *q)
{
	if (q->more && !c->quiet)
		fprintf(stderr,
			"tare: there are more rows than these %zu: --limit N shows more, or add up\n",
			q->nrow);
}

static int ask_store(struct cli *c, const char *sql, size_t most)
{
	struct out_as as = cli_out_as(c);
	struct store *store = NULL;
	struct query_result q;
	struct str out = { 0 };
	struct err err = { 0 };
	int rc = cli_open_store(c, STORE_READ, &store, &err);

	if (rc == 0) {
		struct ask ask = cli_ask(c, store, NULL);
		rc = answer_sql(&ask, sql, most, &q, &err);
	}
	rc = rc < 0 ? rc : sql_print(&q, &as, &out, &err);
	if (rc < 0) {
		rc = cli_fail(&err);
	} else {
		rc = cli_write(&out);
		say_limit(c, &q);
	}
	str_free(&out);
	if (store)
		store_close(store);
	return rc;
}

static int run(struct cli *c)
{
	struct asked x;
	struct err err = { 0 };
	const char *sql;

	if (cli_read_opts(c, &x, &err) < 0)
		return cli_fail(&err);
	if (x.views)
		return print_views(c);
	if (c->narg != 1)
		return cli_usage_error(
			c,
			"sql takes one statement in quotes, or - to read it: tare sql 'SELECT ...'");
	if (read_statement(c, &sql, &err) < 0)
		return cli_fail(&err);
	return ask_store(c, sql, (size_t)x.limit);
}

const struct cli_cmd cmd_sql_def = {
	.name = "sql",
	.group = "see",
	.summary = "one SELECT over the store's views",
	.usage = "[--limit N] [--views] 'SELECT ...'",
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
	.run = run,
};
