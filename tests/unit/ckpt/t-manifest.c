#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include "ckpt/manifest.h"

static void example(struct ckpt *c)
{
	*c = (struct ckpt){ .step = 1200,
			    .time_ms = 1732200000123,
			    .world = 2,
			    .rank = -1,
			    .attempt = "job-7.1",
			    .meta = "{\"loss\":0.25}" };
	strcpy(c->id, "000000001200-0000000000000003");
	strcpy(c->parent, "000000001100-0000000000000003");
	*vec_push(&c->data) = (struct ckpt_data){ "000000001200-0000000000000003.r0",
						  CKPT_CHUNK_BYTES + 4096 };
	*vec_push(&c->file) = (struct ckpt_file){ "rank0/a file", CKPT_CHUNK_BYTES + 5, 0, 2 };
	*vec_push(&c->chunk) = (struct ckpt_chunk){ 0, CKPT_CHUNK_BYTES, 0, ckpt_hash_of("a", 1) };
	*vec_push(&c->chunk) = (struct ckpt_chunk){ 0, 5, CKPT_CHUNK_BYTES, ckpt_hash_of("b", 1) };
	*vec_push(&c->file) = (struct ckpt_file){ "empty", 0, 2, 0 };
}

static void comes_back(void **state)
{
	struct ckpt c, back;
	struct str one = { 0 }, two = { 0 };
	struct err err;

	example(&c);
	ckpt_manifest_write(&c, &one);
	assert_int_equal(ckpt_manifest_parse("m", str_sv(&one), &back, &err), 0);
	assert_int_equal(back.file.n, 2);
	assert_int_equal(back.file.v[0].nchunk, 2);
	assert_int_equal(back.time_ms, c.time_ms);
	assert_string_equal(back.file.v[0].name, "rank0/a file");
	ckpt_manifest_write(&back, &two);
	assert_true(sv_eq(str_sv(&one), str_sv(&two)));
	ckpt_free(&c);
	ckpt_free(&back);
	str_free(&one);
	str_free(&two);
}

/* Whatever byte is changed and wherever it is cut, it is refused. */
static void damaged(void **state)
{
	struct ckpt c, back;
	struct str s = { 0 };
	struct err err;

	example(&c);
	ckpt_manifest_write(&c, &s);
	for (size_t i = 0; i < s.n; i++) {
		char was = s.p[i];
		s.p[i] ^= 1;
		assert_int_equal(ckpt_manifest_parse("m", str_sv(&s), &back, &err), -EBADMSG);
		s.p[i] = was;
		assert_int_equal(ckpt_manifest_parse("m", (struct sv){ s.p, i }, &back, &err),
				 -EBADMSG);
	}
	str_addc(&s, '\n');
	assert_int_equal(ckpt_manifest_parse("m", str_sv(&s), &back, &err), -EBADMSG);
	ckpt_free(&c);
	str_free(&s);
}

static void names(void **state)
{
	assert_true(ckpt_name_ok(SV("model/weights-0.bin")));
	const char *no[] = { "", "/etc/passwd", "a//b", "../x", "a/../b", "a/.", "a/", "new\nline",
			     /* "/" and "." written overlong, a surrogate, half a character, C1 */
			     "a\xc0\xafpasswd", "\xc0\xae\xc0\xae/x", "\xe0\x80\xaf",
			     "\xed\xa0\x80", "a\xc3", "\xff",
			     ("\xc2\x9b"
			      "31m") };
	assert_true(ckpt_name_ok(SV("gewichte-ü/日本.bin")));
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		assert_false(ckpt_name_ok(sv_of(no[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(comes_back), cmocka_unit_test(damaged),
					    cmocka_unit_test(names) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
