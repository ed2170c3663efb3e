#ifndef TARE_AGENT_WATCHDOG_H
#define TARE_AGENT_WATCHDOG_H
/*
 * Says that a call does not come back. A driver may hang inside of a call (a GPU that fell off the
 * bus, a kernel module being unloaded), and nobody can call it off: the thread in it is stuck until
 * the driver lets go. What can be done is to tell of it while it lasts, and how long it was when it
 * is over.
 *
 * A thread that wakes up twice in after_ms; watchdog_in() and watchdog_out() cost a look at the
 * clock.
 */
#include <stdint.h>

struct watchdog;
/* say: in the watchdog's thread while it hangs (text ends without a newline), in the caller's when
 * it came back. NULL without memory for a thread. */
struct watchdog *watchdog_new(const char *what, int64_t after_ms,
			      void (*say)(void *ctx, const char *text), void *ctx);
void watchdog_in(struct watchdog *w);   /* the call begins; NULL is fine in all of these */
void watchdog_out(struct watchdog *w);  /* it came back */
void watchdog_free(struct watchdog *w); /* also between in and out, in the same thread */

#endif
