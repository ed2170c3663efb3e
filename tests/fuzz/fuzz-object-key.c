/* Key files, logins and connection strings: what is taken into a header or a host's name is fit for
 * it; whatever is signed with a key that was read does not crash. */
#include <stdlib.h>
#include "base/base64.h"
#include "base/mem.h"
#include "net/digest.h"
#include "net/jwt.h"
#include "net/sharedkey.h"
#include "auth/cred.h"

static void check(const char *z)
{
	for (; z && *z; z++)
		if (*z <= ' ' || *z > '~')
			abort();
}

static void google(struct sv text)
{
	struct google_key k;
	struct str jwt = { 0 };
	struct err err;

	if (cred_google_parse(text, &k, &err) == 0) {
		if (k.kind == GOOGLE_ACCOUNT ? !k.email || !k.private_key
		    : k.kind == GOOGLE_LOGIN ? !k.client_id || !k.client_secret || !k.refresh
					     : !k.audience || !k.file)
			abort();
		check(k.token_url);
		check(k.impersonate_url);
		if (k.kind == GOOGLE_ACCOUNT)
			jwt_rs256(sv_of(k.private_key), SV("{}"), sv_of(k.email), &jwt, &err);
	}
	google_key_free(&k);
	str_free(&jwt);
}

static void login(struct sv text)
{
	struct sso_token t;
	struct cred c = { 0 };
	struct err err;

	if (cred_sso_token_parse(text, &t, &err) == 0 && !t.token)
		abort();
	check(t.token);
	sso_token_free(&t);
	if (cred_sso_parse(text, &c, &err) == 0 && (!c.id || !c.secret || !c.token))
		abort();
	check(c.id);
	check(c.secret);
	check(c.token);
	cred_free(&c);
}

static void connection(struct sv text)
{
	struct azure_account a;
	struct err err;

	if (azure_connection_parse(text, &a, &err) == 0) {
		if (!a.endpoint || (!a.sas && (!a.key || !a.name)))
			abort();
		check(a.endpoint);
		check(a.sas);
		check(a.name);
		check(a.key);
	}
	azure_account_free(&a);
}

/* The text is a URL, and twice a header. */
static void signing(struct sv text)
{
	char *z = xstrndup(text.p, text.n);
	const char *const header[] = { z, "x-ms-date: now", z };
	struct sharedkey_req q = {
		.method = "PUT", .url = z, .header = header, .nheader = 3, .body_bytes = text.n
	};
	struct str to_sign = { 0 }, out = { 0 }, raw = { 0 }, again = { 0 };
	struct err err;

	if (sharedkey_sign("acct", "a2V5", &q, &to_sign, &out, &err) == 0 &&
	    (strchr(out.p, '\n') || !to_sign.n))
		abort();
	if (base64_read(&raw, text) == 0) {
		base64_put(&again, str_sv(&raw));
		if (again.n != text.n)
			abort();
	}
	str_free(&to_sign);
	str_free(&out);
	str_free(&raw);
	str_free(&again);
	free(z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const what[])(struct sv) = { google, login, connection, signing };

	if (size)
		what[data[0] % 4]((struct sv){ (const char *)data + 1, size - 1 });
	return 0;
}
