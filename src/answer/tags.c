#include "answer/tags.h"

#include <string.h>

/* A required tag that is one of the owner's fields is that dimension, any other a tag. */
static const char *tag_dim(struct arena *a, const char *tag)
{
	static const char *const field[] = { "team", "project", "env", "workload",
					     "user", "job",     "run" };

	for (size_t i = 0; i < sizeof field / sizeof *field; i++)
		if (!strcmp(field[i], tag))
			return field[i];
	if (sv_starts(sv_of(tag), SV("tag:")))
		return tag;
	return arena_printf(a, "tag:%s", tag);
}

/* team and user are among the dimensions already when they are the tag asked for: their place is
 * filled from there. */
static int load_tag(const struct report_ask *q, const char *name, struct tags_one *ret,
		    struct err *err)
{
	static const char *const want[] = { "", "team", "user", "node" };
	struct arena *a = q->ask.mem;
	struct report_dims d = { 0 };
	struct report_cell *cell;
	size_t at[4] = { 0 };
	int r = report_dims_add(&d, name, a, err);

	for (size_t i = 1; i < 4 && r == 0; i++) {
		at[i] = strcmp(name, want[i]) ? d.n : 0;
		if (at[i])
			r = report_dims_add(&d, want[i], a, err);
	}
	if (r >= 0)
		r = report_cells(q, &d, true, &cell, &ret->ncell, NULL, NULL, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < ret->ncell; i++) {
		const char **dim = arena_alloc(a, 4 * sizeof *dim);
		for (size_t k = 0; k < 4; k++)
			dim[k] = cell[i].dim[at[k]];
		cell[i].dim = dim;
	}
	ret->name = name;
	ret->cell = cell;
	return 0;
}

int answer_tags(const struct report_ask *q, struct tags_answer *ret, struct err *err)
{
	static const char *const usual[] = { "team", "project", "env", "workload" };
	const struct conf *conf = q->ask.conf;
	struct arena *mem = q->ask.mem;
	bool configured = conf->required_tags.n > 0;
	size_t n = configured ? conf->required_tags.n : sizeof usual / sizeof *usual;
	struct tags_one *tag = arena_zalloc(mem, n * sizeof *tag);

	for (size_t i = 0; i < n; i++) {
		const char *name = configured ? conf->required_tags.v[i] : usual[i];
		int r = load_tag(q, tag_dim(mem, name), &tag[i], err);
		if (r < 0)
			return r;
	}
	*ret = (struct tags_answer){ .tag = tag, .ntag = n, .configured = configured };
	return 0;
}
