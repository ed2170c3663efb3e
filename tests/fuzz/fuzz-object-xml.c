/* What object stores answer: lists of S3 and Azure, lists of parts, errors. The first byte says
 * which. */
#include <stdlib.h>
#include "object/object_priv.h"
#include "net/xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a = { 0 };
	struct object_listing l = { .a = &a, .skip = size ? data[0] >> 4 : 0 };
	struct s3_parts p = { .a = &a };
	char *next = NULL;

	if (!size)
		return 0;
	struct sv doc = { (const char *)data + 1, size - 1 };
	if (data[0] % 4 == 0)
		s3_list_parse(&l, doc, &next);
	else if (data[0] % 4 == 1)
		azure_list_parse(&l, doc, &next);
	else if (data[0] % 4 == 2)
		s3_parts_parse(&p, doc, &next);
	else
		xml_find(doc, "Code");
	for (size_t i = 0; i < l.v.n; i++)
		if (!*l.v.v[i].key)
			abort();
	for (size_t i = 0; i < p.v.n; i++)
		if (!p.v.v[i].etag)
			abort();
	vec_free(&l.v);
	vec_free(&p.v);
	arena_free(&a);
	return 0;
}
