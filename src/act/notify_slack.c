/*
 * JSON in the shape of Slack's incoming webhooks (Mattermost, Rocket.Chat and Discord's /slack take
 * it too): {"text", "attachments":[{color, title, text, fallback}]}. Source: Slack's "Sending
 * messages using incoming webhooks"; &, < and > are written as entities, so that no text of ours
 * becomes a link or a mention.
 */
#include "act/notify.h"
#include "base/jw.h"

#define TEXT_MAX 3000 /* bytes; longer attachments are folded by Slack */

static void escape_text(struct str *out, struct sv text)
{
	for (size_t i = 0; i < text.n && out->n < TEXT_MAX; i++)
		switch (text.p[i]) {
		case '&': str_addz(out, "&amp;"); break;
		case '<': str_addz(out, "&lt;"); break;
		case '>': str_addz(out, "&gt;"); break;
		default: str_addc(out, text.p[i]);
		}
	/* half a character at the cut */
	while (out->n && (unsigned char)out->p[out->n - 1] >= 0xc0)
		out->p[--out->n] = 0;
}

void notify_slack_body(const struct notify_target *t, const struct notice *n, size_t count,
		       int64_t now_ms, struct str *out)
{
	struct str raw = { 0 }, title = { 0 }, text = { 0 };
	const char *colour = "#439fe0";
	struct jw w;

	if (n->over || n->test)
		colour = "good";
	else if (n->severity[0] == 'c')
		colour = "danger";
	else if (n->severity[0] == 'w')
		colour = "warning";
	notify_title(n, count, &raw);
	escape_text(&title, str_sv(&raw));
	str_clear(&raw);
	notify_lines(n, count, &raw);
	escape_text(&text, sv_trim(str_sv(&raw)));
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "text");
	jw_sv(&w, str_sv(&title));
	jw_key(&w, "attachments");
	jw_arr(&w);
	jw_obj(&w);
	jw_key(&w, "color");
	jw_str(&w, colour);
	jw_key(&w, "title");
	jw_str(&w, n->rule);
	jw_key(&w, "text");
	jw_sv(&w, str_sv(&text));
	jw_key(&w, "fallback");
	jw_sv(&w, str_sv(&title));
	jw_end_obj(&w);
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_free(&raw);
	str_free(&title);
	str_free(&text);
}
