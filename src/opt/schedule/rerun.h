#ifndef TARE_OPT_SCHEDULE_RERUN_H
#define TARE_OPT_SCHEDULE_RERUN_H
/*
 * Runs that were made again, and runs that failed as soon as they had begun.
 *
 *   again(i)   there is k of the same kind with completed(k), end_k <= start_i, and the same
 *              configuration; where neither side tells one, |len_k - len_i| <= LENGTH x max(len_k,
 * len_i)
 *   soon(i)    failed(i) and end_i - start_i <= soon
 *   row        soon runs of a kind, one after the other by start, without a run that is not soon
 * between
 *
 * Kind: who submits, name, GPUs. A kind whose runs begin by a timetable (three runs or more whose
 * distances all lie within STEADY of the median distance) is repeated on purpose and never counts
 * as made again. What a check before the run would have kept of a row is all but its first: that
 * one is what the check itself finds.
 *
 * A run of equal length may still have had other data: without configurations the answer is an
 * estimate. Ours; how often runs fail soon: Jeon et al., ATC 2019, section 4 (Philly).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RERUN_LENGTH_FRAC 0.02 /* runs of one program on the same GPUs differ by less */
#define RERUN_STEADY_FRAC 0.05

struct rerun_job {
	uint32_t kind;   /* equal: the same user, name and GPUs */
	uint32_t config; /* equal: started with the same; RERUN_NO_CONFIG: not told */
	int64_t start_ms, end_ms;
	bool completed, failed;
};
#define RERUN_NO_CONFIG UINT32_MAX

enum rerun_how { RERUN_FIRST, RERUN_SAME_CONFIG, RERUN_SAME_LENGTH };
/*
 * v [n], by kind and then by start; ret [n]: whether each is made again, and by what that is told.
 * Runs last: end > start. O(n log n), and O(n x configurations) in the runs of a kind.
 */
void rerun_again(size_t n, const struct rerun_job *v, enum rerun_how *ret);

/* v [n] in the same order; ret_row [n]: place in its row from 1, 0: it did not fail soon. O(n). */
void rerun_soon(size_t n, const struct rerun_job *v, int64_t soon_ms, size_t *ret_row);

#endif
