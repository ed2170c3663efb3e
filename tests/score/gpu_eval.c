#include "gpu_eval.h"

#include <string.h>

#include "gpu_eval_in.h"
#include "base/input.h"
#include "speedfile.h"

static int gpu_of(const struct catalog *cat, const struct gpu_spec *g)
{
	for (int i = 0; catalog_gpu_at(cat, (size_t)i); i++)
		if (catalog_gpu_at(cat, (size_t)i) == g)
			return i;
	return -1;
}

static void add_rows(struct eval *e, const struct speed_file *f, bool test)
{
	for (size_t i = 0; i < f->row.n; i++) {
		const struct speed_row *r = &f->row.v[i];
		int workload = (int)intern_add(&e->workload, sv_of(r->job)),
		    family = (int)intern_add(&e->family, sv_of(r->family));
		struct transfer_cell cell = { { gpu_of(e->q->cat, r->gpu), r->gpus, r->layout },
					      { workload, workload, family, r->batch,
						r->workload_gpus },
					      r->speed };
		*vec_push(&e->train) = cell;
		if (test) {
			*vec_push(&e->test) = cell;
			*vec_push(&e->submitter) = arena_strn(e->q->mem, r->submitter,
							      strlen(r->submitter));
		}
	}
}

static int read_file(struct eval *e, const char *path, bool test, struct err *err)
{
	struct input *in;
	struct speed_file f;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = speed_file_read(in, e->q->cat, &f, err);
	input_close(in);
	if (r < 0)
		return r;
	if (test) {
		e->fp32 = f.fp32;
		e->mlperf = f.kind == SPEED_MLPERF;
	}
	add_rows(e, &f, test);
	speed_file_free(&f);
	return 0;
}

static int leave_out(const struct eval *e, struct gpu_eval *ret, struct err *err)
{
	const char **gpu = arena_alloc(e->q->mem, (e->gpu.n + 1) * sizeof *gpu);

	for (size_t i = 0; i < e->gpu.n; i++)
		gpu[i] = catalog_gpu_at(e->q->cat, i)->model;
	ret->gpu = gpu;
	return transfer_evaluate(e->gpu.n, e->gpu.v, e->train.n, e->train.v, e->test.n, e->test.v,
				 e->q->pairs, e->q->seed, &ret->transfer, err);
}

int gpu_eval_make(const struct gpu_eval_ask *q, struct gpu_eval *ret, struct err *err)
{
	struct eval e = { .q = q };
	const struct gpu_spec *g;
	int r = read_file(&e, e.q->file, true, err);

	for (size_t i = 0; i < e.q->nalso && r >= 0; i++)
		r = read_file(&e, e.q->also[i], false, err);
	for (size_t i = 0; r >= 0 && (g = catalog_gpu_at(e.q->cat, i)); i++)
		*vec_push(&e.gpu) = (struct transfer_gpu){ gpu_peak_tflops(g, e.fp32),
							   g->bandwidth_gb_s };

	*ret = (struct gpu_eval){ .mlperf = e.mlperf };
	if (r >= 0)
		r = e.mlperf ? eval_choice(&e, ret, err) : leave_out(&e, ret, err);
	vec_free(&e.gpu);
	vec_free(&e.test);
	vec_free(&e.train);
	vec_free(&e.submitter);
	intern_free(&e.workload);
	intern_free(&e.family);
	return r;
}

void gpu_eval_free(struct gpu_eval *e)
{
	if (!e->mlperf)
		transfer_eval_free(&e->transfer);
}
