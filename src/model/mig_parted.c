#include "model/mig_parted.h"

void mig_parted_begin(struct str *out, const char *name)
{
	str_addf(out, "version: v1\nmig-configs:\n  %s:\n", name);
}

void mig_parted_device(struct str *out, int device, const struct mig_part *part, size_t n)
{
	str_addf(out, "    - devices: [%d]\n      mig-enabled: true\n      mig-devices:\n", device);
	for (size_t i = 0; i < n; i++)
		str_addf(out, "        \"%s\": %d\n", part[i].profile, part[i].count);
}
