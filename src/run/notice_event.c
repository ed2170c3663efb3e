/* Azure's scheduled events, and nodes of Kubernetes: JSON documents of which a few members
 * count. */
#include <errno.h>
#include <stdio.h>

#include "base/among.h"
#include "base/jscan.h"
#include "base/jw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "run/notice_priv.h"
#include "auth/role.h"

#define ASK_MS       4000
#define FIRST_ASK_MS 125000 /* the first call turns scheduled events on and may take two minutes */

/* ---- members ----------------------------------------------------------------------------- */

struct sv notice_member(struct sv object, const char *key)
{
	struct jscan_members m = { 0 };
	struct sv ret = SV_NULL;

	object = sv_trim(object);
	if (object.n && object.p[0] == '{' && !jscan_members(&m, object))
		for (size_t i = 0; i < m.n; i++)
			if (sv_is(m.v[i].key, key) && m.v[i].type != JSCAN_NULL)
				ret = m.v[i].value;
	vec_free(&m);
	return ret;
}

/* ---- Azure ------------------------------------------------------------------------------- */

static bool for_me(struct sv resources, struct sv me)
{
	struct sv none, item;
	size_t at = 0;

	if (!me.n || !resources.n)
		return true;
	while (jscan_next(resources, &at, &none, &item))
		if (item.p[0] == '"' && sv_eq(jscan_text(item), me))
			return true;
	return false;
}

/* Least notice of the kinds, where no time is told. A freeze leaves memory as it is: worth a
 * checkpoint, nothing more. */
static enum notice_kind kind_of(struct sv type, int64_t *ret_usual_ms)
{
	static const struct {
		const char *word;
		enum notice_kind kind;
		int64_t ms;
	} t[] = {
		{ "Preempt", NOTICE_STOP, 30000 },      { "Terminate", NOTICE_STOP, 300000 },
		{ "Redeploy", NOTICE_STOP, 600000 },    { "Reboot", NOTICE_STOP, 900000 },
		{ "Freeze", NOTICE_REBALANCE, 900000 },
	};
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		if (sv_is(type, t[i].word)) {
			*ret_usual_ms = t[i].ms;
			return t[i].kind;
		}
	return NOTICE_NONE;
}

static bool id_fit(struct sv id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!within_int(id.p[i], '!', '~') || id.p[i] == '"' || id.p[i] == '\\')
			return false;
	return id.n && id.n < 100;
}

int notice_azure_events(struct sv body, struct sv me, struct notice_event *ret, struct str *ids)
{
	struct notice_event best = { .kind = NOTICE_NONE, .at_ms = INT64_MAX };
	struct sv events = notice_member(body, "Events"), none, item;
	size_t at = 0;

	str_clear(ids);
	if (!events.n || events.p[0] != '[')
		return -EBADMSG;
	while (jscan_next(events, &at, &none, &item)) {
		struct sv type = notice_member(item, "EventType"),
			  id = notice_member(item, "EventId"),
			  before = notice_member(item, "NotBefore"),
			  status = notice_member(item, "EventStatus");
		int64_t usual = 0, when;
		enum notice_kind k = kind_of(type, &usual);
		if (k == NOTICE_NONE || !for_me(notice_member(item, "Resources"), me))
			continue;
		if (tm_parse_http(before, &when) < 0)
			when = INT64_MIN;
		if (k == NOTICE_STOP && id_fit(id) && ids->n < 4000)
			str_addf(ids, "%s%.*s", text_if(ids->n, " "), SVF(id));
		if (k < best.kind || (k == best.kind && when >= best.at_ms))
			continue;
		best.kind = k;
		best.at_ms = when;
		best.in_ms = 0;
		snprintf(best.key, sizeof best.key, "%.*s %.*s", (int)min_size(id.n, 100),
			 text_or(id.p, ""), (int)min_size(status.n, 20), text_or(status.p, ""));
		snprintf(best.what, sizeof best.what, "scheduled event: %.*s, not before %.*s",
			 SVF(type), (int)min_size(before.n, 40), before.n ? before.p : "now");
		if (when == INT64_MIN && !sv_is(status, "Started") && k == NOTICE_STOP)
			best.in_ms = usual;
	}
	*ret = best;
	return 0;
}

