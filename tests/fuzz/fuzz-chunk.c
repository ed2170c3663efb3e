/* The decoder of telemetry chunks: a damaged chunk is an error, never a crash. Also what decodes
 * encodes to something that decodes the same. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "store/chunk.h"
#include "store/hist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct chunk_codec *codec;
	static double v[CHUNK_ROWS_MAX], back[CHUNK_ROWS_MAX];
	struct err err;
	struct hist h = { 0 };
	if (!codec)
		codec = chunk_codec_new();
	hist_merge(&h, data, size);
	hist_quantile(&h, 0.5);
	hist_free(&h);
	int r = chunk_decode(codec, data, size, 10, v, &err);
	assert(r == 0 || r == -EBADMSG);
	r = chunk_decode_unchecked(codec, data, size, v, &err);
	assert(r == 0 || r == -EBADMSG);
	if (r)
		return 0;
	size_t n = (size_t)chunk_rows(data, size);
	struct str blob = { 0 };
	chunk_encode(codec, v, n, &blob);
	r = chunk_decode(codec, blob.p, blob.n, n, back, &err);
	assert(r == 0);
	for (size_t i = 0; i < n; i++)
		assert(isnan(v[i]) ? isnan(back[i]) : memcmp(&v[i], &back[i], sizeof *v) == 0);
	str_free(&blob);
	return 0;
}
