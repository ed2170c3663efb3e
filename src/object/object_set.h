#ifndef TARE_OBJECT_OBJECT_SET_H
#define TARE_OBJECT_OBJECT_SET_H
/* Settings of a store behind its address: s3://BUCKET/PREFIX?region=eu-west-1&sse=aws:kms. What the
 * caller's options say goes before it, the environment after. */
#include "base/mem.h"
#include "object/object.h"

/*
 * Cut the settings off an address: *ret_rest is without them (in a), *ret is *opt with them filled
 * in (texts in a, or opt's). -EINVAL names the one that is not known or has no such value; values
 * of unknown ones are not shown, as somebody may have put a SAS there.
 */
int object_set_parse(const char *rest, const struct object_opt *opt, struct arena *a,
		     const char **ret_rest, struct object_opt *ret, struct err *err);

#endif
