/* tare reconcile: where bill, nodes and catalogue disagree. */
#include "answer/reconcile.h"
#include "answer/stored_prices.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/cost/reconcile.h"

static int run_reconcile(struct cli *c)
{
	struct store *store = NULL;
	struct catalog *catalog = NULL;
	struct reconcile r;
	struct str out = { 0 };
	struct err err = { 0 };
	int rc = cli_open_store(c, STORE_READ, &store, &err);

	if (!rc)
		rc = catalog_open(NULL, &catalog, &err);
	if (!rc)
		rc = stored_prices_add(store, catalog, &c->mem, &err);
	if (rc == 0) {
		struct ask ask = cli_ask(c, store, catalog);
		rc = answer_reconcile(&ask, &r, &err);
	}
	if (rc < 0) {
		rc = cli_fail(&err);
	} else {
		reconcile_print(&r, c->output, &out);
		rc = cli_write(&out);
	}
	str_free(&out);
	catalog_free(catalog);
	if (store)
		store_close(store);
	return rc;
}

const struct cli_cmd cmd_reconcile_def = {
	.name = "reconcile",
	.group = "see",
	.summary = "where bill, nodes and catalogue disagree",
	.usage = "[--since T] [--until T]",
	.examples = "tare reconcile --since lastmonth\ntare reconcile -o csv > differences.csv",
	.about =
		"Lists the bill's GPU resources that no node record matches, the nodes that no bill line names, and per resource and\n"
		"day what was billed beside what the catalogue says it costs.",
	.common = CLI_STORE | CLI_DEMO | CLI_OUTPUT | CLI_WINDOW,
	.docs = CLI_DOCS(&reconcile_doc),
	.run = run_reconcile,
};
