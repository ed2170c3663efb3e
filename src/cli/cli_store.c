/* The one place where the framework opens the store: apart, so that tare-agent does not link it. */
#include <errno.h>
#include <stdio.h>

#include "answer/store_state.h"
#include "cli/cli.h"
#include "cli/demo_store.h"

int cli_open_store(struct cli *c, enum store_mode mode, struct store **ret, struct err *err)
{
	char *command = arena_printf(&c->mem, "tare %s", c->cmd->name);
	int rc = store_open(cli_db(c), mode, c->wait_ms, command, ret, err);

	if (rc == -ENOENT && (c->cmd->common & CLI_DEMO))
		demo_store_hint(c, err);
	if (!rc && mode == STORE_READ) {
		struct store_state is;

		answer_store_state(*ret, &is);
		if (is.older)
			fprintf(stderr,
				"tare: the ledger in '%s' was made by older rules (%d, now %d): the next import posts it "
				"again and says what changed\n",
				cli_db(c), is.rules, is.rules_now);
		if (is.undecided)
			fprintf(stderr,
				"tare: '%s/control.db' is missing: what was decided about plans, and which alerts are "
				"silenced, is not known any more\n",
				cli_db(c));
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
