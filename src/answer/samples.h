#ifndef TARE_ANSWER_SAMPLES_H
#define TARE_ANSWER_SAMPLES_H
/* Causes of low utilisation in a file of recorded readings, a window after the other. */
#include "answer/ask.h"
#include "opt/diagnose/diagnose.h"

struct samples_window { /* of a machine's and job's GPUs */
	int64_t from_ms;
	struct sv node, job;
	size_t ngpu;
	const struct diag_result *r;
};
struct samples_ask {
	struct ask ask; /* no store is read; the catalogue may be NULL: GPUs are then unknown */
	const char *file;
	int64_t window_ms; /* a minute or more */
	/* every window as it was judged, which lives during the call; NULL: only the sums */
	void (*window)(void *ctx, const struct samples_window *w);
	void *ctx;
};
struct samples_tally {
	int64_t n; /* windows */
	double gpu_h, lost_h;
};
struct samples_missing {
	const char *metric;
	int64_t n;
};
struct samples_answer {
	int64_t windows, window_ms;
	size_t gpus;
	struct samples_tally verdict[DIAG_VERDICT_N], cause[DIAG_N];
	/* [nmissing] what would have decided it, in windows of not enough signals */
	const struct samples_missing *missing;
	size_t nmissing;
};
/*
 * Returns 0 or a negative errno; -E2BIG for more than four million samples.
 * O(samples log samples) time, O(samples) memory.
 */
int answer_samples(const struct samples_ask *q, struct samples_answer *ret, struct err *err);
#endif
