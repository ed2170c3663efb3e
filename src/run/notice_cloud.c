/*
 * Metadata services of AWS and Google.
 *
 * AWS: IMDSv2. A session token by PUT, renewed before it ends and when it is refused (401); 404 =
 * nothing is announced. Asked every 5 s, as the provider advises. Google: instance/preempted and
 * maintenance-event, each by a request that waits for a change (wait_for_change, last_etag), so
 * nothing is polled.
 */
#include <errno.h>
#include <stdio.h>

#include "base/num.h"
#include "base/tm.h"
#include "run/notice_priv.h"

#define TOKEN_TTL_S 21600
#define AWS_POLL_MS 5000
/* it says so two minutes ahead; a time that is further away tells that a clock is wrong */
#define AWS_NOTICE_MS 120000
#define ASK_MS        4000 /* a link-local service answers at once, or something is wrong */

/* ---- AWS --------------------------------------------------------------------------------- */

static bool token_fit(struct sv t)
{
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] <= ' ' || t.p[i] > '~')
			return false;
	return t.n && t.n < 4096;
}

static int64_t token_ask(struct notice_src *s)
{
	static const char *const h[] = { "X-aws-ec2-metadata-token-ttl-seconds: 21600" };
	struct str url = { 0 };
	struct err err = { 0 };
	int64_t ttl = 0;
	int r;

	str_addf(&url, "%s/latest/api/token", s->base);
	r = http_do(s->http,
		    &(struct http_req){ .method = "PUT",
					.url = str_z(&url),
					.header = h,
					.nheader = 1,
					.body = SV(""),
					.connect_timeout_ms = 2000,
					.timeout_ms = ASK_MS,
					.body_max = 65536,
					.keep_header = "X-aws-ec2-metadata-token-ttl-seconds" },
		    &s->res, &err);
	str_free(&url);
	if (r < 0)
		return notice_trouble(s, "%s", err.msg);
	struct sv t = sv_trim(str_sv(&s->res.body));
	if (s->res.status != 200 || !token_fit(t))
		return notice_trouble(
			s,
			"no session token (status %d); in a container the hop limit of the metadata service must be 2",
			s->res.status);
	str_clear(&s->token);
	str_addf(&s->token, "X-aws-ec2-metadata-token: %.*s", SVF(t));
	if (sv_i64(str_sv(&s->res.header), &ttl) < 0 || ttl < 1 || ttl > TOKEN_TTL_S)
		ttl = TOKEN_TTL_S;
	s->token_until_ms = tm_mono_ms() + ttl * 800; /* renewed at four fifths */
	s->tokened = true;
	return 0;
}

/* Status, with a fresh token where the old one was refused. */
static int aws_get(struct notice_src *s, const char *path)
{
	for (int turn = 0;; turn++) {
		if ((!s->tokened || tm_mono_ms() >= s->token_until_ms) && token_ask(s) > 0)
			return 0;
		const char *h[] = { str_z(&s->token) };
		int status = notice_get(s, path, h, 1, "Date", ASK_MS);
		if (status != 401 || turn)
			return status;
		s->tokened = false;
	}
}

int notice_aws_action(struct sv body, struct notice_event *ret)
{
	struct sv action = notice_member(body, "action"), time = notice_member(body, "time");
	struct notice_event e = { .kind = NOTICE_STOP };

	if (!action.n || action.n > 40)
		return -EBADMSG;
	if (!time.n || tm_parse(time, 0, &e.at_ms) < 0)
		return -EBADMSG;
	snprintf(e.key, sizeof e.key, "%.*s %.*s", SVF(action), (int)min_size(time.n, 60), time.p);
	snprintf(e.what, sizeof e.what, "spot interruption: %.*s at %.*s", SVF(action),
		 (int)min_size(time.n, 60), time.p);
	*ret = e;
	return 0;
}

