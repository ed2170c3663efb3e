#include "base/jw.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clean.h"
#include "base/str.h"
#include "base/tm.h"

void jw_init(struct jw *w, struct str *out, int indent)
{
	*w = (struct jw){ .out = out, .indent = indent, .first = 1 };
}

static void new_line(struct jw *w)
{
	if (!w->indent)
		return;
	str_addc(w->out, '\n');
	for (int i = 0; i < w->indent * w->depth; i++)
		str_addc(w->out, ' ');
}

/* Comma and line before a value or key. */
static void write_before(struct jw *w)
{
	uint64_t bit = 1ULL << w->depth;
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	assert(w->depth > 0 || w->first & bit); /* one value at the top */
	if (!(w->first & bit))
		str_addc(w->out, ',');
	w->first &= ~bit;
	if (w->depth)
		new_line(w);
}

static void begin_level(struct jw *w, char c)
{
	write_before(w);
	str_addc(w->out, c);
	w->depth++;
	assert(w->depth < 64);
	w->first |= 1ULL << w->depth;
}

static void end_level(struct jw *w, char c)
{
	assert(w->depth > 0 && !w->after_key);
	bool empty = w->first >> w->depth & 1;
	w->depth--;
	if (!empty)
		new_line(w);
	str_addc(w->out, c);
}

void jw_obj(struct jw *w)
{
	begin_level(w, '{');
}

void jw_end_obj(struct jw *w)
{
	end_level(w, '}');
}

void jw_arr(struct jw *w)
{
	begin_level(w, '[');
}

void jw_end_arr(struct jw *w)
{
	end_level(w, ']');
}

static void add_text(struct str *out, struct sv v)
{
	static const char from[] = "\"\\\n\r\t\b\f", to[] = "\"\\nrtbf";
	const unsigned char *p = (const unsigned char *)v.p;
	size_t i = 0, plain = 0; /* bytes plain..i can be copied as they are */
	uint32_t code;
	str_addc(out, '"');
	while (i < v.n) {
		size_t len = sv_utf8(v.p + i, v.n - i, &code);
		if (len && !char_acts(code) && p[i] != '"' && p[i] != '\\') {
			i += len;
			continue;
		}
		str_add(out, v.p + plain, i - plain);
		const char *q = NULL;
		if (len && code < 0x80)
			q = memchr(from, (int)code, sizeof from - 1);
		if (q) {
			str_addc(out, '\\');
			str_addc(out, to[q - from]);
		} else if (len) {
			str_addf(out, "\\u%04x", code);
		} else {
			str_addz(out, "\xef\xbf\xbd");
		}
		i += len ? len : 1;
		plain = i;
	}
	str_add(out, v.p + plain, i - plain);
	str_addc(out, '"');
}

void jw_key(struct jw *w, const char *key)
{
	assert(w->depth > 0 && !w->after_key);
	write_before(w);
	add_text(w->out, sv_of(key));
	str_addz(w->out, w->indent ? ": " : ":");
	w->after_key = true;
}

void jw_raw(struct jw *w, struct sv json)
{
	write_before(w);
	str_addsv(w->out, json);
}

void jw_null(struct jw *w)
{
	jw_raw(w, SV("null"));
}

void jw_sv(struct jw *w, struct sv v)
{
	if (!v.p) {
		jw_null(w);
		return;
	}
	write_before(w);
	add_text(w->out, v);
}

void jw_str(struct jw *w, const char *z)
{
	jw_sv(w, sv_of(z));
}

void jw_int(struct jw *w, int64_t v)
{
	write_before(w);
	str_addf(w->out, "%" PRId64, v);
}

void jw_num(struct jw *w, double v, int digits)
{
	char buf[400];
	if (!isfinite(v)) {
		jw_null(w);
		return;
	}
	assert(digits >= 0 && digits <= 40);
	int n = snprintf(buf, sizeof buf, "%.*f", digits, v);
	if (digits) {
		while (buf[n - 1] == '0')
			n--;
		n -= buf[n - 1] == '.' || buf[n - 1] == ',';
	}
	if (n == 2 && buf[0] == '-' && buf[1] == '0')
		jw_raw(w, SV("0"));
	else
		jw_raw(w, (struct sv){ buf, (size_t)n });
}

void jw_bool(struct jw *w, bool v)
{
	jw_raw(w, v ? SV("true") : SV("false"));
}

void jw_dec(struct jw *w, dec v)
{
	char buf[DEC_BUF];
	jw_str(w, dec_format(buf, v));
}

void jw_time(struct jw *w, int64_t ms)
{
	char buf[TM_BUF];
	jw_str(w, tm_format(buf, ms));
}

/* ---- with their keys --------------------------------------------------------------------- */

void jw_put_str(struct jw *w, const char *key, const char *z)
{
	jw_key(w, key);
	jw_str(w, z);
}

void jw_put_text(struct jw *w, const char *key, const char *z)
{
	jw_put_str(w, key, filled_or(z, NULL));
}

void jw_put_num(struct jw *w, const char *key, double v, int digits)
{
	jw_key(w, key);
	jw_num(w, v, digits);
}

void jw_put_int(struct jw *w, const char *key, int64_t v)
{
	jw_key(w, key);
	if (v == INT64_MIN)
		jw_null(w);
	else
		jw_int(w, v);
}

void jw_put_time(struct jw *w, const char *key, int64_t ms)
{
	jw_key(w, key);
	if (ms == INT64_MIN)
		jw_null(w);
	else
		jw_time(w, ms);
}

void jw_put_bool(struct jw *w, const char *key, bool v)
{
	jw_key(w, key);
	jw_bool(w, v);
}

void jw_put_nano(struct jw *w, const char *key, double nano)
{
	bool known = isfinite(nano) && fabs(nano) < 9e18;

	jw_key(w, key);
	if (known)
		jw_dec(w, nano_to_dec((int64_t)llround(nano)));
	else
		jw_null(w);
}
