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

int answer_tags(const struct report_ask *q, struct tags_answer *ret, struct err *err)
{
	static const char *const usual[] = { "team", "project", "env", "workload" };
	static const char *const want[] = { "", "team", "user", "node" };
	const struct conf *conf = q->ask.conf;
	struct arena *mem = q->ask.mem;
	bool configured = conf->required_tags.n > 0;
	size_t n = configured ? conf->required_tags.n : sizeof usual / sizeof *usual;
	struct tags_one *tag = arena_zalloc(mem, n * sizeof *tag);

	for (size_t i = 0; i < n; i++) {
		const char *name = tag_dim(mem, configured ? conf->required_tags.v[i] : usual[i]);
		struct report_dims d = { 0 };
		struct report_cell *cell;
		size_t at[4] = { 0 };
		int r = report_dims_add(&d, name, mem, err);

		/* team and user are among the dimensions already when they are the tag asked for:
		 * their place is filled from there. */
		for (size_t k = 1; k < 4 && r == 0; k++) {
			at[k] = strcmp(name, want[k]) ? d.n : 0;
			if (at[k])
				r = report_dims_add(&d, want[k], mem, err);
		}
		if (r >= 0)
			r = report_cells(q, &d, true, &cell, &tag[i].ncell, err);
		if (r < 0)
			return r;
		for (size_t c = 0; c < tag[i].ncell; c++) {
			const char **dim = arena_alloc(mem, 4 * sizeof *dim);
			for (size_t k = 0; k < 4; k++)
				dim[k] = cell[c].dim[at[k]];
			cell[c].dim = dim;
		}
		tag[i].name = name;
		tag[i].cell = cell;
	}
	*ret = (struct tags_answer){ .tag = tag, .ntag = n, .configured = configured };
	return 0;
}
