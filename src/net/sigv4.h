#ifndef TARE_NET_SIGV4_H
#define TARE_NET_SIGV4_H
/*
 * AWS Signature Version 4: the headers that make a request the caller's. Pure; our own because
 * libcurl 7.88 signs neither the query nor x-amz-content-sha256 as S3 wants them. Google's storage
 * takes the same scheme under names of its own (GOOG4-HMAC-SHA256, x-goog-...), which is wanted
 * where a request has other x-goog- headers.
 *
 * Source: AWS documentation "Signature Version 4 signing process"; checked against vectors made
 * with botocore.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct sigv4_key {
	const char *id, *secret;
	const char *token; /* of temporary credentials, or NULL */
};
struct sigv4_req {
	const char *method;
	const char *url; /* percent-encoded as it will be sent */
	/* [nheader] "Name: value" that are to be signed beside host and the dates */
	const char *const *header;
	size_t nheader;
	struct sv body;
	/* 64 hex digits or "UNSIGNED-PAYLOAD" where the body is not at hand; NULL: of body */
	const char *body_sha256;
	bool google; /* Google's names; service is "storage" */
	const char *service, *region;
	int64_t now_ms;
};
struct sigv4 {                         /* zero-initialise */
	struct str canonical, to_sign; /* what was signed, to look at when a server disagrees */
	/* [nheader] "Name: value" to send with those of the request */
	struct str header[4];
	size_t nheader;
};

/* Sign. 0, or -EINVAL where the URL has no host. The key appears in no output or error. */
int sigv4_sign(const struct sigv4_key *key, const struct sigv4_req *q, struct sigv4 *ret,
	       struct err *err);
void sigv4_free(struct sigv4 *s);

#endif
