/*
 * Google's key files: of a service account (a token for a text that its private key signed), and of a person's login by gcloud (a token for a refresh
 * token). Sources: Google's "Using OAuth 2.0 for Server to Server Applications", "Application Default Credentials"; RFC 7523.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/jw.h"
#include "base/mem.h"
#include "base/tm.h"
#include "net/http.h"
#include "net/jwt.h"
#include "spot/object_json.h"
#include "spot/object_priv.h"
#include "spot/object_role.h"

#define TOKEN_URL "https://oauth2.googleapis.com/token"
#define SCOPE "https://www.googleapis.com/auth/devstorage.read_write" /* read, write, list and delete objects */
#define LIFE_S 3600 /* Google takes no longer one */

static void wipe(char **p)
{
	if (*p)
		explicit_bzero(*p, strlen(*p));
	free(*p);
	*p = NULL;
}

void google_key_free(struct google_key *k)
{
	wipe(&k->email);
	wipe(&k->private_key);
	wipe(&k->key_id);
	wipe(&k->client_id);
	wipe(&k->client_secret);
	wipe(&k->refresh);
	wipe(&k->token_url);
}

/* ---- the file ----------------------------------------------------------------------------------------------------------------------- */

static char *text_of(struct cred_json *j, const char *name)
{
	struct sv v = cred_json_text(j, name);

	return v.n ? xstrndup(v.p, v.n) : NULL;
}

/* Who knows the key or the login gets it: over TLS, or on this machine. */
static bool url_ok(const char *url)
{
	return cred_value_ok(sv_of(url)) && (!strncmp(url, "https://", 8) || !strncmp(url, "http://127.0.0.1:", 17) || !strncmp(url, "http://localhost:", 17)) && !strchr(url, '@');
}

static int refuse_type(struct sv type, struct err *err)
{
	err_set(err, -EACCES, "the key file is of the type '%.*s', which is not spoken: service_account and authorized_user are", (int)(type.n < 40 ? type.n : 40), type.p ? type.p : "");
	if (sv_is(type, "external_account"))
		err_hint(err, "workload identity federation of other clouds: take a key file or an HMAC key of the service account (gcloud storage hmac create ACCOUNT), or use cmd: with a program of Google's");
	else
		err_hint(err, "'gcloud auth application-default login' writes one that is; or an HMAC key: gcloud storage hmac create ACCOUNT");
	return -EACCES;
}

static int key_members(struct cred_json *j, struct google_key *k, struct err *err)
{
	struct sv type = cred_json_text(j, "type");

	k->service_account = sv_is(type, "service_account");
	if (!k->service_account && !sv_is(type, "authorized_user"))
		return type.n ? refuse_type(type, err) : err_set(err, -EBADMSG, "it has no type");
	k->email = text_of(j, "client_email");
	k->private_key = text_of(j, "private_key");
	k->key_id = text_of(j, "private_key_id");
	k->client_id = text_of(j, "client_id");
	k->client_secret = text_of(j, "client_secret");
	k->refresh = text_of(j, "refresh_token");
	k->token_url = text_of(j, "token_uri");
	if (!k->token_url)
		k->token_url = xstrdup(TOKEN_URL);
	if (k->service_account ? !k->email || !k->private_key : !k->client_id || !k->client_secret || !k->refresh)
		return err_set(err, -EBADMSG, "it has no %s", k->service_account ? "client_email and private_key" : "client_id, client_secret and refresh_token");
	return url_ok(k->token_url) ? 0 : err_set(err, -EBADMSG, "its token_uri is not an https address");
}

int cred_google_parse(struct sv json, struct google_key *ret, struct err *err)
{
	struct cred_json j;
	int rc = cred_json_open(&j, json);

	memset(ret, 0, sizeof *ret);
	rc = rc < 0 ? err_set(err, rc, "it is no JSON: %s", j.why) : key_members(&j, ret, err);
	if (rc < 0)
		google_key_free(ret);
	cred_json_close(&j);
	return rc;
}

/* ---- asking ------------------------------------------------------------------------------------------------------------------------- */

static int add_jwt(const struct google_key *k, int64_t now_ms, struct str *out, struct err *err)
{
	struct str head = { 0 }, claims = { 0 };
	struct jw w;
	int rc;

	jw_init(&w, &head, 0);
	jw_obj(&w);
	jw_put_str(&w, "alg", "RS256");
	jw_put_str(&w, "typ", "JWT");
	if (k->key_id)
		jw_put_str(&w, "kid", k->key_id);
	jw_end_obj(&w);
	jw_init(&w, &claims, 0);
	jw_obj(&w);
	jw_put_str(&w, "iss", k->email);
	jw_put_str(&w, "scope", SCOPE);
	jw_put_str(&w, "aud", k->token_url);
	jw_put_int(&w, "iat", now_ms / 1000);
	jw_put_int(&w, "exp", now_ms / 1000 + LIFE_S);
	jw_end_obj(&w);
	rc = jwt_rs256(sv_of(k->private_key), str_sv(&head), str_sv(&claims), out, err);
	str_free(&head);
	str_free(&claims);
	return rc;
}

