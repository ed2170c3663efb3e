/* YAML: what is taken is a tree of sound nodes no deeper than said. */
#include <stdlib.h>
#include <string.h>

#include "base/yaml.h"

static void walk(const struct yaml *y, int depth, int map)
{
	for (; y; y = y->next) {
		if (depth > 32 || y->line < 1 || (map && !y->key) ||
		    (y->type == YAML_TEXT) != (y->text != NULL))
			abort();
		if (y->text && strlen(y->text) > (4 << 20))
			abort();
		walk(y->child, depth + 1, y->type == YAML_MAPPING);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const allowed[] = { "version", "columns", NULL };
	struct yaml_doc *d;
	struct err e;
	if (yaml_parse("fuzz.yaml", (struct sv){ (const char *)data, size }, &d, &e))
		return 0;
	walk(yaml_root(d), 1, 0);
	yaml_check_keys(d, yaml_root(d), allowed, &e);
	yaml_free(d);
	return 0;
}
