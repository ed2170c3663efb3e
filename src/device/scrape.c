#include "device/scrape.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "net/http.h"

#define PAUSE_MS 5000 /* after a failure */

struct scrape {
	struct http *http;
	char *url;
	struct http_res res;
	int64_t failed_ms;
	int failed; /* error of the last try, 0 = none */
	struct err why;
};

int scrape_open(const char *url, struct scrape **ret, struct err *err)
{
	struct scrape *s;
	/* exporters are near: a proxy would only tell others of them */
	struct http_opt opt = { .proxy = "" };
	int rc;

	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0) {
		err_set(err, -EINVAL, "'%.200s' is not a URL of an endpoint", url);
		err_hint(err, "give one like http://localhost:9400/metrics");
		return -EINVAL;
	}
	s = xcalloc(1, sizeof *s);
	if ((rc = http_new(&opt, &s->http, err)) < 0) {
		free(s);
		return rc;
	}
	s->url = xstrdup(url);
	*ret = s;
	return 0;
}

void scrape_close(struct scrape *s)
{
	if (!s)
		return;
	http_free(s->http);
	http_res_free(&s->res);
	free(s->url);
	free(s);
}

int scrape_get(struct scrape *s, int64_t mono_ms, struct sv *ret, struct err *err)
{
	if (!s->failed || mono_ms - s->failed_ms >= PAUSE_MS) {
		struct http_req q = { .url = s->url,
				      .connect_timeout_ms = SCRAPE_TIMEOUT_MS / 2,
				      .timeout_ms = SCRAPE_TIMEOUT_MS,
				      .body_max = SCRAPE_BODY_MAX };
		err_clear(&s->why);
		s->failed = http_do(s->http, &q, &s->res, &s->why);
		if (!s->failed && (s->res.status < 200 || s->res.status > 299))
			s->failed = http_status_err(s->url, &s->res, &s->why);
		s->failed_ms = mono_ms;
	}
	if (s->failed) {
		if (err)
			*err = s->why;
		return s->failed;
	}
	*ret = str_sv(&s->res.body);
	return 0;
}
