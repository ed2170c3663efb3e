/* Identities of Azure: a token of Entra for its storage. */
#include <errno.h>
#include "base/mem.h"
#include "base/str.h"
#include "net/http.h"
#include "auth/auth_env.h"
#include "auth/role.h"

#define AZURE_STORAGE "https://storage.azure.com/"

static int azure_token(struct http *h, const struct role_question *q, int64_t now_ms,
		       const char *source, struct cred *ret, struct err *err)
{
	struct str text = { 0 };
	int rc = role_ask(h, q, &text, err);

	if (rc == 0 && (rc = cred_role_parse(str_sv(&text), now_ms, ret, err)) == 0 &&
	    !ret->bearer) {
		cred_free(ret);
		rc = err_set(err, -EBADMSG, "'%s' gave no token", q->url);
	}
	if (rc == 0)
		ret->source = source;
	role_wipe(&text);
	return rc;
}

/* Workload identity (AKS and others): a token of the cluster, or a client's secret, is changed for
 * one of Entra. */
static int azure_entra(struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *client = auth_env("AZURE_CLIENT_ID"), *tenant = auth_env("AZURE_TENANT_ID"),
		   *file = auth_env("AZURE_FEDERATED_TOKEN_FILE");
	const char *secret = auth_env("AZURE_CLIENT_SECRET"),
		   *host = auth_env("AZURE_AUTHORITY_HOST");
	struct str url = { 0 }, form = { 0 }, token = { 0 };
	int rc;

	if (!client || !tenant)
		return -ENOENT;
	if (!file && !secret)
		return -ENOENT;
	rc = file ? role_token(file, &token, err) : 0;
	str_addf(&url, "%s%s", text_or(host, "https://login.microsoftonline.com"),
		 text_if(!(host && host[strlen(host) - 1] == '/'), "/"));
	http_quote(&url, sv_of(tenant));
	str_addz(&url, "/oauth2/v2.0/token");
	if (rc == 0 && !role_url_safe(str_z(&url))) {
		rc = err_set(
			err, -EACCES,
			"AZURE_AUTHORITY_HOST '%.150s' is not https, and the secret would be told to all on the way",
			host);
		err_hint(err, "it is https://login.microsoftonline.com where it is not set");
	}
	role_form(&form, "grant_type", SV("client_credentials"));
	role_form(&form, "client_id", sv_of(client));
	role_form(&form, "scope", sv_of(AZURE_STORAGE ".default"));
	if (file) {
		role_form(&form, "client_assertion_type",
			  SV("urn:ietf:params:oauth:client-assertion-type:jwt-bearer"));
		role_form(&form, "client_assertion", str_sv(&token));
	} else {
		role_form(&form, "client_secret", sv_of(secret));
	}
	if (rc == 0) {
		struct role_question q = { .url = str_z(&url), .body = str_sv(&form) };
		rc = azure_token(h, &q, now_ms,
				 file ? "the workload identity" : "AZURE_CLIENT_SECRET", ret, err);
		if (rc)
			err_hint(
				err,
				"AZURE_CLIENT_ID and AZURE_TENANT_ID must be of an application with a federated credential for this service account, or with this secret");
	}
	str_free(&url);
	role_wipe(&form);
	role_wipe(&token);
	if (rc < 0)
		return -EACCES;
	return 0;
}

int role_azure(struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct http_opt far = { .ca_file = auth_ca_file() };
	struct http *w = NULL;
	int rc = http_new(&far, &w, err);

	if (rc == 0)
		rc = azure_entra(w, now_ms, ret, err);
	http_free(w);
	if (rc != -ENOENT)
		return rc;

	/* the identity that was given to a machine or a container */
	const char *at = auth_env("IDENTITY_ENDPOINT"), *key = auth_env("IDENTITY_HEADER"),
		   *client = auth_env("AZURE_CLIENT_ID");
	const char *host = auth_env("AZURE_POD_IDENTITY_AUTHORITY_HOST");
	struct str url = { 0 }, header = { 0 };
	bool app = at && key;

	if (app)
		str_addf(&url, "%s?api-version=2019-08-01", at);
	else
		str_addf(&url, "%s/metadata/identity/oauth2/token?api-version=2018-02-01",
			 text_or(host, "http://169.254.169.254"));
	str_addz(&url, "&resource=");
	http_quote(&url, SV(AZURE_STORAGE));
	if (client) {
		str_addz(&url, "&client_id=");
		http_quote(&url, sv_of(client));
	}
	str_addf(&header, app ? "X-IDENTITY-HEADER: %s" : "Metadata: true", key);
	struct role_question q = { .url = str_z(&url),
				   .header = { str_z(&header) },
				   .local = true };
	rc = azure_token(h, &q, now_ms, "the managed identity", ret, err);
	str_free(&url);
	role_wipe(&header);
	return rc;
}
