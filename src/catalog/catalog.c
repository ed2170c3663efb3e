/* Opening and closing the catalogue; what its tables come from. */
#include <errno.h>
#include <stdlib.h>
#include "base/tm.h"
#include "catalog/in.h"

static int load_sources(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "id", "as_of", "name", NULL };
	struct table t;
	int r = table_open(&t, c->dir, "sources.csv", col, err);
	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct source s = { .id = t.cell[0], .name = t.cell[2] };
		if (tm_parse(sv_of(t.cell[1]), 0, &s.as_of_ms) < 0)
			return table_bad(&t, "as_of", t.cell[1], err);
		*vec_push(&c->sources) = s;
	}
	return r;
}

int catalog_open(const char *data_dir, struct catalog **ret, struct err *err)
{
	if (!data_dir && !(data_dir = catalog_data_dir(err)))
		return -ENOENT;
	struct catalog *c = xcalloc(1, sizeof *c);
	c->dir = xstrdup(data_dir);
	int r = load_sources(c, err);
	if (r >= 0)
		r = gpu_load(c, err);
	if (r >= 0)
		r = instance_load(c, err);
	if (r >= 0)
		r = speeds_load(c, err);
	if (r >= 0)
		r = offers_load(c, err);
	if (r < 0) {
		catalog_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	free(c->gpu);
	free(c->mig_set);
	free(c->alias);
	free(c->mig);
	free(c->instance);
	for (int f = 0; f < FILE_N; f++)
		free(c->shipped[f].v);
	free(c->added.v);
	vec_free(&c->bands);
	vec_free(&c->carbons);
	vec_free(&c->sources);
	vec_free(&c->not_offered);
	vec_free(&c->terms);
	vec_free(&c->speed);
	for (size_t i = 0; i < c->texts.n; i++)
		free(c->texts.v[i]);
	vec_free(&c->texts);
	intern_free(&c->names);
	arena_free(&c->mem);
	free(c->dir);
	free(c);
}
