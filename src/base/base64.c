#include "base/base64.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void encode_with(struct str *out, struct sv bytes, const char *set, bool pad)
{
	for (size_t i = 0; i < bytes.n; i += 3) {
		uint32_t v = 0; /* 24 bits, zero behind the end */
		for (size_t k = i; k < i + 3; k++) {
			v <<= 8;
			if (k < bytes.n)
				v |= (uint8_t)bytes.p[k];
		}
		char digit[4] = { set[v >> 18], set[v >> 12 & 63], set[v >> 6 & 63], set[v & 63] };
		size_t left = bytes.n - i, n = 4;
		if (left < 3)
			n = left + 1;
		str_add(out, digit, n);
		if (pad)
			str_add(out, "==", 4 - n);
	}
}

void base64_put(struct str *out, struct sv bytes)
{
	encode_with(out, bytes, plain, true);
}

void base64url_put(struct str *out, struct sv bytes)
{
	encode_with(out, bytes, url, false);
}

int base64_read(struct str *out, struct sv text)
{
	size_t pad = (size_t)sv_ends(text, SV("=")) + sv_ends(text, SV("=="));

	if (text.n % 4)
		return -EBADMSG;
	for (size_t i = 0; i + pad < text.n; i++)
		if (!text.p[i] || !strchr(plain, text.p[i]))
			return -EBADMSG;
	for (size_t i = 0; i < text.n; i += 4) {
		uint32_t v = 0;
		for (size_t k = i; k < i + 4; k++) {
			v <<= 6;
			if (text.p[k] != '=')
				v |= (uint32_t)(strchr(plain, text.p[k]) - plain);
		}
		char byte[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };
		str_add(out, byte, i + 4 == text.n ? 3 - pad : 3);
	}
	return 0;
}
