/* A map, then behind a line "---" the table it is put on; and the finding of a file's kind. */
#include "fuzz-bills.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sv text = { (const char *)data, size }, map = text, table = { "", 0 };
	struct feed_map *m;
	struct err err = { 0 };

	for (size_t i = 0; i + 5 <= size; i++)
		if (!memcmp(data + i, "\n---\n", 5)) {
			map.n = i + 1;
			table = (struct sv){ text.p + i + 5, size - i - 5 };
			break;
		}
	if (feed_map_parse("fuzz.yaml", map, &m, &err) < 0) {
		if (!err.msg[0])
			abort();
		return 0;
	}
	fuzz_run(NULL, m, table);
	feed_map_free(m);
	return 0;
}
