#include "spot/object_cred.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/jsonl_scan.h"
#include "base/mem.h"
#include "base/tm.h"
#include "net/http.h"
#include "spot/object_priv.h"

#define FILE_MAX_BYTES ((size_t)1 << 20)
#define VALUE_MAX_BYTES 16384
#define SOON_MS (5 * MS_MINUTE) /* as the providers' tools: new ones are there well before */

static void wipe(char **p)
{
	if (*p)
		explicit_bzero(*p, strlen(*p));
	free(*p);
	*p = NULL;
}

void cred_free(struct cred *c)
{
	wipe(&c->id);
	wipe(&c->secret);
	wipe(&c->token);
	wipe(&c->bearer);
	memset(c, 0, sizeof *c);
}

void cred_opt_free(struct cred_opt *o)
{
	wipe(&o->id);
	wipe(&o->secret);
	wipe(&o->token);
	wipe(&o->profile);
}

bool cred_old(const struct cred *c, int64_t now_ms)
{
	return c->expires_ms != INT64_MAX && c->expires_ms - now_ms < SOON_MS;
}

/* Credentials go into headers: nothing but printable ASCII. */
static bool value_ok(struct sv v)
{
	for (size_t i = 0; i < v.n; i++)
		if (v.p[i] <= ' ' || v.p[i] > '~')
			return false;
	return v.n > 0 && v.n <= VALUE_MAX_BYTES;
}

static char *copy(struct sv v)
{
	return v.p ? xstrndup(v.p, v.n) : NULL;
}

/* ---- files ------------------------------------------------------------------------------------------------------------------------ */

static bool section_is(struct sv line, const char *profile)
{
	struct sv name = sv_trim((struct sv){ line.p + 1, line.n - 2 });

	if (sv_starts(name, SV("profile ")))
		name = sv_trim((struct sv){ name.p + 8, name.n - 8 });
	return sv_is(name, profile);
}

struct sv cred_ini_value(struct sv text, const char *profile, const char *name)
{
	bool inside = false;

	while (text.p && text.n) {
		struct sv value, raw = sv_cut(text, '\n', &text), line = sv_trim(raw);
		if (!line.n || line.p[0] == '#' || line.p[0] == ';')
			continue;
		if (line.p[0] == '[') {
			inside = line.n > 2 && line.p[line.n - 1] == ']' && section_is(line, profile);
			continue;
		}
		struct sv key = sv_trim(sv_cut(line, '=', &value));
		/* lines that are set in belong to a nested table */
		if (inside && value.p && raw.p[0] != ' ' && raw.p[0] != '\t' && sv_ieq(key, sv_of(name)))
			return sv_trim(value);
	}
	return SV_NULL;
}

static bool has_profile(struct sv text, const char *profile)
{
	while (text.p && text.n) {
		struct sv line = sv_trim(sv_cut(text, '\n', &text));
		if (line.n > 2 && line.p[0] == '[' && line.p[line.n - 1] == ']' && section_is(line, profile))
			return true;
	}
	return false;
}

int cred_ini_parse(struct sv text, const char *profile, struct cred *ret, struct err *err)
{
	struct sv id = cred_ini_value(text, profile, "aws_access_key_id"), secret = cred_ini_value(text, profile, "aws_secret_access_key");
	struct sv token = cred_ini_value(text, profile, "aws_session_token");

	if (!has_profile(text, profile))
		return err_set(err, -ENOENT, "the credentials file has no profile '%s'", profile);
	if (!id.p || !secret.p || !value_ok(id) || !value_ok(secret) || (token.p && token.n && !value_ok(token)))
		return err_set(err, -EBADMSG, "the profile '%s' of the credentials file has no usable aws_access_key_id and aws_secret_access_key", profile);
	*ret = (struct cred){ .id = copy(id), .secret = copy(secret), .token = token.n ? copy(token) : NULL, .expires_ms = INT64_MAX, .source = "the credentials file" };
	return 0;
}

