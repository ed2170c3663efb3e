#ifndef TARE_OPT_RUN_SWEEP_H
#define TARE_OPT_RUN_SWEEP_H
/*
 * A sweep larger than its gain: n runs of one thing with different settings, of which the best is
 * kept.
 *
 *   b_k     best result of the first k runs by end (lower is better after turning)
 *   near    b with b - b_n <= e |b_n|
 *   m       runs whose own result is near
 *   k(q)    min { k : C(n-m, k) / C(n, k) <= 1 - q }: so many runs, drawn at random, have a near one
 *           with probability q
 *
 * Two answers. In hindsight: the money spent after the first near result was there, of runs that
 * were under way then only what came after. As a budget: what n - k(q) runs cost in the mean,
 * whoever chooses them; q = 0.95. The first knows where it would find it; the second knows nothing
 * but how many of the settings were good enough, which a next sweep of the kind may take as its
 * guess.
 *
 * Sources: Bergstra and Bengio, JMLR 2012 (random search: 60 runs find the best 5 % with 95 %), of
 * which this is the count without replacement.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sweep_run {
	double result; /* best of its metric, finite */
	int64_t start_ms, end_ms;
	double cost;
};
struct sweep_gain {
	size_t near_runs; /* m */
	size_t needed;    /* k(q) */
	size_t first;     /* in order of end, the run with the first near result, from 1 */
	double cost;      /* of all */
	double after_cost, beyond_cost; /* in hindsight; of what is beyond the budget */
};
/* run [n], n > 0, in order of end. O(n). */
void sweep_judge(size_t n, const struct sweep_run *run, bool higher, double near_frac, double q,
		 struct sweep_gain *ret);
/* k(q): good of n. 1 <= good <= n. O(n). */
size_t sweep_needed(size_t n, size_t good, double q);

#endif
