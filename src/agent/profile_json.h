#ifndef TARE_AGENT_PROFILE_JSON_H
#define TARE_AGENT_PROFILE_JSON_H
/* "tare.profile/1" */
#include "agent/profile_view.h"
void profile_json(const struct profile_view *v, struct str *out);
#endif
