#include "cli/report_saved.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jw.h"
#include "base/near.h"
#include "base/outfile.h"
#include "base/sh.h"
#include "base/str.h"
#include "report/grid.h"

#define VIEWS_FILE "views.yaml"

/* ---- the two files ----------------------------------------------------------------------- */

/* What people wrote, and what --save did. */
struct views {
	const char *path[2]; /* NULL: there is none */
	struct conf conf[2];
};

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

static int load(struct cli *c, struct views *v, struct err *err)
{
	const char *config = cli_value(c, "config");

	*v = (struct views){ .path = { config ? config : cli_config_path(c, "config.yaml"),
				       saved_path(c) } };
	for (int i = 0; i < 2; i++) {
		bool named = i == 0 && config; /* then it has to be there */
		if (!named && access(v->path[i], F_OK) < 0)
			v->path[i] = NULL;
		int r = conf_load(v->path[i], &v->conf[i], err);
		if (r == 0)
			continue;
		if (i)
			conf_free(&v->conf[0]);
		return r;
	}
	return 0;
}

static void views_free(struct views *v)
{
	conf_free(&v->conf[0]);
	conf_free(&v->conf[1]);
}

/* The view by its name; which file it is in. */
static const struct conf_view *find(const struct views *v, const char *name, int *ret_file)
{
	for (int f = 0; f < 2; f++)
		for (size_t i = 0; i < v->conf[f].views.n; i++)
			if (!strcmp(v->conf[f].views.v[i].name, name)) {
				*ret_file = f;
				return &v->conf[f].views.v[i];
			}
	return NULL;
}

static int unknown_view(const struct views *v, const char *name)
{
	const char *names[64];
	size_t n = 0;
	struct err err = { 0 };

	for (int f = 0; f < 2; f++)
		for (size_t i = 0; i < v->conf[f].views.n && n < 64; i++)
			names[n++] = v->conf[f].views.v[i].name;
	const char *near = near_word(name, names, n);
	err_set(&err, -ENOENT, "there is no view '%s'", name);
	if (near)
		err_hint(&err, "Did you mean: tare report @%s", near);
	else if (n)
		err_hint(&err, "Those that there are: tare report --views");
	else
		err_hint(&err, "Save one: tare report --by team --since month --save NAME");
	return cli_fail(&err);
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
	int file, rc;

	if (c->narg != 1 || c->arg[0][0] != '@')
		return 0;
	if (load(c, &v, &err) < 0)
		return cli_fail(&err);
	const struct conf_view *view = find(&v, c->arg[0] + 1, &file);
	rc = view ? take_options(c, view, v.path[file]) : unknown_view(&v, c->arg[0] + 1);
	views_free(&v);
	c->narg = 0;
	return rc;
}

/* ---- --save, --forget -------------------------------------------------------------------- */

static bool is_name(const char *name)
{
	size_t n = strspn(name,
			  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");

	if (*name == '-' || *name == '.')
		return false;
	return n && !name[n] && n <= 60;
}

static void put_text(struct str *out, const char *text)
{
	struct jw w;

	jw_init(&w, out, 0); /* a text of JSON is one of YAML */
	jw_str(&w, text);
}

/* One option with all its values. */
static void put_option(struct str *out, const char *name, const char *const *value, size_t n)
{
	str_addf(out, "    %s: %s", name, text_if(n > 1, "["));
	for (size_t i = 0; i < n; i++) {
		str_addz(out, text_if(i, ", "));
		put_text(out, text_or(value[i], "true"));
	}
	str_addz(out, n > 1 ? "]\n" : "\n");
}

/* The view as it was read from the file. */
static void put_view(struct cli *c, struct str *out, const struct conf_view *v)
{
	const char **value = arena_alloc(&c->mem, (v->opt.n + 1) * sizeof *value);

	str_addf(out, "  %s:\n", v->name);
	for (size_t i = 0, n = 0; i < v->opt.n; i++) {
		bool last = i + 1 == v->opt.n ||
			    strcmp(v->opt.v[i + 1].field, v->opt.v[i].field) != 0;
		value[n++] = v->opt.v[i].glob;
		if (!last)
			continue;
		put_option(out, v->opt.v[i].field, value, n);
		n = 0;
	}
}

/* The options that were given, each once: the last value, or all of those that may come several
 * times. false: there is none. */
static bool put_given(struct cli *c, struct str *out, const char *name)
{
	bool any = false;

	str_addf(out, "  %s:\n", name);
	for (size_t i = 0; i < c->ngiven; i++) {
		const struct cli_opt *o = c->given[i].opt;
		const char **value;
		if (!is_kept(o->name) || is_given(c, i, o->name))
			continue;
		size_t n = cli_values(c, o->name, &value);
		if (o->many)
			put_option(out, o->name, value, n);
		else
			put_option(out, o->name, value + n - 1, 1);
		any = true;
	}
	return any;
}

/* mkdir -p of the folder of path; what cannot be made, the writing names. */
static void make_folder(struct cli *c, const char *path)
{
	char *p = arena_printf(&c->mem, "%s", path);

	for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		(void)mkdir(p, 0777);
		*slash = '/';
	}
}