static int read_file(const char *path, struct str *ret)
{
	char buf[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return -errno;
	while ((n = fread(buf, 1, sizeof buf, f)) > 0 && ret->n < FILE_MAX_BYTES)
		str_add(ret, buf, n);
	int rc = ferror(f) ? -EIO : 0;
	fclose(f);
	return rc;
}

static int from_file(const struct cred_opt *o, struct cred *ret, struct err *err)
{
	const char *told = object_env("AWS_SHARED_CREDENTIALS_FILE"), *home = object_env("HOME"), *env = object_env("AWS_PROFILE");
	const char *profile = o->profile ? o->profile : env ? env : "default";
	struct str path = { 0 }, text = { 0 };
	int rc;

	str_addf(&path, "%s%s", told ? told : home ? home : "", told ? "" : "/.aws/credentials");
	rc = read_file(str_z(&path), &text);
	if (rc == 0)
		rc = cred_ini_parse(str_sv(&text), profile, ret, err);
	if (rc == -ENOENT && (o->profile || env)) /* asked for by name: not to be passed over */
		rc = err_set(err, -EACCES, "there is no profile '%s' in '%s'", profile, str_z(&path));
	if (text.p)
		explicit_bzero(text.p, text.n);
	str_free(&text);
	str_free(&path);
	return rc;
}

/* ---- roles ------------------------------------------------------------------------------------------------------------------------ */

static struct sv member_text(struct members *m, const char *name)
{
	for (size_t i = 0; i < m->n; i++)
		if (sv_is(m->v[i].key, name) && !m->v[i].key_escaped && !m->v[i].value_escaped && m->v[i].type != VALUE_NESTED && m->v[i].type != VALUE_NULL)
			return m->v[i].value;
	return SV_NULL;
}

static int role_members(struct members *m, int64_t now_ms, struct cred *ret)
{
	struct sv id = member_text(m, "AccessKeyId"), secret = member_text(m, "SecretAccessKey"), token = member_text(m, "Token");
	struct sv end = member_text(m, "Expiration"), bearer = member_text(m, "access_token"), span = member_text(m, "expires_in");
	int64_t at = INT64_MAX, s;

	if (end.p && tm_parse(end, 0, &at) < 0)
		return -EBADMSG;
	if (span.p && (sv_i64(span, &s) < 0 || s < 0 || s > 1000000))
		return -EBADMSG;
	if (span.p)
		at = now_ms + s * 1000;
	if (bearer.p && value_ok(bearer)) {
		*ret = (struct cred){ .bearer = copy(bearer), .expires_ms = at };
		return 0;
	}
	if (!id.p || !secret.p || !value_ok(id) || !value_ok(secret) || (token.p && !value_ok(token)))
		return -EBADMSG;
	*ret = (struct cred){ .id = copy(id), .secret = copy(secret), .token = copy(token), .expires_ms = at };
	return 0;
}

int cred_role_parse(struct sv json, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct members m = { 0 };
	struct str flat = { 0 };
	const char *why;
	int rc = -EBADMSG;

	for (size_t i = 0; i < json.n && i < FILE_MAX_BYTES; i++) /* blanks between members may be line feeds */
		str_addc(&flat, json.p[i] == '\n' || json.p[i] == '\r' ? ' ' : json.p[i]);
	why = jsonl_scan(&m, sv_trim(str_sv(&flat)));
	if (!why)
		rc = role_members(&m, now_ms, ret);
	free(m.v);
	if (flat.p)
		explicit_bzero(flat.p, flat.n);
	str_free(&flat);
	return rc < 0 ? err_set(err, rc, "the credentials that the role service gave cannot be read%s%s", why ? ": " : "", why ? why : "") : 0;
}

static int ask(struct http *h, const char *method, const char *url, const char *header, struct str *ret, struct err *err)
{
	struct http_res r = { 0 };
	struct http_req q = { .method = method, .url = url, .header = &header, .nheader = header ? 1 : 0, .connect_timeout_ms = 1000, .timeout_ms = 3000, .body_max = 65536 };
	int rc = http_do(h, &q, &r, err);

	if (rc == 0 && (r.status < 200 || r.status > 299))
		rc = http_status_err(url, &r, err);
	str_clear(ret);
	if (rc == 0)
		str_addsv(ret, sv_trim(str_sv(&r.body)));
	if (r.body.p)
		explicit_bzero(r.body.p, r.body.n);
	http_res_free(&r);
	return rc;
}

/* ECS and EKS: an address in the environment, with a token in the environment or a file. */
static int from_container(struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *full = object_env("AWS_CONTAINER_CREDENTIALS_FULL_URI"), *rel = object_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *token = object_env("AWS_CONTAINER_AUTHORIZATION_TOKEN"), *file = object_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	struct str url = { 0 }, header = { 0 }, text = { 0 };
	int rc = -ENOENT;

	if (!full && !rel)
		return rc;
	str_addf(&url, "%s%s", rel ? "http://169.254.170.2" : full, rel ? rel : "");
	if (file && read_file(file, &text) == 0)
		str_addf(&header, "Authorization: %.*s", SVF(sv_trim(str_sv(&text))));
	else if (token)
		str_addf(&header, "Authorization: %s", token);
	rc = ask(h, NULL, str_z(&url), header.n ? header.p : NULL, &text, err);
	if (rc == 0 && (rc = cred_role_parse(str_sv(&text), now_ms, ret, err)) == 0)
		ret->source = "the container's role";
	str_free(&url);
	str_free(&header);
	str_free(&text);
	return rc;
}

/* IMDSv2: a token first, then the name of the role, then its keys. */
static int from_machine(struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *told = object_env("AWS_EC2_METADATA_SERVICE_ENDPOINT"), *off = object_env("AWS_EC2_METADATA_DISABLED");
	const char *at = told ? told : "http://169.254.169.254", *slash = at[strlen(at) - 1] == '/' ? "" : "/";
	struct str url = { 0 }, header = { 0 }, text = { 0 };
	int rc;

	if (off && !strcasecmp(off, "true"))
		return -ENOENT;
	str_addf(&url, "%s%slatest/api/token", at, slash);
	rc = ask(h, "PUT", str_z(&url), "X-aws-ec2-metadata-token-ttl-seconds: 300", &text, err);
	if (rc == 0 && !value_ok(str_sv(&text)))
		rc = err_set(err, -EBADMSG, "the machine's metadata service gave no usable token");
	str_addf(&header, "X-aws-ec2-metadata-token: %s", str_z(&text));
	str_clear(&url);
	str_addf(&url, "%s%slatest/meta-data/iam/security-credentials/", at, slash);
	if (rc == 0)
		rc = ask(h, NULL, str_z(&url), header.p, &text, err);
	if (rc == 0) {
		struct sv rest, role = sv_trim(sv_cut(str_sv(&text), '\n', &rest));
		http_quote(&url, role);
		rc = role.n ? ask(h, NULL, str_z(&url), header.p, &text, err) : -ENOENT;
	}
	if (rc == 0 && (rc = cred_role_parse(str_sv(&text), now_ms, ret, err)) == 0)
		ret->source = "the machine's role";
	str_free(&url);
	str_free(&header);
	str_free(&text);
	return rc;
}

static int from_google(struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *host = object_env("GCE_METADATA_HOST");
	struct str url = { 0 }, text = { 0 };
	int rc;

	str_addf(&url, "http://%s/computeMetadata/v1/instance/service-accounts/default/token", host ? host : "metadata.google.internal");
	rc = ask(h, NULL, str_z(&url), "Metadata-Flavor: Google", &text, err);
	if (rc == 0 && (rc = cred_role_parse(str_sv(&text), now_ms, ret, err)) == 0)
		ret->source = "the machine's service account";
	str_free(&url);
	str_free(&text);
	return rc;
}

/* ---- the order -------------------------------------------------------------------------------------------------------------------- */

static int take(const char *id, const char *secret, const char *token, const char *source, struct cred *ret, struct err *err)
{
	if (!id || !secret)
		return -ENOENT;
	if (!value_ok(sv_of(id)) || !value_ok(sv_of(secret)) || (token && !value_ok(sv_of(token))))
		return err_set(err, -EACCES, "the key or secret from %s has characters that no key has", source);
	*ret = (struct cred){ .id = xstrdup(id), .secret = xstrdup(secret), .token = token ? xstrdup(token) : NULL, .expires_ms = INT64_MAX, .source = source };
	return 0;
}

static int from_role(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct http_opt plain = { .proxy = "" }; /* link-local addresses are not behind a proxy */
	struct http *h = NULL;
	int rc = http_new(&plain, &h, err);

	if (rc < 0)
		return rc;
	if (o->google)
		rc = from_google(h, now_ms, ret, err);
	else if ((rc = from_container(h, now_ms, ret, err)) == -ENOENT)
		rc = from_machine(h, now_ms, ret, err);
	http_free(h);
	return rc;
}

int cred_find(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *id = object_env("AWS_ACCESS_KEY_ID"), *secret = object_env("AWS_SECRET_ACCESS_KEY"), *token = object_env("AWS_SESSION_TOKEN");
	struct err last = { 0 };
	int rc = take(o->id, o->secret, o->token, "the options", ret, err);

	if (rc == -ENOENT && o->google)
		rc = take(object_env("GS_ACCESS_KEY_ID"), object_env("GS_SECRET_ACCESS_KEY"), NULL, "the environment", ret, err);
	if (rc == -ENOENT && !o->profile)
		rc = take(id, secret, token, "the environment", ret, err);
	if (rc == -ENOENT && !o->google)
		rc = from_file(o, ret, err);
	if (rc == -ENOENT || rc == -ENOTDIR)
		rc = from_role(o, now_ms, ret, &last);
	else
		return rc;
	if (rc == 0)
		return 0;
	err_set(err, -EACCES, "no credentials for the object store%s%.300s", last.msg[0] ? ": " : "", last.msg);
	err_hint(err, o->google ? "set GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY (an HMAC key), or run on a machine with a service account"
				: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, write ~/.aws/credentials, or give the machine a role");
	return -EACCES;
}
