#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/near.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "cli/demo_store.h"
#include "report/grid.h"
#include "report/text.h"

int cli_fail(const struct err *err)
{
	fflush(stdout);
	fprintf(stderr, "tare: %s\n", err->msg[0] ? err->msg : "failed");
	for (const char *p = err->hint; *p;) {
		/* hints may have several lines: all are indented alike */
		const char *end = strchrnul(p, '\n');
		if (end > p)
			fprintf(stderr, "      %c%.*s\n",
				p == err->hint ? toupper((unsigned char)*p) : *p,
				(int)(end - p) - 1, p + 1);
		p = *end ? end + 1 : end;
	}
	return EXIT_ERROR;
}

int cli_usage_error(const struct cli *c, const char *fmt, ...)
{
	struct err err;
	char text[sizeof err.msg];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	err_set(&err, -EINVAL, "%s", text);
	if (c->cmd)
		err_hint(&err, "See: tare %s --help", c->cmd->name);
	else
		err_hint(&err, "See: tare help");
	return cli_fail(&err);
}

/* TARE_DRY_RUN for dry-run */
static const char *variable_of(struct arena *mem, const char *name)
{
	char *var = arena_printf(mem, "TARE_%s", name);

	for (char *p = var; *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	return var;
}

static const char *env_of(const struct cli *c, const char *name)
{
	const char *v = getenv(variable_of((struct arena *)&c->mem, name));

	return v && *v && !c->no_variables ? v : NULL;
}

static bool env_is_on(const char *v)
{
	static const char *const off[] = { "0", "no", "false" };

	for (size_t i = 0; i < sizeof off / sizeof *off && v; i++)
		if (!strcmp(v, off[i]))
			return false;
	return v != NULL;
}

static const struct cli_given *find_given(const struct cli *c, const char *name)
{
	for (size_t i = c->ngiven; i-- > 0;)
		if (!strcmp(c->given[i].opt->name, name))
			return &c->given[i];
	return NULL;
}

const char *cli_value(const struct cli *c, const char *name)
{
	const struct cli_given *g = find_given(c, name);

	return g ? g->value : env_of(c, name);
}

size_t cli_values(const struct cli *c, const char *name, const char ***ret)
{
	const char **v = arena_alloc((struct arena *)&c->mem, (c->ngiven + 1) * sizeof *v);
	size_t n = 0;

	for (size_t i = 0; i < c->ngiven; i++)
		if (!strcmp(c->given[i].opt->name, name))
			v[n++] = c->given[i].value;
	if (!n && (v[0] = env_of(c, name)))
		n = 1;
	*ret = v;
	return n;
}

bool cli_flag(const struct cli *c, const char *name)
{
	return find_given(c, name) || env_is_on(env_of(c, name));
}

const char *cli_variable(const struct cli *c, const char *name)
{
	struct arena *mem = (struct arena *)&c->mem;

	return !find_given(c, name) && env_of(c, name) ? variable_of(mem, name) : NULL;
}

/* ---- parsing ----------------------------------------------------------------------------- */

static bool takes_common(const struct cli_cmd *cmd, const struct cli_opt *common)
{
	unsigned bit = cli_common_bit(common);

	return !bit || (cmd->common & bit);
}

static bool is_called(const struct cli_opt *o, struct sv name, char letter)
{
	if (letter)
		return o->letter == letter;
	return sv_is(name, o->name);
}

/* By its name, or by its letter where that is not 0. */
static const struct cli_opt *find_opt(const struct cli_cmd *cmd, struct sv name, char letter)
{
	for (const struct cli_opt *o = cmd->opt; o && o->name; o++)
		if (is_called(o, name, letter))
			return o;
	for (const struct cli_opt *o = cli_common_opts; o->name; o++)
		if (takes_common(cmd, o) && is_called(o, name, letter))
			return o;
	return NULL;
}

/* The one word that begins like this (--vram of --vram-gib), or NULL. */
static const char *longer_word(const char *word, const char *const *list, size_t n)
{
	const char *found = NULL;

	for (size_t i = 0; strlen(word) > 2 && i < n; i++) {
		if (strncmp(list[i], word, strlen(word)))
			continue;
		if (found)
			return NULL;
		found = list[i];
	}
	return found;
}

/* What other tools call the window. */
static const char *window_option(const struct cli_cmd *cmd, const char *word)
{
	static const struct {
		const char *word, *say;
	} other[] = {
		{ "month", "--since 2026-10 is that month, --since lastmonth the last one" },
		{ "week", "--since 2026-W40 is that week, --since lastweek the last one" },
		{ "quarter", "--since 2026-Q3 is that quarter, --since lastquarter the last one" },
		{ "from", "--since T is where the window begins" },
		{ "start", "--since T is where the window begins" },
		{ "to", "--until T is where the window ends" },
		{ "end", "--until T is where the window ends" },
	};

	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		if ((cmd->common & CLI_WINDOW) && !strcmp(word, other[i].word))
			return other[i].say;
	return NULL;
}

static int unknown_option(struct cli *c, const char *arg)
{
	const char *names[64];
	size_t n = 0;
	char word[64];

	for (const struct cli_opt *o = c->cmd->opt; o && o->name && n < 32; o++)
		names[n++] = o->name;
	for (const struct cli_opt *o = cli_common_opts; o->name; o++)
		if (takes_common(c->cmd, o))
			names[n++] = o->name;
	snprintf(word, sizeof word, "%.*s", (int)strcspn(arg + strspn(arg, "-"), "="),
		 arg + strspn(arg, "-"));
	const char *near = longer_word(word, names, n);
	near = near ? near : near_word(word, names, n);
	if (c->narg && strstr(c->cmd->usage, "-- CMD")) { /* tare run python -u x.py */
		struct err err;

		err_set(&err, -EINVAL, "unknown option '%s'", arg);
		err_hint(&err,
			 "If it is the command's, put -- before the command: tare %s -- %s ...",
			 c->cmd->name, c->arg[0]);
		return cli_fail(&err);
	}
	const char *window = window_option(c->cmd, word);
	if (window)
		return cli_usage_error(c, "unknown option '%s': %s", arg, window);
	if (near)
		return cli_usage_error(c, "unknown option '%s'; did you mean --%s?", arg, near);
	return cli_usage_error(c, "unknown option '%s'", arg);
}

static int take_option(struct cli *c, const struct cli_opt *o, const char *value)
{
	if (o->arg && !cli_opt_fits(o, value))
		return cli_usage_error(c, "--%s does not know '%s': it takes %s", o->name, value,
				       o->values);
	c->given[c->ngiven++] = (struct cli_given){ o, value };
	return 0;
}

const struct cli_opt *cli_option(const struct cli *c, const char *name)
{
	return find_opt(c->cmd, sv_of(name), 0);
}

int cli_give(struct cli *c, const struct cli_opt *o, const char *value)
{
	struct cli_given *more = arena_alloc(&c->mem, (c->ngiven + 1) * sizeof *more);

	if (c->ngiven)
		memcpy(more, c->given, c->ngiven * sizeof *more);
	c->given = more;
	return take_option(c, o, value);
}

/* One argument that begins with a dash; *i moves on when its value is the next argument. 0 or the
 * exit code. */
static int parse_option(struct cli *c, int argc, char **argv, int *i)
{
	const char *a = argv[*i];

	if (a[1] == '-') {
		size_t n = strcspn(a + 2, "=");
		const struct cli_opt *o = find_opt(c->cmd, (struct sv){ a + 2, n }, 0);
		if (!o)
			return unknown_option(c, a);
		if (a[2 + n] == '=')
			return o->arg ? take_option(c, o, a + 3 + n)
				      : cli_usage_error(c, "--%s takes no value", o->name);
		if (!o->arg)
			return take_option(c, o, NULL);
		if (*i + 1 >= argc)
			return cli_usage_error(c, "--%s wants %s after it", o->name, o->arg);
		return take_option(c, o, argv[++*i]);
	}
	for (const char *p = a + 1; *p; p++) {
		const struct cli_opt *o = find_opt(c->cmd, SV_NULL, *p);
		if (!o)
			return unknown_option(c, a);
		if (!o->arg) {
			int rc = take_option(c, o, NULL);
			if (rc)
				return rc;
			continue;
		}
		if (p[1])
			return take_option(c, o, p + 1);
		if (*i + 1 >= argc)
			return cli_usage_error(c, "-%c wants %s after it", *p, o->arg);
		return take_option(c, o, argv[++*i]);
	}
	return 0;
}

static int parse_args(struct cli *c, int argc, char **argv)
{
	bool only_args = false;

	c->given = arena_alloc(&c->mem, (size_t)(argc + 1) * 8 * sizeof *c->given);
	c->arg = arena_alloc(&c->mem, (size_t)(argc + 1) * sizeof *c->arg);
	for (int i = 0; i < argc; i++) {
		int rc = 0;
		if (!only_args && !strcmp(argv[i], "--"))
			only_args = true;
		else if (!only_args && argv[i][0] == '-' && argv[i][1])
			rc = parse_option(c, argc, argv, &i);
		else
			c->arg[c->narg++] = argv[i];
		if (rc)
			return rc;
	}
	c->arg[c->narg] = NULL;
	return 0;
}

static int output_of(struct cli *c)
{
	static const struct {
		const char *name;
		enum out_format f;
	} formats[] = { { "table", OUT_TABLE }, { "json", OUT_JSON }, { "csv", OUT_CSV },
			{ "md", OUT_MD },       { "html", OUT_HTML }, { "focus", OUT_TABLE },
			{ "xlsx", OUT_XLSX } };
	const char *v = cli_value(c, "output");

	for (size_t i = 0; v && i < sizeof formats / sizeof *formats; i++)
		if (!strcmp(formats[i].name, v)) {
			if (formats[i].f == OUT_XLSX && strcmp(c->cmd->name, "report") != 0)
				return cli_usage_error(c, "only tare report writes xlsx");
			c->output = formats[i].f;
			return 0;
		}
	return v ? cli_usage_error(
			   c, "--output does not know '%s': it takes table, json, csv or md", v)
		 : 0;
}

/* As the shell has it; without HOME (services, cron) that of the user database. */
static const char *home_of(void)
{
	const char *home = getenv("HOME");

	if (home && *home)
		return home;
	const struct passwd *p = getpwuid(getuid());
	return p ? filled_or(p->pw_dir, ".") : ".";
}

const char *cli_config_path(struct cli *c, const char *name)
{
	const char *dir = getenv("XDG_CONFIG_HOME");

	return dir && *dir ? arena_printf(&c->mem, "%s/tare/%s", dir, name)
			   : arena_printf(&c->mem, "%s/.config/tare/%s", home_of(), name);
}

/* Columns of the text that cli_write() prints; 0: it is printed as it is. */
static int text_columns;

/* As COLUMNS or the terminal has it; 0 in a pipe or file, or where that can hardly be. */
static int line_width(void)
{
	struct winsize ws;
	const char *columns = getenv("COLUMNS");
	int width = 0;

	if (columns)
		width = atoi(columns);
	else if (isatty(1) && !ioctl(1, TIOCGWINSZ, &ws))
		width = ws.ws_col;
	return width < 40 || width > 1000 ? 0 : width;
}

/* Is what the command prints a text for people? Files and scripts stay as they are. */
static bool prints_text(const struct cli *c)
{
	const char *v = c->cmd->common & CLI_OUTPUT ? cli_value(c, "output") : NULL;

	if (!(c->cmd->common & CLI_OUTPUT))
		return !strcmp(c->cmd->name, "help") ||
		       (!strcmp(c->cmd->name, "schema") && !c->narg);
	return c->output == OUT_TABLE && !(v && !strcmp(v, "focus"));
}

static bool is_instant(const char *text)
{
	int64_t span;

	return text && isdigit((unsigned char)*text) && tm_parse_span(sv_of(text), &span) < 0;
}

/* "1m": a month to who writes it, a minute to the reader of spans, and the ledger has none. */
static int check_minutes(const char *option, const char *text)
{
	size_t n = text ? strspn(text, "0123456789") : 0;
	struct err err = { 0 };

	if (!n || n > 2 || strcmp(text + n, "m") != 0 || atoi(text) >= 60)
		return 0;
	err_set(&err, -EINVAL, "--%s %s is that many minutes, and the ledger has whole hours",
		option, text);
	err_hint(&err, "For months: 30d, month, lastmonth, or 2026-10; for hours: 1h");
	return cli_fail(&err);
}

/* The ledger has entries by the hour: a part of one cannot be told, so both ends are widened to
 * whole hours. Said where an instant was asked for; spans are back from now. */
static void whole_hours(struct cli *c)
{
	int64_t since_ms = c->since_ms, until_ms = c->until_ms;
	char a[TM_BUF], b[TM_BUF];

	if (since_ms != INT64_MIN)
		c->since_ms = tm_floor(since_ms, MS_HOUR);
	if (until_ms != INT64_MAX)
		c->until_ms = tm_floor(until_ms + MS_HOUR - 1, MS_HOUR);
	bool since_moved = is_instant(c->since_text) && c->since_ms != since_ms;
	bool until_moved = is_instant(c->until_text) && c->until_ms != until_ms;
	const char *since = "its first", *until = "its last";

	if (c->since_ms != INT64_MIN)
		since = tm_format(a, c->since_ms);
	if (c->until_ms != INT64_MAX)
		until = tm_format(b, c->until_ms);
	if ((since_moved || until_moved) && !c->quiet)
		fprintf(stderr, "tare: the ledger has whole hours: this is from %s to %s\n", since,
			until);
}

static int common_values(struct cli *c)
{
	struct err err = { 0 };
	const char *wait;

	if (tm_now_check(&err) < 0)
		return cli_fail(&err);
	c->now_ms = tm_now_ms();
	c->quiet = cli_flag(c, "quiet");
	c->dry_run = (c->cmd->common & CLI_ACT) && cli_flag(c, "dry-run");
	c->yes = (c->cmd->common & CLI_ACT) && cli_flag(c, "yes");
	bool plain = cli_flag(c, "no-color") || *text_or(getenv("NO_COLOR"), "");
	c->colour = isatty(1) && !plain;
	int width = line_width();
	c->width = columns_or_80(width);
	grid_fit_lines(width > 0);
	c->since_ms = INT64_MIN;
	c->until_ms = INT64_MAX;
	if (c->cmd->common & CLI_WINDOW) {
		c->since_text = cli_value(c, "since");
		c->until_text = cli_value(c, "until");
		if (tm_window(c->since_text, c->until_text, c->now_ms, &c->since_ms, &c->until_ms,
			      &err) < 0)
			return cli_fail(&err);
		bool hours = c->cmd->common & CLI_HOURS;
		if (hours && (check_minutes("since", c->since_text) ||
			      check_minutes("until", c->until_text)))
			return EXIT_ERROR;
		if (hours)
			whole_hours(c);
	}
	if ((c->cmd->common & CLI_OUTPUT) && output_of(c))
		return EXIT_ERROR;
	text_csv_raw((c->cmd->common & CLI_OUTPUT) && cli_flag(c, "raw"));
	text_columns = prints_text(c) ? width : 0;
	if (!(c->cmd->common & (CLI_STORE | CLI_CONFIG)))
		return 0;
	c->db = cli_value(c, "db");
	wait = cli_value(c, "wait");
	if (wait && tm_parse_span(sv_of(wait), &c->wait_ms) < 0)
		return cli_usage_error(c, "--wait: '%s' is not a duration such as 30s or 10m",
				       wait);
	c->config = cli_value(c, "config");
	int rc = c->cmd->common & CLI_DEMO ? demo_store_choose(c) : 0;
	if (rc)
		return rc;
	if (!c->config) {
		const char *path = cli_config_path(c, "config.yaml");
		if (access(path, R_OK) == 0)
			c->config = path;
	}
	return conf_load(c->config, &c->conf, &err) < 0 ? cli_fail(&err) : 0;
}

/* ---- the store --------------------------------------------------------------------------- */

const char *cli_data_dir(struct cli *c, const char *name)
{
	const char *dir = getenv("XDG_DATA_HOME");

	return dir && *dir ? arena_printf(&c->mem, "%s/%s", dir, name)
			   : arena_printf(&c->mem, "%s/.local/share/%s", home_of(), name);
}

const char *cli_db(struct cli *c)
{
	if (!c->db) {
		c->db = cli_data_dir(c, "tare");
		c->db_unnamed = true;
	}
	return c->db;
}

struct out_as cli_out_as(const struct cli *c)
{
	return (struct out_as){ .format = c->output, .width = c->width, .colour = c->colour };
}

int cli_write(const struct str *s)
{
	struct str folded = { 0 };

	if (text_columns)
		text_fit(&folded, str_sv(s), text_columns);
	const struct str *out = text_columns ? &folded : s;
	size_t n = fwrite(str_z(out), 1, out->n, stdout);
	bool all = n == out->n;
	str_free(&folded);

	if (all && !fflush(stdout))
		return EXIT_DONE;
	if (errno == EPIPE) /* `| head` has read what it wanted */
		return EXIT_DONE;
	fprintf(stderr, "tare: cannot write the output: %s\n", strerror(errno));
	return EXIT_ERROR;
}

int cli_end(int r, const struct err *err, struct str *out)
{
	int code = r < 0 ? cli_fail(err) : cli_write(out);

	str_free(out);
	return code;
}

/* ---- main -------------------------------------------------------------------------------- */

static const struct cli_cmd *command_of(const char *word)
{
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		return cli_find("help");
	if (!strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "-v"))
		return cli_find("version");
	return cli_find(word);
}

