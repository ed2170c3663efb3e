/* tare schema: what the JSON of a command looks like. */
#include "agent/docs.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/schemas.h"

/* Report's documents, then the agent's. Several of one command each have a line. */
static void list_schemas(const struct col_doc *const *docs, struct str *out)
{
	for (const struct col_doc *const *d = docs; *d; d++)
		str_addf(out, "%-25s tare %-20s %s\n", (*d)->schema, (*d)->command, (*d)->help);
}

static int run(struct cli *c)
{
	struct str name = { 0 }, out = { 0 };
	int rc;

	for (int i = 0; i < c->narg; i++)
		str_addf(&name, "%s%s", i ? " " : "", c->arg[i]);
	const struct col_doc *d = schema_find(schema_docs, str_z(&name));
	if (!d)
		d = schema_find(agent_docs, str_z(&name));
	if (c->narg && !d) {
		rc = cli_usage_error(c, "no schema is known for '%s': `tare schema` lists them",
				     str_z(&name));
	} else {
		if (d)
			cols_doc_schema(d, &out);
		if (!d) {
			list_schemas(schema_docs, &out);
			list_schemas(agent_docs, &out);
		}
		rc = cli_write(&out);
	}
	str_free(&name);
	str_free(&out);
	return rc;
}

const struct cli_cmd cmd_schema_def = {
	.name = "schema",
	.group = "",
	.summary = "the JSON Schema of what a command prints with -o json",
	.usage = "[COMMAND | SCHEMA]",
	.examples = "tare schema\n"
		    "tare schema reconcile > reconcile.schema.json\n"
		    "tare schema tare.price-update/1",
	.about =
		"Without a name: the schemas there are. With one, a command or the schema of its\n"
		"output: JSON Schema, draft 2020-12, from the same table as the output itself; of each\n"
		"key its type, its unit (x-unit) and what it means. Keys may be added within a version,\n"
		"none goes.",
	.run = run,
};
