/* A webhook of one's own: one JSON object a message, schema tare.notice/1 (docs/WATCH.md). Programs
 * of `exec` read the same. */
#include <math.h>

#include "act/notify.h"
#include "base/jw.h"
#include "model/known.h"
#include "model/model.h"

static void write_notice(struct jw *w, const struct notice *n)
{
	jw_obj(w);
	jw_key(w, "id");
	jw_str(w, n->id);
	jw_key(w, "rule");
	jw_str(w, n->rule);
	jw_key(w, "severity");
	jw_str(w, n->severity);
	jw_key(w, "summary");
	jw_str(w, n->summary);
	jw_key(w, "advice");
	jw_str(w, n->advice);
	jw_key(w, "labels");
	jw_obj(w);
	for (size_t i = 0; i < n->nlabel; i++)
		if (n->label[i].value && *n->label[i].value) {
			jw_key(w, n->label[i].name);
			jw_str(w, n->label[i].value);
		}
	jw_end_obj(w);
	jw_put_time(w, "starts_at", n->starts_ms);
	jw_put_time(w, "ends_at", i64_if(n->over, n->ends_ms));
	jw_key(w, "why_over");
	jw_str(w, n->over ? n->why_over : NULL);
	jw_key(w, "signal");
	jw_str(w, n->signal);
	jw_key(w, "comparison");
	jw_str(w, n->above ? "above" : "below");
	jw_key(w, "threshold");
	jw_num(w, n->threshold, 4);
	jw_key(w, "value");
	jw_num(w, n->value, 4);
	jw_key(w, "worst");
	jw_num(w, n->worst, 4);
	jw_key(w, "cost");
	jw_str(w, n->cost);
	jw_key(w, "currency");
	jw_str(w, n->cost ? n->currency : NULL);
	jw_end_obj(w);
}

void notify_webhook_body(const struct notify_target *t, const struct notice *n, size_t count,
			 int64_t now_ms, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.notice/1");
	jw_key(&w, "receiver");
	jw_str(&w, t->name);
	jw_key(&w, "status");
	jw_str(&w, n->over ? "resolved" : "firing");
	jw_key(&w, "test");
	jw_bool(&w, n->test);
	jw_key(&w, "time");
	jw_time(&w, now_ms);
	jw_key(&w, "group");
	jw_str(&w, n->group);
	jw_key(&w, "alerts");
	jw_arr(&w);
	for (size_t i = 0; i < count; i++)
		write_notice(&w, &n[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
}
