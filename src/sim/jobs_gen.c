/* See jobs_gen.h. */
#include "sim/jobs_gen.h"

#include <math.h>
#include "base/num.h"
#include "sim/draw.h"

#define LOG_S  7.5      /* of the median length: half an hour */
#define SIGMA  1.8      /* the mean is then five times the median, as in Philly */
#define MAX_S  259200.0 /* three days */
#define MEAN_S 8341.0   /* of the cut lognormal; drawn, 2 million times */
static const int gpus_of[] = { 1, 1, 1, 1, 1, 2, 2, 4, 8, 16 };

int jobs_gen_next(void *gen, struct sim_job *ret)
{
	struct jobs_gen *g = gen;
	uint64_t i = (uint64_t)g->at;
	int64_t max = g->gpus_max > 0 ? g->gpus_max : 16;
	double gpus = 0;

	if (g->at >= g->n)
		return 0;
	g->at++;
	for (int k = 0; k < 10; k++)
		gpus += (double)min_i64(gpus_of[k], max);
	double gap_ms = MEAN_S * 1000 * (gpus / 10) / ((double)g->gpus * g->load_frac);
	g->submit_ms += (int64_t)(draw_exponential(draw_bits(g->seed, i, 1)) * gap_ms);
	*ret = g->like;
	ret->submit_ms = g->submit_ms;
	ret->run_ms =
		(int64_t)(fmin(MAX_S, exp(LOG_S + SIGMA * draw_normal(draw_bits(g->seed, i, 2)))) *
			  1000);
	ret->gpus = gpus_of[draw_bits(g->seed, i, 3) % 10];
	if (ret->gpus > max)
		ret->gpus = (int32_t)max;
	if (isnan(g->slack_frac))
		ret->deadline_ms = INT64_MAX;
	else
		ret->deadline_ms = ret->submit_ms +
				   (int64_t)((double)ret->run_ms * (1 + g->slack_frac));
	return 1;
}
