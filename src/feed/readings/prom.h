#ifndef TARE_FEED_READINGS_PROM_H
#define TARE_FEED_READINGS_PROM_H
/*
 * What the files of feed/prometheus share: asking a server for a range, and walking a long time in
 * windows that the server and our memory can bear.
 *
 * Steps are [from + i x step, from + (i+1) x step). Queries look back one step from the last
 * millisecond of each step, so a reading belongs to the step in which it was taken, and a step
 * without readings has no point.
 */
#include "base/spans.h"
#include "feed/readings/prometheus.h"
#include "net/http.h"

struct prom_series {
	size_t nlabel;
	const struct sv *name, *value; /* [nlabel], "__name__" too */
	size_t at, n;                  /* points at..at+n */
};
/* A query's answer: series and their points. */
struct prom_matrix {
	struct arena mem;
	VEC(struct prom_series) series;
	VEC(uint32_t) step; /* number of the step a point belongs to, below nstep */
	VEC(double) v;      /* NaN and infinities are kept */
	size_t nstep;
};
void prom_matrix_free(struct prom_matrix *m);
/* Label of a series by the first of the NULL-terminated names that is not empty (ASCII without
 * case), else {NULL,0}. */
struct sv prom_label(const struct prom_series *s, const char *const *names);
struct sv prom_label1(const struct prom_series *s, const char *name);

struct prom {
	const struct feed_prometheus_opt *opt;
	const struct feed_sink *sink;
	struct feed_report *report;
	struct http *http;
	struct http_res res;
	char *token, *url; /* url: of query_range */
	int64_t since_ms, until_ms, step_ms, max_points, max_readings;
	struct str query, body;

	/* from samples, for pods and nodes: which GPUs an owner or machine has */
	struct intern owner; /* "namespace/pod/container" */
	struct prom_gpus {
		VEC(struct sv) id; /* "GPU-..." or "GPU-.../7" */
		struct sv model;
	} * owner_gpus; /* [owner.n] */
	size_t owner_cap;
	struct intern host;
	struct prom_host_gpus {
		VEC(struct sv) uuid; /* by index on the machine */
	} * host_gpus;               /* [host.n] */
	size_t host_cap;
	struct arena mem; /* texts that live as long as the run */
};

/*
 * Ask for expr over the steps of a window; every %S in it stands for the length of a step,
 * %W for that of the window. last_only: one point only, at the end of the window. Retries what may
 * pass. 0, -E2BIG when the answer is more than the server or max_readings allows: ask for less.
 */
int prom_range(struct prom *p, const char *expr, struct span of, bool last_only,
	       struct prom_matrix *ret, struct err *err);

/* Read an answer that is there already, of nstep steps from from_ms on. Uses of p: step_ms,
 * max_readings, report. 0, or negative and nothing. */
int prom_read(struct prom *p, struct sv body, int64_t from_ms, size_t nstep,
	      struct prom_matrix *ret, struct err *err);

/*
 * Walk since..until: fn gets windows one behind the other and must change nothing before it has all
 * its answers, because a window that is too large (-E2BIG) is tried again smaller.
 */
int prom_walk(struct prom *p, const char *label,
	      int (*fn)(void *ctx, struct span of, struct err *err), void *ctx, struct err *err);

/* The parts; each returns how many rows it gave in *ret_rows. */
int prom_samples(struct prom *p, int64_t *ret_rows, struct err *err);
int prom_kube(struct prom *p, int64_t *ret_rows, struct err *err);
int prom_requests(struct prom *p, int64_t *ret_rows, struct err *err);

#endif
