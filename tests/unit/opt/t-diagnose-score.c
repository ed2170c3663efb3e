/*
 * The diagnosis on simulated work whose cause is known (diag_sim.h), over seeds that nothing was
 * tuned on: few here, so that it is quick, and all causes in one count. bench-diagnose prints each
 * cause (docs/ALGORITHMS.md, "Diagnosis").
 */
#include "../base/test.h"

#include "diag_sim.h"

#define SEED  3000
#define SEEDS 2

static struct sim *s;

static void t_score(void **state)
{
	int tp = 0, fp = 0, fn = 0, unknown = 0, runs = 0;

	(void)state;
	for (int scene = 0; scene < SIM_SCENES; scene++)
		for (uint64_t seed = SEED; seed < SEED + SEEDS; seed++) {
			struct diag_result r;
			bool got[DIAG_N] = { 0 };
			sim_run(s, (enum sim_scene)scene, seed);
			diag_run(s->dev, (size_t)s->devs, &r);
			assert_true(r.verdict == DIAG_FOUND ? r.n > 0 : r.n == 0);
			for (int i = 0; i < r.n; i++) {
				const struct diag_finding *f = &r.finding[i];
				got[f->cause] = true;
				assert_true(f->confidence >= 0.5 && f->confidence <= 1 &&
					    f->time_frac >= 0 && f->time_frac <= 1);
				assert_true(isnan(f->lost_frac) ||
					    (f->lost_frac >= 0 && f->lost_frac <= 1));
				assert_true(f->dev >= -1 && f->dev < s->devs);
			}
			for (int c = 0; c < DIAG_N; c++) {
				int t = sim_truth(s, (enum diag_cause)c);
				tp += t == 1 && got[c];
				fn += t == 1 && !got[c];
				fp += t == 0 && got[c];
			}
			unknown += r.verdict == DIAG_UNKNOWN;
			runs++;
		}
	assert_true(tp >= 0.9 * (tp + fp));
	assert_true(tp >= 0.8 * (tp + fn));
	assert_true(unknown <= 0.15 * runs);
}

/* The same with most readings taken away: an answer may be missing, a wrong one is not given. */
static void t_thin(void **state)
{
	int wrong = 0, runs = 0;

	(void)state;
	for (int scene = 0; scene < SIM_SCENES; scene++) {
		struct diag_result r;
		sim_run(s, (enum sim_scene)scene, SEED + 7);
		for (int d = 0; d < s->devs; d++)
			for (int i = 0; i < s->secs; i++) {
				struct diag_step *t = &s->step[d][i];
				double util = t->value[METRIC_GPU_UTIL_PCT],
				       mem = t->value[METRIC_MEM_USED_BYTES];
				int64_t at = t->t_ms;
				diag_step_init(t);
				t->t_ms = at;
				t->step_ms = 1000;
				t->value[METRIC_GPU_UTIL_PCT] = util;
				t->value[METRIC_MEM_USED_BYTES] = mem;
			}
		diag_run(s->dev, (size_t)s->devs, &r);
		for (int i = 0; i < r.n; i++)
			wrong += sim_truth(s, r.finding[i].cause) == 0;
		runs++;
	}
	assert_true(wrong <= runs / 10);
}

/* Readings that no sensor gives: rubbish in, no crash, nothing outside its range. */
static void t_rubbish(void **state)
{
	static const double odd[] = { NAN, INFINITY, -INFINITY, -1, 0, 1e300, 100, 5 };
	struct sim_rng g = { 7 };

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct diag_result r;
		for (int d = 0; d < 3; d++) {
			struct diag_facts *f = &s->dev[d].facts;
			double *v = (double *)f;
			diag_facts_init(f);
			for (int k = 0; k < 10; k++)
				v[k] = odd[sim_pick(&g, 8)];
			f->serving = sim_pick(&g, 2);
			for (int i = 0; i < 70; i++) {
				diag_step_init(&s->step[d][i]);
				s->step[d][i].t_ms = i * 1000;
				s->step[d][i].step_ms = sim_pick(&g, 20) ? 1000 : -5;
				for (int m = 0; m < METRIC_N; m++)
					s->step[d][i].value[m] = sim_pick(&g, 3)
									 ? 50 * sim_u(&g)
									 : odd[sim_pick(&g, 8)];
				for (int x = 0; x < DIAG_X_N; x++)
					s->step[d][i].extra[x] = sim_pick(&g, 3)
									 ? 50 * sim_u(&g)
									 : odd[sim_pick(&g, 8)];
			}
			s->dev[d].step = s->step[d];
			s->dev[d].n = 70;
		}
		diag_run(s->dev, 3, &r);
		assert_true(r.n >= 0 && r.n <= DIAG_FINDINGS && r.nmissing <= DIAG_MISSING);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_score), cmocka_unit_test(t_thin),
					    cmocka_unit_test(t_rubbish) };

	s = sim_new();
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	sim_free(s);
	return r;
}
