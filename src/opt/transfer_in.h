#ifndef TARE_OPT_TRANSFER_IN_H
#define TARE_OPT_TRANSFER_IN_H
/* What the files of the transfer model share; nobody else includes it. The model stands in transfer.c. */
#include "opt/linear.h"
#include "opt/transfer.h"

#define MAX_ID 10000
#define TRANSFER_NTERM 30 /* of the covariance, transfer_kernel.c */

/* A cell ready for the kernel. */
struct point {
	int card, layout, level, shape, family;
	double f[TRANSFER_NFEATURE], gpus, log_gpus, log_work_gpus, batch; /* batch: log, against the mean of its family */
	double expected; /* of its log speed, by the data sheet alone */
	double y, n;	 /* log speed per GPU less that; how many cells it is the mean of, at most 2 */
};

struct transfer {
	size_t ncard, n;
	double (*feature)[TRANSFER_NFEATURE]; /* [ncard] */
	struct point *p;		      /* [n] */
	double mean, noise;
	double v[TRANSFER_NTERM];
	double batch_mean[MAX_ID], spread[MAX_ID]; /* by family */
	double *chol, *alpha;			   /* [n*n] lower, [n]: L^-1 (y - mean) */
};

/* transfer_kernel.c */
bool transfer_same_run(const struct point *a, const struct point *b);
double transfer_term_fixed(size_t q);						  /* variance of a term, 0 = learned */
double transfer_term(size_t q, const struct point *a, const struct point *b);	  /* of a term, without its variance */
double transfer_kernel(const struct transfer *t, const struct point *a, const struct point *b); /* of all */
/* transfer_learn.c: v, noise, spread, chol, alpha from the points and the mean */
void transfer_learn(struct transfer *t);
/* transfer.c */
int transfer_check_cell(const struct transfer_cell *c, size_t ncard, bool with_speed, struct err *err);
struct point transfer_point(const struct transfer *t, const struct transfer_cell *c, bool with_speed);
#endif
