#ifndef TARE_STORE_LOCK_H
#define TARE_STORE_LOCK_H
/* DIR/lock: flock of the one who writes; the text inside says who. Readers of before share it. */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

/*
 * Take the lock of folder dir, waiting up to wait_ms. command such as "tare import". Returns 0 and
 * the descriptor that holds it until it is closed, or -EBUSY with the owner in the sentence.
 */
int lock_take(const char *dir, int64_t wait_ms, const char *command, int *ret_fd, struct err *err);
#endif
