#include <stdlib.h>

#include "device/procinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char var[VAR_N][CLEAN_MAX + 1];
	struct sv text = { (const char *)data, size }, comm;
	struct environ_scan s = { .n = 0 };
	struct cgroup_who w;
	char clean[CLEAN_MAX + 1];
	uint64_t ticks;

	cgroup_parse(text, &w);
	if (strlen(w.container) != 64 && w.container[0])
		abort();
	procinfo_stat(text, &ticks, &comm);
	memset(var, 0, sizeof var);
	environ_feed(&s, (struct sv){ text.p, size / 2 }, var);
	environ_feed(&s, (struct sv){ text.p + size / 2, size - size / 2 }, var);
	environ_end(&s, var);
	size_t n = sv_clean(text, clean, sizeof clean);
	for (size_t i = 0; i < n;) { /* what comes out is fit to be shown */
		uint32_t c;
		size_t len = sv_utf8(clean + i, n - i, &c);
		if (!len || c < 0x20 || (c >= 0x7f && c < 0xa0))
			abort();
		i += len;
	}
	return 0;
}
