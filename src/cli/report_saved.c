#include "cli/report_saved.h"

#include <errno.h>
#include <stdio.h>

#include "answer/views.h"
#include "base/near.h"
#include "base/sh.h"
#include "base/str.h"
#include "report/saved.h"

#define VIEWS_FILE "views.yaml"

static const char *saved_path(struct cli *c)
{
	const char *config = cli_value(c, "config");
	const char *slash = NULL;

	if (config)
		slash = strrchr(config, '/');
	if (!config)
		return cli_config_path(c, VIEWS_FILE);
	if (!slash)
		return VIEWS_FILE;
	return arena_printf(&c->mem, "%.*s/%s", (int)(slash - config), config, VIEWS_FILE);
}

static int load_views(struct cli *c, struct views *ret, struct err *err)
{
	const char *config = cli_value(c, "config");

	return views_load(config ? config : cli_config_path(c, "config.yaml"), config,
			  saved_path(c), ret, err);
}

/* ---- @NAME ------------------------------------------------------------------------------- */

/* Where the report is read from and what is done with it is said each time. */
static bool is_kept(const char *option)
{
	static const char *const not_kept[] = { "db",       "config", "demo", "wait",  "quiet",
						"no-color", "help",   "save", "views", "forget" };

	for (size_t i = 0; i < sizeof not_kept / sizeof *not_kept; i++)
		if (!strcmp(option, not_kept[i]))
			return false;
	return true;
}

static bool is_given(const struct cli *c, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(c->given[i].opt->name, name))
			return true;
	return false;
}

static int bad_option(struct cli *c, const struct conf_view *v, const char *file, const char *name)
{
	const char *names[64];
	size_t n = 0;
	struct err err = { 0 };

	for (const struct cli_opt *o = c->cmd->opt; o->name && n < 64; o++)
		if (is_kept(o->name))
			names[n++] = o->name;
	const char *near = near_word(name, names, n);
	err_set(&err, -EINVAL,
		"'%s' line %d: view '%s' has an option '%s' that tare report does not %s", file,
		v->line, v->name, name, cli_option(c, name) ? "keep" : "know");
	if (near)
		err_hint(&err, "Did you mean: %s", near);
	else
		err_hint(&err, "Its options: tare report --help");
	return cli_fail(&err);
}

/* The values of an option of the view from its i-th on, as the command line has them: one text, but
 * for options that may be given several times. */
static const char *value_of(struct cli *c, const struct conf_view *v, size_t i,
			    const struct cli_opt *o)
{
	const char *text = arena_printf(&c->mem, "%s", v->opt.v[i].glob);

	for (size_t k = i + 1; k < v->opt.n && !o->many; k++)
		if (!strcmp(v->opt.v[k].field, o->name))
			text = arena_printf(&c->mem, "%s,%s", text, v->opt.v[k].glob);
	return text;
}

static bool is_off(const char *text)
{
	return !strcmp(text, "false") || !strcmp(text, "no") || !strcmp(text, "off");
}

static int take_options(struct cli *c, const struct conf_view *v, const char *file)
{
	size_t ngiven = c->ngiven;
	int rc = 0;

	for (size_t i = 0; i < v->opt.n && !rc; i++) {
		const char *name = v->opt.v[i].field;
		const struct cli_opt *o = cli_option(c, name);
		bool before = i > 0 && !strcmp(v->opt.v[i - 1].field, name);
		if (!o || !is_kept(name))
			return bad_option(c, v, file, name);
		bool replaced = is_given(c, ngiven, name) || (before && !o->many);
		bool off = !o->arg && is_off(v->opt.v[i].glob);
		if (!replaced && !off)
			rc = cli_give(c, o, o->arg ? value_of(c, v, i, o) : NULL);
	}
	return rc;
}

int report_take_view(struct cli *c)
{
	struct err err = { 0 };
	struct views v;
	enum views_file file;
	int rc;

	if (c->narg != 1 || c->arg[0][0] != '@')
		return 0;
	if (load_views(c, &v, &err) < 0)
		return cli_fail(&err);
	const struct conf_view *view = views_find(&v, c->arg[0] + 1, &file);
	if (view) {
		rc = take_options(c, view, v.path[file]);
	} else {
		views_unknown(&v, c->arg[0] + 1, &err);
		rc = cli_fail(&err);
	}
	views_free(&v);
	c->narg = 0;
	return rc;
}

