#ifndef TARE_ANSWER_EXPLAIN_H
#define TARE_ANSWER_EXPLAIN_H
/* Which part of a plan somebody means by a word: "4", "share-search", "job-4117". */
#include "answer/plan/plan.h"

enum explain_kind { EXPLAIN_REC, EXPLAIN_ADVICE, EXPLAIN_DISMISSED, EXPLAIN_JOB };

/* A job by its ids: several where it is a heterogeneous one of Slurm, "12+0" and "12+1" of 12. */
struct job_parts {
	const char *name;
	const char *const *id; /* [n] */
	size_t n;
};

struct explain {
	enum explain_kind kind;
	size_t rec;           /* its place in plan.rec, plan.advice, or plan.refused */
	struct job_parts job; /* the word, or the job that Slurm calls so */
};

/*
 * A number that the last plan printed is that recommendation; other words are ids of
 * recommendations, of advice, of what people have dismissed, then of jobs. q and a: the plan, asked
 * for as last says where it was found. Returns 0, or -ENOENT with what to do instead.
 */
int answer_explain(const struct plan_ask *q, const struct plan_last *last,
		   const struct plan_answer *a, const char *word, struct explain *ret,
		   struct err *err);

#endif
