/* Files with credentials that others wrote: what is read of them, and what is refused without being
 * shown. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "base/tm.h"
#include "auth/cred.h"
#include "auth/cred_json.h"
#include "auth/role.h"

static struct err err;

static void refused(int rc, int want)
{
	assert_int_equal(rc, want);
	assert_true(err.msg[0]);
	assert_null(strstr(err.msg, "geheim"));
}

static void json(void **state)
{
	struct cred_json j;

	(void)state;
	assert_int_equal(
		cred_json_open(
			&j,
			SV(" {\"a\": \"x\\ny\",\r\n \"n\": 12, \"o\": {\"a\": 1}, \"z\": null}\n")),
		0);
	assert_true(sv_is(cred_json_text(&j, "a"), "x\ny"));
	assert_true(sv_is(cred_json_text(&j, "a"), "x\ny")); /* resolved once only */
	assert_true(sv_is(cred_json_text(&j, "n"), "12"));
	assert_null(cred_json_text(&j, "o").p);
	assert_null(cred_json_text(&j, "z").p);
	assert_true(sv_is(cred_json_nested(&j, "o"), "{\"a\": 1}"));
	cred_json_close(&j);
	assert_int_equal(cred_json_open(&j, SV("[1]")), -EBADMSG);
	assert_non_null(j.why);
	cred_json_close(&j);
	assert_int_equal(cred_json_open(&j, SV_NULL), -EBADMSG);
	cred_json_close(&j);
}

static void logins(void **state)
{
	struct sso_token t;
	struct cred c = { 0 };

	(void)state;
	assert_int_equal(
		cred_sso_token_parse(
			SV("{\"accessToken\":\"A\",\"expiresAt\":\"1970-01-01T01:00:00UTC\",\"refreshToken\":\"R\\/\"}"),
			&t, &err),
		0);
	assert_int_equal(t.expires_ms, 3600000);
	assert_string_equal(t.refresh, "R/");
	assert_null(t.client_id);
	assert_int_equal(t.registration_ms, INT64_MIN);
	sso_token_free(&t);
	refused(cred_sso_token_parse(SV("{\"accessToken\":\"geheim\",\"expiresAt\":\"soon\"}"), &t,
				     &err),
		-EBADMSG);
	refused(cred_sso_token_parse(
			SV("{\"accessToken\":\"geheim\\r\\nX: 1\",\"expiresAt\":\"1970-01-01T01:00:00Z\"}"),
			&t, &err),
		-EBADMSG);
	assert_int_equal(
		cred_sso_parse(
			SV("{\"roleCredentials\":{\"accessKeyId\":\"A\",\"secretAccessKey\":\"S\",\"sessionToken\":\"T\",\"expiration\":5000}}"),
			&c, &err),
		0);
	assert_int_equal(c.expires_ms, 5000);
	assert_string_equal(c.token, "T");
	cred_free(&c);
	refused(cred_sso_parse(
			SV("{\"roleCredentials\":{\"accessKeyId\":\"A\",\"secretAccessKey\":\"geheim\",\"expiration\":5000}}"),
			&c, &err),
		-EBADMSG);
	refused(cred_sso_parse(
			SV("{\"roleCredentials\":{\"accessKeyId\":\"A\",\"secretAccessKey\":\"geheim\",\"sessionToken\":\"T\",\"expiration\":-9223372036854775808}}"),
			&c, &err),
		-EBADMSG);
	refused(cred_sso_parse(
			SV("{\"roleCredentials\":{\"accessKeyId\":\"A\",\"secretAccessKey\":\"geheim\",\"sessionToken\":\"T\",\"expiration\":9223372036854775807}}"),
			&c, &err),
		-EBADMSG);
	refused(cred_sso_parse(SV("{\"roleCredentials\":\"geheim\"}"), &c, &err), -EBADMSG);
}

