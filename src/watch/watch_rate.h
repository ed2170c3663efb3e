#ifndef TARE_WATCH_WATCH_RATE_H
#define TARE_WATCH_WATCH_RATE_H
/* What a GPU of this machine costs an hour: as told, else owned hardware of the settings, else the
 * catalogue by provider and place. */
#include "watch/watch.h"

/*
 * rate: texts of the place as far as they are known; known = true with an amount is left as it is.
 * gpu_model: the catalogue's name, NULL = none. Where nothing fits, known stays false: a price is
 * not guessed.
 */
void watch_rate_find(struct watch_rate *rate, const struct conf *conf, const struct catalog *cat,
		     const char *node, const char *gpu_model, int64_t now_ms);

#endif
