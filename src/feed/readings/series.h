#ifndef TARE_FEED_READINGS_SERIES_H
#define TARE_FEED_READINGS_SERIES_H
/*
 * Samples on their way to the sink: whose they are (each different key is kept once) and how long
 * each lasts. Where the source does not say, the step is the median distance between the readings
 * of a series at the start of the file; where each stands alone in the file, the distance to that
 * before, of another file. The report then says that it was assumed.
 */
#include "feed/feed.h"

/* a reading further back says nothing of how often there is one; Prometheus's staleness */
#define SERIES_STALE_MS 300000
/* when there are no two readings to measure a distance from */
#define SERIES_STEP_FALLBACK_MS 60000

struct feed_series;

/* step_ms: of all samples, 0 = derive; fallback_ms: when nothing can be derived, 0 =
 * SERIES_STEP_FALLBACK_MS. */
struct feed_series *feed_series_new(const struct feed_sink *sink, struct feed_report *report,
				    int64_t step_ms, int64_t fallback_ms);
void feed_series_free(struct feed_series *s);

/* Number of the series of this key; its texts are copied when it is new. Cheap when keys come in
 * the same order as before. */
uint32_t feed_series_of(struct feed_series *s, const struct sample_key *k);

/*
 * A sample; v->step_ms 0 = as above. Holds back at most SERIES_HELD samples until steps are known.
 * The report's span of time and rows_kept are kept up to date.
 */
#define SERIES_HELD 131072
int feed_series_put(struct feed_series *s, uint32_t series, const struct sample *v,
		    struct err *err);
/* Pass on what is held and note what was assumed. Call once after the last sample. */
int feed_series_end(struct feed_series *s, struct err *err);

/* What --set says of every sample of a file that has no such columns: node, gpu, job_id, gpu_model,
 * cluster, user, ... usd_gpu_hour. */
int feed_key_set(struct feed_run *r, struct sample_key *ret, struct err *err);
/* Members of k that are not known are taken from d. */
void feed_key_default(struct sample_key *k, const struct sample_key *d);
/* --set step_s in ms, 0 without. */
int feed_step_set(const struct feed_run *r, int64_t *ret_ms, struct err *err);

/* All readings unknown. */
static inline void sample_clear(struct sample *v)
{
	for (int m = 0; m < METRIC_N; m++)
		v->value[m] = __builtin_nan("");
}

#endif
