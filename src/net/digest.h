#ifndef TARE_NET_DIGEST_H
#define TARE_NET_DIGEST_H
/*
 * The digests that requests carry: SHA-256 and MD5 (SHA-1 for names of files that others gave) over
 * memory or a piece of a file, HMAC. OpenSSL stays in this room. Errors: -EIO, errno of the read.
 */
#include <stdint.h>
#include "base/str.h"

enum digest_kind { DIGEST_SHA256, DIGEST_MD5, DIGEST_SHA1 };
#define DIGEST_HEX 65 /* of the longer one, with its end */

/* Lower-case hex over n bytes at mem, or where mem is NULL over [offset, offset + n) of fd;
 * -ENODATA where the file is shorter. */
int digest_hex(enum digest_kind kind, const void *mem, int fd, uint64_t offset, uint64_t n,
	       char ret[DIGEST_HEX]);
/* The same piece by piece. digest_end frees it; -EIO. One thread at a time. */
struct digest;
struct digest *digest_begin(enum digest_kind kind);
void digest_add(struct digest *d, const void *p, size_t n);
int digest_end(struct digest *d, char ret[DIGEST_HEX]);
#define DIGEST_HMAC_BYTES 32
int digest_hmac_sha256(struct sv key, struct sv text, unsigned char ret[DIGEST_HMAC_BYTES]);
/* n random bytes of the system. -EIO. */
int digest_random(void *ret, size_t n);

#endif