static const char *const META[] = { "Metadata: true" };
#define EVENTS "/metadata/scheduledevents?api-version=2020-07-01"

static int64_t azure_ask(struct notice_src *s)
{
	int64_t poll = notice_options(s)->poll_ms > 0 ? notice_options(s)->poll_ms : 1000;
	struct notice_event e;
	int status;

	if (!s->tokened) { /* own name, once: events of a set name all machines they are for */
		status = notice_get(
			s, "/metadata/instance/compute/name?api-version=2021-02-01&format=text",
			META, 1, NULL, ASK_MS);
		if (status == 200 && s->res.body.n < 256)
			str_addsv(&s->me, sv_trim(str_sv(&s->res.body)));
		s->tokened = status == 200 || status == 404;
	}
	status = notice_get(s, EVENTS, META, 1, "Date",
			    s->acked || s->boot_wait_ms ? ASK_MS : FIRST_ASK_MS);
	if (status != 200) {
		if (status)
			return notice_trouble(s, "scheduled events answer with status %d", status);
		return poll;
	}
	s->boot_wait_ms = 1;
	if (notice_azure_events(str_sv(&s->res.body), str_sv(&s->me), &e, &s->ids) < 0) {
		notice_trouble(s, "scheduled events are not what they should be");
		return poll;
	}
	if (e.kind != NOTICE_NONE && e.at_ms != INT64_MIN)
		e.at_ms = notice_told_ms(s, e.at_ms);
	else if (e.in_ms)
		e.at_ms = tm_steady_ms() + e.in_ms;
	notice_say(s, e.kind, e.at_ms, sv_of(e.key),
		   e.kind == NOTICE_NONE ? "no event is scheduled any more" : e.what);
	notice_fine(s);
	return poll;
}

/* StartRequests: the state is safe, so the platform need not wait for NotBefore. */
static void azure_ack(struct notice_src *s)
{
	struct str url = { 0 }, body = { 0 };
	struct err err = { 0 };
	struct sv rest = str_sv(&s->ids);
	struct jw j;

	if (!s->ids.n)
		return;
	str_addf(&url, "%s%s", s->base, EVENTS);
	jw_init(&j, &body, 0);
	jw_obj(&j);
	jw_key(&j, "StartRequests");
	jw_arr(&j);
	while (rest.p && rest.n) {
		jw_obj(&j);
		jw_key(&j, "EventId");
		jw_sv(&j, sv_cut(rest, ' ', &rest));
		jw_end_obj(&j);
	}
	jw_end_arr(&j);
	jw_end_obj(&j);
	if (http_do(s->http,
		    &(struct http_req){ .url = str_z(&url),
					.header = META,
					.nheader = 1,
					.body = str_sv(&body),
					.content_type = "application/json",
					.connect_timeout_ms = 2000,
					.timeout_ms = ASK_MS,
					.body_max = 65536 },
		    &s->res, &err) < 0)
		notice_trouble(s, "the event is not acknowledged: %s", err.msg);
	else if (s->res.status != 200)
		notice_trouble(s, "the event is not acknowledged: status %d", s->res.status);
	str_free(&url);
	str_free(&body);
}

/* ---- Kubernetes -------------------------------------------------------------------------- */

/* Taints by which schedulers and clouds say that a node goes. */
static enum notice_kind taint_kind(struct sv key)
{
	static const char *const stop[] = {
		"cloud.google.com/impending-node-termination",
		"aws-node-termination-handler/spot-itn",
		"ToBeDeletedByClusterAutoscaler",
		"karpenter.sh/disrupted",
		"karpenter.sh/disruption",
		"node.kubernetes.io/out-of-service",
		"aws-node-termination-handler/scheduled-maintenance",
		"aws-node-termination-handler/asg-lifecycle-termination"
	};
	static const char *const soon[] = { "aws-node-termination-handler/rebalance-recommendation",
					    "DeletionCandidateOfClusterAutoscaler",
					    "node.kubernetes.io/unschedulable" };
	for (size_t i = 0; i < sizeof stop / sizeof *stop; i++)
		if (sv_is(key, stop[i]))
			return NOTICE_STOP;
	for (size_t i = 0; i < sizeof soon / sizeof *soon; i++)
		if (sv_is(key, soon[i]))
			return NOTICE_REBALANCE;
	return NOTICE_NONE;
}

