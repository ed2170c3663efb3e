/* Signature V4 against vectors made with botocore, and what must not leak or crash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include <jansson.h>
#include "base/tm.h"
#include "net/sigv4.h"

/* The example key of Amazon's documentation. */
static const struct sigv4_key example = { "AKIAIOSFODNN7EXAMPLE",
					  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", NULL };

static const char *get(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static void check_vector(const json_t *v)
{
	struct sigv4_key key = example;
	struct sigv4 s = { 0 };
	struct err err;
	const char *name, *value, *header[8];
	json_t *h;
	size_t n = 0;
	char text[8][200];
	key.token = get(v, "token");
	json_object_foreach(json_object_get(v, "in_headers"), name, h)
	{
		snprintf(text[n], sizeof text[n], "%s: %s", name, json_string_value(h));
		header[n] = text[n];
		n++;
	}
	struct sigv4_req q = { .method = get(v, "method"),
			       .url = get(v, "url"),
			       .header = header,
			       .nheader = n,
			       .body = sv_of(get(v, "body")),
			       .service = get(v, "service"),
			       .region = get(v, "region") };
	assert_int_equal(tm_parse(SV("2026-01-02T03:04:05Z"), 0, &q.now_ms), 0);
	assert_int_equal(sigv4_sign(&key, &q, &s, &err), 0);
	assert_string_equal(str_z(&s.canonical), get(v, "canonical_request"));
	assert_string_equal(str_z(&s.to_sign), get(v, "string_to_sign"));
	for (size_t i = 0; i < s.nheader; i++) {
		struct sv rest, key_name = sv_cut(str_sv(&s.header[i]), ':', &rest);
		char z[64];
		snprintf(z, sizeof z, "%.*s", SVF(key_name));
		value = get(json_object_get(v, "out_headers"), z);
		if (!value || !sv_is(sv_trim(rest), value))
			fail_msg("%s: %s is not %s", get(v, "name"), str_z(&s.header[i]),
				 value ? value : "there");
	}
	assert_true(s.nheader + n >= json_object_size(json_object_get(v, "out_headers")));
	sigv4_free(&s);
}

/* A name that begins another stands before it, whatever the values are. */
static void order(void **state)
{
	static const char *const header[] = { "x-amz-server-side-encryption-aws-kms-key-id: k",
					      "X-Amz-Server-Side-Encryption: aws:kms" };
	struct sigv4_req q = { .method = "PUT",
			       .url = "https://h/k",
			       .header = header,
			       .nheader = 2,
			       .body_sha256 = "UNSIGNED-PAYLOAD",
			       .service = "s3",
			       .region = "r" };
	struct sigv4 s = { 0 };
	struct err err;
	(void)state;
	assert_int_equal(sigv4_sign(&example, &q, &s, &err), 0);
	assert_non_null(strstr(
		str_z(&s.canonical),
		"\nx-amz-server-side-encryption:aws:kms\nx-amz-server-side-encryption-aws-kms-key-id:k\n\n"
		"host;x-amz-content-sha256;x-amz-date;x-amz-server-side-encryption;x-amz-server-side-encryption-aws-kms-key-id\n"));
	sigv4_free(&s);
}

static void vectors(void **state)
{
	char path[500];
	json_t *all, *v;
	json_error_t e;
	size_t i;
	(void)state;
	snprintf(path, sizeof path, "%s/facts/sigv4_vectors.json",
		 getenv("TARE_SHARED") ? getenv("TARE_SHARED") : "");
	all = json_load_file(path, 0, &e);
	if (!all) {
		print_message("no vectors at '%s': %s\n", path, e.text);
		skip();
	}
	assert_true(json_array_size(all) >= 9);
	json_array_foreach(all, i, v)
	{
		check_vector(v);
	}
	json_decref(all);
}

static void canonical_is(const char *method, const char *url, const char *service, const char *want)
{
	struct sigv4 s = { 0 };
	struct err err;
	struct sigv4_req q = { .method = method,
			       .url = url,
			       .service = service,
			       .region = "us-east-1",
			       .body = SV_NULL };
	assert_int_equal(sigv4_sign(&example, &q, &s, &err), 0);
	if (!strstr(str_z(&s.canonical), want))
		fail_msg("%s\n\nhas no\n\n%s", str_z(&s.canonical), want);
	assert_null(strstr(str_z(&s.canonical), example.secret));
	for (size_t i = 0; i < s.nheader; i++)
		assert_null(strstr(str_z(&s.header[i]), example.secret));
	sigv4_free(&s);
}

static void forms(void **state)
{
	(void)state;
	canonical_is("GET", "https://h:443/", "ec2", "host:h\n");
	canonical_is("GET", "http://h:80/", "ec2", "host:h\n");
	canonical_is("GET", "https://h:8443", "ec2", "GET\n/\n\nhost:h:8443\n");
	canonical_is("GET", "https://h?b=2&a=1&a-x=0&c#frag", "ec2", "/\na=1&a-x=0&b=2&c=\n");
	/* encoded twice, but not for S3 */
	canonical_is("GET", "https://h/a%20b", "ec2", "/a%2520b\n");
	canonical_is("GET", "https://h/a%20b", "s3", "/a%20b\n");
	struct sigv4 s = { 0 };
	struct err err = { 0 };
	struct sigv4_req q = { .method = "GET", .url = "nonsense", .service = "s3", .region = "r" };
	assert_true(sigv4_sign(&example, &q, &s, &err) < 0);
	assert_true(err.msg[0]);
	sigv4_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(order), cmocka_unit_test(vectors),
					    cmocka_unit_test(forms) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
