/*
 * Keys of an Azure storage account: from a connection string or by themselves, and requests signed
 * with them (Shared Key) or carrying a SAS or a token. In the order of the Azure CLI:
 * AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN, then an identity.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/base64.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/digest.h"
#include "net/sharedkey.h"
#include "object/object_priv.h"
#include "auth/role.h"

#define VERSION   "x-ms-version: 2021-12-02"
#define LINES_MAX 16

void azure_account_free(struct azure_account *a)
{
	role_wipe_text(&a->name);
	role_wipe_text(&a->key);
	role_wipe_text(&a->sas);
	role_wipe_text(&a->endpoint);
}

/* ---- connection strings ------------------------------------------------------------------ */

/* The value of NAME=VALUE between semicolons; names are written either way. */
static struct sv find_part(struct sv text, const char *name)
{
	while (text.p && text.n) {
		struct sv value, key = sv_trim(sv_cut(sv_cut(text, ';', &text), '=', &value));
		if (value.p && sv_ieq(key, sv_of(name)))
			return sv_trim(value);
	}
	return SV_NULL;
}

static char *copy_text(struct sv v)
{
	if (v.n)
		return xstrndup(v.p, v.n);
	return NULL;
}

static bool key_ok(struct sv key)
{
	struct str raw = { 0 };
	bool ok = key.n <= 1024 && base64_read(&raw, key) == 0 && raw.n;

	role_wipe(&raw);
	return ok;
}

static char *endpoint_of(struct sv text, struct sv name)
{
	struct sv told = find_part(text, "BlobEndpoint"),
		  protocol = find_part(text, "DefaultEndpointsProtocol"),
		  suffix = find_part(text, "EndpointSuffix");
	struct str s = { 0 };

	if (told.n)
		return copy_text(told);
	suffix = sv_or(suffix, SV("core.windows.net"));
	if (name.n)
		str_addf(&s, "%s://%.*s.blob.%.*s", sv_ieq(protocol, SV("http")) ? "http" : "https",
			 SVF(name), SVF(suffix));
	return s.p;
}

int azure_connection_parse(struct sv text, struct azure_account *ret, struct err *err)
{
	struct sv name = find_part(text, "AccountName"), key = find_part(text, "AccountKey"),
		  sas = find_part(text, "SharedAccessSignature");

	memset(ret, 0, sizeof *ret);
	if (sv_ieq(find_part(text, "UseDevelopmentStorage"), SV("true"))) {
		/* The emulator's account is the same everywhere: Microsoft's "Connect to the
		 * emulator account using the shortcut". */
		*ret = (struct azure_account){
			.name = xstrdup("devstoreaccount1"),
			.endpoint = xstrdup("http://127.0.0.1:10000/devstoreaccount1"),
			.key = xstrdup(
				"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==")
		};

		return 0;
	}
	for (size_t i = 0; i < name.n; i++)
		if (!name.p[i] || !strchr("abcdefghijklmnopqrstuvwxyz0123456789-", name.p[i]))
			return err_set(err, -EBADMSG, "its AccountName cannot be one");
	if (name.n > 63)
		return err_set(err, -EBADMSG, "its AccountName cannot be one");
	if (key.n && !key_ok(key))
		return err_set(err, -EBADMSG, "its AccountKey cannot be one");
	if (sas.n && !cred_value_ok(sas))
		return err_set(err, -EBADMSG, "its SharedAccessSignature cannot be one");
	if (!(name.n && key.n) && !sas.n)
		return err_set(
			err, -EBADMSG,
			"it has neither AccountName and AccountKey nor SharedAccessSignature");
	*ret = (struct azure_account){ copy_text(name), name.n ? copy_text(key) : NULL,
				       copy_text(sas), endpoint_of(text, name) };
	const char *url = ret->endpoint;
	bool web = url && (!strncmp(url, "https://", 8) || !strncmp(url, "http://", 7));
	if (web && cred_value_ok(sv_of(url)) && !strpbrk(url, "?#@"))
		return 0;
	azure_account_free(ret);
	return err_set(err, -EBADMSG, "its BlobEndpoint or EndpointSuffix makes no address");
}

/* ---- finding ----------------------------------------------------------------------------- */

static const char *either_env(const char *a, const char *b)
{
	const char *v = auth_env(a);

	if (v)
		return v;
	return auth_env(b);
}

static int use_sas(struct object_store *s, const char *sas, struct err *err)
{
	if (!cred_value_ok(sv_of(sas)))
		return err_set(err, -EACCES, "the SAS has characters that none has");
	s->sas = xstrdup(*sas == '?' ? sas + 1 : sas);
	return 0;
}

static void use_key(struct object_store *s, const char *account, const char *key,
		    const char *source)
{
	s->cred = (struct cred){ .id = xstrdup(account),
				 .secret = xstrdup(key),
				 .expires_ms = INT64_MAX,
				 .source = source };
}