static void google(void **state)
{
	struct google_key k;

	(void)state;
	assert_int_equal(
		cred_google_parse(
			SV("{\"type\":\"service_account\",\"client_email\":\"e\",\"private_key\":\"a\\nb\"}"),
			&k, &err),
		0);
	assert_int_equal(k.kind, GOOGLE_ACCOUNT);
	assert_string_equal(k.private_key, "a\nb");
	assert_string_equal(k.token_url, "https://oauth2.googleapis.com/token");
	google_key_free(&k);
	assert_int_equal(
		cred_google_parse(
			SV("{\"type\":\"authorized_user\",\"client_id\":\"i\",\"client_secret\":\"s\",\"refresh_token\":\"r\"}"),
			&k, &err),
		0);
	assert_int_equal(k.kind, GOOGLE_LOGIN);
	google_key_free(&k);
	refused(cred_google_parse(SV("{\"type\":\"authorized_user\",\"client_secret\":\"geheim\"}"),
				  &k, &err),
		-EBADMSG);
	refused(cred_google_parse(SV("{\"type\":\"gdch_service_account\",\"a\":\"geheim\"}"), &k,
				  &err),
		-EACCES);
	assert_true(err.hint[0]);
#define POOL \
	"{\"type\":\"external_account\",\"audience\":\"//iam\",\"subject_token_type\":\"t\",\"token_url\":\"https://sts.googleapis.com/v1/token\",\"credential_source\":"
	assert_int_equal(
		cred_google_parse(
			SV(POOL
			   "{\"file\":\"/t\",\"format\":{\"type\":\"json\",\"subject_token_field_name\":\"id\"}}}"),
			&k, &err),
		0);
	assert_int_equal(k.kind, GOOGLE_FEDERATED);
	assert_string_equal(k.field, "id");
	google_key_free(&k);
	refused(cred_google_parse(SV(POOL "{\"url\":\"http://geheim\"}}"), &k, &err), -EACCES);
	refused(cred_google_parse(SV(POOL "{\"file\":\"/t\",\"format\":{\"type\":\"json\"}}}"), &k,
				  &err),
		-EBADMSG);
	refused(cred_google_parse(SV(POOL "1}"), &k, &err), -EBADMSG);
	refused(cred_google_parse(SV("{\"type\":\"external_account\",\"a\":\"geheim\"}"), &k, &err),
		-EBADMSG);
	refused(cred_google_parse(
			SV("{\"type\":\"service_account\",\"client_email\":\"e\",\"private_key\":\"geheim\",\"token_uri\":\"http://127.0.0.1.evil/\"}"),
			&k, &err),
		-EBADMSG);
	refused(cred_google_parse(SV("geheim"), &k, &err), -EBADMSG);
}

static void azure(void **state)
{
	struct azure_account a;

	(void)state;
	assert_int_equal(
		azure_connection_parse(
			SV("DefaultEndpointsProtocol=https;AccountName=n;AccountKey=a2V5Cg==;EndpointSuffix=core.chinacloudapi.cn"),
			&a, &err),
		0);
	assert_string_equal(a.key, "a2V5Cg==");
	assert_string_equal(a.endpoint, "https://n.blob.core.chinacloudapi.cn");
	azure_account_free(&a);
	assert_int_equal(azure_connection_parse(SV("accountname = n ; ACCOUNTKEY=a2V5"), &a, &err),
			 0);
	assert_string_equal(a.endpoint, "https://n.blob.core.windows.net");
	azure_account_free(&a);
	assert_int_equal(
		azure_connection_parse(
			SV("BlobEndpoint=http://h:1/n;SharedAccessSignature=sv=1&sig=x%3D;"), &a,
			&err),
		0);
	assert_null(a.key);
	assert_string_equal(a.sas, "sv=1&sig=x%3D");
	azure_account_free(&a);
	assert_int_equal(azure_connection_parse(SV("UseDevelopmentStorage=true"), &a, &err), 0);
	assert_string_equal(a.name, "devstoreaccount1");
	azure_account_free(&a);
	refused(azure_connection_parse(SV("AccountName=n;AccountKey=geheim"), &a, &err), -EBADMSG);
	refused(azure_connection_parse(SV("AccountKey=Z2VoZWlt"), &a, &err), -EBADMSG);
	refused(azure_connection_parse(
			SV("AccountName=n;AccountKey=a2V5;BlobEndpoint=https://geheim@h/"), &a,
			&err),
		-EBADMSG);
	/* of no account, nowhere */
	refused(azure_connection_parse(SV("SharedAccessSignature=geheim"), &a, &err), -EBADMSG);
	refused(azure_connection_parse(SV_NULL, &a, &err), -EBADMSG);
}

static void words(void **state)
{
	struct str s = { 0 };

	(void)state;
	role_words(&s, SV("a\x1b[31m\nb"));
	assert_string_equal(str_z(&s), "a [31m b");
	str_free(&s);
	assert_true(aws_region_ok(SV("eu-west-1")));
	assert_false(aws_region_ok(SV("evil.example/")));
	assert_false(aws_region_ok(SV_NULL));
}

static void where_secrets_go(void **state)
{
	static const char *const safe[] = { "https://h",        "https://h:1/x@y",
					    "http://localhost", "http://localhost:80/x",
					    "http://127.0.0.1", "http://127.1.2.3:9/@",
					    "http://[::1]",     "http://[::1]:9/" };
	static const char *const bad[] = { "",
					   "h",
					   "http",
					   "http://",
					   "http://h/",
					   "http://127.example/",
					   "http://127.0.0.1.example:1/",
					   "http://localhost.example",
					   "http://user@localhost/",
					   "http://localhost:1@h/",
					   "http://h?http://localhost",
					   "http://[",
					   "http://[]",
					   "http://[::1",
					   "http://[::1]h/",
					   "http://[/]",
					   "http://localhost\\@h/",
					   "http://localhost\\.h/",
					   "http://127.0.0.1\\h/",
					   "ftp://localhost/",
					   "file:///x" };

	(void)state;
	for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
		assert_true(role_url_safe(safe[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(role_url_safe(bad[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(json),   cmocka_unit_test(logins),
		cmocka_unit_test(google), cmocka_unit_test(azure),
		cmocka_unit_test(words),  cmocka_unit_test(where_secrets_go)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
