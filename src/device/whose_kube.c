/* Questions over HTTP: the kubelet's pod-resources (gRPC on a unix socket), pods (kubelet or API
 * server), containers (engine's socket). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/num.h"
#include "device/whose_ask.h"
#include "net/http.h"

#define PODRES_BYTES ((size_t)4 << 20)
#define PODS_BYTES   ((size_t)64 << 20) /* passes by, is not kept */
#define TOKEN_BYTES  16384

struct seen { /* a container that was inspected */
	char id[65];
	struct arena mem;
	struct engine_container container;
	bool used;
};

struct ask_kube {
	char *podres, *pods_url, *token_file, *ca_file, *engine;
	struct http *podres_http, *pods_http, *engine_http;
	VEC(struct seen *) seen;
};

static char *copy_text(const char *z)
{
	if (z && *z)
		return xstrdup(z);
	return NULL;
}

struct ask_kube *ask_kube_new(const char *pod_resources, const char *pods_url,
			      const char *token_file, const char *ca_file, const char *engine)
{
	struct ask_kube *k = xcalloc(1, sizeof *k);

	k->podres = copy_text(pod_resources);
	k->pods_url = copy_text(pods_url);
	k->token_file = copy_text(token_file);
	k->ca_file = copy_text(ca_file);
	k->engine = copy_text(engine);
	return k;
}

static void seen_free(struct seen *s)
{
	arena_free(&s->mem);
	free(s);
}

void ask_kube_free(struct ask_kube *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->seen.n; i++)
		seen_free(k->seen.v[i]);
	vec_free(&k->seen);
	http_free(k->podres_http);
	http_free(k->pods_http);
	http_free(k->engine_http);
	free(k->podres);
	free(k->pods_url);
	free(k->token_file);
	free(k->ca_file);
	free(k->engine);
	free(k);
}

static int open_client(struct http **h, const char *ca_file, struct err *err)
{
	struct http_opt opt = { .proxy = "", .ca_file = ca_file };

	if (*h)
		return 0;
	return http_new(&opt, h, err);
}

/* ---- pod-resources ----------------------------------------------------------------------- */

int ask_podres(struct ask_kube *k, struct ask_answer *t, struct err *err)
{
	static const char *const header[] = { "te: trailers" };
	struct http_req q = { .url = "http://localhost/v1.PodResourcesLister/List",
			      .unix_socket = k->podres,
			      .http2_only = true,
			      .body = { "\0\0\0\0\0", 5 },
			      .content_type = "application/grpc",
			      .header = header,
			      .nheader = 1,
			      .connect_timeout_ms = ASK_LIMIT_MS,
			      .timeout_ms = ASK_LIMIT_MS,
			      .body_max = PODRES_BYTES,
			      .keep_header = "grpc-status" };
	struct http_res res = { 0 };
	int rc = open_client(&k->podres_http, NULL, err);

	if (!rc)
		rc = http_do(k->podres_http, &q, &res, err);
	if (!rc && res.status != 200)
		rc = http_status_err(q.url, &res, err);
	if (!rc && !sv_is(str_sv(&res.header), "0"))
		rc = err_set(err, -EPROTO, "the kubelet answered with gRPC status '%.20s'",
			     res.header.n ? str_z(&res.header) : "none");
	if (!rc) {
		struct sv body = { arena_strn(&t->mem, str_z(&res.body), res.body.n), res.body.n };
		rc = podres_parse(&t->mem, body, &t->res, &t->nres, err);
	}
	http_res_free(&res);
	snprintf(t->why, sizeof t->why, "%zu devices in the kubelet's list", t->nres);
	return rc;
}

/* ---- pods -------------------------------------------------------------------------------- */

/* The token as it is in the file now: it is exchanged while we run. False: none. */
static bool read_token(const struct ask_kube *k, char out[TOKEN_BYTES])
{
	FILE *f = k->token_file ? fopen(k->token_file, "re") : NULL;
	size_t n = 0;

	if (f)
		n = fread(out, 1, TOKEN_BYTES - 1, f);
	if (f)
		fclose(f);
	while (n && (unsigned char)out[n - 1] <= ' ')
		n--;
	out[n] = 0;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)out[i] <= ' ' || (unsigned char)out[i] >= 0x7f)
			return false; /* would end the header it is sent in */
	return n > 0;
}

static int on_pods(void *ctx, struct sv piece, struct err *err)
{
	return kubepods_feed(ctx, piece, err);
}

static int pods_once(struct ask_kube *k, struct ask_answer *t, const char *bearer, int *ret_status,
		     struct err *err)
{
	struct kubepods *pods = kubepods_new(&t->mem);
	struct http_req q = { .url = k->pods_url,
			      .bearer = bearer,
			      .connect_timeout_ms = ASK_LIMIT_MS,
			      .timeout_ms = ASK_LIMIT_MS,
			      .body_max = PODS_BYTES,
			      .on_body = on_pods,
			      .ctx = pods };
	struct http_res res = { 0 };
	int rc = http_do(k->pods_http, &q, &res, err);

