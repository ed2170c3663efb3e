#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/among.h"
#include "base/clean.h"

/* vsnprintf cuts at a byte; step back so that no half character is left at the end. */
static void cut_at_char(char *z, size_t n)
{
	size_t i = n;
	while (i > 0 && ((unsigned char)z[i - 1] & 0xc0) == 0x80)
		i--;
	if (i > 0 && (unsigned char)z[i - 1] >= 0xc0)
		i--;
	z[i] = 0;
}

/*
 * Sentences quote what servers, files and drivers said, and end on terminals and in logs: no
 * control characters, no broken UTF-8. A newline is a blank, but in a hint, whose format may have
 * some.
 */
static void write_sentence(char *z, size_t size, bool lines, const char *fmt, va_list ap)
{
	int wrote = vsnprintf(z, size, fmt, ap);
	if (wrote < 0)
		z[0] = 0;
	else if ((size_t)wrote >= size)
		cut_at_char(z, size - 1);

	size_t left = strlen(z), n;
	uint32_t c = 0;
	for (char *p = z; left; p += n, left -= n) {
		n = sv_utf8(p, left, &c);
		if (n && !char_acts(c))
			continue;
		if (!n)
			n = 1;
		if (!(lines && *p == '\n'))
			memset(p, char_among(*p, "\n\t\r") ? ' ' : '?', n);
	}
}

void err_clear(struct err *e)
{
	if (e)
		e->msg[0] = e->hint[0] = 0;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	if (!e)
		return code;
	va_list ap;
	va_start(ap, fmt);
	char text[sizeof e->msg]; /* an argument may be e->msg itself */
	write_sentence(text, sizeof text, false, fmt, ap);
	va_end(ap);
	strcpy(e->msg, text);
	e->hint[0] = 0;
	return code;
}

void err_hint(struct err *e, const char *fmt, ...)
{
	if (!e)
		return;
	va_list ap;
	va_start(ap, fmt);
	char text[sizeof e->hint];
	write_sentence(text, sizeof text, true, fmt, ap);
	va_end(ap);
	strcpy(e->hint, text);
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	if (!e)
		return;
	va_list ap;
	va_start(ap, fmt);
	char text[sizeof e->msg];
	write_sentence(text, sizeof text - 2, false, fmt, ap);
	va_end(ap);
	size_t at = strlen(text), n = strlen(e->msg);
	memcpy(text + at, ": ", 2);
	at += 2;
	if (at + n >= sizeof text) {
		memcpy(text + at, e->msg, sizeof text - 1 - at);
		cut_at_char(text, sizeof text - 1);
	} else {
		memcpy(text + at, e->msg, n + 1);
	}
	strcpy(e->msg, text);
}

int err_nomem(struct err *e)
{
	return err_set(e, -ENOMEM, "out of memory");
}
