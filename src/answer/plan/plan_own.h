#ifndef TARE_ANSWER_PLAN_PLAN_OWN_H
#define TARE_ANSWER_PLAN_PLAN_OWN_H
/* Rent or own a GPU: opt/commit/own.h has the question and the answer. */
#include "opt/commit/own.h"

/* Returns 0, or -EINVAL that names what makes no sense. */
int answer_plan_own(const struct own_ask *q, struct own_result *ret, struct err *err);
#endif
