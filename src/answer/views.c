#include "answer/views.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/jw.h"
#include "base/near.h"
#include "base/outfile.h"
#include "base/str.h"

#define NAME_MAX_BYTES 60
#define NEAR_MAX       64 /* names that are looked through for a like one */

int views_load(const char *settings, bool named, const char *saved, struct views *ret,
	       struct err *err)
{
	struct views v = { .path = { settings, saved }, .saved = saved };

	for (int i = 0; i < VIEWS_FILE_N; i++) {
		bool needed = i == VIEWS_SETTINGS && named;
		if (!needed && access(v.path[i], F_OK) < 0)
			v.path[i] = NULL;
		int r = conf_load(v.path[i], &v.conf[i], err);
		if (r == 0)
			continue;
		if (i)
			conf_free(&v.conf[0]);
		return r;
	}
	*ret = v;
	return 0;
}

void views_free(struct views *v)
{
	for (int i = 0; i < VIEWS_FILE_N; i++)
		conf_free(&v->conf[i]);
}

const struct conf_view *views_find(const struct views *v, const char *name,
				   enum views_file *ret_file)
{
	for (int f = 0; f < VIEWS_FILE_N; f++)
		for (size_t i = 0; i < v->conf[f].views.n; i++)
			if (!strcmp(v->conf[f].views.v[i].name, name)) {
				*ret_file = (enum views_file)f;
				return &v->conf[f].views.v[i];
			}
	return NULL;
}

int views_unknown(const struct views *v, const char *name, struct err *err)
{
	const char *names[NEAR_MAX];
	size_t n = 0;

	for (int f = 0; f < VIEWS_FILE_N; f++)
		for (size_t i = 0; i < v->conf[f].views.n && n < NEAR_MAX; i++)
			names[n++] = v->conf[f].views.v[i].name;
	const char *near = near_word(name, names, n);
	err_set(err, -ENOENT, "there is no view '%s'", name);
	if (near)
		err_hint(err, "Did you mean: tare report @%s", near);
	else if (n)
		err_hint(err, "Those that there are: tare report --views");
	else
		err_hint(err, "Save one: tare report --by team --since month --save NAME");
	return -ENOENT;
}

int views_check_name(const char *name, const char *option, struct err *err)
{
	size_t n = strspn(name,
			  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
	bool begins_well = *name != '-' && *name != '.';

	if (begins_well && n && !name[n] && n <= NAME_MAX_BYTES)
		return 0;
	err_set(err, -EINVAL, "--%s: '%s' is not a name of a view", option, name);
	err_hint(err, "Letters, digits, '-', '_' and '.', at most %d of them", NAME_MAX_BYTES);
	return -EINVAL;
}

/* One option with all its values. */
static void put_option(struct str *out, const struct view_option *o)
{
	str_addf(out, "    %s: %s", o->name, text_if(o->n > 1, "["));
	for (size_t i = 0; i < o->n; i++) {
		str_addz(out, text_if(i, ", "));
		struct jw w;

		jw_init(&w, out, 0); /* a text of JSON is one of YAML */
		jw_str(&w, text_or(o->value[i], "true"));
	}
	str_addz(out, o->n > 1 ? "]\n" : "\n");
}

/* The view as it was read from the file. */
static void put_view(struct str *out, const struct conf_view *v)
{
	const char **value = xcalloc(v->opt.n + 1, sizeof *value);

	str_addf(out, "  %s:\n", v->name);
	for (size_t i = 0, n = 0; i < v->opt.n; i++) {
		const char *name = v->opt.v[i].field;
		bool last = i + 1 == v->opt.n || strcmp(v->opt.v[i + 1].field, name) != 0;
		value[n++] = v->opt.v[i].glob;
		if (!last)
			continue;
		put_option(out, &(struct view_option){ name, value, n });
		n = 0;
	}
	free(value);
}

int views_write(const struct views *v, const char *name, const struct view_option *opt, size_t n,
		struct err *err)
{
	const struct conf *kept = &v->conf[VIEWS_SAVED];
	struct str out = { 0 };
	bool any = n > 0;

	str_addz(&out, "# Written by tare report --save. Views of one's own can stand here too.\n"
		       "version: 1\nviews:\n");
	for (size_t i = 0; i < kept->views.n; i++)
		if (strcmp(kept->views.v[i].name, name) != 0) {
			put_view(&out, &kept->views.v[i]);
			any = true;
		}
	if (n)
		str_addf(&out, "  %s:\n", name);
	for (size_t i = 0; i < n; i++)
		put_option(&out, &opt[i]);
	if (!any)
		str_addz(&out, "  {}\n");

	/* mkdir -p of the folder of path; what cannot be made, the writing names. */
	char *p = xstrdup(v->saved);

	for (char *slash = strchr(p + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		(void)mkdir(p, 0777);
		*slash = '/';
	}
	free(p);
	int r = outfile_write(v->saved, str_sv(&out), err);
	str_free(&out);
	return r;
}
