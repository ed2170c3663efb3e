#ifndef TARE_NET_CURL_PRIV_H
#define TARE_NET_CURL_PRIV_H
/* What the files of this room that use libcurl share. */
#include <curl/curl.h>
#include "base/err.h"
#include "base/str.h"

/* Start the library once a process, from any thread. -EIO. */
int curl_ready(struct err *err);
/* For every handle: no signals, and sockets that programs we start do not get. */
void curl_own(CURL *c);
/* Its result as a negative errno: -ETIMEDOUT, -ECONNREFUSED, -EHOSTUNREACH (name not found),
 * -EPROTO (TLS, not HTTP), -EINVAL (URL), -ENOMEM, else -EIO. */
int curl_code(CURLcode rc);
/* URL without query, fragment and user:password: those may carry secrets. A view into url or
 * *mem. */
struct sv curl_shown(const char *url, struct str *mem);

#endif
