#ifndef TARE_OPT_ALERT_ALERT_WINDOW_H
#define TARE_OPT_ALERT_ALERT_WINDOW_H
/*
 * A sliding window of readings in constant memory: BUCKETS intervals of window / BUCKETS, each with
 * sum, least, greatest and known time. The window is the interval that has begun and the BUCKETS
 * before it: between window and window x (1 + 1/BUCKETS) long. With bins an interval also has the
 * time per 1/100 of the scale, for percentiles.
 */
#include <stdbool.h>
#include <stdint.h>

#define WINDOW_BUCKETS 30
#define WINDOW_BINS    101

struct window_part {
	int64_t k;  /* number of the interval, -1 = empty */
	double sum; /* of value x ms */
	double lo, hi;
	int64_t ms; /* with readings */
};
struct window {
	int64_t window_ms, part_ms;
	/* first begin and last end of readings since it began; INT64_MIN: none */
	int64_t first_ms, last_ms;
	struct window_part part[WINDOW_BUCKETS + 1];
	uint32_t *bin; /* [WINDOW_BUCKETS + 1][WINDOW_BINS] ms, or NULL */
	double scale;  /* of the bins: value of the last one */
};
/* window_ms > 0. scale 0: no percentiles. */
void window_init(struct window *w, int64_t window_ms, double scale);
void window_reset(struct window *w);
void window_free(struct window *w);
/* A reading that held over (from, to]; what lies before last_ms is truncated. */
void window_add(struct window *w, int64_t from_ms, int64_t to_ms, double value);

struct window_stat {
	double mean, lo, hi;
	int64_t ms;
};
/* Over the window that ends at now_ms. False where it has not been watched for as long as the
 * window, or under 80 % of it has readings. */
bool window_stat(const struct window *w, int64_t now_ms, struct window_stat *ret);
/* Least value of the bins at or below which frac of the time lies; NAN without bins. */
double window_percentile(const struct window *w, int64_t now_ms, double frac);

#endif
