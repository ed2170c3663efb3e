#include "../base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/base64.h"
#include "base/mem.h"
#include "net/digest.h"
#include "net/sigv4.h"
#include "object/object_priv.h"
#include "net/xml.h"
#include "ckpt/pull.h"
#include "ckpt/push.h"

static char dir[] = "/tmp/t-object-XXXXXX";
static struct err err;

static const char *below(const char *name)
{
	static char buf[4][200];
	static int n;

	n = (n + 1) % 4;
	snprintf(buf[n], sizeof buf[n], "%s/%s", dir, name);
	return buf[n];
}

static int make_dir(void **st)
{
	setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
	setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1);
	unsetenv("AWS_ACCESS_KEY_ID");
	unsetenv("AWS_PROFILE");
	return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **st)
{
	char cmd[64];

	snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
	return system(cmd);
}

static void xml(void **st)
{
	struct arena a = { 0 };
	struct object_listing l = { .a = &a, .skip = 2 };
	struct s3_parts parts = { .a = &a };
	char *next;

	assert_int_equal(
		s3_list_parse(
			&l,
			SV("<?xml version=\"1.0\"?><R xmlns=\"x\"><IsTruncated>true</IsTruncated><Contents><Size>3</Size><Key>p/a&amp;b&#x20AC;</Key></Contents>"
			   "<Contents><Key>p/</Key><Size>0</Size></Contents><NextContinuationToken>t=</NextContinuationToken></R>"),
			&next),
		0);
	assert_int_equal(l.v.n, 1); /* the prefix itself is no key */
	assert_string_equal(l.v.v[0].key, "a&b\xe2\x82\xac");
	assert_int_equal(l.v.v[0].bytes, 3);
	assert_string_equal(next, "t=");
	static const char *const bad[] = {
		"<R><Contents><Key>p/a</Key></Contents></R>", /* without a size */
		"<R><Contents><Key>p/a</Key><Size>-1</Size></Contents></R>",
		"<R><Contents><Key>p/a</Key><Size>1</Size></Contents>", /* cut */
		"<R><Contents><Key>p/&unknown;</Key><Size>1</Size></Contents></R>",
		"<R><Contents><Key>p/&#0;</Key><Size>1</Size></Contents></R>",
		"<R><Contents><Key>p</Key><Size>1</Size></Contents></R>", /* outside the prefix */
		"<!DOCTYPE x [<!ENTITY a \"b\">]><R></R>",
		"<R></Q>",
		"<R><IsTruncated>true</IsTruncated></R>", /* more, but no way to it */
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(s3_list_parse(&l, sv_of(bad[i]), &next), -EBADMSG);
	assert_int_equal(
		s3_parts_parse(
			&parts,
			SV("<L><Part><PartNumber>2</PartNumber><ETag>&quot;e&quot;</ETag><Size>9</Size></Part></L>"),
			&next),
		0);
	assert_int_equal(parts.v.n, 1);
	assert_string_equal(parts.v.v[0].etag, "\"e\"");
	assert_null(next);
	assert_sv(xml_find(SV("<Error><Code>SlowDown</Code><Message/></Error>"), "Code"),
		  "SlowDown");
	assert_sv(xml_find(SV("<Error><Message/></Error>"), "Message"), "");
	assert_null(xml_find(SV("<Error><Code>x"), "Code").p);
	struct str deep = { 0 };
	for (int i = 0; i < 100; i++)
		str_addz(&deep, "<a>");
	assert_null(xml_find(str_sv(&deep), "b").p);
	str_free(&deep);
	vec_free(&l.v);
	vec_free(&parts.v);
	arena_free(&a);
}

static void credentials(void **st)
{
	static const char file[] =
		"# mine\n[default]\naws_access_key_id = A1\naws_secret_access_key=s/+=\n\n[work]\r\naws_access_key_id=A2\r\naws_secret_access_key = s2\r\naws_session_token = t\r\n"
		"s3 =\n  aws_access_key_id = nested\n[bad]\naws_access_key_id = with blank\naws_secret_access_key = x\n[half]\naws_access_key_id = A3\n";
	struct cred c = { 0 };

	assert_int_equal(cred_ini_parse(sv_of(file), "default", &c, &err), 0);
	assert_string_equal(c.id, "A1");
	assert_string_equal(c.secret, "s/+=");
	assert_null(c.token);
	assert_false(cred_old(&c, INT64_MAX - 1));
	cred_free(&c);
	assert_int_equal(cred_ini_parse(sv_of(file), "work", &c, &err), 0);
	assert_string_equal(c.id, "A2");
	assert_string_equal(c.token, "t");
	cred_free(&c);
	assert_int_equal(cred_ini_parse(sv_of(file), "none", &c, &err), -ENOENT);
	assert_int_equal(cred_ini_parse(sv_of(file), "bad", &c, &err), -EBADMSG);
	assert_int_equal(cred_ini_parse(sv_of(file), "half", &c, &err), -EBADMSG);
	assert_sv(cred_ini_value(SV("[profile x]\nregion = eu-west-1\n"), "x", "region"),
		  "eu-west-1");

	assert_int_equal(
		cred_role_parse(
			SV("{\n\"AccessKeyId\":\"A\",\n\"SecretAccessKey\":\"S\",\"Token\":\"T\",\"Expiration\":\"1970-01-01T01:00:00Z\"}"),
			0, &c, &err),
		0);
	assert_string_equal(c.token, "T");
	assert_false(cred_old(&c, 54 * 60000));
	assert_true(cred_old(&c, 56 * 60000));
	cred_free(&c);
	assert_int_equal(
		cred_role_parse(SV("{\"access_token\":\"ya\",\"expires_in\":600}"), 1000, &c, &err),
		0);
	assert_string_equal(c.bearer, "ya");
	assert_int_equal(c.expires_ms, 601000);
	cred_free(&c);
	assert_int_equal(
		cred_role_parse(SV("{\"Code\":\"AssumeRoleUnauthorizedAccess\"}"), 0, &c, &err),
		-EBADMSG);
	assert_int_equal(
		cred_role_parse(SV("{\"AccessKeyId\":\"A\\nX-Evil: 1\",\"SecretAccessKey\":\"S\"}"),
				0, &c, &err),
		-EBADMSG);
	assert_int_equal(cred_role_parse(SV("<html>"), 0, &c, &err), -EBADMSG);
	assert_int_equal(
		cred_role_parse(
			SV("{\"Version\": 1, \"AccessKeyId\":\"A\",\"SecretAccessKey\":\"S\",\"SessionToken\":\"P\"}"),
			0, &c, &err),
		0);
	assert_string_equal(c.token, "P");
	assert_false(cred_old(&c, INT64_MAX - 1));
	cred_free(&c);
}

#define STS(secret, end)                                                                                 \
	SV("<R xmlns='u'><Result><Credentials><SessionToken>T/+=</SessionToken><SecretAccessKey>" secret \
	   "</SecretAccessKey><Expiration>" end                                                          \
	   "</Expiration><AccessKeyId>ASIA</AccessKeyId></Credentials></Result></R>")

static void more_credentials(void **st)
{
	static const char config[] =
		"[default]\ns3 =\n  payload_signing_enabled = false\n\tmax = 1\nregion = r1\n  not = here\n[profile x]\ns3 = \r\n  addressing = path\r\n"
		"[profile y]\nx = 1\n  payload_signing_enabled = true\n";
	struct cred c = { 0 };

	assert_sv(cred_ini_nested(sv_of(config), "default", "s3", "payload_signing_enabled"),
		  "false");
	assert_sv(cred_ini_nested(sv_of(config), "default", "s3", "max"), "1");
	assert_null(cred_ini_nested(sv_of(config), "default", "s3", "not").p);
	assert_null(cred_ini_nested(sv_of(config), "default", "s3", "region").p);
	assert_sv(cred_ini_nested(sv_of(config), "x", "S3", "addressing"), "path");
	assert_null(cred_ini_nested(sv_of(config), "y", "s3", "payload_signing_enabled").p);

	assert_int_equal(cred_sts_parse(STS("s&amp;k", "1970-01-01T01:00:00Z"), &c, &err), 0);
	assert_string_equal(c.id, "ASIA");
	assert_string_equal(c.secret, "s&k");
	assert_string_equal(c.token, "T/+=");
	assert_int_equal(c.expires_ms, 3600000);
	cred_free(&c);
	assert_int_equal(cred_sts_parse(STS("a b", "1970-01-01T01:00:00Z"), &c, &err), -EBADMSG);
	assert_int_equal(cred_sts_parse(STS("&#10;X-Evil:1", "1970-01-01T01:00:00Z"), &c, &err),
			 -EBADMSG);
	assert_int_equal(cred_sts_parse(STS("s", "tomorrow"), &c, &err), -EBADMSG);
	assert_int_equal(
		cred_sts_parse(
			SV("<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>"),
			&c, &err),
		-EBADMSG);
	assert_int_equal(cred_sts_parse(SV(""), &c, &err), -EBADMSG);
}

static void addresses(void **st)
{
	static const struct {
		const char *url;
		int rc;
	} list[] = {
		{ "ftp://x/y", -EINVAL },
		{ "", -EINVAL },
		{ "s3://", -EINVAL },
		{ "s3://a", -EINVAL },
		{ "s3://bad_%bucket/x", -EINVAL },
		{ "azblob://acct", -EINVAL },
		{ "azblob://a/c", -EACCES },
		{ "cmd:", -EINVAL },
		{ "cmd:   ", -EINVAL },
		{ "file://relative", -EINVAL },
		{ "s3://bucket/x", -EACCES },
	};
	struct object_store *s = NULL;

	unsetenv("AZURE_STORAGE_SAS_TOKEN");
	for (size_t i = 0; i < COUNT(list); i++) {
		err_clear(&err);
		if (object_open(list[i].url, NULL, &s, &err) != list[i].rc)
			fail_msg("%s: %s", list[i].url, err.msg);
		assert_true(err.msg[0]);
	}
	assert_has(err.hint, "AWS_ACCESS_KEY_ID");
	struct object_opt o = { .key_id = "k", .secret = "s", .region = "eu-central-1" };
	assert_int_equal(object_open("s3://bucket/a/b/", &o, &s, &err), 0);
	assert_string_equal(s->base, "https://bucket.s3.eu-central-1.amazonaws.com");
	assert_string_equal(s->prefix, "a/b/");
	object_close(s);
	assert_int_equal(object_open("s3://with.dots", &o, &s, &err), 0);
	assert_string_equal(s->base, "https://s3.eu-central-1.amazonaws.com/with.dots");
	object_close(s);
	assert_int_equal(object_open("gs://bucket", &o, &s, &err), 0);
	assert_string_equal(s->base, "https://storage.googleapis.com/bucket");
	assert_int_equal(web_part_bytes(s, 1, 10000), 16 << 20);
	assert_int_equal(web_part_bytes(s, 5ULL << 40, 10000), 525ULL << 20);
	object_close(s);
}

static char *sent_elsewhere(const char *url, const char *header)
{
	struct object_opt o = { .key_id = "k", .secret = "s", .region = "us-east-1" };
	struct object_store *s = NULL;
	struct web_req q = { .method = "PUT", .tries = 1, .d = xcalloc(1, sizeof *q.d) };

	q.d->status = 301;
	str_addz(&q.d->header, header);
	assert_int_equal(object_open(url, &o, &s, &err), 0);
	int rc = web_judge(s, &q, NULL, 0, &err);
	char *base = rc == 0 ? xstrdup(s->base) : NULL;
	web_req_free(&q);
	object_close(s);
	return base;
}

/* The server names the bucket's region: the host's part is changed, never the bucket's name, which
 * may be somebody else's then. */
static void other_region(void **st)
{
	static const struct {
		const char *url, *base;
	} list[] = {
		{ "s3://bucket/x", "https://bucket.s3.eu-west-1.amazonaws.com" },
		{ "s3://us-east-1/x", "https://us-east-1.s3.eu-west-1.amazonaws.com" },
		{ "s3://logs-us-east-1-7/x",
		  "https://logs-us-east-1-7.s3.eu-west-1.amazonaws.com" },
		{ "s3://a.us-east-1.b/x", "https://s3.eu-west-1.amazonaws.com/a.us-east-1.b" },
	};

	for (size_t i = 0; i < COUNT(list); i++) {
		char *base = sent_elsewhere(list[i].url, "x-amz-bucket-region: eu-west-1\n");
		assert_non_null(base);
		assert_string_equal(base, list[i].base);
		free(base);
	}
	assert_null(sent_elsewhere("s3://bucket/x", "x-amz-bucket-region: evil.com/\n"));
	assert_null(sent_elsewhere("s3://bucket/x", "x-amz-bucket-region: us-east-1\n"));
}

/* A hash that is given signs as the body itself does; Google's scheme differs in names only. */
static void signing(void **st)
{
	struct sigv4_key key = { "id", "secret", NULL };
	struct sigv4_req q = { .method = "PUT",
			       .url = "https://h/b/k",
			       .body = SV("hello"),
			       .service = "s3",
			       .region = "auto",
			       .now_ms = 1000000000000 };
	struct sigv4 a = { 0 }, b = { 0 };
	char hash[DIGEST_HEX];

	assert_int_equal(sigv4_sign(&key, &q, &a, &err), 0);
	assert_int_equal(digest_hex(DIGEST_SHA256, "hello", -1, 0, 5, hash), 0);
	assert_string_equal(hash,
			    "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
	q.body = SV_NULL;
	q.body_sha256 = hash;
	assert_int_equal(sigv4_sign(&key, &q, &b, &err), 0);
	assert_string_equal(str_z(&a.header[a.nheader - 1]), str_z(&b.header[b.nheader - 1]));
	q.google = true;
	q.service = "storage";
	assert_int_equal(sigv4_sign(&key, &q, &b, &err), 0);
	assert_has(
		str_z(&b.header[b.nheader - 1]),
		"Authorization: GOOG4-HMAC-SHA256 Credential=id/20010909/auto/storage/goog4_request, SignedHeaders=host;x-goog-content-sha256;x-goog-date");
	sigv4_free(&a);
	sigv4_free(&b);
	assert_int_equal(digest_hex(DIGEST_MD5, "", -1, 0, 0, hash), 0);
	assert_string_equal(hash, "d41d8cd98f00b204e9800998ecf8427e");
	struct str s = { 0 };
	base64_put(&s, SV("a"));
	base64_put(&s, SV("ab"));
	base64_put(&s, SV("abc"));
	assert_string_equal(s.p, "YQ==YWI=YWJj");
	str_free(&s);
}

static int64_t clock_ms;
static int64_t fake_now(void)
{
	return clock_ms;
}

static void folder(void **st)
{
	struct object_store *s = NULL;
	struct object_src src = { .mem = "hello", .fd = -1, .bytes = 5 };
	struct object_when late = { 100, fake_now };
	struct object_put any = { &src }, only_new = { &src, .only_new = true };
	struct object_put in_time = { &src, .when = &late };
	struct arena a = { 0 };
	struct object_key *k = NULL;
	size_t n = 0;
	uint64_t size = 0;
	char buf[8] = "";

	assert_int_equal(object_open(below("store"), NULL, &s, &err), 0);
	assert_int_equal(object_put(s, "a/b/c", &only_new, &size, &err), 0);
	assert_int_equal(object_put(s, "a/b/c", &only_new, &size, &err), -EEXIST);
	assert_int_equal(object_put(s, "a/b/c", &any, &size, &err), 0);
	assert_int_equal(object_put(s, "a/b", &any, &size, &err), -EISDIR);
	clock_ms = 101;
	assert_int_equal(object_put(s, "late", &in_time, &size, &err), -ETIME);
	assert_int_equal(object_get(s, "a/b/c", &(struct object_get){ 1, 3, buf }, &size, &err), 0);
	assert_string_equal(buf, "ell");
	assert_int_equal(object_size(s, "a/b", &size, &err), -EBADMSG);
	assert_int_equal(object_size(s, "a/b/c/d", &size, &err), -ENOENT);
	assert_int_equal(object_list(s, "", &a, &k, &n, &err), 0);
	assert_int_equal(n, 1); /* what did not come to its end is not there */
	assert_string_equal(k[0].key, "a/b/c");
	assert_int_equal(object_delete(s, "a/b/c", &err), 0);
	assert_int_equal(object_delete(s, "a/b/c", &err), 0);
	arena_free(&a);
	object_close(s);
	if (geteuid() != 0) { /* root may write anywhere */
		mkdir(below("ro"), 0500);
		assert_int_equal(object_open(below("ro"), NULL, &s, &err), 0);
		assert_int_equal(object_put(s, "x", &any, &size, &err), -EACCES);
		object_close(s);
	}
}

/* What stands in the place of an object is listed, and is none: it is not read through, not
 * waited for, and gives way to one. Nothing is found or put behind what stands in the place of a
 * folder. */
static void odd_things_are_no_objects(void **st)
{
	static const char *const odd[] = { "mkdir %s",         "mkfifo %s",  "ln -s nowhere %s",
					   "ln -s ../real %s", "ln -s x %s", "ln -s ../a %s" };
	struct object_src src = { .mem = "hello", .fd = -1, .bytes = 5 };
	struct object_put any = { &src }, only_new = { &src, .only_new = true };
	struct object_store *s = NULL;
	struct object_key *k = NULL;
	char buf[8], name[30], make[100], cmd[900];
	struct object_get all = { .bytes = 5, .mem = buf };
	uint64_t size = 0;
	size_t n = 0;

	for (size_t i = 0; i < COUNT(odd); i++) {
		struct arena a = { 0 };
		snprintf(name, sizeof name, "odd%zu", i);
		assert_int_equal(object_open(below(name), NULL, &s, &err), 0);
		assert_int_equal(object_put(s, "real", &only_new, NULL, &err), 0);
		assert_int_equal(object_put(s, "a/b", &only_new, NULL, &err), 0);
		snprintf(make, sizeof make, odd[i], "a/x");
		snprintf(cmd, sizeof cmd, "cd '%s' && %s", below(name), make);
		assert_int_equal(system(cmd), 0);
		assert_int_equal(object_list(s, "", &a, &k, &n, &err), 0);
		assert_int_equal(n, 3);
		assert_string_equal(k[1].key, "a/x");
		assert_int_equal(k[1].bytes, 0);
		assert_int_equal(object_size(s, "a/x", &size, &err), -EBADMSG);
		assert_has(err.msg, "is not a plain file");
		assert_int_equal(object_get(s, "a/x", &all, &size, &err), -EBADMSG);
		assert_int_equal(object_put(s, "a/x", &only_new, NULL, &err), -EEXIST);
		if (i) /* a folder does not give way */
			assert_int_equal(object_put(s, "a/x", &any, NULL, &err), 0);
		assert_int_equal(object_delete(s, "a/x", &err), 0);
		assert_int_equal(object_list(s, "", &a, &k, &n, &err), 0);
		assert_int_equal(n, 2);
		if (i) { /* in the place of a folder */
			snprintf(make, sizeof make, odd[i], "d");
			snprintf(cmd, sizeof cmd, "cd '%s' && mkdir -p ../a && %s", below(name),
				 make);
			assert_int_equal(system(cmd), 0);
			assert_int_equal(object_list(s, "d", &a, &k, &n, &err), 0);
			assert_int_equal(n, 1);
			assert_string_equal(k[0].key, "d");
			assert_true(object_get(s, "d/b", &all, &size, &err) < 0);
			assert_int_equal(object_put(s, "d/b", &any, NULL, &err), -ENOTDIR);
		}
		arena_free(&a);
		object_close(s);
	}
}

static void save(const char *at, int64_t step, char fill, char id[40])
{
	struct ckpt_dir *d = NULL;
	struct ckpt_writer *w = NULL;
	size_t n = CKPT_CHUNK_BYTES * 2 + 100;
	char *mem = malloc(n);

	memset(mem, 7, n);
	memset(mem, fill, 100);
	assert_int_equal(ckpt_open(at, &(struct ckpt_opt){ .buffered = true }, &d, &err), 0);
	assert_int_equal(ckpt_begin(d, step, 1000 * step, &w, &err), 0);
	assert_int_equal(ckpt_put(w, "m", mem, n, &err), 0);
	assert_int_equal(ckpt_commit(w, NULL, 0, id, &err), 0);
	ckpt_writer_free(w);
	ckpt_close(d);
	free(mem);
}

static void there_and_back(void **st)
{
	struct object_store *s = NULL;
	struct push *p = NULL;
	struct push_stat ps;
	struct pull_stat ls;
	struct push_fit fit;
	struct object_when when = { 1000, fake_now };
	char one[40], two[40], got[40];
	uint64_t missing;

	assert_int_equal(object_open(below("away"), NULL, &s, &err), 0);
	assert_int_equal(push_open(s, below("none"), NULL, &p, &err), -ENOENT);
	assert_int_equal(pull_newest(s, below("back"), NULL, &ls, NULL, &err), 0);
	save(below("here"), 1, 1, one);
	save(below("here"), 2, 2, two);
	assert_int_equal(push_open(s, below("here"), NULL, &p, &err), 0);
	clock_ms = 0;
	push_estimate(p, 1, &when, &fit);
	assert_false(fit.fits); /* nothing is known of the way yet */
	assert_int_equal(fit.need_ms, -1);
	push_estimate(p, 1, NULL, &fit);
	assert_true(fit.fits);
	assert_int_equal(push_missing(p, two, &missing, &err), 0);
	assert_true(missing > CKPT_CHUNK_BYTES * 2);
	assert_int_equal(push_newest(p, NULL, got, &ps, &err), 1);
	assert_string_equal(got, two);
	assert_string_equal(push_safe(p), two);
	assert_int_equal(ps.sent_bytes, missing);
	assert_true(push_bytes_s(p) > 0);
	assert_int_equal(push_missing(p, two, &missing, &err), 0);
	assert_int_equal(missing, 0);
	/* ten seconds of work */
	push_estimate(p, (uint64_t)push_bytes_s(p) * 10, &(struct object_when){ 8000, fake_now },
		      &fit);
	assert_false(fit.fits);
	push_estimate(p, 1, &(struct object_when){ 60000, fake_now }, &fit);
	assert_true(fit.fits);
	push_close(p);
	assert_int_equal(pull_newest(s, below("back"), NULL, &ls, NULL, &err), 1);
	assert_string_equal(ls.id, two);
	assert_false(ls.local);
	assert_int_equal(pull_newest(s, below("back"), NULL, &ls, NULL, &err), 1);
	assert_true(ls.local);
	save(below("back"), 3, 3, got); /* goes on where the other was: another run, another name */
	assert_string_not_equal(got + 13, two + 13);
	assert_int_equal(push_open(s, below("back"), NULL, &p, &err), 0);
	assert_int_equal(push_newest(p, NULL, got, &ps, &err), 1);
	assert_true(ps.sent_bytes < 3 * CKPT_CHUNK_BYTES / 2); /* one chunk of three changed */
	push_close(p);
	object_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xml),
		cmocka_unit_test(credentials),
		cmocka_unit_test(more_credentials),
		cmocka_unit_test(addresses),
		cmocka_unit_test(other_region),
		cmocka_unit_test(signing),
		cmocka_unit_test(folder),
		cmocka_unit_test(odd_things_are_no_objects),
		cmocka_unit_test(there_and_back),
	};
	return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
