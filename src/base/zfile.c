/* See zfile.h. */
#include "base/zfile.h"
#include <errno.h>
#include <unistd.h>
#include <zstd.h>
#include "base/mem.h"

#define LEVEL 6 /* samples of a minute: a tenth of a millisecond, a fifth smaller than level 1 */

static int put(int fd, const char *name, const char *p, size_t n, struct err *err)
{
	while (n) {
		ssize_t w = write(fd, p, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return err_set(err, -errno, "cannot write '%s': %s", name, strerror(errno));
		p += w;
		n -= (size_t)w;
	}
	return 0;
}

int zfile_append(int fd, const char *name, struct sv text, struct err *err)
{
	size_t max = ZSTD_compressBound(text.n);
	char *buf;
	int r;

	if (!text.n)
		return 0;
	buf = xmalloc(max);
	size_t n = ZSTD_compress(buf, max, text.p, text.n, LEVEL);
	if (ZSTD_isError(n))
		r = err_set(err, -EIO, "cannot pack '%s': %s", name, ZSTD_getErrorName(n));
	else
		r = put(fd, name, buf, n, err);
	free(buf);
	return r;
}
