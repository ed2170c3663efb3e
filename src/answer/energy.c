#include "answer/energy.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"

static const struct {
	enum dim dim;
	size_t at; /* in struct work */
} known[] = {
#define OF(d, member)                                      \
	{                                                  \
		DIM_##d, offsetof(struct workload, member) \
	}
	OF(TEAM, team),         OF(PROJECT, project), OF(ENV, env),
	OF(WORKLOAD, workload), OF(USER, user),       OF(JOB, job),
	OF(CLUSTER, cluster),   OF(NODE, node),       OF(PROVIDER, provider),
	OF(REGION, region),     OF(ZONE, zone),       OF(GPU_MODEL, gpu_model),
	OF(PURCHASE, purchase), OF(SERVICE, service), OF(INSTANCE_TYPE, instance_type),
#undef OF
};

static int find_dim(enum dim d)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].dim == d)
			return (int)i;
	return -1;
}

static const char *value_of(const struct workload *w, enum dim d)
{
	const char *v = *(const char *const *)((const char *)w + known[find_dim(d)].at);

	return text_or(v, "");
}

static int more_first(const void *a, const void *b)
{
	const struct energy_row *x = a, *y = b;
	double u = energy_kwh(&x->sum), v = energy_kwh(&y->sum);

	u = known_or(u, -1);
	v = known_or(v, -1);
	if (u != v)
		return cmp_double(v, u);
	return cmp_double(y->sum.ms, x->sum.ms);
}

/* Texts of a fleet are interned: equal ones are equal pointers, and outlive it as copies. */
static void add_rows(const struct report_ask *q, const struct report_dims *d,
		     const struct energy_base *b, const struct fleet *f, struct energy_answer *ret)
{
	struct intern key = { 0 };
	VEC(struct energy_row) row = { 0 };
	struct str s = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind == WORKLOAD_LINE || w->ms <= 0)
			continue;
		str_clear(&s);
		for (size_t k = 0; k < d->n; k++)
			str_addf(&s, "%s\x1f", value_of(w, d->dim[k]));
		uint32_t id = intern_add(&key, str_sv(&s));
		if (id == row.n) {
			const char **v = arena_alloc(q->ask.mem, (d->n + 1) * sizeof *v);
			for (size_t k = 0; k < d->n; k++)
				v[k] = arena_printf(q->ask.mem, "%s", value_of(w, d->dim[k]));
			*vec_push(&row) = (struct energy_row){ .dim = v };
		}
		/* where nothing has a price a fleet's amounts are GPU-hours, which is no money */
		int64_t nano = f->in_gpu_hours ? 0 : w->cost_nano;
		int64_t unpriced_ms = f->in_gpu_hours ? w->ms : w->unpriced_ms;
		row.v[id].cost_nano += nano;
		row.v[id].unpriced_ms += unpriced_ms;
		ret->total.cost_nano += nano;
		ret->total.unpriced_ms += unpriced_ms;
		energy_add(b, w, &row.v[id].sum);
		energy_add(b, w, &ret->total.sum);
	}
	ret->row = arena_copy(q->ask.mem, row.v, row.n, sizeof *row.v);
	ret->nrow = row.n;
	if (row.n)
		sort_items(ret->row, row.n, sizeof *ret->row, more_first);
	vec_free(&row);
	str_free(&s);
	intern_free(&key);
}

static int base_of(const struct conf *conf, struct catalog *cat, struct energy_base *ret,
		   struct err *err)
{
	int r;

	*ret = (struct energy_base){ .conf = &conf->energy, .catalog = cat };
	r = catalog_carbons(cat, &ret->carbon, &ret->ncarbon, err);
	if (r == -ENOENT)
		return 0;
	return r; /* a folder of data of one's own has none: nothing is known */
}

int answer_energy(const struct report_ask *q, const struct report_dims *d, struct catalog *cat,
		  struct energy_answer *ret, struct err *err)
{
	struct fleet_opt o = { .conf = q->ask.conf,
			       .catalog = cat,
			       .since_ms = q->ask.since_ms,
			       .until_ms = q->ask.until_ms,
			       .deadline_slack_frac = 0.25 };
	struct energy_base b;
	struct fleet f;
	int r;

	for (size_t i = 0; i < d->n; i++) {
		if (find_dim(d->dim[i]) >= 0)
			continue;
		err_set(err, -EINVAL, "--energy: there are no rows by '%s'", d->name[i]);
		err_hint(
			err,
			"It takes team project env workload user job service cluster node provider region zone gpu_model instance_type purchase");
		return -EINVAL;
	}
	if (q->filter.v.n)
		return err_set(err, -EINVAL, "--energy takes no --where: choose rows with --by");
	*ret = (struct energy_answer){ .currency = q->ask.conf->currency,
				       .pue = q->ask.conf->energy.pue,
				       .since_ms = UNKNOWN_MS,
				       .until_ms = UNKNOWN_MS };
	r = base_of(q->ask.conf, cat, &b, err);
	if (r < 0)
		return r;
	r = fleet_load(q->ask.store, &o, &f, err);
	if (r == -ENODATA) /* nothing in the window: no rows */
		return 0;
	if (r < 0)
		return r;
	if (!f.in_gpu_hours)
		ret->currency = arena_printf(q->ask.mem, "%s", f.currency);
	ret->since_ms = f.since_ms;
	ret->until_ms = f.until_ms;
	add_rows(q, d, &b, &f, ret);

	struct energy_other *v = arena_zalloc(q->ask.mem, (f.other.n + 1) * sizeof *v);

	for (size_t i = 0; i < f.other.n; i++)
		v[i] = (struct energy_other){ arena_printf(q->ask.mem, "%s",
							   filled_or(f.other.v[i].currency,
								     "(no currency)")),
					      f.other.v[i].gpu_ms, f.other.v[i].nano * 1000 };
	ret->other = v;
	ret->nother = f.other.n;
	fleet_free(&f);
	return 0;
}

int answer_plan_energy(const struct conf *conf, struct catalog *cat, const struct plan *p,
		       struct arena *mem, struct plan_energy *ret, struct err *err)
{
	struct energy_base b;
	int r = base_of(conf, cat, &b, err);

	if (r >= 0)
		energy_of_plan(&b, p, mem, &ret->item, &ret->all);
	if (r < 0)
		return r;
	return 0;
}
