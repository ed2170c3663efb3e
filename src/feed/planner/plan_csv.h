#ifndef TARE_FEED_PLANNER_PLAN_CSV_H
#define TARE_FEED_PLANNER_PLAN_CSV_H
/*
 * Small tables that the one-question planners take beside a store: jobs, demand by the hour, prices
 * by the hour. CSV or JSON lines, packed or not; the columns are found by the names that people and
 * public traces use. Each reader gives all rows or an error with file, line and field.
 *
 * Times: RFC 3339 and relatives; plain numbers below 10^8 are hours from 0, above seconds since
 * 1970. Texts live in the `text` of their table, "" = not there.
 */
#include "base/input.h"
#include "base/dec.h"
#include "base/mem.h"
#include "model/plan_job.h"

#define PLAN_CSV_MAX_ROWS 20000000

/*
 * One tenant of a GPU a row. name (service, tenant, job, id); mem_gib or mem_bytes, its highest
 * reading; load_frac (of a whole GPU, 0 to 1) or util_pct in its busiest minutes; an empty cell is
 * not known, NAN. Optional: kind (service, notebook, dev; a service where it is not said), owner or
 * team or user, replicas (1), share_with (team, others, nobody; "" = not said).
 */
struct plan_tenant {
	const char *name, *owner;
	bool interactive; /* notebook, dev */
	double mem_bytes, load_frac;
	int64_t replicas; /* 1 .. 10,000 */
	const char *share_with;
};
struct plan_tenants {
	VEC(struct plan_tenant) v;
	struct intern text, key; /* key: owner and name of each, which are one tenant */
};
/* -EEXIST: two rows of one owner and name; replicas says how many there are. */
int plan_tenants_read(struct input *in, struct plan_tenants *ret, struct err *err);
void plan_tenants_free(struct plan_tenants *t);

/*
 * One job a row. When it was asked for: submit, arrival_time; when it began: start, timestamp,
 * time; either will do. Length: length or length_h (hours), duration or duration_s (seconds), or
 * end (a time) beside the start; spans such as 6h everywhere. gpus, num_gpus, units, cpus:
 * fractions as they are; how many is never guessed. Optional: deadline (a time, or a duration
 * behind the submit), team or cluster, gpu_model or model, id or job_id or job or name,
 * preemptible, egress_gb.
 */
int plan_jobs_read(struct input *in, struct plan_jobs *ret, struct err *err);
void plan_jobs_free(struct plan_jobs *j);

/* time, units (gpus, demand, value). An hour without a row or with an empty cell is unknown: NAN,
 * never 0. Rows may come in any order; a second row for the same hour is an error. Units 0 to
 * 10^9. */
struct plan_series {
	int64_t from_ms;
	size_t n;
	double *v; /* [n] by the hour */
};
int plan_series_read(struct input *in, struct plan_series *ret, struct err *err);
void plan_series_free(struct plan_series *s);

/*
 * Prices over time by place: time (from, snapshot_date, start_time), region or zone or zone_gpu,
 * machine_type or instance_type or model, usd_hour, usd_hour_spot; a spot_price_rle_usd_hour of
 * "price x ticks" runs with gap_seconds and window gives one row a run; where preempted_bits stand
 * beside it, ticks with a 1 have no machine: usd_hour -1. A price holds until the next row of its
 * place (and machine).
 * Where both prices are there, spot says which is wanted. machine: only rows of it (NULL: all; then
 * an error where there are several).
 */
struct plan_price {
	int64_t at_ms, until_ms; /* until UNKNOWN_MS: up to the next */
	dec usd_hour;
	const char *place, *machine;
	int64_t window;
};
struct plan_prices {
	VEC(struct plan_price) v;
	struct intern text;
};
struct plan_prices_opt {
	bool spot;
	const char *machine;
	int64_t window; /* -1 = all */
};
int plan_prices_read(struct input *in, const struct plan_prices_opt *o, struct plan_prices *ret,
		     struct err *err);
void plan_prices_free(struct plan_prices *p);

#endif