static int unknown_command(const char *word)
{
	const char *names[64];
	size_t n = 0;
	struct err err;

	while (cli_commands[n] && n < 64) {
		names[n] = cli_commands[n]->name;
		if (!strncmp(names[n], word, strlen(word)) && names[n][strlen(word)] == ' ') {
			err_set(&err, -EINVAL, "'%s' wants a second word", word);
			err_hint(&err, "They are listed by: tare help %s", word);
			return cli_fail(&err);
		}
		n++;
	}
	const char *near = near_word(word, names, n);
	err_set(&err, -EINVAL, "'%s' is not a command", word);
	if (near)
		err_hint(&err, "Did you mean: tare %s", near);
	else
		err_hint(&err, "See: tare help");
	return cli_fail(&err);
}

/* How many arguments a common option takes up, 0 = it is none. */
static int common_width(const char *arg)
{
	const struct cli_opt *o = cli_common_opts;
	size_t n = strcspn(arg + 2, "=");

	while (o->name && !(arg[1] == '-' ? strlen(o->name) == n && !memcmp(o->name, arg + 2, n)
					  : o->letter == arg[1]))
		o++;
	bool has_value = strchr(arg, '=') || (arg[1] != '-' && arg[2]);
	if (!o->name)
		return 0;
	return o->arg && !has_value ? 2 : 1;
}

