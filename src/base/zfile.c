/* See zfile.h. */
#include "base/zfile.h"
#include <errno.h>
#include <string.h>
#include <zstd.h>
#include "base/fdio.h"
#include "base/mem.h"

#define LEVEL 6 /* samples of a minute: a tenth of a millisecond, a fifth smaller than level 1 */

int zfile_append(int fd, const char *name, struct sv text, struct err *err)
{
	size_t max = ZSTD_compressBound(text.n);

	if (!text.n)
		return 0;
	char *buf = xmalloc(max);
	int r;
	size_t n = ZSTD_compress(buf, max, text.p, text.n, LEVEL);
	if (ZSTD_isError(n))
		r = err_set(err, -EIO, "cannot pack '%s': %s", name, ZSTD_getErrorName(n));
	else if ((r = fd_write_all(fd, (struct sv){ buf, n })) < 0)
		err_set(err, r, "cannot write '%s': %s", name, strerror(-r));
	free(buf);
	return r;
}
