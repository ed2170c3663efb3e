#include "net/digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

enum { PIECE = 256 << 10 };

static int update_fd(EVP_MD_CTX *c, int fd, uint64_t offset, uint64_t n)
{
	uint8_t *buf = xmalloc(PIECE);
	int rc = 0;

	while (n && rc == 0) {
		ssize_t got = pread(fd, buf, n < PIECE ? n : PIECE, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			rc = got < 0 ? -errno : -ENODATA;
		else if (!EVP_DigestUpdate(c, buf, (size_t)got))
			rc = -EIO;
		else
			offset += (uint64_t)got, n -= (uint64_t)got;
	}
	free(buf);
	return rc;
}

struct digest {
	EVP_MD_CTX *c;
	bool bad;
};

struct digest *digest_begin(enum digest_kind kind)
{
	struct digest *d = xcalloc(1, sizeof *d);

	d->c = EVP_MD_CTX_new();
	d->bad = !d->c || !EVP_DigestInit_ex(d->c,
					     kind == DIGEST_MD5    ? EVP_md5()
					     : kind == DIGEST_SHA1 ? EVP_sha1()
								   : EVP_sha256(),
					     NULL);
	return d;
}

void digest_add(struct digest *d, const void *p, size_t n)
{
	d->bad = d->bad || (n && !EVP_DigestUpdate(d->c, p, n));
}

int digest_end(struct digest *d, char ret[DIGEST_HEX])
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned len = 0;
	bool bad = d->bad || !EVP_DigestFinal_ex(d->c, md, &len);

	EVP_MD_CTX_free(d->c);
	free(d);
	for (unsigned i = 0; !bad && i < len && 2 * i + 2 < DIGEST_HEX; i++)
		sprintf(ret + 2 * (size_t)i, "%02x", md[i]);
	return bad ? -EIO : 0;
}

int digest_hex(enum digest_kind kind, const void *mem, int fd, uint64_t offset, uint64_t n,
	       char ret[DIGEST_HEX])
{
	struct digest *d = digest_begin(kind);
	int read = 0, rc;

	if (mem)
		digest_add(d, mem, n);
	else if (n && !d->bad)
		read = update_fd(d->c, fd, offset, n);
	rc = digest_end(d, ret);
	return read < 0 ? read : rc;
}

static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void encode(struct str *out, struct sv bytes, const char *set, bool pad)
{
	for (size_t i = 0; i < bytes.n; i += 3) {
		uint32_t v = (uint32_t)(uint8_t)bytes.p[i] << 16;
		v |= i + 1 < bytes.n ? (uint32_t)(uint8_t)bytes.p[i + 1] << 8 : 0;
		v |= i + 2 < bytes.n ? (uint32_t)(uint8_t)bytes.p[i + 2] : 0;
		str_addc(out, set[v >> 18]);
		str_addc(out, set[v >> 12 & 63]);
		if (i + 1 < bytes.n || pad)
			str_addc(out, i + 1 < bytes.n ? set[v >> 6 & 63] : '=');
		if (i + 2 < bytes.n || pad)
			str_addc(out, i + 2 < bytes.n ? set[v & 63] : '=');
	}
}

void digest_base64(struct str *out, struct sv bytes)
{
	encode(out, bytes, base64, true);
}

void digest_base64url(struct str *out, struct sv bytes)
{
	encode(out, bytes, base64url, false);
}

static bool base64_ok(struct sv text)
{
	size_t pad = sv_ends(text, SV("==")) ? 2 : sv_ends(text, SV("=")) ? 1 : 0;

	for (size_t i = 0; i + pad < text.n; i++)
		if (!text.p[i] || !strchr(base64, text.p[i]))
			return false;
	return text.n % 4 == 0;
}

int digest_unbase64(struct str *out, struct sv text)
{
	if (!base64_ok(text))
		return -EBADMSG;
	for (size_t i = 0; i < text.n; i += 4) {
		uint32_t v = 0;
		for (size_t k = 0; k < 4; k++)
			v = v << 6 | (text.p[i + k] == '='
					      ? 0
					      : (uint32_t)(strchr(base64, text.p[i + k]) - base64));
		str_addc(out, (char)(v >> 16));
		if (text.p[i + 2] != '=')
			str_addc(out, (char)(v >> 8 & 255));
		if (text.p[i + 3] != '=')
			str_addc(out, (char)(v & 255));
	}
	return 0;
}

int digest_hmac_sha256(struct sv key, struct sv text, unsigned char ret[DIGEST_HMAC_BYTES])
{
	unsigned n = DIGEST_HMAC_BYTES;

	return HMAC(EVP_sha256(), key.n ? key.p : "", (int)key.n,
		    (const unsigned char *)(text.n ? text.p : ""), text.n, ret, &n)
		       ? 0
		       : -EIO;
}

int digest_random(void *ret, size_t n)
{
	return RAND_bytes(ret, (int)n) == 1 ? 0 : -EIO;
}
