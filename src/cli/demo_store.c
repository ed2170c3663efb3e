/* See demo_store.h. */
#include "cli/demo_store.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/profile_explain.h"
#include "report/col.h"

const char *demo_store_dir(struct cli *c)
{
	return cli_data_dir(c, "tare-demo");
}

static bool is_store(struct cli *c, const char *dir)
{
	return access(arena_printf(&c->mem, "%s/control.db", dir), F_OK) == 0;
}

static const char *demo_db(struct cli *c)
{
	return arena_printf(&c->mem, "%s/db", demo_store_dir(c));
}

bool demo_store_needs_word(struct cli *c)
{
	return is_store(c, cli_data_dir(c, "tare"));
}

int demo_store_choose(struct cli *c)
{
	bool by_variable = cli_variable(c, "demo") != NULL,
	     db_given = c->db && !cli_variable(c, "db");
	bool asked = cli_flag(c, "demo") && !(by_variable && c->db); /* what is said nearer wins */

	if (profile_explain_wants(c))
		return 0; /* runs that tare profile kept are nobody's invention */
	if (asked && db_given)
		return cli_usage_error(c, "--demo and --db name two stores: give one of them");
	if (asked && !is_store(c, demo_db(c))) {
		struct err err = { 0 };
		err_set(&err, -ENOENT, "there is no demo in '%s' yet", demo_store_dir(c));
		err_hint(&err, "make it, in half a minute: tare demo");
		return cli_fail(&err);
	}
	bool lost = !c->db && isatty(1) && !is_store(c, cli_data_dir(c, "tare"));
	if (asked || (lost && is_store(c, demo_db(c)))) {
		const char *config = arena_printf(&c->mem, "%s/config.yaml", demo_store_dir(c));

		c->demo = true;
		c->db = demo_db(c);
		if (!c->config && access(config, R_OK) == 0)
			c->config = config;
		cols_doc_demo(true);
	}
	return 0;
}

void demo_store_say(const struct cli *c)
{
	if (c->demo && (c->output == OUT_TABLE || c->output == OUT_MD))
		printf("The demo: an invented fleet. Your own: tare import FILE...\n\n");
}

void demo_store_hint(struct cli *c, struct err *err)
{
	if (c->db_unnamed && is_store(c, demo_db(c)))
		err_hint(err,
			 "bring something in with `tare import FILE`, or ask the demo: --demo");
}
