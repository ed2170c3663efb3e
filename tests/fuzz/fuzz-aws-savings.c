/* AWS savings plan rates, pushed in pieces of a size that the input chooses. */
#include "fuzz-prices.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_world w = { 0 };
	size_t step = size ? data[size - 1] % 64u + 1 : 1;
	int r = 0;
	fuzz_start(&w);
	struct aws_savings *a = aws_savings_new(&w.f);
	for (size_t i = 0; i < size && r == 0; i += step)
		r = aws_savings_feed(a, FUZZ_TEXT(data + i, size - i < step ? size - i : step),
				     &w.err);
	if (r == 0)
		aws_savings_end(a, &w.err);
	aws_savings_free(a);
	fuzz_stop(&w);
	return 0;
}
