/* Options that mean the same everywhere; the tables of commands are commands.def and
 * commands_agent.c. */
#include <assert.h>
#include "base/str.h"
#include "cli/cli.h"

const struct cli_opt cli_common_opts[] = {
	{ "db", "DIR", "where facts and control state live (default: $XDG_DATA_HOME/tare)", 0,
	  false, "DIR" },
	{ "config", "FILE", "YAML settings (default: $XDG_CONFIG_HOME/tare/config.yaml if there)",
	  0, false, "FILE" },
	{ "demo", NULL,
	  "the invented fleet of `tare demo` (on a terminal also where no other store is there)", 0,
	  false, NULL },
	{ "wait", "SPAN", "wait this long for another command to let go of the store", 0, false,
	  NULL },
	{ "output", "FORMAT", "table, json, csv or md", 'o', false,
	  "table|json|csv|md|html|focus|xlsx" },
	{ "raw", NULL, "CSV for programs: texts as they are, not made safe for spreadsheets", 0,
	  false, NULL },
	{ "since", "T",
	  "from: RFC 3339, a date, a duration back from now (7d, 12h), or a period: today, yesterday, lastweek, "
	  "month, lastmonth, lastquarter, year, 2026-10, 2026-W40, 2026-Q3",
	  0, false, NULL },
	{ "until", "T", "to, not included", 0, false, NULL },
	{ "dry-run", NULL, "say what would be done and do nothing", 0, false, NULL },
	{ "yes", NULL, "do not ask", 'y', false, NULL },
	{ "quiet", NULL, "only results and errors", 'q', false, NULL },
	{ "no-color", NULL, "no colour (NO_COLOR is honoured too)", 0, false, NULL },
	{ "help", NULL, "this text", 'h', false, NULL },
	{ 0 },
};

unsigned cli_common_bit(const struct cli_opt *o)
{
	static const struct {
		const char *name;
		unsigned bit;
	} bit[] = {
		{ "db", CLI_STORE },     { "config", CLI_STORE | CLI_CONFIG },
		{ "wait", CLI_STORE },   { "output", CLI_OUTPUT },
		{ "raw", CLI_OUTPUT },   { "since", CLI_WINDOW },
		{ "until", CLI_WINDOW }, { "dry-run", CLI_ACT },
		{ "yes", CLI_ACT },      { "demo", CLI_DEMO },
	};
	for (size_t i = 0; i < sizeof bit / sizeof *bit; i++)
		if (!strcmp(bit[i].name, o->name))
			return bit[i].bit;
	return 0;
}

const struct cli_cmd *cli_find(const char *name)
{
	for (size_t i = 0; cli_commands[i]; i++)
		if (!strcmp(cli_commands[i]->name, name))
			return cli_commands[i];
	return NULL;
}

/* The row of a section that names the option. */
static const struct setting *setting_of(const struct setting *rows, const char *option)
{
	for (const struct setting *s = rows; s->name; s++) {
		const struct setting *in = NULL;
		if (s->type == SETTING_SECTION)
			in = setting_of(s->rows, option);
		if (in)
			return in;
		if (s->option && !strcmp(s->option, option))
			return s;
	}
	return NULL;
}

void cli_opt_help(const struct cli_opt *o, struct str *out)
{
	const struct setting *s = o->section && !o->help ? setting_of(o->section->rows, o->name)
							 : NULL;
	struct str range = { 0 };

	assert(s || o->help); /* without a text of its own a setting of its section has it */
	if (!s) {
		str_addz(out, o->help);
		if (o->def && !strstr(o->help, "default"))
			str_addf(out, " (default: %s)", o->def);
		return;
	}
	const char *def = text_or(s->def, s->none);
	setting_range(s, &range);
	str_addz(out, s->help);
	if (range.n && s->type != SETTING_MONEY)
		str_addf(out, ": %s", str_z(&range));
	if (def && o->arg)
		str_addf(out, " (default: %s)", def);
	str_free(&range);
}

bool cli_opt_is_path(const struct cli_opt *o)
{
	return o->values && (!strcmp(o->values, "FILE") || !strcmp(o->values, "DIR"));
}

bool cli_opt_is_list(const struct cli_opt *o)
{
	return o->arg && strstr(o->arg, "[,");
}

void cli_opt_words(const struct cli_opt *o, struct str *out)
{
	struct sv rest = SV_NULL;

	if (!cli_opt_is_path(o))
		rest = sv_of(o->values);
	while (rest.p) {
		str_addsv(out, sv_cut(rest, '|', &rest));
		str_addc(out, ' ');
	}
	if (o->words)
		o->words(out);
}
