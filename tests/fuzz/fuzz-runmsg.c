/* What a program and its supervisor say to each other: any packet is refused, or comes back the same after it was written. */
#include <stdint.h>
#include <stdlib.h>
#include "spot/runmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct runmsg m, again;
	char packet[RUNMSG_MAX], twice[RUNMSG_MAX];
	size_t n, n2;

	if (runmsg_parse((struct sv){ (const char *)data, size }, &m) < 0)
		return 0;
	n = runmsg_write(&m, packet);
	if (n >= RUNMSG_MAX || runmsg_parse((struct sv){ packet, n }, &again) < 0)
		abort();
	n2 = runmsg_write(&again, twice);
	if (n != n2 || memcmp(packet, twice, n))
		abort();
	return 0;
}
