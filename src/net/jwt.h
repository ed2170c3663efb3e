#ifndef TARE_NET_JWT_H
#define TARE_NET_JWT_H
/*
 * A JSON web token signed by RSA with SHA-256 (RS256), as Google's service accounts prove who they
 * are. Source: RFC 7515, RFC 7518 3.3. Pure.
 */
#include "base/err.h"
#include "base/str.h"

/*
 * Append HEADER.CLAIMS.SIGNATURE. pem: a private key, PKCS 8 or PKCS 1, without a passphrase.
 * -EACCES: it cannot be read, or is not RSA of 2048 bits at least; -EIO: OpenSSL cannot sign. The
 * key appears in no error.
 */
int jwt_rs256(struct sv pem, struct sv header_json, struct sv claims_json, struct str *ret,
	      struct err *err);

#endif
