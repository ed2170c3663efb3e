/* tare completion: scripts for shells, from the tables of commands and options. */
#include <stdio.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/cmds.h"

static void each_opt(const struct cli_cmd *cmd,
		     void (*fn)(struct str *, const struct cli_cmd *, const struct cli_opt *),
		     struct str *out)
{
	for (const struct cli_opt *o = cmd->opt; o && o->name; o++)
		fn(out, cmd, o);
	for (const struct cli_opt *o = cli_common_opts; o->name; o++)
		if (!cli_common_bit(o) || (cmd->common & cli_common_bit(o)))
			fn(out, cmd, o);
}

static void bash_word(struct str *out, const struct cli_cmd *cmd, const struct cli_opt *o)
{
	(void)cmd;
	str_addf(out, "--%s ", o->name);
}

/* What completes its value: words, after the last comma of a list; files, folders. */
static void bash_value(struct str *out, const struct cli_cmd *cmd, const struct cli_opt *o)
{
	struct str list = { 0 };
	bool path = cli_opt_is_path(o);

	(void)cmd;
	cli_opt_words(o, &list);
	if (o->arg && (list.n || path))
		str_addf(out, "\t\t--%s) COMPREPLY=($(", o->name);
	if (o->arg && list.n && cli_opt_is_list(o))
		str_addf(out, "compgen -P \"${cur%%\"${cur##*,}\"}\" -W \"%s\" -- \"${cur##*,}\"",
			 str_z(&list));
	else if (o->arg && list.n)
		str_addf(out, "compgen -W \"%s\" -- \"$cur\"", str_z(&list));
	if (o->arg && path)
		str_addf(out, "%scompgen -%c -- \"$cur\"", text_if(list.n, "; "),
			 o->values[0] == 'F' ? 'f' : 'd');
	if (o->arg && (list.n || path))
		str_addz(out, ")); return;;\n");
	str_free(&list);
}

/* The word of a command below cmd (NULL: of tare itself), or NULL: it is none of those. */
static const char *word_of(const struct cli_cmd *cmd, const struct cli_cmd *of)
{
	if (cmd)
		return cli_below(cmd, of);
	return strchr(of->name, ' ') ? NULL : of->name;
}

/* Words of the commands: those that stand alone, or those below cmd, with a blank behind each. */
static void write_words(struct str *out, const struct cli_cmd *cmd)
{
	for (size_t i = 0; cli_commands[i]; i++) {
		const char *word = word_of(cmd, cli_commands[i]);
		if (word)
			str_addf(out, "%s ", word);
	}
}

/* Words of which a command takes one, as its usage has them ("slurm|kubernetes"), with a blank
 * behind each; where it takes none, nothing. */
static bool write_choices(struct str *out, const struct cli_cmd *cmd)
{
	size_t n = 0;

	if (cmd->usage)
		n = strcspn(cmd->usage, " ");
	if (cmd->words) {
		cmd->words(out);
		return true;
	}
	if (!n || cmd->usage[n] || !strchr(cmd->usage, '|'))
		return false;
	if (strspn(cmd->usage, "abcdefghijklmnopqrstuvwxyz-|") != n)
		return false;
	for (const char *p = cmd->usage; *p; p++)
		str_addc(out, *p == '|' ? ' ' : *p);
	return true;
}

/* tare run -- CMD: what stands behind the two strokes is another command's. */
static bool takes_command(const struct cli_cmd *cmd)
{
	return cmd->usage && strstr(cmd->usage, "-- CMD");
}