/* ---- --save, --forget -------------------------------------------------------------------- */

static int rewrite_views(struct cli *c, const struct views *v, const char *name, bool save,
			 struct err *err)
{
	struct view_option *opt = NULL;
	size_t n = 0;

	/* The options that were given, each once: the last value, or all of those that may come
	 * several times. */
	if (save)
		opt = arena_alloc(&c->mem, (c->ngiven + 1) * sizeof *opt);
	for (size_t i = 0; save && i < c->ngiven; i++) {
		const struct cli_opt *o = c->given[i].opt;
		const char **value;
		if (!is_kept(o->name) || is_given(c, i, o->name))
			continue;
		size_t nvalue = cli_values(c, o->name, &value);
		if (o->many)
			opt[n++] = (struct view_option){ o->name, value, nvalue };
		else
			opt[n++] = (struct view_option){ o->name, value + nvalue - 1, 1 };
	}
	if (!save || n)
		return views_write(v, name, opt, n, err);
	err_set(err, -EINVAL, "--save %s: there is no option to be saved", name);
	err_hint(err, "Such as: tare report --by team --since month --save %s", name);
	return -EINVAL;
}

static int change_view(struct cli *c, const char *name, bool save)
{
	struct err err = { 0 };
	struct views v;
	enum views_file file = VIEWS_SAVED;

	if (views_check_name(name, save ? "save" : "forget", &err) < 0)
		return cli_fail(&err);
	if (load_views(c, &v, &err) < 0)
		return cli_fail(&err);
	bool there = views_find(&v, name, &file) != NULL;
	int rc;
	if (there && file == VIEWS_SETTINGS) {
		err_set(&err, -EEXIST, "the view '%s' stands in '%s'", name, v.path[file]);
		err_hint(&err, "Change it there, or take another name");
		rc = cli_fail(&err);
	} else if (!there && !save) {
		views_unknown(&v, name, &err);
		rc = cli_fail(&err);
	} else {
		rc = rewrite_views(c, &v, name, save, &err) < 0 ? cli_fail(&err) : EXIT_DONE;
		bool say = rc == EXIT_DONE && !c->quiet;
		if (say && save)
			fprintf(stderr, "%s: tare report @%s\n", there ? "Saved again" : "Saved",
				name);
		else if (say)
			fprintf(stderr, "Forgotten: @%s\n", name);
	}
	views_free(&v);
	return rc;
}

int report_save_view(struct cli *c, const char *name)
{
	return change_view(c, name, true);
}

int report_forget_view(struct cli *c, const char *name)
{
	return change_view(c, name, false);
}

/* ---- --views ----------------------------------------------------------------------------- */

/* "--by team --where 'env=prod'", as the command line has it. */
static const char *option_line(struct cli *c, const struct conf_view *v)
{
	const char *line = "";

	for (size_t i = 0; i < v->opt.n; i++) {
		const struct cli_opt *o = cli_option(c, v->opt.v[i].field);
		bool flag = o && !o->arg, off = flag && is_off(v->opt.v[i].glob);
		bool again = i && !strcmp(v->opt.v[i - 1].field, v->opt.v[i].field);
		if (!o || o->many)
			again = false;
		if (off || again)
			continue;
		line = arena_printf(&c->mem, "%s%s--%s", line, text_if(*line, " "),
				    v->opt.v[i].field);
		if (o && !flag)
			line = arena_printf(&c->mem, "%s %s", line,
					    sh_show(&c->mem, value_of(c, v, i, o)));
	}
	return line;
}

int report_list_views(struct cli *c)
{
	struct err err = { 0 };
	struct views v;
	struct str out = { 0 };
	struct out_as as = cli_out_as(c);

	if (load_views(c, &v, &err) < 0)
		return cli_fail(&err);
	size_t n = 0;
	struct saved_row *row =
		arena_alloc(&c->mem, (v.conf[0].views.n + v.conf[1].views.n + 1) * sizeof *row);
	for (int f = 0; f < VIEWS_FILE_N; f++)
		for (size_t i = 0; i < v.conf[f].views.n; i++) {
			const struct conf_view *x = &v.conf[f].views.v[i];
			row[n++] = (struct saved_row){ x->name, option_line(c, x), v.path[f] };
		}
	saved_print(row, n, &as, &out);
	int rc = cli_write(&out);
	str_free(&out);
	views_free(&v);
	return rc;
}
