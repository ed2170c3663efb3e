#ifndef TARE_ALERTS_ALERTS_CONF_IN_H
#define TARE_ALERTS_ALERTS_CONF_IN_H
/* Inside of the reader of `alerts:`: what alerts_conf.c and alerts_receiver.c share. */
#include "alerts/alerts_conf.h"
#include "base/tm.h"

#define ALERTS_SPAN_WRONG "a duration such as 90s, 30m or 2h is wanted here"
/* of a row: type, offset and range */
#define ALERTS_SPAN(at) SETTING_SPAN, at, .hi = 36500 * MS_DAY, .wrong = ALERTS_SPAN_WRONG

extern const struct setting alerts_receiver_rows[];
/* An item of receivers:; base is the struct alerts_conf. */
setting_fn alerts_read_receiver;
#endif
