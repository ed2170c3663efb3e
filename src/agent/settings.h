#ifndef TARE_AGENT_SETTINGS_H
#define TARE_AGENT_SETTINGS_H
/* The sections of the settings' file beside its top (ledger/conf.h), each with the table that its
 * reader has; here, as this room may see them all. */
#include "base/setting.h"

#define SETTINGS_SECTIONS 4
/* plan, agent, profile, alerts */
extern const struct setting *const settings_section[SETTINGS_SECTIONS];
/* Would the readers of these take the file: 0, or -EINVAL and others with their sentence. NULL:
 * there is none. */
int settings_check(const char *path, struct err *err);
#endif
