/* What a program and its supervisor say to each other: any packet is refused, or comes back the
 * same after it was written. */
#include <stdint.h>
#include <stdlib.h>
#include "run/runmsg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void in_a_file(struct sv text, const struct runmsg *m)
{
	struct runmsg got;
	char line[RUNMSG_FILE_MAX];
	int64_t seq;

	runmsg_file_parse(text, "job.0", &seq, &got);
	if (!m)
		return;
	size_t n = runmsg_file_write(7, "job.0", m, line);
	if (runmsg_file_parse((struct sv){ line, n }, "job.0", &seq, &got) != 1 || seq != 7 ||
	    got.kind != m->kind || got.step != m->step)
		abort();
	if (runmsg_file_parse((struct sv){ line, n }, "job.1", &seq, &got) != 0 ||
	    runmsg_file_parse((struct sv){ line, n - 1 }, "job.0", &seq, &got) >= 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct runmsg m, again;
	char packet[RUNMSG_MAX], twice[RUNMSG_MAX];
	size_t n, n2;

	in_a_file((struct sv){ (const char *)data, size }, NULL);
	if (runmsg_parse((struct sv){ (const char *)data, size }, &m) < 0)
		return 0;
	in_a_file((struct sv){ NULL, 0 }, &m);
	n = runmsg_write(&m, packet);
	if (n >= RUNMSG_MAX || runmsg_parse((struct sv){ packet, n }, &again) < 0)
		abort();
	n2 = runmsg_write(&again, twice);
	if (n != n2 || memcmp(packet, twice, n))
		abort();
	return 0;
}
