#include "answer/plan/plan_own.h"

int answer_plan_own(const struct own_ask *q, struct own_result *ret, struct err *err)
{
	return own_compare(q, ret, err);
}
