/* Finding a map by its shipped name or by its path. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/near.h"
#include "base/sort.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "feed/feed.h"

#define MAP_MAX_BYTES (1 << 20)

static int read_all(const char *path, struct str *ret, struct err *err)
{
	char buf[8192];
	struct input *in;
	int64_t n;
	int rc = input_open(path, &in, err);

	if (rc < 0)
		return rc;
	while ((n = input_read(in, buf, sizeof buf, err)) > 0 && ret->n <= MAP_MAX_BYTES)
		str_add(ret, buf, (size_t)n);
	input_close(in);
	if (n >= 0 && ret->n > MAP_MAX_BYTES)
		return err_set(err, -EFBIG, "'%s' is too large for a map", path);
	if (n < 0)
		return (int)n;
	return 0;
}

/* The shipped map of that name, or NULL. */
static char *shipped_path(const char *name)
{
	const char *dir = catalog_data_dir(NULL);
	struct str s = { 0 };
	FILE *f;

	if (!dir || strchr(name, '/'))
		return NULL;
	str_addf(&s, "%s/maps/%s.yaml", dir, name);
	if ((f = fopen(str_z(&s), "r"))) {
		fclose(f);
		return s.p;
	}
	str_free(&s);
	return NULL;
}

size_t feed_map_names(struct arena *mem, const char ***ret)
{
	VEC(const char *) names = { 0 };
	const char *dir = catalog_data_dir(NULL);
	struct str path = { 0 };
	struct dirent *e;
	DIR *d;

	str_addf(&path, "%s/maps", text_or(dir, ""));
	if (dir && (d = opendir(str_z(&path)))) {
		while ((e = readdir(d)))
			if (sv_ends(sv_of(e->d_name), SV(".yaml")))
				*vec_push(&names) = arena_strn(mem, e->d_name,
							       strlen(e->d_name) - 5);
		closedir(d);
	}
	if (names.n)
		sort_items(names.v, names.n, sizeof *names.v, rising_text);
	*ret = arena_alloc(mem, (names.n + 1) * sizeof **ret);
	for (size_t i = 0; i < names.n; i++)
		(*ret)[i] = names.v[i];
	size_t n = names.n;
	vec_free(&names);
	str_free(&path);
	return n;
}

int feed_map_load(const char *name_or_path, struct feed_map **ret, struct err *err)
{
	char *shipped = shipped_path(name_or_path);
	struct str text = { 0 };
	int rc = read_all(text_or(shipped, name_or_path), &text, err);

	if (rc == -ENOENT) {
		err_set(err, rc, "there is no map '%s'", name_or_path);
		/* The shipped map with the nearest name, and all of them. */
		struct arena mem = { 0 };
		struct str all = { 0 }, first = { 0 };
		const char **names;
		size_t n = feed_map_names(&mem, &names);
		const char *near = near_word(name_or_path, names, n);

		for (size_t i = 0; i < n; i++)
			str_addf(&all, "%s%s", text_if(i, ", "), names[i]);
		if (near)
			str_addf(&first, "Did you mean --map %s? ", near);
		err_hint(
			err,
			"%sShipped are: %s; others are given by the path of a YAML file (docs/MAPS.md)",
			str_z(&first), n ? str_z(&all) : "none here");
		str_free(&first);
		str_free(&all);
		arena_free(&mem);
	}
	if (rc >= 0)
		rc = feed_map_parse(name_or_path, str_sv(&text), ret, err);
	str_free(&text);
	free(shipped);
	return rc;
}
