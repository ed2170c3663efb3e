#ifndef TARE_PLAN_LEVER_COMMIT_UNUSED_H
#define TARE_PLAN_LEVER_COMMIT_UNUSED_H
/*
 * GPUs of commitments that the bill says are paid and not used: before any more are bought, work on
 * the same chip at the same place fills them.
 */
#include "plan/alone/bill_seen.h"
#include "plan/lever/lever.h"

struct unused {
	const struct bill_commitment *c;
	double gpus; /* on average that nothing used, less what was taken of them */
};
struct unused_list {
	VEC(struct unused) v;
};

/* GPUs of c that nothing used, on average over the days of the bill; 0: its machines are not
 * known, or it is not in force any more. */
double unused_gpus(const struct lever_in *in, const struct bill_commitment *c);
/* All commitments with such GPUs; the caller frees v. */
void unused_load(const struct lever_in *in, struct unused_list *ret);
/*
 * GPUs of the chip at the place that lie unused; *ret_says is of the commitment with most of them
 * ("2.0 GPUs of TYPE in REGION (commitment 'ID')"). 0: none.
 */
double unused_of(const struct lever_in *in, const struct unused_list *l, const char *provider,
		 const char *region, const char *gpu_model, const char **ret_says);
/* So many of them are taken. */
void unused_take(struct unused_list *l, const char *provider, const char *region,
		 const char *gpu_model, double gpus);
#endif
