#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/tm.h"
#include "lib/lib.h"

#define LOOK_MS 1000 /* an open and a read of a few bytes over the network */

bool lib_far_hear(struct runmsg *ret)
{
	static int64_t looked = -LOOK_MS, heard;
	const char *dir = getenv("TARE_CHECKPOINT_DIR"), *attempt = getenv("TARE_ATTEMPT");
	char path[4200], text[RUNMSG_FILE_MAX];
	int64_t now = tm_steady_ms(), seq = 0;

	if (!dir || !attempt || !getenv("TARE_RUN_SOCKET"))
		return false;
	if (now < looked + LOOK_MS)
		return false;
	looked = now;
	if (snprintf(path, sizeof path, "%s/" RUNMSG_FILE, dir) >= (int)sizeof path)
		return false;
	/* opened again each time: that is when NFS looks at the server */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = -1;
	if (fd >= 0)
		n = read(fd, text, sizeof text);
	if (fd >= 0)
		close(fd);
	if (n <= 0 || runmsg_file_parse((struct sv){ text, (size_t)n }, attempt, &seq, ret) != 1 ||
	    seq <= heard)
		return false;
	heard = seq;
	return true;
}
