#ifndef TARE_OPT_FORECAST_FORECAST_LEARN_H
#define TARE_OPT_FORECAST_FORECAST_LEARN_H
/* What the past of the candidates says of them, and the answer made of it. Private to
 * opt/forecast*.c. */
#include "opt/forecast/forecast_bank.h"

struct learner;
struct learn_opt {
	size_t n;             /* hours */
	const double *y;      /* [n], NAN unknown: only known hours are judged */
	const double *filled; /* [n] without gaps: what is forecast from */
	size_t start;         /* hours before are not looked at */
	/* origins first, first + step, ..., of count; the first is a week or more behind start */
	size_t first, step, count, horizon;
};

/* -; memory O(n + count x candidates + a week of forecasts). */
struct learner *learner_new(const struct learn_opt *o);
void learner_free(struct learner *l);
/*
 * All forecasts from `origin` by what was known then; origins do not go back. Learns from the
 * origins before that were judged: from those that had ended by then, and of those of the last week
 * that had not from the hours known by then.
 */
void learner_look(struct learner *l, size_t origin);
/* Of the origin looked at last: [horizon] >= 0; weights add up to 1. */
const double *learner_answer(const struct learner *l);
const double *learner_weights(const struct learner *l); /* [FC_METHODS] */
/* Judge the origin looked at last, the k-th of all: mean absolute errors of the methods over the
 * hours of its horizon that the series knows, NAN without any. Nothing of it enters a look before
 * its time. ret_err [FC_METHODS] or NULL. */
void learner_judge(struct learner *l, size_t k, double *ret_err);

#endif