static int64_t aws_ask(struct notice_src *s)
{
	int64_t poll = notice_options(s)->poll_ms > 0 ? notice_options(s)->poll_ms : AWS_POLL_MS;
	int status = aws_get(s, "/latest/meta-data/spot/instance-action");
	struct notice_event e;

	if (!status) {
		if (!s->failures)
			return poll;
		if (http_backoff_ms(s->failures - 1, -1) < poll)
			return http_backoff_ms(s->failures - 1, -1);
		return poll;
	}
	if (status == 200) {
		if (notice_aws_action(str_sv(&s->res.body), &e) < 0) {
			notice_trouble(s, "spot/instance-action is not what it should be");
			return poll;
		}
		int64_t at = notice_told_ms(s, e.at_ms), most = tm_steady_ms() + AWS_NOTICE_MS;
		notice_say(s, e.kind, min_i64(at, most), sv_of(e.key), e.what);
		notice_fine(s);
		return poll;
	}
	if (status != 404) {
		notice_trouble(s, "spot/instance-action answers with status %d", status);
		return poll;
	}
	status = aws_get(s, "/latest/meta-data/events/recommendations/rebalance");
	if (status == 200) {
		struct sv t = notice_member(str_sv(&s->res.body), "noticeTime");
		if (t.n && t.n < 60) {
			notice_say(
				s, NOTICE_REBALANCE, INT64_MIN, t,
				"rebalance recommendation: an interruption is likelier than before");
			notice_fine(s);
		} else
			notice_trouble(s, "recommendations/rebalance is not what it should be");
	} else if (status == 404) {
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""),
			   "no interruption is announced any more");
		notice_fine(s);
	} else if (status)
		notice_trouble(s, "recommendations/rebalance answers with status %d", status);
	return poll;
}

/* ---- Google ------------------------------------------------------------------------------ */

#define WAIT_S 20

static int64_t gcp_ask(struct notice_src *s, const char *what)
{
	static const char *const h[] = { "Metadata-Flavor: Google" };
	struct str path = { 0 };
	int status;

	str_addf(&path, "/computeMetadata/v1/instance/%s", what);
	if (s->etag.n) {
		str_addf(&path, "?wait_for_change=true&timeout_sec=%d&last_etag=", WAIT_S);
		http_quote(&path, str_sv(&s->etag));
	}
	status = notice_get(s, str_z(&path), h, 1, "ETag",
			    s->etag.n ? WAIT_S * 1000 + ASK_MS : ASK_MS);
	str_free(&path);
	if (status != 200) {
		str_clear(&s->etag); /* the next one asks for what is, and does not wait */
		if (status)
			return notice_trouble(s, "instance/%s answers with status %d", what,
					      status);
		return http_backoff_ms(s->failures ? s->failures - 1 : 0, -1);
	}
	str_clear(&s->etag);
	str_addsv(&s->etag, str_sv(&s->res.header));
	return 0;
}

/* A server that answers at once although it should wait must not be asked without a pause. */
static int64_t pause_ms(struct notice_src *s, int64_t began_ms)
{
	int64_t poll = 1000;
	if (notice_options(s)->poll_ms > 0)
		poll = notice_options(s)->poll_ms;
	if (s->etag.n && tm_mono_ms() - began_ms >= poll)
		return 0;
	return poll;
}

static int64_t preempted_ask(struct notice_src *s)
{
	int64_t began = tm_mono_ms(), wait = gcp_ask(s, "preempted");
	struct sv v = sv_trim(str_sv(&s->res.body));

	if (wait)
		return wait;
	if (sv_is(v, "TRUE"))
		notice_say(s, NOTICE_STOP, INT64_MIN, SV("preempted"),
			   "preempted: the machine is being shut down");
	else if (sv_is(v, "FALSE"))
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""), "preempted is FALSE again");
	else
		return notice_trouble(s, "instance/preempted is neither TRUE nor FALSE");
	notice_fine(s);
	return pause_ms(s, began);
}

static int64_t maintenance_ask(struct notice_src *s)
{
	int64_t began = tm_mono_ms(), wait = gcp_ask(s, "maintenance-event");
	struct sv v = sv_trim(str_sv(&s->res.body));

	if (wait)
		return wait;
	if (sv_is(v, "TERMINATE_ON_HOST_MAINTENANCE"))
		notice_say(s, NOTICE_STOP, INT64_MIN, v,
			   "host maintenance: the machine will be stopped");
	else if (sv_is(v, "MIGRATE_ON_HOST_MAINTENANCE"))
		notice_say(s, NOTICE_REBALANCE, INT64_MIN, v,
			   "host maintenance: the machine will be moved while it runs");
	else if (sv_is(v, "NONE"))
		notice_say(s, NOTICE_NONE, INT64_MIN, SV(""),
			   "maintenance is over or was called off");
	else
		return notice_trouble(s, "instance/maintenance-event has a word that is not known");
	notice_fine(s);
	return pause_ms(s, began);
}

/* Usual notices: AWS says the time; Google has at most 30 s after ACPI G2, an hour before
 * maintenance of GPU machines. */
const struct notice_ops notice_aws = { "aws", aws_ask, NULL, 110000, false };
const struct notice_ops notice_gcp_preempted = { "gcp", preempted_ask, NULL, 25000, false };
const struct notice_ops notice_gcp_maintenance = { "gcp", maintenance_ask, NULL, MS_HOUR, false };