/* 1: taken; 0: it is of another account. */
static int from_connection(struct object_store *s, const char *text, const char *account,
			   char **ret_endpoint, struct err *err)
{
	struct azure_account a;
	int rc = azure_connection_parse(sv_of(text), &a, err);

	if (rc < 0) {
		err_prefix(err, "AZURE_STORAGE_CONNECTION_STRING");
		err_hint(err, "'az storage account show-connection-string --name %s' prints it",
			 account);
		return -EACCES;
	}
	rc = a.name && strcmp(a.name, account) ? 0 : 1;
	if (rc == 1) {
		*ret_endpoint = xstrdup(a.endpoint);
		if (a.key)
			use_key(s, account, a.key, "AZURE_STORAGE_CONNECTION_STRING");
		else
			rc = use_sas(s, a.sas, err) < 0 ? -EACCES : 1;
	}
	azure_account_free(&a);
	return rc;
}

/* 1: taken; 0: there is none, or one of another account. */
static int from_key(struct object_store *s, const char *account, struct err *err)
{
	const char *key = either_env("AZURE_STORAGE_KEY", "AZURE_STORAGE_ACCOUNT_KEY"),
		   *of = either_env("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME");

	if (!key || (of && strcmp(of, account)))
		return 0;
	if (!key_ok(sv_of(key))) {
		err_set(err, -EACCES, "AZURE_STORAGE_KEY is not Base64, so it is no account's key");
		err_hint(err, "'az storage account keys list --account-name %s' prints them",
			 account);
		return -EACCES;
	}
	use_key(s, account, key, "AZURE_STORAGE_KEY");
	return 1;
}

int azure_find(struct object_store *s, const char *account, const struct object_opt *opt,
	       char **ret_endpoint, struct err *err)
{
	const char *connection = auth_env("AZURE_STORAGE_CONNECTION_STRING"),
		   *sas = auth_env("AZURE_STORAGE_SAS_TOKEN"),
		   *of = either_env("AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME");
	int rc = 0;

	s->cred_opt.kind = CRED_AZURE;
	if (opt->sas)
		return use_sas(s, opt->sas, err);
	if (connection)
		rc = from_connection(s, connection, account, ret_endpoint, err);
	if (rc == 0)
		rc = from_key(s, account, err);
	if (rc == 0 && sas)
		return use_sas(s, sas, err);
	if (rc < 0)
		return rc;
	if (rc == 1)
		return 0;
	rc = cred_find(&s->cred_opt, object_now_ms(NULL), &s->cred, err);
	if (rc < 0 && (connection || (of && strcmp(of, account))))
		err_hint(err, "%s is of another account than the address, '%s'",
			 connection ? "AZURE_STORAGE_CONNECTION_STRING" : "AZURE_STORAGE_ACCOUNT",
			 account);
	return rc;
}

/* ---- signing ----------------------------------------------------------------------------- */

int azure_sign(struct object_store *s, struct web_req *q, int64_t now_ms, struct web_signed *ret,
	       struct err *err)
{
	const char *query = text_or(q->query, ""), *sas = text_or(s->sas, "");

	str_addf(&ret->url, "%s%s%s%s%s%s", s->base, q->path, text_if(*query || *sas, "?"), query,
		 text_if(*query && *sas, "&"), sas);
	str_addz(&ret->header[ret->nheader++], VERSION);
	for (size_t i = 0; i < q->nheader; i++)
		str_addz(&ret->header[ret->nheader++], q->header[i]);
	if (s->sas)
		return 0;
	web_renew(s, now_ms);

	/* "x-ms-date: Sat, 21 Nov 2026 19:20:09 GMT" */
	static const char days[] = "SunMonTueWedThuFriSat",
			  months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct civil t = tm_civil(now_ms);
	int64_t day = (now_ms / MS_DAY + 4) % 7; /* 1 January 1970 was a Thursday */
	str_addf(&ret->header[ret->nheader++], "x-ms-date: %.3s, %02d %.3s %04d %02d:%02d:%02d GMT",
		 days + 3 * day, t.day, months + 3 * (t.month - 1), t.year, t.hour, t.minute,
		 t.second);

	if (s->cred.bearer) {
		str_addf(&ret->header[ret->nheader++], "Authorization: Bearer %s", s->cred.bearer);
		return 0;
	}
	const char *line[LINES_MAX];
	struct str to_sign = { 0 };
	for (size_t i = 0; i < ret->nheader; i++)
		line[i] = str_z(&ret->header[i]);
	struct sharedkey_req r = { .method = q->method,
				   .url = str_z(&ret->url),
				   .header = line,
				   .nheader = ret->nheader,
				   .body_bytes = q->has_body ? q->bytes : 0 };
	int rc = sharedkey_sign(s->cred.id, s->cred.secret, &r, &to_sign,
				&ret->header[ret->nheader], err);
	str_free(&to_sign);
	ret->nheader += rc == 0;
	return rc;
}
