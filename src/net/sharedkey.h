#ifndef TARE_NET_SHAREDKEY_H
#define TARE_NET_SHAREDKEY_H
/*
 * Azure's Shared Key: a request to a storage account signed with the account's key. Pure.
 *
 * Source: Microsoft's REST reference "Authorize with Shared Key", the form for blobs since version
 * 2015-02-21 (a length of 0 is signed as nothing).
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct sharedkey_req {
	const char *method;
	const char *url; /* percent-encoded as it will be sent */
	/* [nheader] "Name: value": all that are sent; x-ms-date must be among them */
	const char *const *header;
	size_t nheader;
	uint64_t body_bytes;
};
/*
 * Append to *to_sign what is signed (to look at when a server disagrees) and to *ret_header the
 * line "Authorization: SharedKey ACCOUNT:SIGNATURE". key: Base64, as the portal shows it. -EINVAL:
 * the URL has no path; -EACCES: the key is no Base64. The key appears in no output or error.
 */
int sharedkey_sign(const char *account, const char *key, const struct sharedkey_req *q,
		   struct str *to_sign, struct str *ret_header, struct err *err);

#endif
