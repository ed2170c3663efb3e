#ifndef TARE_DEVICE_PLACE_H
#define TARE_DEVICE_PLACE_H
/*
 * What machine is this? Asked of the cloud's metadata service: AWS (IMDSv2), Google Cloud, Azure.
 * Everything is "" where nobody says it; a machine that no service answers on is simply not known
 * (an own machine, a container without a way there).
 *
 * Services answer within milliseconds; each question has limit_ms. Who made the machine (DMI) says
 * whom to ask first; the machine of a maker that is no cloud is asked of nobody, as an address that
 * nobody has there costs the whole limit.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

struct place_opt { /* zero-initialised: find out */
	/*
	 * Base URLs, NULL: the provider's own (or, for all three, TARE_METADATA where it is set: an
	 * URL, or "off"); "": do not ask. Tests have servers on loopback.
	 */
	const char *aws, *gcp, *azure;
	const char *sysfs; /* "/sys" */
	int64_t limit_ms;  /* of one question, 0: 500 */
};
struct place {
	bool known;
	char provider[24]; /* "aws" "gcp" "azure": the catalogue's words */
	char region[40], zone[48];
	char instance_type[64]; /* "p4d.24xlarge", "a2-highgpu-1g", "Standard_NC24ads_A100_v4" */
	/* "on_demand" "spot", "capacity_block"; a commitment is the account's, not the machine's */
	char purchase[24];
	char instance_id[96]; /* i-..., the number of a VM, its vmId */
	/* as the provider's bill has it: instance id; //compute.googleapis.com/projects/...;
	 * /subscriptions/... */
	char resource_id[288];
	char account[64]; /* account, project, subscription */
	char why[200];    /* who said so, or why nothing is known */
};
/* 0, also where nothing is known; < 0 only where asking is impossible. Takes at most about 4 x
 * limit_ms. */
int place_find(const struct place_opt *opt, struct place *ret, struct err *err);

#endif
