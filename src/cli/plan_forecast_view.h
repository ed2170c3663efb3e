#ifndef TARE_CLI_PLAN_FORECAST_VIEW_H
#define TARE_CLI_PLAN_FORECAST_VIEW_H
/* What `tare plan forecast` prints. */
#include "opt/forecast.h"
#include "report/report.h"

struct forecast_series {
	const char *team, *model; /* NULL: the whole file */
	double *y;                /* [n] by the hour, NAN unknown */
	double *planned;          /* [horizon] of projects entered by hand */
	double planned_max;
	struct forecast f;
};
struct forecast_view {
	const char *source; /* file, or NULL: the store */
	int64_t from_ms;    /* first hour of the history */
	size_t n, horizon;
	struct forecast_series *series;
	size_t nseries;
	const char *const *note;
	size_t nnote;
	bool colour;
	int width;
};
int64_t forecast_start_ms(const struct forecast_view *v); /* first hour forecast */
/* Expected use of hour i with what is planned. */
double forecast_units(const struct forecast_series *s, size_t i);
void forecast_print(const struct forecast_view *v, enum out_format o, struct str *out);
#endif
