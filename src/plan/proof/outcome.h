#ifndef TARE_PLAN_PROOF_OUTCOME_H
#define TARE_PLAN_PROOF_OUTCOME_H
/*
 * What came of an item that was applied: what its subject has cost since, against what the work
 * done since would have cost as it was run and paid before. With C cost, W work done, class k a GPU
 * model bought in one way in one region, G0k, G1k its paid time before and since, p0k its price
 * before (since, where there was none):
 *
 *   realised = C0 x W1 / W0 - sum_k G1k x p0k - other1
 *
 * which is efficiency and mix of "comparing two windows"; a price that rose or fell since is no
 * merit of the item. W is GPU time in which the GPUs worked (busy or underused); of services the
 * requests. Where neither did any work and that is known, W1 / W0 is that of the days. other: what
 * is no GPU time.
 *
 * Both sides are whole weeks, the last ones before and the first ones since: in a window with one
 * more Sunday less is done at the same cost, which is no merit of the item. So what was not carried
 * out comes to 0 where the weeks are alike, on whatever day it was told.
 *
 * Subject: the GPUs of a model in the clusters of the works that it changed, which any work there
 * can use instead of each other: on Kubernetes one cluster has training on one kind and services on
 * another. All of the cluster where it moves work to another model; the team where there is no
 * cluster; the resource of what is no GPU time. Items that were applied to the same subject cannot
 * be told apart: each shows what all of them came to, and how many they are.
 *
 * Not told, with the reason: fewer than plan.gates.outcome_days, or than a week, on either side,
 * time of which nobody knows, jobs and services in one subject, work that moved to another GPU (its
 * time is another), commitments.
 */
#include "plan/plan.h"

/* As it was kept when its lines were given out; amounts of a month. */
struct outcome_applied {
	const char *id, *lever, *currency;
	int64_t at_ms;
	double within_days; /* until it is in force */
	int64_t saving_nano, p05_nano, p95_nano;
	/* [nsubject] "cluster", "team" or "resource", a blank, its name; or "gpus", a blank, a
	 * model, a blank, the cluster */
	const char **subject;
	size_t nsubject;
};
struct outcome {
	const struct outcome_applied *of;
	const char *why;        /* why nothing can be told; NULL: the rest holds */
	size_t together;        /* items of the same subject, this one included */
	int64_t from_ms, to_ms; /* since */
	int64_t realised_nano, p05_nano, p95_nano; /* a month; days drawn with replacement */
	int64_t told_nano; /* a month: what the items of the subject were to save */
};
/* The subject of a recommendation, to be kept: ret [*ret_n], in mem. */
const char **outcome_subject(const struct fleet *f, const struct rec *r, struct arena *mem,
			     size_t *ret_n);
/* ret [n], one for each. f: all of the history, before and since. O(n x works). */
void outcomes_tell(const struct fleet *f, const struct plan_conf *conf,
		   const struct outcome_applied *v, size_t n, struct arena *mem,
		   struct outcome *ret);
#endif
