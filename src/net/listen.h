#ifndef TARE_NET_LISTEN_H
#define TARE_NET_LISTEN_H
/* A socket that listens, with errors told in words. */
#include "base/err.h"

/*
 * at: "127.0.0.1:9757", "[::1]:9757", ":9757" (all addresses), port 0 = any free one. Returns the
 * descriptor, which does not block and is not inherited, and its port; or a negative errno and what
 * is in the way. The caller closes it.
 */
int listen_open(const char *at, int *ret_port, struct err *err);

#endif