static int make_form(const struct google_key *k, int64_t now_ms, struct str *form, struct err *err)
{
	struct str jwt = { 0 };
	int rc = 0;

	if (k->service_account) {
		rc = add_jwt(k, now_ms, &jwt, err);
		role_form(form, "grant_type", SV("urn:ietf:params:oauth:grant-type:jwt-bearer"));
		role_form(form, "assertion", str_sv(&jwt));
	} else {
		role_form(form, "grant_type", SV("refresh_token"));
		role_form(form, "client_id", sv_of(k->client_id));
		role_form(form, "client_secret", sv_of(k->client_secret));
		role_form(form, "refresh_token", sv_of(k->refresh));
	}
	role_wipe(&jwt);
	return rc;
}

static int refused(const struct google_key *k, struct sv answer, int rc, struct err *err)
{
	struct cred_json j;
	struct str words = { 0 };

	cred_json_open(&j, answer);
	struct sv code = cred_json_text(&j, "error"), text = cred_json_text(&j, "error_description");
	role_words(&words, code);
	if (text.n)
		str_addz(&words, ": ");
	role_words(&words, text);
	if (code.n) {
		err_set(err, -EACCES, "Google gives no token for %s '%.100s': %s", k->service_account ? "the service account" : "the login of the client", k->service_account ? k->email : k->client_id,
			str_z(&words));
		if (k->service_account)
			err_hint(err, "look whether the key is still one of the account (gcloud iam service-accounts keys list --iam-account=%.100s), and the clock of this machine", k->email);
		else
			err_hint(err, "log in again: gcloud auth application-default login");
		rc = -EACCES;
	}
	str_free(&words);
	cred_json_close(&j);
	return rc;
}

/* Signed by the server's clock where it refused and has another than ours. */
static int ask(const struct google_key *k, struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct str form = { 0 }, answer = { 0 };
	int64_t server_ms = -1;
	int rc = 0;

	for (int i = 0; i < 2; i++) {
		struct role_question q = { .url = k->token_url, .ret_server_ms = &server_ms };
		role_wipe(&form);
		if ((rc = make_form(k, i ? server_ms : now_ms, &form, err)) < 0)
			break;
		q.body = str_sv(&form);
		if ((rc = role_ask(h, &q, &answer, err)) == 0 || !k->service_account || server_ms < 0 || llabs(server_ms - now_ms) < MS_MINUTE)
			break;
	}
	if (rc < 0 && answer.n)
		rc = refused(k, str_sv(&answer), rc, err);
	else if (rc == 0)
		rc = cred_role_parse(str_sv(&answer), now_ms, ret, err);
	if (rc == 0 && !ret->bearer) {
		cred_free(ret);
		rc = err_set(err, -EACCES, "'%s' gave no token", k->token_url);
	}
	role_wipe(&form);
	role_wipe(&answer);
	return rc;
}

static int from_key(const struct google_key *k, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct http_opt opt = { .ca_file = object_ca_file() };
	struct http *h = NULL;
	int rc = http_new(&opt, &h, err);

	if (rc == 0)
		rc = ask(k, h, now_ms, ret, err);
	if (rc == 0)
		ret->source = k->service_account ? "the service account's key file" : "the login by gcloud";
	http_free(h);
	return rc;
}

static int from_file(const char *path, struct str *text, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct google_key k;
	int rc = cred_google_parse(str_sv(text), &k, err);

	if (rc == -EBADMSG)
		err_hint(err, "'gcloud auth application-default login' writes a whole one, 'gcloud iam service-accounts keys create FILE --iam-account=ACCOUNT' that of a service account");
	if (rc == 0)
		rc = from_key(&k, now_ms, ret, err);
	if (rc < 0)
		err_prefix(err, "'%.200s'", path);
	google_key_free(&k);
	return rc < 0 ? -EACCES : 0;
}

int cred_of_google_files(int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *told = object_env("GOOGLE_APPLICATION_CREDENTIALS"), *dir = object_env("CLOUDSDK_CONFIG"), *home = object_env("HOME");
	struct str path = { 0 }, text = { 0 };
	int rc;

	if (told)
		str_addz(&path, told);
	else
		str_addf(&path, "%s%s/application_default_credentials.json", dir ? dir : home ? home : "", dir ? "" : "/.config/gcloud");
	rc = cred_read_file(str_z(&path), &text);
	if (rc == 0) {
		rc = from_file(str_z(&path), &text, now_ms, ret, err);
	} else if (told) {
		rc = err_set(err, -EACCES, "cannot read '%.200s', which GOOGLE_APPLICATION_CREDENTIALS names: %s", told, strerror(-rc));
		err_hint(err, "name the key file of a service account there, or unset it");
	} else {
		rc = -ENOENT;
	}
	role_wipe(&text);
	str_free(&path);
	return rc;
}
