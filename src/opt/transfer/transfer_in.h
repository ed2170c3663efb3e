#ifndef TARE_OPT_TRANSFER_TRANSFER_IN_H
#define TARE_OPT_TRANSFER_TRANSFER_IN_H
/* What the files of the transfer model share; nobody else includes it. The model stands in
 * transfer.c. */
#include "opt/transfer/linear.h"
#include "opt/transfer/transfer.h"

#define MAX_ID         10000
#define TRANSFER_NTERM 35 /* of the covariance, transfer_kernel.c */

/*
 * The two parts of a step: 1 / speed = 1 / compute + 1 / exchange. Logs of both speeds; share: how
 * much of the time is computing, which is how much of a change of log compute comes out in log
 * speed (exchange: 1 - share); speed: the log of the whole. Not split: exchange is infinite, share
 * 1.
 */
struct parts {
	double compute, exchange, share, speed;
};

/* A cell ready for the kernel. */
struct point {
	int gpu, layout, level, shape, family;
	/* batch: log, against the mean of its family */
	double f[TRANSFER_NFEATURE], gpus, log_gpus, log_workload_gpus, batch;
	double expected; /* of its log speed of computing, by the data sheet alone */
	double y, n;     /* log speed per GPU; how many cells it is the mean of, at most 2 */
	bool split;      /* the work runs on several GPUs, which exchange results after each step */
	struct parts at; /* where its two parts are taken to be, and what that makes of them */
};

struct transfer {
	size_t ngpu, n;
	double (*feature)[TRANSFER_NFEATURE]; /* [ngpu] */
	struct point *p;                      /* [n] */
	double mean, mean_exchange, noise;
	bool split; /* any point is */
	double v[TRANSFER_NTERM];
	double batch_mean[MAX_ID], spread[MAX_ID]; /* by family */
	double *chol, *alpha;                      /* [n*n] lower, [n]: L^-1 (target) */
};

/* transfer_kernel.c */
bool transfer_same_run(const struct point *a, const struct point *b);
/* variance of a term, 0 = learned */
double transfer_term_fixed(size_t q);
/* of a learned one where there are few GPUs, 0 = learned there too */
double transfer_term_few(size_t q);
/* a term of exchange, not of computing */
bool transfer_term_exchange(size_t q);
/* of a term, without its variance */
double transfer_term(size_t q, const struct point *a, const struct point *b);
/* of all terms of one part */
double transfer_kernel(const struct transfer *t, const struct point *a, const struct point *b,
		       bool exchange);
/* transfer_split.c */
struct parts transfer_parts(const struct point *p, double compute, double exchange);
double transfer_weight(const struct point *p, bool exchange); /* share, or 1 - share */
/* what the linear model is fitted to, less its mean */
double transfer_target(const struct transfer *t, const struct point *p);
/* parts and means from the table alone */
void transfer_split_start(struct transfer *t);
/* parts as the fitted model has them; chol, alpha */
void transfer_split_settle(struct transfer *t);
void transfer_factor(struct transfer *t); /* chol, alpha */
/* transfer_learn.c: v, noise, spread; chol and alpha. again: from the values that it has */
void transfer_learn(struct transfer *t, bool again);
/* transfer.c */
int transfer_check_cell(const struct transfer_cell *c, size_t ngpu, bool with_speed,
			struct err *err);
struct point transfer_point(const struct transfer *t, const struct transfer_cell *c,
			    bool with_speed);
#endif
