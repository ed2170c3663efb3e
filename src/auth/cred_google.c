/*
 * Tokens for Google's key files: of a service account (for a text that its private key signed), of
 * a person's login by gcloud (for a refresh token), of another identity provider (for its token,
 * then perhaps for a service account's). Sources: Google's "Using OAuth 2.0 for Server to Server
 * Applications", "Application Default Credentials", AIP-4117; RFC 7523, RFC 8693.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/jw.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/http.h"
#include "net/jwt.h"
#include "auth/cred_json.h"
#include "auth/auth_env.h"
#include "auth/role.h"

/* read, write, list and delete objects */
#define SCOPE "https://www.googleapis.com/auth/devstorage.read_write"
/* of the token that is changed for a service account's */
#define SCOPE_ALL "https://www.googleapis.com/auth/cloud-platform"
#define LIFE_S    3600 /* Google takes no longer one */

/* ---- asking ------------------------------------------------------------------------------ */

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
	jw_put_str(&w, "scope", k->impersonate_url ? SCOPE_ALL : SCOPE);
	jw_put_str(&w, "aud", k->token_url);
	jw_put_int(&w, "iat", now_ms / 1000);
	jw_put_int(&w, "exp", now_ms / 1000 + LIFE_S);
	jw_end_obj(&w);
	rc = jwt_rs256(sv_of(k->private_key), str_sv(&head), str_sv(&claims), out, err);
	str_free(&head);
	str_free(&claims);
	return rc;
}

/* The token of the other provider: the file, or a member of it. */
static int subject_of(const struct google_key *k, struct str *ret, struct err *err)
{
	struct cred_json j;
	struct str text = { 0 };
	int rc = k->field ? cred_read_file(k->file, &text) : role_token(k->file, ret, err);

	if (!k->field)
		return rc;
	if (rc < 0) {
		rc = err_set(err, -EACCES, "cannot read the token '%.200s': %s", k->file,
			     cred_why(rc));
	} else {
		cred_json_open(&j, str_sv(&text));
		struct sv token = cred_json_text(&j, k->field);
		if (cred_value_ok(token))
			str_addsv(ret, token);
		else
			rc = err_set(err, -EACCES, "there is no usable token in '%.200s'", k->file);
		cred_json_close(&j);
	}
	role_wipe(&text);
	return rc;
}

static int make_form(const struct google_key *k, int64_t now_ms, struct str *form, struct err *err)
{
	struct str proof = { 0 }; /* a text that we signed, or the other provider's token */
	int rc = 0;

	if (k->kind == GOOGLE_FEDERATED) {
		rc = subject_of(k, &proof, err);
		role_form(form, "grant_type",
			  SV("urn:ietf:params:oauth:grant-type:token-exchange"));
		role_form(form, "requested_token_type",
			  SV("urn:ietf:params:oauth:token-type:access_token"));
		role_form(form, "audience", sv_of(k->audience));
		role_form(form, "scope", k->impersonate_url ? SV(SCOPE_ALL) : SV(SCOPE));
		role_form(form, "subject_token_type", sv_of(k->subject_type));
		role_form(form, "subject_token", str_sv(&proof));
	} else if (k->kind == GOOGLE_ACCOUNT) {
		rc = add_jwt(k, now_ms, &proof, err);
		role_form(form, "grant_type", SV("urn:ietf:params:oauth:grant-type:jwt-bearer"));
		role_form(form, "assertion", str_sv(&proof));
	} else {
		role_form(form, "grant_type", SV("refresh_token"));
		role_form(form, "client_id", sv_of(k->client_id));
		role_form(form, "client_secret", sv_of(k->client_secret));
		role_form(form, "refresh_token", sv_of(k->refresh));
	}
	role_wipe(&proof);
	return rc;
}

static int tell_refused(const struct google_key *k, struct sv answer, int rc, struct err *err)
{
	static const char *const who[] = { [GOOGLE_ACCOUNT] = "the service account",
					   [GOOGLE_LOGIN] = "the login of the client",
					   [GOOGLE_FEDERATED] = "the identity of the pool" };
	struct cred_json j;
	struct str words = { 0 };

	cred_json_open(&j, answer);
	struct sv code = cred_json_text(&j, "error"),
		  text = cred_json_text(&j, "error_description");
	role_words(&words, code);
	if (text.n)
		str_addz(&words, ": ");
	role_words(&words, text);
	const char *name = k->audience;
	if (k->kind == GOOGLE_ACCOUNT)
		name = k->email;
	else if (k->kind == GOOGLE_LOGIN)
		name = k->client_id;
	if (code.n)
		rc = err_set(err, -EACCES, "Google gives no token for %s '%.150s': %s",
			     who[k->kind], name, str_z(&words));
	if (code.n && k->kind == GOOGLE_ACCOUNT)
		err_hint(
			err,
			"look whether the key is still one of the account (gcloud iam service-accounts keys list --iam-account=%.100s), and the clock of this machine",
			k->email);
	else if (code.n && k->kind == GOOGLE_LOGIN)
		err_hint(err, "log in again: gcloud auth application-default login");
	else if (code.n)
		err_hint(
			err,
			"the pool's provider must take the issuer and the audience of the token in '%.150s', which must not be over",
			k->file);
	str_free(&words);
	cred_json_close(&j);
	return rc;
}

