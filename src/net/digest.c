#include "net/digest.h"

#include <errno.h>
#include <openssl/evp.h>
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
	d->bad = !d->c || !EVP_DigestInit_ex(d->c, kind == DIGEST_MD5 ? EVP_md5() : EVP_sha256(), NULL);
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

int digest_hex(enum digest_kind kind, const void *mem, int fd, uint64_t offset, uint64_t n, char ret[DIGEST_HEX])
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

void digest_base64(struct str *out, struct sv bytes)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.n; i += 3) {
		uint32_t v = (uint32_t)(uint8_t)bytes.p[i] << 16;
		v |= i + 1 < bytes.n ? (uint32_t)(uint8_t)bytes.p[i + 1] << 8 : 0;
		v |= i + 2 < bytes.n ? (uint32_t)(uint8_t)bytes.p[i + 2] : 0;
		str_addc(out, set[v >> 18]);
		str_addc(out, set[v >> 12 & 63]);
		str_addc(out, i + 1 < bytes.n ? set[v >> 6 & 63] : '=');
		str_addc(out, i + 2 < bytes.n ? set[v & 63] : '=');
	}
}

int digest_random(void *ret, size_t n)
{
	return RAND_bytes(ret, (int)n) == 1 ? 0 : -EIO;
}
