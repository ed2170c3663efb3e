#ifndef TARE_AUTH_CRED_JSON_H
#define TARE_AUTH_CRED_JSON_H
/* A JSON object with credentials in it, from a file or a service: its texts and numbers by name. A
 * copy is read, and wiped at the end. */
#include "base/jscan.h"
#include "base/str.h"

struct cred_json {
	struct str text;
	struct jscan_members m;
	const char *why; /* what is wrong with it, or NULL */
};
/* a MiB at most; -EBADMSG: to be closed as well */
int cred_json_open(struct cred_json *j, struct sv text);
/* a text or a number, without escapes; {NULL,0}: none, null, nested */
struct sv cred_json_text(struct cred_json *j, const char *name);
/* an object as it stands; {NULL,0} */
struct sv cred_json_nested(const struct cred_json *j, const char *name);
void cred_json_close(struct cred_json *j);

#endif
