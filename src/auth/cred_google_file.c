/* Google's key files, as they are read. */
#include <errno.h>
#include <stdlib.h>
#include "base/mem.h"
#include "auth/cred_json.h"
#include "auth/role.h"
#include "base/num.h"
#include "base/str.h"

#define TOKEN_URL "https://oauth2.googleapis.com/token"

void google_key_free(struct google_key *k)
{
	role_wipe_text(&k->email);
	role_wipe_text(&k->private_key);
	role_wipe_text(&k->key_id);
	role_wipe_text(&k->client_id);
	role_wipe_text(&k->client_secret);
	role_wipe_text(&k->refresh);
	role_wipe_text(&k->audience);
	role_wipe_text(&k->subject_type);
	role_wipe_text(&k->file);
	role_wipe_text(&k->field);
	role_wipe_text(&k->impersonate_url);
	role_wipe_text(&k->token_url);
}

static char *text_of(struct cred_json *j, const char *name)
{
	struct sv v = cred_json_text(j, name);

	if (v.n)
		return xstrndup(v.p, v.n);
	return NULL;
}

/* Who knows the key or the login gets it: over TLS, or on this machine. */
static bool url_ok(const char *url)
{
	return cred_value_ok(sv_of(url)) && role_url_safe(url) && !strchr(url, '@');
}

static int refuse_type(struct sv type, struct err *err)
{
	err_set(err, -EACCES,
		"the key file is of the type '%.*s', which is not spoken: service_account, authorized_user and external_account are",
		(int)min_size(type.n, 40), text_or(type.p, ""));
	err_hint(
		err,
		"'gcloud auth application-default login' writes one that is; or an HMAC key: gcloud storage hmac create ACCOUNT");
	return -EACCES;
}

static int read_federated(struct cred_json *j, struct google_key *k, struct err *err)
{
	k->kind = GOOGLE_FEDERATED;
	k->audience = text_of(j, "audience");
	k->subject_type = text_of(j, "subject_token_type");
	k->impersonate_url = text_of(j, "service_account_impersonation_url");
	k->token_url = text_of(j, "token_url");
	if (!k->audience || !k->subject_type || !k->token_url)
		return err_set(err, -EBADMSG,
			       "it has no audience, subject_token_type and token_url");
	if (!url_ok(k->token_url) || (k->impersonate_url && !url_ok(k->impersonate_url)))
		return err_set(
			err, -EBADMSG,
			"its token_url or service_account_impersonation_url is not an https address");

	/* where the other provider's token is: a file, with the token alone or as a member */
	struct cred_json source, format = { 0 };
	int rc = cred_json_open(&source, cred_json_nested(j, "credential_source"));
	if (rc == 0 && cred_json_nested(&source, "format").n)
		rc = cred_json_open(&format, cred_json_nested(&source, "format"));
	k->file = text_of(&source, "file");
	if (rc == 0 && sv_is(cred_json_text(&format, "type"), "json")) {
		k->field = text_of(&format, "subject_token_field_name");
		if (!k->field)
			rc = -EBADMSG;
	}
	cred_json_close(&format);
	cred_json_close(&source);
	if (rc < 0)
		return err_set(err, rc, "its credential_source cannot be read");
	if (k->file)
		return 0;
	err_set(err, -EACCES,
		"the token that its credential_source names is not in a file, which alone is spoken");
	err_hint(
		err,
		"let the other cloud's token be written to a file ('gcloud iam workload-identity-pools create-cred-config ... --credential-source-file=FILE'), or take an HMAC key: gcloud storage hmac create ACCOUNT");
	return -EACCES;
}

static int key_members(struct cred_json *j, struct google_key *k, struct err *err);

/* What "gcloud auth application-default login --impersonate-service-account" writes: another file
 * inside, whose token is changed for the account's. */
static int acting_as(struct cred_json *j, struct google_key *k, struct err *err)
{
	struct cred_json source;
	struct sv delegates = cred_json_nested(j, "delegates"), type;
	char *url = text_of(j, "service_account_impersonation_url");
	int rc = cred_json_open(&source, cred_json_nested(j, "source_credentials"));

	type = cred_json_text(&source, "type");
	if (rc < 0 || !url || !url_ok(url))
		rc = err_set(
			err, -EBADMSG,
			"it has no source_credentials and no https address in service_account_impersonation_url");
	else if (delegates.n > 1 && sv_trim((struct sv){ delegates.p + 1, delegates.n - 2 }).n)
		rc = err_set(
			err, -EACCES,
			"it acts by way of other service accounts (delegates), which is not spoken");
	else if (!sv_is(type, "authorized_user") && !sv_is(type, "service_account"))
		rc = refuse_type(type, err);
	else
		rc = key_members(&source, k, err);
	cred_json_close(&source);
	k->impersonate_url = url;
	return rc;
}

static int key_members(struct cred_json *j, struct google_key *k, struct err *err)
{
	struct sv type = cred_json_text(j, "type");

	if (sv_is(type, "external_account"))
		return read_federated(j, k, err);
	if (sv_is(type, "impersonated_service_account"))
		return acting_as(j, k, err);
	k->kind = sv_is(type, "service_account") ? GOOGLE_ACCOUNT : GOOGLE_LOGIN;
	if (k->kind == GOOGLE_LOGIN && !sv_is(type, "authorized_user")) {
		if (type.n)
			return refuse_type(type, err);
		return err_set(err, -EBADMSG, "it has no type");
	}
	k->email = text_of(j, "client_email");
	k->private_key = text_of(j, "private_key");
	k->key_id = text_of(j, "private_key_id");
	k->client_id = text_of(j, "client_id");
	k->client_secret = text_of(j, "client_secret");
	k->refresh = text_of(j, "refresh_token");
	k->token_url = text_of(j, "token_uri");
	if (!k->token_url)
		k->token_url = xstrdup(TOKEN_URL);
	bool account = k->kind == GOOGLE_ACCOUNT, login = k->client_id && k->client_secret;
	if (account && (!k->email || !k->private_key))
		return err_set(err, -EBADMSG, "it has no client_email and private_key");
	if (!account && (!login || !k->refresh))
		return err_set(err, -EBADMSG,
			       "it has no client_id, client_secret and refresh_token");
	if (url_ok(k->token_url))
		return 0;
	return err_set(err, -EBADMSG, "its token_uri is not an https address");
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
