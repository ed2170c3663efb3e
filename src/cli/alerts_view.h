#ifndef TARE_CLI_ALERTS_VIEW_H
#define TARE_CLI_ALERTS_VIEW_H
/* What `tare alerts` prints. */
#include "cli/alerts_replay.h"

/* by: fields to add up over ("rule", "team", ...), NULL = one line an alert; all: also what was
 * held back or silenced. */
void alerts_print(const struct replay *r, const char *const *by, size_t nby, bool all,
		  struct str *out);
void alerts_print_rules(struct cli *c, const struct alerts_conf *conf, struct str *out);
void alerts_print_silences(struct cli *c, const struct alert_silence *s, size_t n, struct str *out);
#endif
