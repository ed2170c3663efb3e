#ifndef TARE_PROFILE_PROFILE_JSON_H
#define TARE_PROFILE_PROFILE_JSON_H
/* "tare.profile/1" */
#include "profile/profile_view.h"
void profile_json(const struct profile_view *v, struct str *out);
#endif
