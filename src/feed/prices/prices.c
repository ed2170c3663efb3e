/* What the price feeds share: asking with patience, counting rows. */
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include "feed/prices/prices.h"

int price_fetch_open(struct price_fetch *f, struct err *err)
{
	return http_new(NULL, &f->http, err);
}

void price_fetch_close(struct price_fetch *f)
{
	http_free(f->http);
	f->http = NULL;
}

static bool may_help(int r, int status)
{
	if (r < 0)
		return r == -ETIMEDOUT || r == -ECONNREFUSED || r == -EIO;
	return status == 429 || status >= 500;
}

int price_ask(struct price_fetch *f, const struct http_req *q, struct http_res *res,
	      struct err *err)
{
	int tries = 5;
	if (f->max_tries > 0)
		tries = f->max_tries;
	for (int i = 0;; i++) {
		int r = http_do(f->http, q, res, err);
		bool fine = r == 0 && res->status >= 200 && res->status < 300;
		if (fine)
			return 0;
		/* rows may be out already */
		bool begun = q->on_body && res->status >= 200 && res->status < 300;
		if (i + 1 >= tries || begun || !may_help(r, res->status)) {
			if (r < 0)
				return r;
			return http_status_err(q->url, res, err);
		}
		int64_t ms = http_backoff_ms(i, r < 0 ? -1 : res->retry_after_ms);
		struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
		if (f->sleep)
			f->sleep(f->ctx, ms);
		else
			while (nanosleep(&t, &t) < 0 && errno == EINTR)
				;
	}
}

int price_emit(struct price_fetch *f, struct price *p, struct err *err)
{
	f->report->rows_kept++;
	p->source = sv_of(f->source);
	feed_cover(f->report, p->from_ms, p->from_ms + 1);
	return f->sink->price(f->sink->ctx, p, err);
}

bool price_wants_region(const struct price_fetch *f, struct sv region)
{
	for (size_t i = 0; i < f->nregion; i++)
		if (sv_is(region, f->region[i]))
			return true;
	return f->nregion == 0;
}
