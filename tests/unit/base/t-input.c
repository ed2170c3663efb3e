#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "base/input.h"
#include "base/mem.h"
#include "base/random.h"
#include "test.h"

static struct str random_text(uint64_t *r, size_t n)
{
	struct str s = { 0 };
	while (s.n < n)
		str_addf(&s, "%llu,row %llu\n", (unsigned long long)random_below(r, 1000),
			 (unsigned long long)random_next(r));
	s.n = n;
	return s;
}

static void add_gzip(struct str *out, struct sv v)
{
	z_stream z = { 0 };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	size_t room = deflateBound(&z, v.n);
	char *buf = malloc(room);
	z.next_in = (unsigned char *)(uintptr_t)v.p;
	z.avail_in = (uInt)v.n;
	z.next_out = (unsigned char *)buf;
	z.avail_out = (uInt)room;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	str_add(out, buf, room - z.avail_out);
	deflateEnd(&z);
	free(buf);
}

static void add_zstd(struct str *out, struct sv v)
{
	size_t room = ZSTD_compressBound(v.n);
	char *buf = malloc(room);
	size_t n = ZSTD_compress(buf, room, v.p, v.n, 3);
	assert_false(ZSTD_isError(n));
	str_add(out, buf, n);
	free(buf);
}

/* Read all in pieces of random size with random peeks between; the code at the end. */
static int64_t drain(struct input *in, uint64_t *r, struct str *ret, struct err *e)
{
	static char buf[70000];
	for (;;) {
		if (random_below(r, 4) == 0) {
			struct sv look;
			int rc = input_peek(in, random_below(r, 300000), &look, e);
			if (rc)
				return rc;
			str_add(ret, look.p, look.n); /* what is seen must be what is read next */
			size_t from = ret->n - look.n;
			char *seen = xstrndup(ret->p + from, look.n);
			ret->n = from;
			size_t want = look.n ? 1 + random_below(r, look.n) : 0;
			for (size_t at = 0; at < want;) {
				int64_t got = input_read(
					in, buf, want - at < sizeof buf ? want - at : sizeof buf,
					e);
				assert_true(got > 0);
				assert_memory_equal(buf, seen + at, (size_t)got);
				str_add(ret, buf, (size_t)got);
				at += (size_t)got;
			}
			free(seen);
		}
		int64_t got = input_read(
			in, buf, 1 + random_below(r, random_below(r, 2) ? 50 : sizeof buf), e);
		if (got <= 0)
			return got;
		str_add(ret, buf, (size_t)got);
	}
}

