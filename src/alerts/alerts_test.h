#ifndef TARE_ALERTS_ALERTS_TEST_H
#define TARE_ALERTS_ALERTS_TEST_H
/* Does a message reach a receiver of the settings? */
#include "alerts/alerts_conf.h"

/* The receiver of this name; NULL with the name that may be meant in the hint. config: the
 * settings' file, for the hint where they name none at all, or NULL. */
const struct notify_target *alerts_test_receiver(const struct alerts_conf *c, const char *name,
						 const char *config, struct err *err);
/* Send it a test from this machine, and wait. 0 or a negative errno. */
int alerts_test_send(const struct notify_target *t, int64_t now_ms, struct err *err);
/* What would be sent, with "-" for the machine. */
void alerts_test_show(const struct notify_target *t, int64_t now_ms, struct str *out);

#endif
