/* Numbers for people, and lines of text; see top_paint.h. */
#include <math.h>
#include <stdio.h>
#include "top/top_paint.h"
#include "base/tm.h"

#define GIB 1073741824.0 /* bytes */

void top_money(struct str *out, bool known, dec v)
{
	char buf[DEC_BUF];
	dec a = v;
	if (v < 0)
		a = -v;
	if (!known)
		str_addc(out, '-');
	else if (a == 0)
		str_addc(out, '0');
	else if (a < DEC_ONE / 1000)
		str_addz(out, v < 0 ? ">-.001" : "<.001");
	else if (a < 10 * DEC_ONE)
		str_addz(out, dec_format_people(buf, v, 3));
	else
		str_addz(out, dec_format_people(buf, v, a < 1000 * DEC_ONE ? 2 : 0));
}

void top_rate(struct str *out, bool known, dec v)
{
	char buf[DEC_BUF];
	if (!known)
		str_addc(out, '-');
	else if (v > 0 && v < DEC_ONE / 10)
		str_addz(out, dec_format_people(buf, v, 4));
	else
		str_addz(out, dec_format_people(buf, v, v < 1000 * DEC_ONE ? 2 : 0));
}

void top_gib(struct str *out, double bytes, int digits)
{
	if (isfinite(bytes))
		str_addf(out, "%.*f", digits, bytes / GIB);
	else
		str_addc(out, '-');
}

const char *top_currency(const struct top_model *m)
{
	const char *c = "";
	if (m->snap)
		c = m->snap->rate.currency;
	if (!*c || !strcmp(c, "USD"))
		return "$";
	return c;
}

char *top_clock(char buf[16], int64_t ms)
{
	struct civil c = tm_civil(ms);
	/* % 100 changes nothing: it tells the compiler that buf is large enough */
	snprintf(buf, 16, "%02u:%02u:%02u", (unsigned)c.hour % 100, (unsigned)c.minute % 100,
		 (unsigned)c.second % 100);
	return buf;
}

void top_span(struct str *out, int64_t ms)
{
	int64_t s = ms / MS_SECOND;
	if (s < 60)
		str_addf(out, "%d s", (int)s);
	else if (s < 3600)
		str_addf(out, "%d min", (int)(s / 60));
	else if (s < 86400)
		str_addf(out, "%dh%02dm", (int)(s / 3600), (int)(s / 60 % 60));
	else
		str_addf(out, "%lld d", (long long)(s / 86400));
}

void top_text_add(struct top_text *t, unsigned style, int indent, const char *fmt, ...)
{
	struct str s = { 0 };
	va_list ap;
	va_start(ap, fmt);
	str_addvf(&s, fmt, ap);
	va_end(ap);
	vec_grow(&t->line, 1);
	t->line.v[t->line.n].style = style;
	t->line.v[t->line.n].indent = indent;
	t->line.v[t->line.n++].text = arena_strn(&t->mem, str_z(&s), s.n);
	str_free(&s);
}

void top_text_free(struct top_text *t)
{
	vec_free(&t->line);
	arena_free(&t->mem);
}