	*ret_status = res.status;
	if (!rc && (res.status < 200 || res.status > 299))
		rc = http_status_err(q.url, &res, err);
	else if (!rc)
		rc = kubepods_end(pods, &t->pod, &t->npod, err);
	http_res_free(&res);
	kubepods_free(pods);
	return rc;
}

int ask_pods(struct ask_kube *k, struct ask_answer *t, struct err *err)
{
	char *now = xmalloc(2 * TOKEN_BYTES), *again = now + TOKEN_BYTES;
	bool has = read_token(k, now);
	int status = 0, rc = open_client(&k->pods_http, k->ca_file, err);

	if (!rc)
		rc = pods_once(k, t, has ? now : NULL, &status, err);
	/* expired just now: the kubelet may have written the next one in between */
	if (rc < 0 && status == 401 && read_token(k, again) && strcmp(now, again) != 0)
		rc = pods_once(k, t, again, &status, err);
	if (rc < 0 && (status == 401 || status == 403))
		err_hint(
			err,
			"give the agent's service account the right to list pods (packaging has a DaemonSet with it)");
	free(now);
	snprintf(t->why, sizeof t->why, "%zu pods", t->npod);
	return rc;
}

/* ---- engine ------------------------------------------------------------------------------ */

static int on_engine(void *ctx, struct sv piece, struct err *err)
{
	return engine_feed(ctx, piece, err);
}

/* e is freed. */
static int engine_get(struct ask_kube *k, struct engine *e, const char *path,
		      struct engine_container **ret, size_t *ret_n, struct err *err)
{
	struct http_req q = { .url = path,
			      .unix_socket = k->engine,
			      .connect_timeout_ms = ASK_LIMIT_MS,
			      .timeout_ms = ASK_LIMIT_MS,
			      .body_max = PODS_BYTES,
			      .on_body = on_engine,
			      .ctx = e };
	struct http_res res = { 0 };
	int rc = http_do(k->engine_http, &q, &res, err);

	*ret_n = 0;
	if (!rc && (res.status < 200 || res.status > 299))
		rc = http_status_err(q.url, &res, err);
	else if (!rc)
		rc = engine_end(e, ret, ret_n, err);
	http_res_free(&res);
	engine_free(e);
	return rc;
}

static bool hex_id(struct sv id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!(within_int(id.p[i], '0', '9') || within_int(id.p[i], 'a', 'f')))
			return false;
	return id.n == 64;
}

/* What does not change while a container lives is asked once. */
static struct seen *inspect_container(struct ask_kube *k, struct sv id)
{
	struct engine_container *container;
	struct err err;
	char url[128];
	size_t n;

	for (size_t i = 0; i < k->seen.n; i++)
		if (sv_is(id, k->seen.v[i]->id))
			return k->seen.v[i];
	struct seen *s = xcalloc(1, sizeof *s);
	snprintf(s->id, sizeof s->id, "%.*s", SVF(id));
	snprintf(url, sizeof url, "http://localhost/containers/%s/json", s->id);
	if (engine_get(k, engine_new(&s->mem, false), url, &container, &n, &err) < 0 || !n) {
		seen_free(s);
		return NULL;
	}
	s->container = *container;
	*vec_push(&k->seen) = s;
	return s;
}

static void inspect_all(struct ask_kube *k, struct ask_answer *t)
{
	for (size_t i = 0; i < k->seen.n; i++)
		k->seen.v[i]->used = false;
	for (size_t i = 0; i < t->ncontainer; i++) {
		struct engine_container *b = &t->container[i];
		struct seen *s = NULL;
		if (hex_id(b->id))
			s = inspect_container(k, b->id);
		if (!s)
			continue;
		s->used = true;
		b->start_ms = s->container.start_ms;
		b->all = s->container.all;
		b->ndevice = s->container.ndevice;
		b->device = arena_alloc(&t->mem, (b->ndevice + 1) * sizeof *b->device);
		for (size_t d = 0; d < b->ndevice; d++)
			b->device[d] = (struct sv){ arena_strn(&t->mem, s->container.device[d].p,
							       s->container.device[d].n),
						    s->container.device[d].n };
	}
	for (size_t i = 0; i < k->seen.n;)
		if (k->seen.v[i]->used) {
			i++;
		} else {
			seen_free(k->seen.v[i]);
			k->seen.v[i] = k->seen.v[--k->seen.n];
		}
}

int ask_engine(struct ask_kube *k, struct ask_answer *t, struct err *err)
{
	int rc = open_client(&k->engine_http, NULL, err);

	if (!rc)
		rc = engine_get(k, engine_new(&t->mem, true), "http://localhost/containers/json",
				&t->container, &t->ncontainer, err);
	if (!rc)
		inspect_all(k, t);
	snprintf(t->why, sizeof t->why, "%zu containers at '%.100s'", t->ncontainer, k->engine);
	return rc;
}
