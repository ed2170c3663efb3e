/* Asking a Prometheus server for ranges: one query, and windows over a long time. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "base/jstream.h"
#include "feed/readings/prom.h"

void prom_matrix_free(struct prom_matrix *m)
{
	arena_free(&m->mem);
	vec_free(&m->series);
	vec_free(&m->step);
	vec_free(&m->v);
}

struct sv prom_label(const struct prom_series *s, const char *const *names)
{
	for (; *names; names++)
		for (size_t i = 0; i < s->nlabel; i++)
			if (s->value[i].n && sv_ieq(s->name[i], sv_of(*names)))
				return s->value[i];
	return SV_NULL;
}

struct sv prom_label1(const struct prom_series *s, const char *name)
{
	return prom_label(s, (const char *const[]){ name, NULL });
}

/* ---- the answer -------------------------------------------------------------------------- */

/*
 * {"status":"success","data":{"resultType":"matrix","result":
 *   [{"metric":{...},"values":[[t,"v"],...]},...]}}
 */

struct answer {
	struct prom *p;
	struct prom_matrix *m;
	struct jstream *js;
	int64_t from_ms;
	bool last_only;
	VEC(struct sv) name; /* labels of the series being read */
	VEC(struct sv) value;
	size_t at;
	double t;
	bool has_t, success;
};

static struct sv keep_text(struct arena *mem, struct sv v)
{
	return (struct sv){ arena_strn(mem, text_or(v.p, ""), v.n), v.n };
}

static bool value_of(struct sv text, double *ret)
{
	if (sv_is(text, "NaN"))
		*ret = NAN;
	else if (sv_is(text, "+Inf") || sv_is(text, "Inf"))
		*ret = INFINITY;
	else if (sv_is(text, "-Inf"))
		*ret = -INFINITY;
	else
		return sv_f64(text, ret) == 0;
	return true;
}

/* A point: its step is the one whose last millisecond was asked for. */
static int take_point(struct answer *a, double v, struct err *err)
{
	int64_t step = -1;

	if (fabs(a->t) < 1e12) /* seconds; no NaN either */
	{
		if (a->last_only)
			step = 0;
		else
			step = (llround(a->t * 1000) + 1 - a->from_ms) / a->p->step_ms - 1;
	}
	if (step < 0 || (size_t)step >= a->m->nstep)
		return err_set(err, -EBADMSG,
			       "the server answered for a time it was not asked for");
	if (a->m->v.n >= (size_t)a->p->max_readings * 8)
		return err_set(err, -E2BIG, "the server's answer is too large");
	*vec_push(&a->m->step) = (uint32_t)step;
	*vec_push(&a->m->v) = v;
	a->p->report->rows_read++;
	return 0;
}

static int on_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		     struct err *err)
{
	struct answer *a = ctx;
	size_t depth = jstream_depth(j);
	double v;

	(void)quoted;
	if (depth == 1 && jstream_at(j, 0, "status"))
		a->success = sv_is(text, "success");
	if (!jstream_at(j, 0, "data") || !jstream_at(j, 1, "result"))
		return 0;
	if (depth == 5 && jstream_at(j, 3, "metric")) {
		*vec_push(&a->name) = keep_text(&a->m->mem, jstream_key(j, 4));
		*vec_push(&a->value) = keep_text(&a->m->mem, text);
	} else if (depth == 6 && jstream_at(j, 3, "values")) {
		if (!value_of(text, &v))
			return err_set(err, -EBADMSG,
				       "the server answered with '%.*s' for a number",
				       (int)min_size(text.n, 60), text.p);
		a->has_t = !a->has_t;
		if (!a->has_t)
			return take_point(a, v, err);
		a->t = v;
	}
	return 0;
}

static const struct sv *copy_texts(struct arena *mem, const struct sv *v, size_t n)
{
	struct sv *c = arena_alloc(mem, (n + 1) * sizeof *c);

	if (n)
		memcpy(c, v, n * sizeof *c);
	return c;
}

static int on_close(void *ctx, const struct jstream *j, struct err *err)
{
	struct answer *a = ctx;
	struct prom_matrix *m = a->m;

	(void)err;
	if (jstream_depth(j) != 3 || !jstream_at(j, 0, "data") || !jstream_at(j, 1, "result"))
		return 0;
	*vec_push(&m->series) =
		(struct prom_series){ .nlabel = a->name.n,
				      .name = copy_texts(&m->mem, a->name.v, a->name.n),
				      .value = copy_texts(&m->mem, a->value.v, a->value.n),
				      .at = a->at,
				      .n = m->v.n - a->at };
	a->at = m->v.n;
	a->has_t = false;
	vec_clear(&a->name);
	vec_clear(&a->value);
	return 0;
}

static int on_body(void *ctx, struct sv piece, struct err *err)
{
	struct answer *a = ctx;

	return jstream_feed(a->js, piece, err);
}

static const struct jstream_ops answer_ops = { on_scalar, on_close };

int prom_read(struct prom *p, struct sv body, int64_t from_ms, size_t nstep,
	      struct prom_matrix *ret, struct err *err)
{
	struct answer a = { .p = p, .m = ret, .from_ms = from_ms };
	int rc;

	*ret = (struct prom_matrix){ .nstep = nstep };
	a.js = jstream_new(&answer_ops, &a);
	rc = jstream_feed(a.js, body, err);
	if (rc >= 0)
		rc = jstream_end(a.js, err);
	if (rc >= 0 && !a.success)
		rc = err_set(err, -EBADMSG, "this is not what Prometheus answers");
	jstream_free(a.js);
	vec_free(&a.name);
	vec_free(&a.value);
	if (rc < 0) {
		prom_matrix_free(ret);
		return rc;
	}
	return 0;
}

