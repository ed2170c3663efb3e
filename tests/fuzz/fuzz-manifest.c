/* Manifests of checkpoints: any bytes are refused with a sentence, or are a manifest that writes
 * back to the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include "ckpt/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(struct sv text)
{
	struct ckpt c;
	struct str back = { 0 };
	struct err e = { 0 };

	if (ckpt_manifest_parse("fuzz", text, &c, &e) < 0) {
		if (!e.msg[0])
			abort();
		return;
	}
	for (size_t i = 0; i < c.file.n; i++)
		if (!ckpt_name_ok(sv_of(c.file.v[i].name)) ||
		    c.file.v[i].first + c.file.v[i].nchunk > c.chunk.n)
			abort();
	for (size_t i = 0; i < c.chunk.n; i++)
		if (c.chunk.v[i].data >= c.data.n ||
		    c.chunk.v[i].offset + c.chunk.v[i].bytes > c.data.v[c.chunk.v[i].data].bytes)
			abort();
	ckpt_manifest_write(&c, &back);
	ckpt_free(&c);
	if (ckpt_manifest_parse("again", str_sv(&back), &c, &e) < 0)
		abort();
	ckpt_free(&c);
	str_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str s = { 0 };

	look((struct sv){ (const char *)data, size });
	/* The same with a hash that fits, as no search finds one. */
	str_add(&s, (const char *)data, size);
	if (s.n && s.p[s.n - 1] != '\n')
		str_addc(&s, '\n');
	struct ckpt_hash h = ckpt_hash_of(str_z(&s), s.n);
	str_addz(&s, "end ");
	for (size_t i = 0; i < sizeof h.b; i++)
		str_addf(&s, "%02x", h.b[i]);
	str_addc(&s, '\n');
	look(str_sv(&s));
	str_free(&s);
	return 0;
}
