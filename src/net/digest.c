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
#include "base/num.h"

enum { PIECE = 256 << 10 };

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
	if (bad)
		return -EIO;
	return 0;
}

int digest_hex(enum digest_kind kind, const void *mem, int fd, uint64_t offset, uint64_t n,
	       char ret[DIGEST_HEX])
{
	struct digest *d = digest_begin(kind);
	int read = 0;

	if (mem) {
		digest_add(d, mem, n);
		return digest_end(d, ret);
	}
	uint8_t *buf = xmalloc(PIECE);
	while (n && read == 0 && !d->bad) {
		ssize_t got = pread(fd, buf, min_u64(n, PIECE), (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			read = got < 0 ? -errno : -ENODATA;
			break;
		}
		digest_add(d, buf, (size_t)got);
		offset += (uint64_t)got;
		n -= (uint64_t)got;
	}
	free(buf);
	int rc = digest_end(d, ret);
	if (read < 0)
		return read;
	return rc;
}

int digest_hmac_sha256(struct sv key, struct sv text, unsigned char ret[DIGEST_HMAC_BYTES])
{
	unsigned n = DIGEST_HMAC_BYTES;

	if (HMAC(EVP_sha256(), key.n ? key.p : "", (int)key.n,
		 (const unsigned char *)(text.n ? text.p : ""), text.n, ret, &n))
		return 0;
	return -EIO;
}

int digest_random(void *ret, size_t n)
{
	if (RAND_bytes(ret, (int)n) == 1)
		return 0;
	return -EIO;
}