/* "-" alone is standard input. */
static bool is_option(const char *arg)
{
	return arg[0] == '-' && arg[1];
}

/* `tare --db X report` is `tare report --db X`: bring the command to the front. Only options that
 * mean the same everywhere may come before it. */
static void command_first(int argc, char **argv)
{
	int i = 1;

	while (i < argc && is_option(argv[i]) && !command_of(argv[i])) {
		int n = common_width(argv[i]);
		if (!n)
			return; /* the word is named as unknown */
		i += n;
	}
	if (i >= argc)
		return;
	char *command = argv[i];
	memmove(&argv[2], &argv[1], (size_t)(i - 1) * sizeof *argv);
	argv[1] = command;
}

/* `tare plan mig` is the command "plan mig"; only options that mean the same everywhere may stand
 * between the words. */
static const struct cli_cmd *two_words(const struct cli_cmd *cmd, int *argc, char **argv)
{
	char name[64];
	int i = 2, n;

	while (i < *argc && is_option(argv[i]) && (n = common_width(argv[i])))
		i += n;
	if (i >= *argc)
		return cmd;
	snprintf(name, sizeof name, "%s %s", cmd ? cmd->name : argv[1], argv[i]);
	const struct cli_cmd *two = cli_find(name);
	if (!two)
		return cmd;
	memmove(&argv[i], &argv[i + 1], (size_t)(*argc - i) * sizeof *argv);
	--*argc;
	return two;
}

