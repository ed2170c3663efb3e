#ifndef TARE_OPT_FORECAST_FORECAST_BANK_H
#define TARE_OPT_FORECAST_FORECAST_BANK_H
/* The candidates behind forecast.c: each method with a small grid of parameters, all fed hour by
 * hour. Private to opt/forecast*.c. */
#include "opt/forecast/forecast.h"

struct bank;

/* y [n]: a value an hour, without gaps; those before `start` teach nothing, those from it on are a
 * week at least. Borrowed until bank_free(). Forecasts go `horizon` hours ahead. Never NULL; memory
 * O(n). */
struct bank *bank_new(size_t n, const double *y, size_t start, size_t horizon);
void bank_free(struct bank *b);
/* Candidates are 0 .. bank_count() - 1, the same of every bank. */
size_t bank_count(const struct bank *b);
enum forecast_method bank_method(const struct bank *b, size_t candidate);
/* Feed the hours before `origin`, at most n (origins do not go back; the first is a week or more
 * after start). */
void bank_feed(struct bank *b, size_t origin);
/* The candidate's forecast from the origin fed last: f [horizon] >= 0. */
void bank_forecast(struct bank *b, size_t candidate, double *f);

#endif