/* views.yaml with all that is in it but NAME, and, where `given`, with what was given as NAME. */
static int rewrite(struct cli *c, const struct views *v, const char *name, bool given,
		   struct err *err)
{
	struct str out = { 0 };
	size_t n = given;

	str_addz(&out, "# Written by tare report --save. Views of one's own can stand here too.\n"
		       "version: 1\nviews:\n");
	for (size_t i = 0; i < v->conf[1].views.n; i++)
		if (strcmp(v->conf[1].views.v[i].name, name) != 0) {
			put_view(c, &out, &v->conf[1].views.v[i]);
			n++;
		}
	int r = 0;
	if (given && !put_given(c, &out, name)) {
		r = err_set(err, -EINVAL, "--save %s: there is no option to be saved", name);
		err_hint(err, "Such as: tare report --by team --since month --save %s", name);
	}
	if (!n)
		str_addz(&out, "  {}\n");
	make_folder(c, saved_path(c));
	if (r >= 0)
		r = outfile_write(saved_path(c), str_sv(&out), err);
	str_free(&out);
	return r;
}

int report_check_view_name(const char *name, const char *option, struct err *err)
{
	if (is_name(name))
		return 0;
	err_set(err, -EINVAL, "--%s: '%s' is no name of a view", option, name);
	err_hint(err, "Letters, digits, '-', '_' and '.', at most 60 of them");
	return -EINVAL;
}

static void say_changed(const char *name, bool saved, bool was_there)
{
	if (!saved)
		fprintf(stderr, "Forgotten: @%s\n", name);
	else
		fprintf(stderr, "%s: tare report @%s\n", was_there ? "Saved anew" : "Saved", name);
}

static int change(struct cli *c, const char *name, bool save)
{
	struct err err = { 0 };
	struct views v;
	int file = 1;

	if (report_check_view_name(name, save ? "save" : "forget", &err) < 0)
		return cli_fail(&err);
	if (load(c, &v, &err) < 0)
		return cli_fail(&err);
	bool there = find(&v, name, &file) != NULL;
	int rc;
	if (there && file == 0) {
		err_set(&err, -EEXIST, "the view '%s' stands in '%s'", name, v.path[0]);
		err_hint(&err, "Change it there, or take another name");
		rc = cli_fail(&err);
	} else if (!there && !save) {
		rc = unknown_view(&v, name);
	} else {
		rc = rewrite(c, &v, name, save, &err) < 0 ? cli_fail(&err) : EXIT_DONE;
		if (rc == EXIT_DONE && !c->quiet)
			say_changed(name, save, there);
	}
	views_free(&v);
	return rc;
}

int report_save_view(struct cli *c, const char *name)
{
	return change(c, name, true);
}

int report_forget_view(struct cli *c, const char *name)
{
	return change(c, name, false);
}

/* ---- --views ----------------------------------------------------------------------------- */

struct view_row {
	const char *name, *options, *file;
};
struct views_json {
	const struct view_row *row;
	size_t n;
};

static const struct col view_cols[] = {
	{ "name", COL_TEXT, offsetof(struct view_row, name), .always = true,
	  .help = "tare report @NAME" },
	{ "options", COL_TEXT, offsetof(struct view_row, options), .always = true,
	  .help = "as on the command line" },
	{ "file", COL_TEXT, offsetof(struct view_row, file), .always = true,
	  .help = "where it stands" },
	{ 0 },
};
static const struct col views_cols[] = {
	{ "views", COL_LIST(struct views_json, row, n, view_cols), .help = "saved reports" },
	{ 0 },
};
const struct col_doc report_views_doc = { "tare.views/1", "report", "saved reports, with --views",
					  views_cols };

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

static void table(const struct views_json *v, const struct out_as *as, struct str *out)
{
	struct grid g = { 0 };

	if (!v->n) {
		str_addz(
			out,
			"No views yet. Save one: tare report --by team --since month --save NAME\n");
		return;
	}
	grid_add_col(&g, "tare report", GRID_LEFT, false);
	grid_add_col(&g, "is tare report with", GRID_LEFT, false);
	for (size_t i = 0; i < v->n; i++) {
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		cell[0] = arena_printf(&g.mem, "@%s", v->row[i].name);
		cell[1] = v->row[i].options;
	}
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	grid_free(&g);
}

int report_list_views(struct cli *c)
{
	struct err err = { 0 };
	struct views v;
	struct str out = { 0 };
	struct out_as as = cli_out_as(c);

	if (load(c, &v, &err) < 0)
		return cli_fail(&err);
	size_t n = v.conf[0].views.n + v.conf[1].views.n;
	struct view_row *row = arena_zalloc(&c->mem, (n + 1) * sizeof *row);
	struct views_json doc = { row, n };
	for (int f = 0; f < 2; f++)
		for (size_t i = 0; i < v.conf[f].views.n; i++)
			*row++ = (struct view_row){ v.conf[f].views.v[i].name,
						    option_line(c, &v.conf[f].views.v[i]),
						    v.path[f] };
	if (as.format == OUT_JSON)
		cols_doc(&report_views_doc, &doc, &out);
	else if (as.format == OUT_CSV)
		cols_csv(view_cols, doc.row, doc.n, sizeof *doc.row, &out);
	else
		table(&doc, &as, &out);
	int rc = cli_write(&out);
	str_free(&out);
	views_free(&v);
	return rc;
}
