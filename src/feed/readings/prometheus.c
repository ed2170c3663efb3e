#include "feed/readings/prometheus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/input.h"
#include "base/tm.h"
#include "feed/readings/prom.h"

#define MAX_POINTS   11000 /* the limit per series that Prometheus has built in */
#define MAX_READINGS 400000

/* First line of a small file. */
static int read_token(const char *path, char **ret, struct err *err)
{
	struct input *in;
	struct sv text, rest;
	int rc = input_open(path, &in, err);

	if (rc < 0)
		return rc;
	if ((rc = input_peek(in, 16384, &text, err)) >= 0) {
		text = sv_trim(sv_cut(text, '\n', &rest));
		*ret = text.n ? xstrndup(text.p, text.n) : NULL;
		rc = text.n ? 0 : err_set(err, -EINVAL, "'%s' holds no token", path);
	}
	input_close(in);
	if (rc < 0)
		return rc;
	return 0;
}

/* Secrets come by the environment or a file, never by an option that every process can see. */
static int find_token(const struct feed_prometheus_opt *opt, char **ret, struct err *err)
{
	const char *token = opt->token ? opt->token : getenv("TARE_PROMETHEUS_TOKEN"),
		   *file = getenv("TARE_PROMETHEUS_TOKEN_FILE");

	if (token && *token)
		*ret = xstrdup(token);
	else if (file && *file)
		return read_token(file, ret, err);
	return 0;
}

static int open_prom(struct prom *p, struct err *err)
{
	const struct feed_prometheus_opt *o = p->opt;
	struct str url = { 0 };
	size_t n = strlen(o->url);
	int rc;

	p->step_ms = o->step_ms ? o->step_ms : MS_MINUTE;
	if (p->step_ms < 1000 || p->step_ms > MS_DAY)
		return err_set(err, -EINVAL, "a step is from 1 second to a day");
	p->since_ms = tm_floor(o->since_ms, p->step_ms);
	p->until_ms = tm_floor(o->until_ms, p->step_ms);
	p->max_points = o->max_points ? o->max_points : MAX_POINTS;
	p->max_readings = o->max_readings ? o->max_readings : MAX_READINGS;
	if (p->until_ms <= p->since_ms)
		return err_set(err, -EINVAL,
			       "there is no whole step of %lld s between the times asked for",
			       (long long)(p->step_ms / 1000));
	while (n && o->url[n - 1] == '/')
		n--;
	str_add(&url, o->url, n);
	if (!sv_ends(str_sv(&url), SV("/api/v1")))
		str_addz(&url, "/api/v1");
	str_addz(&url, "/query_range");
	p->url = url.p;
	if ((rc = find_token(o, &p->token, err)) < 0)
		return rc;
	return http_new(&(struct http_opt){ .ca_file = o->ca_file }, &p->http, err);
}

static void note_missing(struct feed_report *report, int64_t rows, const char *what)
{
	if (!rows)
		feed_note(report, "the server has no %s", what);
}

int feed_prometheus_run(const struct feed_prometheus_opt *opt, const struct feed_sink *sink,
			struct feed_report *report, struct err *err)
{
	struct prom p = { .opt = opt, .sink = sink, .report = report };
	int64_t samples = 0, kube = 0, requests = 0;
	int rc = open_prom(&p, err);

	if (!report->from_ms && !report->to_ms)
		report->from_ms = report->to_ms = UNKNOWN_MS;
	if (rc >= 0 && (rc = prom_samples(&p, &samples, err)) >= 0 &&
	    (rc = prom_kube(&p, &kube, err)) >= 0)
		rc = prom_requests(&p, &requests, err);
	bool some = samples || kube || requests;
	if (rc >= 0 && !some) {
		char a[TM_BUF], b[TM_BUF];
		rc = err_set(
			err, -ENODATA,
			"'%s' holds no series of DCGM, kube-state-metrics, vLLM or Triton from %s to %s",
			opt->url, tm_format(a, p.since_ms), tm_format(b, p.until_ms));
		err_hint(err, "is it the right server, and are those exporters scraped?");
	}
	if (rc >= 0) {
		note_missing(report, samples,
			     "readings of GPUs (DCGM_FI_*): their time is unknown");
		note_missing(report, kube, "pods or nodes with GPUs (kube-state-metrics)");
	}
	http_free(p.http);
	http_res_free(&p.res);
	free(p.token);
	free(p.url);
	str_free(&p.query);
	str_free(&p.body);
	for (size_t i = 0; i < p.owner.n; i++)
		vec_free(&p.owner_gpus[i].id);
	free(p.owner_gpus);
	for (size_t i = 0; i < p.host.n; i++)
		vec_free(&p.host_gpus[i].uuid);
	free(p.host_gpus);
	intern_free(&p.owner);
	intern_free(&p.host);
	arena_free(&p.mem);
	if (rc < 0)
		return rc;
	return 0;
}