static void bash_command(struct str *out, const struct cli_cmd *cmd)
{
	struct str words_of = { 0 };

	str_addf(out, "\t'%s')\n", cmd->name);
	if (takes_command(cmd))
		str_addz(
			out,
			"\t\tfor ((i = 2; i < COMP_CWORD; i++)); do [[ ${COMP_WORDS[i]} == -- ]] && break; done\n"
			"\t\tif ((i < COMP_CWORD)); then COMPREPLY=($(((i == COMP_CWORD - 1)) && compgen -c -- \"$cur\"; compgen -f -- \"$cur\")); return; fi\n");
	str_addz(out, "\t\tcase $prev in\n");
	each_opt(cmd, bash_value, out);
	str_addz(out, "\t\tesac\n\t\tif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"");
	each_opt(cmd, bash_word, out);
	str_addz(out, "\" -- \"$cur\")); else COMPREPLY=($(compgen ");
	if (write_choices(&words_of, cmd))
		str_addf(out, "-W \"%s\"", str_z(&words_of));
	else
		str_addz(out, "-f");
	str_addz(out, " -- \"$cur\")");
	str_free(&words_of);
	if (cli_has_below(cmd)) {
		str_addz(out, " $( ((COMP_CWORD == 2)) && compgen -W \"");
		write_words(out, cmd);
		str_addz(out, "\" -- \"$cur\")");
	}
	str_addz(out, "); fi;;\n");
}

static void write_bash(struct str *out)
{
	str_addz(
		out,
		"# bash completion for tare: source <(tare completion bash)\n_tare()\n{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd=${COMP_WORDS[1]} i\n"
		"\tif ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W \"");
	write_words(out, NULL);
	str_addz(
		out,
		"\" -- \"$cur\")); return; fi\n\tif ((COMP_CWORD > 2)); then case \"$cmd ${COMP_WORDS[2]}\" in\n");
	for (size_t i = 0; cli_commands[i]; i++)
		if (strchr(cli_commands[i]->name, ' '))
			str_addf(out, "\t'%s') cmd='%s';;\n", cli_commands[i]->name,
				 cli_commands[i]->name);
	str_addz(out, "\tesac; fi\n\tcase $cmd in\n");
	for (size_t i = 0; cli_commands[i]; i++)
		bash_command(out, cli_commands[i]);
	str_addz(out, "\tesac\n}\ncomplete -o filenames -F _tare tare\n");
}

/* Single quotes inside a single-quoted shell word. */
static void write_quoted(struct str *out, const char *s)
{
	for (; *s; s++)
		if (*s == '\'')
			str_addz(out, "'\\''");
		else if (*s == '[' || *s == ']' || *s == ':')
			str_addf(out, "\\%c", *s);
		else
			str_addc(out, *s);
}

static void zsh_opt(struct str *out, const struct cli_cmd *cmd, const struct cli_opt *o)
{
	struct str help = { 0 };

	(void)cmd;
	str_addf(out, "\t\t\t'%s--%s%s[", text_if(o->many, "*"), o->name, text_if(o->arg, "="));
	cli_opt_help(o, &help);
	write_quoted(out, str_z(&help));
	str_free(&help);
	str_addz(out, "]");
	if (o->arg) {
		const char *files = cli_opt_is_path(o) && o->values[0] == 'D' ? "_files -/"
									      : "_files";
		struct str list = { 0 };

		cli_opt_words(o, &list);
		str_addf(out, ":%s:", o->name);
		if (list.n && cli_opt_is_path(o))
			str_addf(out, "{compadd -- %s; %s}", str_z(&list), files);
		else if (list.n && cli_opt_is_list(o))
			str_addf(out, "_values -s , %s %s", o->name, str_z(&list));
		else if (list.n)
			str_addf(out, "(%s)", str_z(&list));
		else if (cli_opt_is_path(o))
			str_addz(out, files);
		str_free(&list);
	}
	str_addz(out, "' \\\n");
}

/* 'name:what it does' of the commands below cmd, or of those that stand alone. */
static void zsh_words(struct str *out, const struct cli_cmd *cmd)
{
	for (size_t i = 0; cli_commands[i]; i++) {
		const char *name = word_of(cmd, cli_commands[i]);
		if (!name)
			continue;
		str_addf(out, "'%s:", name);
		write_quoted(out, cli_commands[i]->summary);
		str_addz(out, "' ");
	}
}

static void zsh_command(struct str *out, const struct cli_cmd *cmd)
{
	str_addf(out, "\t'%s')\n", cmd->name);
	if (cli_has_below(cmd)) {
		str_addz(out, "\t\tif ((CURRENT == 2)); then\n\t\t\tlocal -a below=(");
		zsh_words(out, cmd);
		str_addz(out, ")\n\t\t\t_describe command below\n\t\tfi\n");
	}
	str_addz(out, "\t\t_arguments \\\n");
	each_opt(cmd, zsh_opt, out);
	struct str words_of = { 0 };
	if (write_choices(&words_of, cmd))
		str_addf(out, "\t\t\t'*:choice:(%s)';;\n", str_z(&words_of));
	else
		str_addz(
			out,
			takes_command(cmd)
				? "\t\t\t'(-):command:_command_names -e' '*::arguments:_normal';;\n"
				: "\t\t\t'*:file:_files';;\n");
	str_free(&words_of);
}

static void write_zsh(struct str *out)
{
	str_addz(
		out,
		"#compdef tare\n# zsh completion for tare: tare completion zsh > \"${fpath[1]}/_tare\"\n_tare()\n{\n\tif ((CURRENT == 2)); then\n\t\t"
		"local -a cmds=(");
	zsh_words(out, NULL);
	str_addz(
		out,
		")\n\t\t_describe command cmds\n\t\treturn\n\tfi\n\tlocal cmd=$words[2]\n\tshift words\n\t((CURRENT--))\n"
		"\tif ((CURRENT > 2)); then case \"$cmd $words[2]\" in\n");
	for (size_t i = 0; cli_commands[i]; i++)
		if (strchr(cli_commands[i]->name, ' '))
			str_addf(out, "\t'%s') cmd='%s'; shift words; ((CURRENT--));;\n",
				 cli_commands[i]->name, cli_commands[i]->name);
	str_addz(out, "\tesac; fi\n\tcase $cmd in\n");
	for (size_t i = 0; cli_commands[i]; i++)
		zsh_command(out, cli_commands[i]);
	str_addz(out, "\tesac\n}\n_tare \"$@\"\n");
}

/* Inside a single-quoted word of fish. */
static void fish_quoted(struct str *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'' || *s == '\\')
			str_addc(out, '\\');
		str_addc(out, *s);
	}
}

