#ifndef TARE_AUTH_CRED_H
#define TARE_AUTH_CRED_H
/*
 * Who we are to an object store. Looked for as the providers' own tools do: what the caller gives,
 * environment, a web identity, the profile in ~/.aws/credentials and ~/.aws/config (a role by way
 * of another profile, a login, keys, credential_process), the container's or the machine's role;
 * Google's key files and metadata service; Azure's account keys (object_azure_key.c) and identities
 * (role.h). Those of a role end after hours and are fetched again before that.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct cred { /* zero-initialise */
	/* token: of temporary ones, or NULL; Azure: account and its key */
	char *id, *secret, *token;
	char *bearer;       /* Google, Azure: a token of OAuth instead of the three */
	int64_t expires_ms; /* INT64_MAX: never */
	const char *source; /* "the environment", ... */
};
struct cred_opt { /* the strings are owned; NULL: from the environment */
	char *id, *secret, *token, *profile;
	enum cred_kind { CRED_AWS, CRED_GOOGLE, CRED_AZURE } kind;
};
void cred_free(struct cred *c); /* back to zero; secrets are wiped */
void cred_opt_free(struct cred_opt *o);
/* Look, in the order above. -EACCES: nowhere; the hint names the ways. */
int cred_find(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err);
/* What somebody should know of the credentials that were read so far in this process: true and one
 * sentence. */
bool cred_warning(char *ret, size_t cap);
/* Are they over within five minutes? */
bool cred_old(const struct cred *c, int64_t now_ms);

/* An INI file as ~/.aws/credentials: [profile], name = value. -ENOENT: not that profile; -EBADMSG:
 * without key or secret. */
int cred_ini_parse(struct sv text, const char *profile, struct cred *ret, struct err *err);
bool cred_ini_has(struct sv text, const char *profile);
/* One value of a profile, as a view: "region" of ~/.aws/config, whose sections are [default] and
 * [profile NAME]. {NULL,0} none. */
struct sv cred_ini_value(struct sv text, const char *profile, const char *name);
/* The same of a table of settings that are set in below: "s3 =", " payload_signing_enabled =
 *         false". */
struct sv cred_ini_nested(struct sv text, const char *profile, const char *table, const char *name);
/* A value of ~/.aws/config (AWS_CONFIG_FILE); profile NULL: AWS_PROFILE, "default"; table NULL: of
 * the profile itself. The caller's to free; NULL. */
char *cred_config(const char *profile, const char *table, const char *name);
/* JSON of a role or a credential_process: AccessKeyId, SecretAccessKey, Token or SessionToken,
 * Expiration; or of Google and Azure: access_token, expires_in. -EBADMSG. */
int cred_role_parse(struct sv json, int64_t now_ms, struct cred *ret, struct err *err);
/*
 * The answer of Identity Center's GetRoleCredentials; a login in ~/.aws/sso/cache. -EBADMSG. What a
 * login does not say is NULL, of times INT64_MIN.
 */
int cred_sso_parse(struct sv json, struct cred *ret, struct err *err);
struct sso_token {
	char *token, *refresh, *client_id, *client_secret;
	int64_t expires_ms, registration_ms; /* until then the client may ask for another */
};
int cred_sso_token_parse(struct sv json, struct sso_token *ret, struct err *err);
void sso_token_free(struct sso_token *t);
/*
 * A key file of Google: of a service account, of a person's login, or what another identity
 * provider's token in a file is changed by (workload identity federation). -EBADMSG: no JSON, or
 * lacks what its type needs; -EACCES: of a type that is not spoken (the hint says what to do).
 */
struct google_key {
	enum google_kind { GOOGLE_ACCOUNT, GOOGLE_LOGIN, GOOGLE_FEDERATED } kind;
	char *email, *private_key, *key_id;        /* of a service account; key_id may be NULL */
	char *client_id, *client_secret, *refresh; /* of a login */
	/* federated; field: the member of the file that is JSON, or NULL */
	char *audience, *subject_type, *file, *field;
	/* where that token is changed for a service account's, or NULL */
	char *impersonate_url;
	char *token_url;
};
int cred_google_parse(struct sv json, struct google_key *ret, struct err *err);
void google_key_free(struct google_key *k);
/* A connection string of a storage account; parts that it does not have are NULL. -EBADMSG. */
struct azure_account {
	char *name, *key, *sas, *endpoint;
};
int azure_connection_parse(struct sv text, struct azure_account *ret, struct err *err);
void azure_account_free(struct azure_account *a);
/* XML of STS: AssumeRole, AssumeRoleWithWebIdentity. -EBADMSG. */
int cred_sts_parse(struct sv xml, struct cred *ret, struct err *err);

#endif