static void check_reads(struct sv stored, struct sv want, uint64_t *r)
{
	struct input *in;
	struct err e;
	struct str got = { 0 };
	char hex[33], hex2[33];
	assert_int_equal(input_from_memory("m", stored.p, stored.n, &in, &e), 0);
	if (drain(in, r, &got, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(got.n, want.n);
	assert_memory_equal(str_z(&got), want.n ? want.p : "", want.n);
	char c;
	assert_int_equal(input_read(in, &c, 1, &e), 0);
	assert_int_equal(input_packed_read(in), stored.n);
	assert_int_equal(input_packed_size(in), stored.n);
	assert_int_equal(input_hash(in, hex, &e), 0);
	XXH128_hash_t h = XXH3_128bits(stored.p, stored.n);
	snprintf(hex2, sizeof hex2, "%016llx%016llx", (unsigned long long)h.high64,
		 (unsigned long long)h.low64);
	assert_string_equal(hex, hex2);
	input_close(in);
	str_free(&got);
}

static void reads_what_was_packed(void **state)
{
	uint64_t r = 11;
	static const size_t sizes[] = {
		0, 1, 2, 3, 5, 100, 65536, 262143, 262144, 262145, 1500000
	};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct str text = random_text(&r, sizes[i]), gz = { 0 }, zs = { 0 };
		if (sizes[i])
			check_reads(str_sv(&text), str_sv(&text), &r);
		add_gzip(&gz, str_sv(&text));
		check_reads(str_sv(&gz), str_sv(&text), &r);
		add_zstd(&zs, str_sv(&text));
		check_reads(str_sv(&zs), str_sv(&text), &r);
		str_free(&text);
		str_free(&gz);
		str_free(&zs);
	}
	check_reads(SV(""), SV(""), &r);
	check_reads(SV("\x1f"), SV("\x1f"), &r);
	check_reads(SV("(\xb5/"), SV("(\xb5/"), &r);
}

static void several_members(void **state)
{
	uint64_t r = 12;
	struct str text = { 0 }, gz = { 0 }, zs = { 0 };
	str_add(&zs, "\x50\x2a\x4d\x18\x03\0\0\0abc", 11); /* a skippable frame */
	for (int i = 0; i < 40; i++) {
		struct str part = random_text(&r, i % 5 ? random_below(&r, 40000) : 0);
		add_gzip(&gz, str_sv(&part));
		add_zstd(&zs, str_sv(&part));
		str_addsv(&text, str_sv(&part));
		str_free(&part);
	}
	check_reads(str_sv(&gz), str_sv(&text), &r);
	check_reads(str_sv(&zs), str_sv(&text), &r);
	str_free(&text);
	str_free(&gz);
	str_free(&zs);
}

static void expect_damage(struct sv stored, const char *part, uint64_t *r)
{
	struct input *in;
	struct err e = { 0 };
	struct str got = { 0 };
	assert_int_equal(input_from_memory("bill.gz", stored.p, stored.n, &in, &e), 0);
	int64_t rc = drain(in, r, &got, &e);
	if (rc != -EBADMSG)
		fail_msg("%zu bytes: %lld (%s)", stored.n, (long long)rc, part);
	assert_has(e.msg, "'bill.gz'");
	assert_has(e.msg, part);
	char c;
	/* what was good before it can still be had after a failed look */
	while ((rc = input_read(in, &c, 1, &e)) == 1)
		;
	assert_int_equal(rc, -EBADMSG);
	assert_int_equal(input_read(in, &c, 1, &e), -EBADMSG);
	input_close(in);
	str_free(&got);
}

static void cut_streams(void **state)
{
	uint64_t r = 13;
	struct str text = random_text(&r, 3000), gz = { 0 }, zs = { 0 };
	add_gzip(&gz, str_sv(&text));
	add_zstd(&zs, str_sv(&text));
	for (size_t n = 2; n < gz.n; n++)
		expect_damage((struct sv){ gz.p, n }, "is truncated", &r);
	for (size_t n = 4; n < zs.n; n++)
		expect_damage((struct sv){ zs.p, n }, "is truncated", &r);
	str_free(&text);
	str_free(&gz);
	str_free(&zs);
}

static void damaged_streams(void **state)
{
	uint64_t r = 14;
	struct str text = random_text(&r, 3000), gz = { 0 }, zs = { 0 };
	add_gzip(&gz, str_sv(&text));
	size_t n = gz.n;
	static const char *const tail[] = { "x", "garbage", "\x1f", "\0\0\0\0", "\x1f\x8c" };
	for (size_t i = 0; i < COUNT(tail); i++) {
		gz.n = n;
		str_add(&gz, tail[i], i == 3 ? 4 : strlen(tail[i]));
		expect_damage(str_sv(&gz), "follow the data", &r);
	}
	gz.n = n;
	gz.p[n - 5] ^= 1; /* the check sum */
	expect_damage(str_sv(&gz), "is damaged", &r);
	add_zstd(&zs, str_sv(&text));
	str_addz(&zs, "garbage");
	expect_damage(str_sv(&zs), "is damaged", &r);
	str_free(&text);
	str_free(&gz);
	str_free(&zs);
}

static void files(void **state)
{
	uint64_t r = 15;
	struct str text = random_text(&r, 700000), got = { 0 }, gz = { 0 };
	struct input *in;
	struct err e;
	char path[] = "/tmp/t-input-XXXXXX", hex[33], hex2[33];
	int fd = mkstemp(path);
	assert_int_equal(write(fd, text.p, text.n), (ssize_t)text.n);
	assert_int_equal(input_open(path, &in, &e), 0);
	assert_string_equal(input_path(in), path);
	assert_string_equal(input_name(in), path);
	/* before, and reading starts at the first byte all the same */
	assert_int_equal(input_hash(in, hex, &e), 0);
	assert_int_equal(drain(in, &r, &got, &e), 0);
	assert_int_equal(got.n, text.n);
	assert_memory_equal(got.p, text.p, text.n);
	assert_int_equal(input_packed_size(in), text.n);
	input_close(in);
	assert_int_equal(input_from_memory("m", text.p, text.n, &in, &e), 0);
	assert_int_equal(input_hash(in, hex2, &e), 0);
	assert_string_equal(hex, hex2);
	input_close(in);

	add_gzip(&gz, str_sv(&text));
	assert_int_equal(pwrite(fd, gz.p, gz.n, 0), (ssize_t)gz.n);
	assert_int_equal(ftruncate(fd, (off_t)gz.n), 0);
	assert_int_equal(input_open(path, &in, &e), 0);
	assert_null(input_path(in));
	str_clear(&got);
	assert_int_equal(drain(in, &r, &got, &e), 0);
	assert_int_equal(got.n, text.n);
	input_close(in);
	close(fd);
	unlink(path);
	assert_int_equal(input_open(path, &in, &e), -ENOENT);
	assert_has(e.msg, path);
	assert_int_equal(input_open("/tmp", &in, &e), -EISDIR);
	assert_has(e.msg, "/tmp");
	assert_int_equal(input_open("", &in, &e), -EINVAL);
	str_free(&text);
	str_free(&got);
	str_free(&gz);
}

/* A pipe: read once, hashed on the way, name and size as they are. */
static void pipes(void **state)
{
	struct input *in;
	struct err e;
	uint64_t r = 16;
	struct str got = { 0 };
	char hex[33], hex2[33], path[40];
	for (int early = 0; early < 2; early++) {
		int p[2];
		assert_int_equal(pipe(p), 0);
		assert_int_equal(write(p[1], "a,b\n1,2\n", 8), 8);
		close(p[1]);
		snprintf(path, sizeof path, "/dev/fd/%d", p[0]);
		assert_int_equal(input_open(path, &in, &e), 0);
		assert_null(input_path(in));
		assert_int_equal(input_packed_size(in), -1);
		str_clear(&got);
		if (!early)
			assert_int_equal(drain(in, &r, &got, &e), 0);
		assert_int_equal(input_hash(in, hex, &e), 0);
		input_close(in);
		close(p[0]);
		assert_int_equal(input_from_memory("m", "a,b\n1,2\n", 8, &in, &e), 0);
		assert_int_equal(input_hash(in, hex2, &e), 0);
		assert_string_equal(hex, hex2);
		input_close(in);
	}
	str_free(&got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_packed),
		cmocka_unit_test(several_members),
		cmocka_unit_test(cut_streams),
		cmocka_unit_test(damaged_streams),
		cmocka_unit_test(files),
		cmocka_unit_test(pipes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
