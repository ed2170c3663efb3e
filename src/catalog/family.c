/* See family.h. */
#include "catalog/family.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const char *cut_name(const char *z, size_t n, char ret[FAMILY_BUF])
{
	snprintf(ret, FAMILY_BUF, "%.*s", n < FAMILY_BUF ? (int)n : FAMILY_BUF - 1, z);
	return ret;
}

/* "Standard_" letters number features rest */
static const char *of_azure(const char *type, char ret[FAMILY_BUF])
{
	static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
			  lower[] = "abcdefghijklmnopqrstuvwxyz", number[] = "0123456789-";
	const char *z = strncmp(type, "Standard_", 9) ? type : type + 9;
	size_t n = strspn(z, upper);
	const char *rest = z + n + strspn(z + n, number);

	rest += strspn(rest, lower);
	snprintf(ret, FAMILY_BUF, "%.*s%s", n < 16 ? (int)n : 16, z, rest);
	return ret;
}

const char *machine_family(const char *provider, const char *instance_type, const char *gpu_model,
			   char ret[FAMILY_BUF])
{
	const char *type = text_or(instance_type, ""), *p = text_or(provider, "");

	if (*type && !strcmp(p, "aws"))
		return cut_name(type, strcspn(type, "."), ret);
	if (*type && !strcmp(p, "azure"))
		return of_azure(type, ret);
	if (*type && !strcmp(p, "gcp")) {
		size_t n = strcspn(type, "-");
		if (type[n])
			n += 1 + strcspn(type + n + 1, "-");
		return cut_name(type, n, ret);
	}
	return cut_name(text_or(gpu_model, ""), gpu_model ? strlen(gpu_model) : 0, ret);
}