int cli_main(int argc, char **argv)
{
	struct cli c = { 0 };
	int rc;

	/* Tokens and keys of clouds are in memory, and a core dump may be sent away with a report
	 * of a fault. What is started from here is as dumpable as ever: execve() decides again. */
	prctl(PR_SET_DUMPABLE, 0);
	/* a file size limit is an error like a full disk, not a kill */
	c.xfsz_ignored = signal(SIGXFSZ, SIG_IGN) == SIG_IGN;
	c.pipe_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;
	command_first(argc, argv);
	if (argc < 2)
		c.cmd = cli_find("help");
	else
		c.cmd = two_words(command_of(argv[1]), &argc, argv);
	if (!c.cmd)
		return unknown_command(argv[1]);
	rc = parse_args(&c, max_int(argc - 2, 0), argv + min_int(argc, 2));
	if (!rc && find_given(&c, "help")) {
		struct str out = { 0 };
		cli_help(c.cmd, &out);
		text_columns = line_width();
		rc = cli_write(&out);
		str_free(&out);
	} else if (!rc) {
		if (c.cmd->before)
			rc = c.cmd->before(&c);
		if (!rc)
			rc = common_values(&c);
		if (!rc) {
			demo_store_say(&c);
			cli_say_if_stopped(&c);
			rc = c.cmd->run(&c);
		}
	}
	conf_free(&c.conf);
	arena_free(&c.mem);
	return rc;
}
