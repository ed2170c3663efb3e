/* See profile_explain.h. */
#include "cli/profile_explain.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "agent/profile_file.h"
#include "agent/profile_fit.h"

static bool is_run_id(const char *z)
{
	return !strcmp(z, "last") ||
	       (!strncmp(z, "p-", 2) && strlen(z) >= strlen("p-20261121-155123") &&
		strspn(z + 2, "0123456789-") == strlen(z + 2));
}

bool profile_explain_wants(struct cli *c)
{
	return cli_value(c, "profile") || (c->narg == 1 && is_run_id(c->arg[0]));
}

static const char *find(struct cli *c, struct err *err)
{
	const char *path = cli_value(c, "profile");
	if (!path && !(path = profile_file_path(cli_db(c), c->arg[0], &c->mem))) {
		err_set(err, -ENOENT, "there is no run '%s' in '%s/profiles'", c->arg[0],
			cli_db(c));
		err_hint(err,
			 "The newest is: tare explain last; runs are kept by: tare profile -- CMD");
	}
	return path;
}

static int print(struct cli *c, const struct catalog *cat, struct profile *p, struct str *out,
		 struct err *err)
{
	struct profile_after q = {
		.catalog = cat, .dir = cli_db(c), .max_slowdown = INFINITY, .now_ms = c->now_ms
	};
	struct profile_report r;
	struct profile_fit fit;
	struct profile_view v = { &c->mem, c->width, p,
				  &r,      &fit,     c->output == OUT_JSON ? p->id : NULL };

	profile_report_make(p, &c->conf, &r);
	int res = profile_fit_make(&q, p, &r, &fit, err);
	if (res >= 0)
		profile_print(&v, c->output, out);
	return res;
}

int profile_explain(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct profile p = { 0 };
	struct catalog *cat = NULL;
	const char *path;
	int r, code;

	if (cli_value(c, "profile") && c->narg)
		return cli_usage_error(c, "one at a time: --profile FILE or an id");
	path = find(c, &err);
	r = path ? catalog_open(NULL, &cat, &err) : -ENOENT;
	if (r >= 0 && (r = profile_file_read(path, &p, &err)) >= 0)
		r = print(c, cat, &p, &out, &err);
	code = r < 0 ? cli_fail(&err) : cli_write(&out);
	str_free(&out);
	profile_free(&p);
	catalog_free(cat);
	return code;
}
