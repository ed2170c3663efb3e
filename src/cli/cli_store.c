/* The one place where the framework opens the store: apart, so that tare-agent does not link it. */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "ledger/rules.h"

/* Whoever only reads an older ledger sees it as it was made. */
static void warn_older(struct cli *c, struct store *s)
{
	struct err ignored;
	int rules = 0;

	if (store_rules(s, &rules, &ignored) < 0 || !rules || rules >= LEDGER_RULES)
		return;
	fprintf(stderr,
		"tare: the ledger in '%s' was made by older rules (%d, now %d): the next import posts it "
		"anew and says what changed\n",
		cli_db(c), rules, LEDGER_RULES);
}

/* What people decided stands in a file of its own, without which all proposals are new again. */
static void warn_undecided(struct cli *c, struct store *s)
{
	const char *path = arena_printf(&c->mem, "%s/control.db", cli_db(c));
	struct err ignored;
	int rules = 0;

	if (access(path, F_OK) == 0 || store_rules(s, &rules, &ignored) < 0 || !rules)
		return;
	fprintf(stderr,
		"tare: '%s' is missing: what was decided about plans, and which alerts are silenced, "
		"is not known any more\n",
		path);
}

int cli_open_store(struct cli *c, enum store_mode mode, struct store **ret, struct err *err)
{
	char *command = arena_printf(&c->mem, "tare %s", c->cmd->name);
	int rc = store_open(cli_db(c), mode, c->wait_ms, command, ret, err);

	if (!rc && mode == STORE_READ) {
		warn_older(c, *ret);
		warn_undecided(c, *ret);
	}
	return rc;
}

void cli_said(void *ctx, const char *line)
{
	const struct cli *c = ctx;

	cli_progress(c, NULL, 0, 0, 0);
	fprintf(stderr, "tare: %s\n", line);
}

struct ask cli_ask(struct cli *c, struct store *store, const struct catalog *catalog)
{
	return (struct ask){
		.store = store,
		.catalog = catalog,
		.conf = &c->conf,
		.mem = &c->mem,
		.since_ms = c->since_ms,
		.until_ms = c->until_ms,
		.now_ms = c->now_ms,
	};
}
