/*
 * A mail of plain text (RFC 5322). Subject as encoded words (RFC 2047) and body in base64: whatever
 * a job is called, it becomes neither a header nor a line of the SMTP dialogue.
 */
#include <string.h>

#include "act/notify.h"
#include "base/base64.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"

static void put_body(struct str *out, struct sv text) /* in lines of 76 characters */
{
	while (text.n) {
		size_t n = min_size(text.n, 57);
		base64_put(out, (struct sv){ text.p, n });
		str_addz(out, "\r\n");
		text.p += n;
		text.n -= n;
	}
}

/* Encoded words of at most 75 characters hold 45 bytes; cut between characters. */
static void put_subject(struct str *out, struct sv text)
{
	bool first = true;

	if (text.n > 400)
		text.n = 400;
	while (text.n) {
		size_t n = min_size(text.n, 45);
		while (n < text.n && n > 1 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
			n--;
		str_addz(out, first ? "=?UTF-8?B?" : "\r\n =?UTF-8?B?");
		base64_put(out, (struct sv){ text.p, n });
		str_addz(out, "?=");
		text.p += n;
		text.n -= n;
		first = false;
	}
}

bool notify_address_ok(const char *z)
{
	const char *at = strchr(z, '@');

	if (!at || at == z || z[0] == '-')
		return false;
	if (!at[1] || strchr(at + 1, '@') || strlen(z) > 254)
		return false;
	for (; *z; z++)
		if ((unsigned char)*z <= 0x20 || (unsigned char)*z >= 0x7f ||
		    strchr("<>()[]\\,;:\"", *z))
			return false;
	return true;
}

void notify_email_message(const struct notify_target *t, const struct notice *n, size_t count,
			  int64_t now_ms, struct str *out)
{
	static const char *const day[] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
	static const char *const month[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	struct str text = { 0 };
	uint64_t h = 0xcbf29ce484222325ULL;

	for (const char *p = n->id; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3ULL;
	struct civil c = tm_civil(now_ms);
	int64_t d = tm_floor(now_ms, MS_DAY) / MS_DAY % 7; /* 1970-01-01 was a Thursday */
	if (d < 0)
		d += 7;
	str_addf(out, "Date: %s, %02d %s %04d %02d:%02d:%02d +0000\r\n", day[d], c.day,
		 month[c.month - 1], c.year, c.hour, c.minute, c.second);
	str_addf(out, "From: <%s>\r\nTo: ", t->from);
	for (size_t i = 0; i < t->to.n; i++)
		str_addf(out, "%s<%s>", text_if(i, ",\r\n "), t->to.v[i]);
	str_addf(out, "\r\nMessage-ID: <tare.%016llx.%lld@%s>\r\nSubject: ", (unsigned long long)h,
		 (long long)now_ms, strchr(t->from, '@') + 1);
	notify_title(n, count, &text);
	put_subject(out, str_sv(&text));
	str_clear(&text);
	notify_lines(n, count, &text);
	str_addz(
		out,
		"\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
		"Content-Transfer-Encoding: base64\r\n\r\n");
	put_body(out, str_sv(&text));
	str_free(&text);
}
