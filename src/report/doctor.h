#ifndef TARE_REPORT_DOCTOR_H
#define TARE_REPORT_DOCTOR_H
/* The checks of `tare doctor` as a table or JSON. */
#include "answer/doctor.h"
#include "report/col.h"
#include "report/cost/report.h"

void doctor_print(const struct doctor *d, enum out_format f, int width, struct str *out);

extern const struct col_doc doctor_doc;
#endif
