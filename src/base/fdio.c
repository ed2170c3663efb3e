#include <errno.h>
#include <unistd.h>
#include "base/fdio.h"

int fd_write_all(int fd, struct sv text)
{
	while (text.n) {
		ssize_t n = write(fd, text.p, text.n);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text.p += n, text.n -= (size_t)n;
	}
	return 0;
}
