/* Files and answers with credentials: what is taken goes into headers, so it has no blanks, no line
 * feeds, nothing that is not ASCII. */
#include <stdlib.h>
#include "base/mem.h"
#include "auth/cred.h"

static void check(const char *z)
{
	for (; z && *z; z++)
		if (*z <= ' ' || *z > '~')
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cred c = { 0 };
	struct err err;

	if (!size)
		return 0;
	struct sv text = { (const char *)data + 1, size - 1 };
	int rc = data[0] & 2   ? cred_sts_parse(text, &c, &err)
		 : data[0] & 1 ? cred_role_parse(text, 1000, &c, &err)
			       : cred_ini_parse(text, "default", &c, &err);
	cred_ini_nested(text, "default", "s3", "payload_signing_enabled");
	if (rc == 0) {
		if (!c.bearer && (!c.id || !c.secret))
			abort();
		check(c.id);
		check(c.secret);
		check(c.token);
		check(c.bearer);
	}
	cred_free(&c);
	return 0;
}
