/* Measured speeds of GPU models: data/speeds.csv, written by tools/make-speeds. A data folder
 * without it has none. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "catalog/in.h"

int speeds_load(struct catalog *c, struct err *err)
{
	static const char *const col[] = { "group", "workload", "class", "gpu_model",
					   "speed", "source",   NULL };
	char path[PATH_MAX];
	struct table t;
	int n = snprintf(path, sizeof path, "%s/speeds.csv", c->dir);
	if (n < 0 || (size_t)n >= sizeof path || access(path, F_OK) < 0)
		return 0;
	int r = table_open(&t, c->dir, "speeds.csv", col, err);
	if (r < 0)
		return r;
	*vec_push(&c->texts) = t.text;
	while ((r = table_next(&t, err)) > 0) {
		struct speed_fact f = { t.cell[0], t.cell[1],
					t.cell[2], catalog_gpu(c, sv_of(t.cell[3])),
					0,         source_name(c, t.cell[5]) };
		if (!f.gpu)
			return table_bad(&t, "gpu_model", t.cell[3], err);
		if (table_f64(&t, 4, &f.speed, err) < 0)
			return -EBADMSG;
		if (!(f.speed > 0 && f.speed < 1e9))
			return table_bad(&t, "speed", t.cell[4], err);
		*vec_push(&c->speed) = f;
	}
	return r;
}

const struct speed_fact *catalog_speed_at(const struct catalog *c, size_t i)
{
	if (i < c->speed.n)
		return &c->speed.v[i];
	return NULL;
}
