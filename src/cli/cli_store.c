/* The one place where the framework opens the store: apart, so that tare-agent does not link it. */
#include "cli/cli.h"

int cli_open_store(struct cli *c, enum store_mode mode, struct store **ret, struct err *err)
{
	char *command = arena_printf(&c->mem, "tare %s", c->cmd->name);

	return store_open(cli_db(c), mode, c->wait_ms, command, ret, err);
}