int notice_kube_node(struct sv body, struct notice_event *ret)
{
	struct notice_event e = { .kind = NOTICE_NONE, .at_ms = INT64_MIN };
	struct sv spec, taints, none, item;
	size_t at = 0;

	if (!sv_is(notice_member(body, "kind"), "Node"))
		return -EBADMSG;
	spec = notice_member(body, "spec");
	taints = notice_member(spec, "taints");
	while (taints.n && taints.p[0] == '[' && jscan_next(taints, &at, &none, &item)) {
		struct sv key = notice_member(item, "key");
		enum notice_kind k = taint_kind(key);
		if (k <= e.kind)
			continue;
		e.kind = k;
		snprintf(e.key, sizeof e.key, "%.*s", SVF(key));
		snprintf(e.what, sizeof e.what, "the node has the taint %.*s", SVF(key));
	}
	struct sv meta = SV_NULL;
	if (e.kind != NOTICE_STOP)
		meta = notice_member(body, "metadata");
	if (meta.n && notice_member(meta, "deletionTimestamp").n)
		e = (struct notice_event){ NOTICE_STOP, INT64_MIN, "deleted",
					   "the node is being deleted" };
	*ret = e;
	return 0;
}

static int64_t kube_ask(struct notice_src *s)
{
	int64_t poll = notice_options(s)->poll_ms > 0 ? notice_options(s)->poll_ms : 5000;
	struct notice_event e;
	struct str url = { 0 }, text = { 0 };
	struct err err = { 0 };

	/* each time: it is renewed */
	int r = cred_read_file(notice_options(s)->kube_token_file, &text);
	struct sv token = sv_trim(str_sv(&text));
	str_clear(&s->token);
	if (r == 0 && !cred_value_ok(token))
		r = -EBADMSG; /* there is none in the file */
	if (r == 0)
		str_addsv(&s->token, token);
	role_wipe_text(&text.p);
	if (r == -EBADMSG)
		return notice_trouble(s, "no token in '%.150s'",
				      notice_options(s)->kube_token_file);
	if (r < 0)
		return notice_trouble(s, "cannot read the token '%.120s': %s",
				      notice_options(s)->kube_token_file, cred_why(r));
	str_addf(&url, "%s/api/v1/nodes/", s->base);
	http_quote(&url, sv_of(notice_options(s)->node));
	r = http_do(s->http,
		    &(struct http_req){ .url = str_z(&url),
					.bearer = str_z(&s->token),
					.connect_timeout_ms = 2000,
					.timeout_ms = 10000,
					.body_max = (size_t)4 << 20 },
		    &s->res, &err);
	str_free(&url);
	if (r < 0)
		return notice_trouble(s, "%s", err.msg);
	if (s->res.status == 403) {
		notice_trouble(
			s,
			"may not read its node: the service account needs get on nodes (SIGTERM still tells)");
		return MS_MINUTE;
	}
	if (s->res.status != 200)
		return notice_trouble(s, "the API server answers with status %d", s->res.status);
	if (notice_kube_node(str_sv(&s->res.body), &e) < 0)
		return notice_trouble(s, "the node is not what it should be");
	notice_say(s, e.kind, e.at_ms, sv_of(e.key),
		   e.kind == NOTICE_NONE ? "the taint is gone" : e.what);
	notice_fine(s);
	return poll;
}

const struct notice_ops notice_azure = { "azure", azure_ask, azure_ack, 25000, false };
const struct notice_ops notice_kubernetes = { "kubernetes", kube_ask, NULL, MS_MINUTE, true };
