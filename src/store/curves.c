/* Curves of training runs: of a point that several files tell, or one file twice, the newest. */
#include "store/inside.h"

struct newest_point {
	struct str run, job, metric; /* of the last point that was given */
	int64_t step;
	bool any;
	store_curve_fn *fn;
	void *ctx;
};

/* They come newest first. */
static int take_point(void *ctx, const struct curve_point *p, struct err *err)
{
	struct newest_point *n = ctx;
	bool same_metric = n->any && sv_eq(str_sv(&n->metric), p->metric);
	bool same_run = sv_eq(str_sv(&n->run), p->run) && sv_eq(str_sv(&n->job), p->job);

	if (!same_metric || !same_run) {
		str_setsv(&n->run, p->run);
		str_setsv(&n->job, p->job);
		str_setsv(&n->metric, p->metric);
	} else if (n->step == p->step) {
		return 0;
	}
	n->step = p->step;
	n->any = true;
	return n->fn(n->ctx, p, err);
}

int store_curves(struct store *s, store_curve_fn *fn, void *ctx, struct err *err)
{
	struct newest_point n = { .fn = fn, .ctx = ctx };
	int r = facts_curves(s->facts, take_point, &n, err);

	str_free(&n.run);
	str_free(&n.job);
	str_free(&n.metric);
	return r;
}
