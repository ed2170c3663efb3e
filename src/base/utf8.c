#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

bool sv_is_ascii(struct sv v)
{
	const char *p = v.p;
	size_t n = v.n;
	uint64_t w;
	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		if (w & 0x8080808080808080ULL)
			return false;
	}
	unsigned char any = 0;
	while (n--)
		any |= (unsigned char)*p++;
	return any < 0x80;
}

/* Bytes of the UTF-8 sequence at p, 0 if it is none. */
static size_t utf8_len(const unsigned char *p, size_t n)
{
	if (p[0] < 0x80)
		return 1;
	size_t want = 2;
	if (p[0] >= 0xf0)
		want = 4;
	else if (p[0] >= 0xe0)
		want = 3;
	if (p[0] < 0xc2 || p[0] > 0xf4 || want > n)
		return 0;
	for (size_t i = 1; i < want; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (p[0] == 0xe0 && p[1] < 0xa0)
		return 0;
	if (p[0] == 0xed && p[1] > 0x9f)
		return 0;
	if (p[0] == 0xf0 && p[1] < 0x90)
		return 0;
	if (p[0] == 0xf4 && p[1] > 0x8f)
		return 0;
	return want;
}

struct sv utf8_of(struct str *out, struct sv v)
{
	const unsigned char *p = (const unsigned char *)v.p;
	size_t i = 0;
	while (i < v.n && utf8_len(p + i, v.n - i))
		i += utf8_len(p + i, v.n - i);
	if (i == v.n)
		return v;
	str_clear(out);
	for (i = 0; i < v.n;) {
		size_t n = utf8_len(p + i, v.n - i);
		if (n) {
			str_add(out, v.p + i, n);
			i += n;
			continue;
		}
		/* a byte of no UTF-8, as Latin-1 has it: names of two people must not become one */
		unsigned char c = p[i++];
		if (c < 0xa0) /* a control character there */
			str_add(out, "\xef\xbf\xbd", 3);
		else
			str_add(out, (char[]){ (char)(0xc0 | c >> 6), (char)(0x80 | (c & 0x3f)) },
				2);
	}
	return str_sv(out);
}

size_t utf8_put(char out[4], uint32_t c)
{
	size_t n = 0;

	if (c < 0x80) {
		out[n++] = (char)c;
	} else if (c < 0x800) {
		out[n++] = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		out[n++] = (char)(0xe0 | c >> 12);
		out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		out[n++] = (char)(0xf0 | c >> 18);
		out[n++] = (char)(0x80 | (c >> 12 & 0x3f));
		out[n++] = (char)(0x80 | (c >> 6 & 0x3f));
	}
	if (c >= 0x80)
		out[n++] = (char)(0x80 | (c & 0x3f));
	return n;
}
