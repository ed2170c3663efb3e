#include "cli/report_views.h"

#include <errno.h>

/* ---- KPIs -------------------------------------------------------------------------------- */

static int kpi_services(struct report_load *l, struct kpi_in *in, struct err *err)
{
	struct request_stat *stat;
	size_t n;
	int r = store_requests(l->q.ask.store, l->c->since_ms, l->c->until_ms, false, &l->c->mem,
			       &stat, &n, err);

	if (r < 0)
		return r;
	struct kpi_service *s = arena_alloc(&l->c->mem, (n + 1) * sizeof *s);
	for (size_t i = 0; i < n; i++)
		s[i] = (struct kpi_service){
			stat[i].service, stat[i].t_ms,      stat[i].count,
			stat[i].ok,      stat[i].tokens_in, stat[i].tokens_out
		};
	in->service = s;
	in->nservice = n;
	return 0;
}

int report_view_kpi(struct report_load *l, struct str *out, struct err *err)
{
	struct report_dims job = { 0 }, cause = { 0 }, buy = { 0 };
	struct kpi_in in = {
		.since_ms = l->q.since_ms,
		.until_ms = l->q.until_ms,
		.basis = l->q.basis,
		.conf = &l->c->conf,
		.colour = l->c->colour,
		.width = l->c->width,
		.where = l->q.filter.words.n ? str_z(&l->q.filter.words) : NULL,
	};
	struct report_cell *jobs, *causes, *buys;
	struct allocation *alloc;
	int r = report_dims_add(&job, "workload,job,run,project", &l->c->mem, err);

	r = r < 0 ? r : report_dims_add(&cause, "cause", &l->c->mem, err);
	r = r < 0 ? r : report_dims_add(&buy, "purchase,kind", &l->c->mem, err);
	r = r < 0 ? r : report_cells(&l->q, &buy, true, &buys, &in.nbuy, NULL, NULL, err);
	r = r < 0 ? r : report_cells(&l->q, &job, true, &jobs, &in.njob, NULL, NULL, err);
	r = r < 0 ? r : report_cells(&l->q, &cause, true, &causes, &in.ncause, NULL, NULL, err);
	r = r < 0 ? r
		  : store_allocations(l->q.ask.store, NULL, l->c->since_ms, l->c->until_ms,
				      &l->c->mem, &alloc, &in.nalloc, err);
	r = r < 0 ? r : kpi_services(l, &in, err);
	if (r < 0)
		return r;
	in.job = jobs;
	in.cause = causes;
	in.buy = buys;
	in.alloc = alloc;
	return kpi_print(&in, l->c->output, out, err);
}

/* ---- tags -------------------------------------------------------------------------------- */

/* A required tag that is one of the owner's fields is that dimension, any other a tag. */
static const char *tag_dim(struct arena *a, const char *tag)
{
	static const char *const field[] = { "team", "project", "env", "workload",
					     "user", "job",     "run" };

	for (size_t i = 0; i < sizeof field / sizeof *field; i++)
		if (!strcmp(field[i], tag))
			return field[i];
	return sv_starts(sv_of(tag), SV("tag:")) ? tag : arena_printf(a, "tag:%s", tag);
}

/* team and user are among the dimensions already when they are the tag asked for: their place is
 * filled from there. */
static int load_tag(struct report_load *l, const char *name, struct tags_one *ret, struct err *err)
{
	static const char *const want[] = { "", "team", "user", "node" };
	struct arena *a = &l->c->mem;
	struct report_dims d = { 0 };
	struct report_cell *cell;
	size_t at[4] = { 0 };
	int r = report_dims_add(&d, name, a, err);

	for (size_t i = 1; i < 4 && r == 0; i++) {
		at[i] = strcmp(name, want[i]) ? d.n : 0;
		if (at[i])
			r = report_dims_add(&d, want[i], a, err);
	}
	r = r < 0 ? r : report_cells(&l->q, &d, true, &cell, &ret->ncell, NULL, NULL, err);
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

int report_view_tags(struct report_load *l, size_t limit, struct str *out, struct err *err)
{
	static const char *const usual[] = { "team", "project", "env", "workload" };
	struct cli *c = l->c;
	bool configured = c->conf.required_tags.n > 0;
	size_t n = configured ? c->conf.required_tags.n : sizeof usual / sizeof *usual;
	struct tags_one *tag = arena_zalloc(&c->mem, n * sizeof *tag);
	struct tags_in in = {
		.tag = tag,
		.ntag = n,
		.configured = configured,
		.since_ms = l->q.since_ms,
		.until_ms = l->q.until_ms,
		.basis = l->q.basis,
		.conf = &c->conf,
		.limit = limit,
		.colour = c->colour,
		.width = c->width,
	};

	for (size_t i = 0; i < n; i++) {
		int r = load_tag(
			l, tag_dim(&c->mem, configured ? c->conf.required_tags.v[i] : usual[i]),
			&tag[i], err);
		if (r < 0)
			return r;
	}
	return tags_print(&in, c->output, out, err);
}
