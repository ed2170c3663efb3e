#ifndef TARE_TOP_TOP_DIAG_H
#define TARE_TOP_TOP_DIAG_H
/* The diagnosis (opt/diagnose/diagnose.h) of a device from what top has seen of it, with the other
 * devices of its job beside it. */
#include "top/top_model.h"

/* *ret_ndev: devices looked at. Says DIAG_UNKNOWN below a minute of readings. */
void top_diagnose(const struct top_model *m, const struct top_snap *s, const struct snap_dev *d,
		  struct diag_result *ret, size_t *ret_ndev);

#endif
