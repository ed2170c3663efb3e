#ifndef TARE_STORE_LOCK_H
#define TARE_STORE_LOCK_H
/* DIR/lock: flock, shared for readers and exclusive for the writer; the text inside says who. */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

/*
 * Take the lock of folder dir, waiting up to wait_ms. command such as "tare import". Returns 0 and
 * the descriptor that holds it until it is closed, or -EBUSY with the holder in the sentence.
 */
int lock_take(const char *dir, bool exclusive, int64_t wait_ms, const char *command, int *ret_fd,
	      struct err *err);
#endif
