#ifndef TARE_ACT_EXEC_H
#define TARE_ACT_EXEC_H
/* A program of the operator's, run without a shell. In notify_exec.c. */
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"

/*
 * argv ends with NULL; body is its standard input, its output goes nowhere. Waits until it has
 * ended, timeout_ms at most, then kills it and its group. 0: it ended with 0; else -ENOENT,
 * -EACCES, -ETIMEDOUT, -EAGAIN (it failed: err has the start of what it wrote to standard error).
 * who begins the sentence in err.
 */
int act_exec(const char *who, const char *const *argv, int64_t timeout_ms, struct sv body,
	     struct err *err);

#endif