/* ---- one request ------------------------------------------------------------------------- */

/* Too many points, too many samples, too long: the same question over less time may be answered. */
static bool asks_too_much(const struct http_res *r)
{
	struct sv b = str_sv(&r->body);

	if (r->status == 422 || r->status == 413)
		return true;
	if (r->status == 400 && sv_has(b, SV("exceeded maximum resolution")))
		return true;
	return r->status >= 500 && (sv_ihas(b, SV("timed out")) || sv_ihas(b, SV("timeout")));
}

static int ask_once(struct prom *p, struct answer *a, bool *again, struct err *err)
{
	struct http_req q = { .url = p->url,
			      .bearer = p->token,
			      .body = str_sv(&p->body),
			      .timeout_ms = 300000,
			      .body_max = SIZE_MAX,
			      .on_body = on_body,
			      .ctx = a };
	int rc;

	*again = false;
	a->js = jstream_new(&answer_ops, a);
	rc = http_do(p->http, &q, &p->res, err);
	if (rc >= 0 && p->res.status / 100 == 2)
		rc = jstream_end(a->js, err);
	jstream_free(a->js);
	if (rc == -ETIMEDOUT || rc == -ECONNREFUSED || rc == -EIO)
		*again = true;
	if (rc < 0)
		return rc;
	if (p->res.status / 100 == 2) {
		if (a->success)
			return 0;
		return err_set(err, -EBADMSG, "'%s' did not answer as Prometheus does",
			       p->opt->url);
	}
	rc = http_status_err(p->url, &p->res, err);
	if (asks_too_much(&p->res))
		return -E2BIG;
	*again = rc == -EAGAIN;
	return rc;
}

static int ask_server(struct prom *p, struct answer *a, struct err *err)
{
	int tries = 5;
	int64_t read = p->report->rows_read;
	bool again;
	int rc;

	if (p->opt->retries < 0)
		tries = 0;
	else if (p->opt->retries)
		tries = p->opt->retries;
	for (int i = 0;; i++) {
		arena_free(&a->m->mem);
		vec_clear(&a->m->series);
		vec_clear(&a->m->step);
		vec_clear(&a->m->v);
		vec_clear(&a->name);
		vec_clear(&a->value);
		a->at = 0;
		a->has_t = a->success = false;
		p->report->rows_read = read;
		rc = ask_once(p, a, &again, err);
		if (rc == 0 || !again || i == tries)
			break;
		int64_t ms = http_backoff_ms(i, p->res.retry_after_ms);
		struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
		if (p->opt->sleep)
			p->opt->sleep(p->opt->sleep_ctx, ms);
		else
			while (nanosleep(&t, &t) < 0 && errno == EINTR)
				;
	}
	vec_free(&a->name);
	vec_free(&a->value);
	return rc;
}

static void add_time(struct str *out, const char *name, int64_t ms)
{
	str_addf(out, "&%s=%lld.%03d", name, (long long)(ms / 1000), (int)(ms % 1000));
}

int prom_range(struct prom *p, const char *expr, struct span of, bool last_only,
	       struct prom_matrix *ret, struct err *err)
{
	struct answer a = { .p = p, .m = ret, .from_ms = of.from_ms, .last_only = last_only };
	int rc;

	*ret = (struct prom_matrix){
		.nstep = last_only ? 1 : (size_t)((of.to_ms - of.from_ms) / p->step_ms)
	};
	str_clear(&p->query);
	for (; *expr; expr++) {
		if (expr[0] == '%' && expr[1] == 'S') {
			str_addf(&p->query, "%lldms", (long long)p->step_ms);
			expr++;
		} else if (expr[0] == '%' && expr[1] == 'W') {
			str_addf(&p->query, "%lldms", (long long)(of.to_ms - of.from_ms));
			expr++;
		} else
			str_addc(&p->query, *expr);
	}
	str_clear(&p->body);
	str_addz(&p->body, "query=");
	http_quote(&p->body, str_sv(&p->query));
	add_time(&p->body, "start", last_only ? of.to_ms - 1 : of.from_ms + p->step_ms - 1);
	add_time(&p->body, "end", of.to_ms - 1);
	str_addf(&p->body, "&step=%lld.%03d", (long long)(p->step_ms / 1000),
		 (int)(p->step_ms % 1000));
	rc = ask_server(p, &a, err);
	if (rc < 0) {
		err_prefix(err, "query '%.200s'", str_z(&p->query));
		prom_matrix_free(ret);
	}
	return rc;
}

/* ---- windows ----------------------------------------------------------------------------- */

int prom_walk(struct prom *p, const char *label,
	      int (*fn)(void *ctx, struct span of, struct err *err), void *ctx, struct err *err)
{
	int64_t steps = (p->until_ms - p->since_ms) / p->step_ms, done = 0, most = p->max_points,
		n = most;

	if (n * p->step_ms > MS_DAY) /* start with what surely goes; grow from there */
		n = MS_DAY / p->step_ms > 0 ? MS_DAY / p->step_ms : 1;
	while (done < steps) {
		int64_t now = min_i64(n, steps - done), from = p->since_ms + done * p->step_ms;
		int rc = fn(ctx, (struct span){ from, from + now * p->step_ms }, err);
		if (rc == -E2BIG && now > 1) {
			n = most = (now + 1) / 2; /* and do not try the larger ones again */
			continue;
		}
		if (rc < 0)
			return rc;
		done += now;
		n = min_i64(n * 2, most);
		if (p->opt->progress)
			p->opt->progress(p->opt->progress_ctx, label, done, steps);
	}
	return 0;
}
