/* Help and version: what is printed from the tables of commands and options. */
#include "base/str.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "report/text.h"

static void add_opt(struct str *out, const struct cli_opt *o)
{
	struct str left = { 0 }, help = { 0 };

	cli_opt_help(o, &help);
	const char *p = str_z(&help);

	if (o->letter)
		str_addf(&left, "-%c, --%s", o->letter, o->name);
	else
		str_addf(&left, "    --%s", o->name);
	if (o->arg)
		str_addf(&left, " %s", o->arg);
	str_addf(out, "  %-28s", str_z(&left));
	if (left.n > 28)
		str_addf(out, "\n%30s", "");
	while (*p) { /* fold at 80 columns */
		size_t n = strlen(p);
		if (n > 49) {
			n = 49;
			while (n > 20 && p[n] != ' ')
				n--;
		}
		str_addf(out, " %.*s\n", (int)n, p);
		p += n + (p[n] == ' ');
		if (*p)
			str_addf(out, "%30s", "");
	}
	str_free(&left);
	str_free(&help);
}

const char *cli_below(const struct cli_cmd *cmd, const struct cli_cmd *of)
{
	size_t n = strlen(cmd->name);

	if (!strncmp(of->name, cmd->name, n) && of->name[n] == ' ')
		return of->name + n + 1;
	return NULL;
}

bool cli_has_below(const struct cli_cmd *cmd)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (cli_below(cmd, cli_commands[i]))
			return true;
	return false;
}

#define WIDTH       80
#define OVERVIEW_IN 22 /* where summaries stand in the overview */

static void add_folded(struct sv line, size_t hang, struct str *out)
{
	text_fold(out, line, hang, WIDTH);
}

static void add_below(const struct cli_cmd *cmd, struct str *out)
{
	struct str row = { 0 };

	if (!cli_has_below(cmd))
		return;
	str_addf(out, "%sCommands (tare help %s COMMAND):\n", text_if(out->n, "\n"), cmd->name);
	for (size_t i = 0; cli_commands[i]; i++)
		if (cli_below(cmd, cli_commands[i])) {
			str_clear(&row);
			str_addf(&row, "  tare %-16s %s", cli_commands[i]->name,
				 cli_commands[i]->summary);
			add_folded(str_sv(&row), 24, out);
		}
	str_free(&row);
}

/* Where a line is too long, what follows it belongs to the same running text, up to a blank or
 * indented line. */
static void add_about(const char *about, struct str *out)
{
	struct sv rest = sv_of(about);
	struct str text = { 0 };

	str_addc(out, '\n');
	while (rest.p) {
		struct sv line = sv_cut(rest, '\n', &rest);
		str_clear(&text);
		str_addsv(&text, line);
		while (line.n > WIDTH && rest.n && !strchr(" \n", rest.p[0])) {
			struct sv next = sv_cut(rest, '\n', &rest);
			str_addc(&text, ' ');
			str_addsv(&text, next);
		}
		if (text.n)
			add_folded(str_sv(&text), 0, out);
		else if (rest.p)
			str_addc(out, '\n');
	}
	str_free(&text);
}

void cli_help(const struct cli_cmd *cmd, struct str *out)
{
	struct str line = { 0 };

	str_addf(&line, "tare %s: %s", cmd->name, cmd->summary);
	add_folded(str_sv(&line), 0, out);
	str_clear(&line);
	str_addf(&line, "Usage: tare %s %s", cmd->name, cmd->usage);
	str_addc(out, '\n');
	add_folded(str_sv(&line), 7, out);
	str_free(&line);
	if (cmd->examples) {
		str_addz(out, "\nExamples:\n");
		for (const char *p = cmd->examples; *p;) {
			const char *end = strchrnul(p, '\n');
			str_addf(out, "  %.*s\n", (int)(end - p), p);
			p = *end ? end + 1 : end;
		}
	}
	add_below(cmd, out);
	if (cmd->opt && cmd->opt->name)
		str_addz(out, "\nOptions:\n");
	for (const struct cli_opt *o = cmd->opt; o && o->name; o++)
		add_opt(out, o);
	str_addz(out, "\nEverywhere:\n");
	for (const struct cli_opt *o = cli_common_opts; o->name; o++)
		if (!cli_common_bit(o) || (cmd->common & cli_common_bit(o)))
			add_opt(out, o);
	str_addz(
		out,
		"\nEach option has a variable: --dry-run is TARE_DRY_RUN=1, --db D is TARE_DB=D.\n");
	if (cmd->about)
		add_about(cmd->about, out);
	if (cmd->more) {
		struct str table = { 0 }; /* of two words and what they mean */

		cmd->more(&table);
		for (struct sv rest = str_sv(&table); rest.n;) {
			struct sv row = sv_cut(rest, '\n', &rest);
			if (row.n)
				add_folded(row, 26, out);
			else
				str_addc(out, '\n');
		}
		str_free(&table);
	}
}

static int run_help(struct cli *c)
{
	struct str out = { 0 };
	int rc;

	if (c->narg) {
		const char *name = c->narg > 1
					   ? arena_printf(&c->mem, "%s %s", c->arg[0], c->arg[1])
					   : c->arg[0];
		const struct cli_cmd *cmd = cli_find(name), only = { .name = name };
		if (!cmd && !cli_has_below(&only))
			return cli_usage_error(c, "'%s' is not a command", name);
		if (cmd)
			cli_help(cmd, &out);
		else
			add_below(&only, &out);
	} else {
		static const char *const groups[] = { "see", "bring", "act", "govern" };
		struct str row = { 0 };

		str_addf(
			&out,
			"tare %s   gross less tare is net: what every GPU-second costs, and whose it is\n\n",
			TARE_VERSION);
		for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
			for (size_t i = 0; cli_commands[i]; i++) {
				if (strcmp(cli_commands[i]->group, groups[g]) != 0)
					continue;
				str_clear(&row);
				str_addf(&row, "  %-8s %-10s %s", groups[g], cli_commands[i]->name,
					 cli_commands[i]->summary);
				add_folded(str_sv(&row), OVERVIEW_IN, &out);
			}
		str_addz(
			&out,
			"\nNew here:  tare demo         then  tare plan            Help:  tare help COMMAND\n");
		str_free(&row);
	}
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

static int run_version(struct cli *c)
{
	struct str out = { 0 };
	int rc;

	(void)c;
	str_addf(&out, "tare %s\n", TARE_VERSION);
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

const struct cli_cmd cmd_help_def = {
	.name = "help",
	.group = "",
	.summary = "help on tare or on one command",
	.usage = "[COMMAND]",
	.examples = "tare help\ntare help import",
	.run = run_help,
};
const struct cli_cmd cmd_version_def = {
	.name = "version",
	.group = "",
	.summary = "print the version",
	.usage = "",
	.run = run_version,
};
