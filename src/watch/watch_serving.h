#ifndef TARE_WATCH_WATCH_SERVING_H
#define TARE_WATCH_WATCH_SERVING_H
/*
 * What an inference server beside the watch tells of its requests (device/serving.h), asked by a
 * thread of its own once a second: a server that does not answer, or never ends, holds up no
 * reading of a GPU. Models of one endpoint are added up, since they share its GPUs.
 */
#include "base/err.h"
#include "device/serving.h"

struct watch_serving;
/* -EINVAL: no URL; nothing is asked yet */
int watch_serving_open(const char *url, struct watch_serving **ret, struct err *err);
/* The last answer, all NAN where it is older than 5 s or there is none; why (may be NULL): the
 * error that the last try had, "" = none. */
void watch_serving_get(struct watch_serving *s, struct serving_reading *ret, char why[200]);
/* waits for a question under way, at most 2 s; NULL is fine */
void watch_serving_close(struct watch_serving *s);

void serving_none(struct serving_reading *r); /* nothing known */
/* Sums; batch, queue_ms and cache_frac are means, weighted by running requests (where none runs,
 * evenly). */
void serving_add_up(const struct serving_reading *v, size_t n, struct serving_reading *ret);

#endif
