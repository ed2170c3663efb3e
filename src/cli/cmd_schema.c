/* tare schema: what the JSON of a command looks like. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/cmds.h"

static bool is_named(const struct col_doc *d, const char *name)
{
	/* "plan-own" of "tare.plan-own/1" */
	struct sv short_name = sv_from(sv_of(d->schema), sizeof "tare." - 1);

	short_name.n -= sizeof "/1" - 1;
	return !strcmp(d->command, name) || !strcmp(d->schema, name) || sv_is(short_name, name);
}

/* The first document of that name: of a command, of the document's key "schema", or what stands
 * between dot and slash of that. NULL: none; name NULL: all of them into list, a line each. */
static const struct col_doc *find_schema(const char *name, struct str *list)
{
	for (size_t i = 0; cli_commands[i]; i++) {
		const struct col_doc *const *d = cli_commands[i]->docs;
		for (; d && *d; d++) {
			if (name && is_named(*d, name))
				return *d;
			if (!name)
				str_addf(list, "%-25s tare %-20s %s\n", (*d)->schema, (*d)->command,
					 (*d)->help);
		}
	}
	return NULL;
}

static int run_schema(struct cli *c)
{
	struct str name = { 0 }, out = { 0 };
	const struct col_doc *d;
	int rc;

	for (int i = 0; i < c->narg; i++)
		str_addf(&name, "%s%s", text_if(i, " "), c->arg[i]);
	d = find_schema(c->narg ? str_z(&name) : NULL, &out);
	if (d)
		cols_doc_schema(d, &out);
	if (c->narg && !d)
		rc = cli_usage_error(c, "no schema is known for '%s': `tare schema` lists them",
				     str_z(&name));
	else
		rc = cli_write(&out);
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
	.run = run_schema,
};
