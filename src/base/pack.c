#include "base/pack.h"

#include <errno.h>
#include <zstd.h>

#include "base/mem.h"

int pack_zstd(struct sv text, struct str *out, struct err *err)
{
	size_t bound = ZSTD_compressBound(text.n);
	char *p = xmalloc(bound + 1);
	size_t n = ZSTD_compress(p, bound, text.n ? text.p : "", text.n, 3);
	if (!ZSTD_isError(n))
		str_add(out, p, n);
	free(p);
	if (ZSTD_isError(n))
		return err_set(err, -EIO, "cannot pack %zu bytes: %s", text.n,
			       ZSTD_getErrorName(n));
	return 0;
}