/* The token for one of the service account that whose it is may act as. */
static int ask_impersonated(const struct google_key *k, struct http *h, struct cred *c,
			    struct err *err)
{
	struct str header = { 0 }, answer = { 0 };
	struct cred_json j = { 0 };
	struct role_question q = { .url = k->impersonate_url,
				   .body = SV("{\"scope\":[\"" SCOPE "\"],\"lifetime\":\"3600s\"}"),
				   .content_type = "application/json" };
	int64_t end;

	str_addf(&header, "Authorization: Bearer %s", c->bearer);
	q.header[0] = str_z(&header);
	int rc = role_ask(h, &q, &answer, err);
	if (rc < 0)
		err_hint(
			err,
			"who asks needs the role 'Service Account Token Creator' on the service account; the identity of a pool 'Workload Identity User'");
	cred_free(c);
	if (rc == 0)
		rc = cred_json_open(&j, str_sv(&answer));
	if (rc == 0) {
		struct sv token = cred_json_text(&j, "accessToken"),
			  at = cred_json_text(&j, "expireTime");
		if (cred_value_ok(token) && at.p && tm_parse(at, 0, &end) == 0)
			*c = (struct cred){ .bearer = xstrndup(token.p, token.n),
					    .expires_ms = end };
		else
			rc = -EBADMSG;
	}
	if (rc == -EBADMSG)
		err_set(err, rc,
			"the token of the service account that Google gave cannot be read");
	cred_json_close(&j);
	role_wipe(&header);
	role_wipe(&answer);
	return rc;
}

/* Signed by the server's clock where it refused and has another than ours. */
static int ask_token(const struct google_key *k, struct http *h, int64_t now_ms, struct cred *ret,
		     struct err *err)
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
		if ((rc = role_ask(h, &q, &answer, err)) == 0 || k->kind != GOOGLE_ACCOUNT)
			break;
		if (server_ms < 0 || llabs(server_ms - now_ms) < MS_MINUTE)
			break;
	}
	if (rc < 0 && answer.n)
		rc = tell_refused(k, str_sv(&answer), rc, err);
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

static int from_file(const char *path, struct str *text, int64_t now_ms, struct cred *ret,
		     struct err *err)
{
	struct http_opt opt = { .ca_file = auth_ca_file() };
	struct http *h = NULL;
	struct google_key k;
	int rc = cred_google_parse(str_sv(text), &k, err);

	if (rc == -EBADMSG)
		err_hint(
			err,
			"'gcloud auth application-default login' writes a whole one, 'gcloud iam service-accounts keys create FILE --iam-account=ACCOUNT' that of a service account");
	if (rc == 0)
		rc = http_new(&opt, &h, err);
	if (rc == 0)
		rc = ask_token(&k, h, now_ms, ret, err);
	if (rc == 0 && k.impersonate_url)
		rc = ask_impersonated(&k, h, ret, err);
	if (rc < 0)
		err_prefix(err, "'%.200s'", path);
	else if (k.kind == GOOGLE_ACCOUNT)
		ret->source = "the service account's key file";
	else if (k.kind == GOOGLE_LOGIN)
		ret->source = "the login by gcloud";
	else
		ret->source = "the workload identity federation";
	http_free(h);
	google_key_free(&k);
	if (rc < 0)
		return -EACCES;
	return 0;
}

int cred_of_google_files(int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *told = auth_env("GOOGLE_APPLICATION_CREDENTIALS"),
		   *dir = auth_env("CLOUDSDK_CONFIG"), *home = auth_env("HOME");
	struct str path = { 0 }, text = { 0 };
	int rc;

	if (told)
		str_addz(&path, told);
	else
		str_addf(&path, "%s%s/application_default_credentials.json",
			 dir ? dir : text_or(home, ""), text_if(!dir, "/.config/gcloud"));
	rc = cred_read_keys(str_z(&path), &text);
	if (rc == 0) {
		rc = from_file(str_z(&path), &text, now_ms, ret, err);
	} else if (rc == -EPERM && !told) {
		rc = err_set(err, -EACCES, "cannot read '%.200s': %s", str_z(&path), cred_why(rc));
	} else if (told) {
		rc = err_set(err, -EACCES,
			     "cannot read '%.200s', which GOOGLE_APPLICATION_CREDENTIALS names: %s",
			     told, cred_why(rc));
		err_hint(err, "name the key file of a service account there, or unset it");
	} else {
		rc = -ENOENT;
	}
	role_wipe(&text);
	str_free(&path);
	return rc;
}
