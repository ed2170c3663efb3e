#ifndef TARE_REPORT_PLAN_PLAN_JSON_H
#define TARE_REPORT_PLAN_PLAN_JSON_H
/* What views of the plan share for CSV. */
#include "base/str.h"

#endif