/* When a command's options are offered: its words have been typed, and no word below it. */
static void fish_when(struct str *out, const struct cli_cmd *cmd)
{
	size_t n = strcspn(cmd->name, " ");

	str_addf(out, "__fish_seen_subcommand_from %.*s", (int)n, cmd->name);
	if (cmd->name[n])
		str_addf(out, "; and __fish_seen_subcommand_from %s", cmd->name + n + 1);
	else if (cli_has_below(cmd)) {
		str_addz(out, "; and not __fish_seen_subcommand_from ");
		write_words(out, cmd);
	}
}

static void fish_opt(struct str *out, const struct cli_cmd *cmd, const struct cli_opt *o)
{
	struct str help = { 0 };

	str_addz(out, "complete -c tare -n '");
	fish_when(out, cmd);
	str_addf(out, "' -l %s", o->name);
	if (o->letter)
		str_addf(out, " -s %c", o->letter);
	if (o->arg) {
		struct str list = { 0 };

		cli_opt_words(o, &list);
		str_addz(out, cli_opt_is_path(o) ? " -r -F" : " -x");
		if (list.n && cli_opt_is_list(o))
			str_addf(out, " -a '(__fish_append , %s)'", str_z(&list));
		else if (list.n)
			str_addf(out, " -a '%s'", str_z(&list));
		str_free(&list);
	}
	cli_opt_help(o, &help);
	str_addz(out, " -d '");
	fish_quoted(out, str_z(&help));
	str_free(&help);
	str_addz(out, "'\n");
}

static void fish_command(struct str *out, const struct cli_cmd *cmd)
{
	const char *second = strchr(cmd->name, ' ');

	if (second) {
		struct cli_cmd first = *cmd;
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)(second - cmd->name), cmd->name);
		first.name = name;
		str_addz(out, "complete -c tare -n '");
		fish_when(out, &first);
		str_addf(out, "' -f -a %s -d '", second + 1);
	} else {
		str_addf(out, "complete -c tare -n __fish_use_subcommand -f -a %s -d '", cmd->name);
	}
	fish_quoted(out, cmd->summary);
	str_addz(out, "'\n");
	struct str words_of = { 0 };
	if (write_choices(&words_of, cmd)) {
		str_addz(out, "complete -c tare -n '");
		fish_when(out, cmd);
		str_addf(out, "' -f -a '%s'\n", str_z(&words_of));
	}
	str_free(&words_of);
	each_opt(cmd, fish_opt, out);
}

static void write_fish(struct str *out)
{
	str_addz(
		out,
		"# fish completion for tare: tare completion fish > ~/.config/fish/completions/tare.fish\n");
	for (size_t i = 0; cli_commands[i]; i++)
		fish_command(out, cli_commands[i]);
}

static int run_completion(struct cli *c)
{
	struct str out = { 0 };
	int rc;

	if (c->narg == 1 && !strcmp(c->arg[0], "bash"))
		write_bash(&out);
	else if (c->narg == 1 && !strcmp(c->arg[0], "zsh"))
		write_zsh(&out);
	else if (c->narg == 1 && !strcmp(c->arg[0], "fish"))
		write_fish(&out);
	else
		return cli_usage_error(c, "name a shell: bash, zsh or fish");
	rc = cli_write(&out);
	str_free(&out);
	return rc;
}

const struct cli_cmd cmd_completion_def = {
	.name = "completion",
	.group = "",
	.summary = "print a completion script for bash, zsh or fish",
	.usage = "bash|zsh|fish",
	.examples =
		"source <(tare completion bash)\ntare completion fish > ~/.config/fish/completions/tare.fish",
	.run = run_completion,
};
