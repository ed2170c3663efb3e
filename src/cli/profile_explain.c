/* See profile_explain.h. */
#include "cli/profile_explain.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "profile/profile_session.h"

static bool is_run_id(const char *z)
{
	if (!strcmp(z, "last"))
		return true;
	if (strncmp(z, "p-", 2) || strlen(z) < strlen("p-20261121-155123"))
		return false;
	return strspn(z + 2, "0123456789-") == strlen(z + 2);
}

bool profile_explain_wants(const struct cli *c)
{
	return !strcmp(c->cmd->name, "explain") && c->narg == 1 && is_run_id(c->arg[0]);
}

bool profile_explain_any(struct cli *c)
{
	struct err none = { 0 };

	return profile_kept(cli_db(c), "last", &c->mem, &none);
}

int profile_explain(struct cli *c, const char *path)
{
	struct profile_after q = { .conf = &c->conf,
				   .dir = cli_db(c),
				   .max_slowdown = INFINITY,
				   .now_ms = c->now_ms,
				   .mem = &c->mem };
	struct err err = { 0 };
	struct str out = { 0 };
	struct catalog *cat = NULL;
	int r, code;

	if (path && c->narg)
		return cli_usage_error(c, "one at a time: --profile FILE or an id");
	if (!path)
		path = profile_kept(q.dir, c->arg[0], q.mem, &err);
	r = path ? catalog_open(NULL, &cat, &err) : -ENOENT;
	q.catalog = cat;
	if (r >= 0)
		r = profile_kept_print(&q, path, c->output, c->width, &out, &err);
	code = cli_end(r, &err, &out);
	catalog_free(cat);
	return code;
}
