/*
 * Prometheus' Alertmanager, POST /api/v2/alerts: [{labels, annotations, startsAt, endsAt}]. Source:
 * its api/v2/openapi.yaml.
 *
 * An alert without endsAt ends by itself after the server's resolve_timeout; ours get an end four
 * resends ahead, so that the alerts of a machine that is switched off end soon after. One that is
 * over has its end in the past. Annotations are those of the last post, so they are always sent.
 */
#include <math.h>

#include "act/notify.h"
#include "base/jw.h"
#include "model/model.h"

static void write_labels(struct jw *w, const struct notice *n)
{
	jw_key(w, "labels");
	jw_obj(w);
	jw_key(w, "alertname");
	jw_str(w, n->rule);
	jw_key(w, "severity");
	jw_str(w, n->severity);
	for (size_t i = 0; i < n->nlabel; i++)
		if (n->label[i].value && *n->label[i].value) {
			jw_key(w, n->label[i].name);
			jw_str(w, n->label[i].value);
		}
	jw_end_obj(w);
}

static void write_annotations(struct jw *w, const struct notice *n)
{
	struct str text = { 0 };

	jw_key(w, "annotations");
	jw_obj(w);
	jw_key(w, "summary");
	notify_title(n, 1, &text);
	jw_sv(w, str_sv(&text));
	str_clear(&text);
	jw_key(w, "description");
	notify_lines(n, 1, &text);
	jw_sv(w, sv_trim(str_sv(&text)));
	jw_end_obj(w);
	str_free(&text);
}

void notify_alertmanager_body(const struct notify_target *t, const struct notice *n, size_t count,
			      int64_t now_ms, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_arr(&w);
	for (size_t i = 0; i < count; i++) {
		jw_obj(&w);
		write_labels(&w, &n[i]);
		write_annotations(&w, &n[i]);
		jw_key(&w, "startsAt");
		jw_time(&w, n[i].starts_ms);
		jw_key(&w, "endsAt");
		jw_time(&w, n[i].over && n[i].ends_ms != UNKNOWN_MS ? n[i].ends_ms
								    : now_ms + 4 * t->resend_ms);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
}
