#include "answer/plan_batch.h"

#include <errno.h>

#include "feed/migprof.h"

/* The points of one size of instance and one number of processes. */
static int fit_profile(const struct migprof *p, const struct batch_ask *q, struct batch_in *in,
		       struct err *err)
{
	VEC(struct batch_point) pt = { 0 };
	in->max_batch = 1;
	for (size_t i = 0; i < p->row.n; i++) {
		const struct migprof_row *w = &p->row.v[i];
		if (w->slices != q->slices || w->procs != q->procs || !(w->latency_ms > 0))
			continue;
		*vec_push(&pt) = (struct batch_point){ w->batch, w->latency_ms };
		if (w->batch > in->max_batch)
			in->max_batch = w->batch;
	}
	int r = pt.n ? batch_fit(pt.n, pt.v, &in->model, err)
		     : err_set(err, -ENODATA,
			       "the profile has no measurement with %d slices and %d processes",
			       q->slices, q->procs);
	vec_free(&pt);
	return r;
}

static int read_profile(const struct batch_ask *q, struct batch_in *in, struct err *err)
{
	struct migprof p = { 0 };
	struct input *f;
	int r = input_open(q->profile, &f, err);

	if (r < 0)
		return r;
	r = migprof_read(f, &p, err);
	input_close(f);
	if (r >= 0)
		r = fit_profile(&p, q, in, err);
	migprof_free(&p);
	return r;
}

int answer_plan_batch(const struct batch_ask *q, struct batch_answer *ret, struct err *err)
{
	int r = 0;

	ret->in = q->in;
	if (q->profile)
		r = read_profile(q, &ret->in, err);
	return r < 0 ? r : batch_decide(&ret->in, &ret->plan, err);
}
