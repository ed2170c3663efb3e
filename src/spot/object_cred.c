#include "spot/object_cred.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/tm.h"
#include "spot/object_priv.h"
#include "spot/object_role.h"
#include "spot/shell.h"

#define FILE_MAX_BYTES ((size_t)1 << 20)
#define PROCESS_MS (60 * 1000) /* a program that asks a person for a second factor has its time */
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
bool cred_value_ok(struct sv v)
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

/* The lines that are set in below "NAME =", as the settings of one service are: "s3 =", "  payload_signing_enabled = false". */
struct sv cred_ini_nested(struct sv text, const char *profile, const char *table, const char *name)
{
	bool inside = false, in_table = false;

	while (text.p && text.n) {
		struct sv value, raw = sv_cut(text, '\n', &text), line = sv_trim(raw);
		bool set_in = raw.n && (raw.p[0] == ' ' || raw.p[0] == '\t');
		if (!line.n || line.p[0] == '#' || line.p[0] == ';')
			continue;
		if (line.p[0] == '[') {
			inside = line.n > 2 && line.p[line.n - 1] == ']' && section_is(line, profile);
			in_table = false;
			continue;
		}
		struct sv key = sv_trim(sv_cut(line, '=', &value));
		if (!set_in)
			in_table = inside && value.p && !sv_trim(value).n && sv_ieq(key, sv_of(table));
		else if (in_table && value.p && sv_ieq(key, sv_of(name)))
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
	if (!id.p || !secret.p || !cred_value_ok(id) || !cred_value_ok(secret) || (token.p && token.n && !cred_value_ok(token)))
		return err_set(err, -EBADMSG, "the profile '%s' of the credentials file has no usable aws_access_key_id and aws_secret_access_key", profile);
	*ret = (struct cred){ .id = copy(id), .secret = copy(secret), .token = token.n ? copy(token) : NULL, .expires_ms = INT64_MAX, .source = "the credentials file" };
	return 0;
}

int cred_read_file(const char *path, struct str *ret)
{
	char buf[4096];
	FILE *f = fopen(path, "re");
	size_t n;

	str_clear(ret);
	if (!f)
		return -errno;
	while ((n = fread(buf, 1, sizeof buf, f)) > 0 && ret->n < FILE_MAX_BYTES)
		str_add(ret, buf, n);
	int rc = ferror(f) ? -EIO : 0;
	fclose(f);
	explicit_bzero(buf, sizeof buf);
	return rc;
}

/* ~/.aws/NAME, or the file that the variable names. The path is told for errors. */
static int read_aws(const char *name, const char *variable, struct str *path, struct str *text)
{
	const char *told = object_env(variable), *home = object_env("HOME");

	str_clear(path);
	str_addf(path, "%s%s%s", told ? told : home ? home : "", told ? "" : "/.aws/", told ? "" : name);
	return cred_read_file(str_z(path), text);
}

static const char *profile_of(const char *told)
{
	const char *env = object_env("AWS_PROFILE");

	return told ? told : env ? env : "default";
}

static void wipe_text(struct str *s)
{
	if (s->p)
		explicit_bzero(s->p, s->n);
	str_free(s);
}

char *cred_config(const char *profile, const char *table, const char *name)
{
	struct str path = { 0 }, text = { 0 };
	struct sv v = SV_NULL;

	if (read_aws("config", "AWS_CONFIG_FILE", &path, &text) == 0)
		v = table ? cred_ini_nested(str_sv(&text), profile_of(profile), table, name) : cred_ini_value(str_sv(&text), profile_of(profile), name);
	char *z = v.n ? copy(v) : NULL;
	wipe_text(&text);
	str_free(&path);
	return z;
}

/* A program that prints credentials as JSON: what "aws sso" and others' logins are reached by. */
static int from_process(struct sv command, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct shell_opt opt = { .limit_ms = PROCESS_MS };
	char *buf = xmalloc(FILE_MAX_BYTES), *z = copy(command);
	size_t n = 0;
	int code = shell_run(z, &opt, buf, FILE_MAX_BYTES, &n), rc;

	if (code != 0) {
		size_t program = strcspn(z, " \t"); /* its arguments may hold what nobody else is to see */
		rc = err_set(err, -EACCES, "the credential_process '%.*s' %s", (int)(program < 200 ? program : 200), z, code < 0 ? "did not end within a minute" : "failed");
		err_hint(err, "run it by hand: it says why on its standard error");
	} else if ((rc = cred_role_parse((struct sv){ buf, n }, now_ms, ret, err)) == 0) {
		ret->source = "the credential_process of the profile";
	} else {
		err_prefix(err, "credential_process");
		rc = -EACCES;
	}
	explicit_bzero(buf, n);
	free(buf);
	free(z);
	return rc;
}

static int cannot(const char *profile, const char *what, struct err *err)
{
	err_set(err, -EACCES, "the profile '%s' is one of %s, which tare does not speak itself", profile, what);
	err_hint(err, "let the AWS CLI do it: put 'credential_process = aws configure export-credentials --profile %s' into a profile of its own and name that in AWS_PROFILE", profile);
	return -EACCES;
}

/* A profile of ~/.aws/config (or of the other file) that says where keys come from. -ENOENT: it says nothing. */
static int from_profile(struct sv text, const char *profile, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct sv command = cred_ini_value(text, profile, "credential_process"), file = cred_ini_value(text, profile, "web_identity_token_file");
	struct sv role = cred_ini_value(text, profile, "role_arn"), name = cred_ini_value(text, profile, "role_session_name");

	if (cred_ini_value(text, profile, "aws_access_key_id").n)
		return cred_ini_parse(text, profile, ret, err);
	if (file.n && role.n) {
		char *f = copy(file), *r = copy(role), *s = name.n ? copy(name) : NULL;
		int rc = cred_web_identity(f, r, s, now_ms, ret, err);
		free(f);
		free(r);
		free(s);
		return rc;
	}
	if (command.n)
		return from_process(command, now_ms, ret, err);
	if (role.n)
		return cannot(profile, "a role taken by way of another profile (source_profile, credential_source)", err);
	if (cred_ini_value(text, profile, "sso_account_id").n || cred_ini_value(text, profile, "sso_session").n)
		return cannot(profile, "a login (sso)", err);
	return -ENOENT;
}

/* Both files, keys of ~/.aws/credentials first. */
static int from_files(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *profile = profile_of(o->profile);
	struct str path = { 0 }, text = { 0 };
	bool named = o->profile || object_env("AWS_PROFILE"), seen = false;
	int rc = -ENOENT;

	for (int i = 0; i < 2 && rc == -ENOENT; i++) {
		rc = read_aws(i ? "config" : "credentials", i ? "AWS_CONFIG_FILE" : "AWS_SHARED_CREDENTIALS_FILE", &path, &text);
		if (rc == -ENOTDIR || rc == -EACCES) /* a home that is not ours to read has none */
			rc = -ENOENT;
		else if (rc < 0)
			err_set(err, rc, "cannot read '%s': %s", str_z(&path), strerror(-rc));
		if (rc < 0)
			continue;
		seen = seen || has_profile(str_sv(&text), profile);
		rc = from_profile(str_sv(&text), profile, now_ms, ret, err);
	}
	if (rc == -ENOENT && named && !seen) { /* asked for by name: not to be passed over */
		rc = err_set(err, -EACCES, "there is no profile '%s' in ~/.aws/credentials or ~/.aws/config", profile);
		err_hint(err, "'aws configure --profile %s' makes it; AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name other files", profile);
	}
	wipe_text(&text);
	str_free(&path);
	return rc;
}

/* ---- the order -------------------------------------------------------------------------------------------------------------------- */

static int take(const char *id, const char *secret, const char *token, const char *source, struct cred *ret, struct err *err)
{
	if (!id || !secret)
		return -ENOENT;
	if (!cred_value_ok(sv_of(id)) || !cred_value_ok(sv_of(secret)) || (token && !cred_value_ok(sv_of(token))))
		return err_set(err, -EACCES, "the key or secret from %s has characters that no key has", source);
	*ret = (struct cred){ .id = xstrdup(id), .secret = xstrdup(secret), .token = token ? xstrdup(token) : NULL, .expires_ms = INT64_MAX, .source = source };
	return 0;
}

/* Azure knows no keys here: a SAS is part of the address, all else is a token. */
static int find(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *id = object_env("AWS_ACCESS_KEY_ID"), *secret = object_env("AWS_SECRET_ACCESS_KEY"), *token = object_env("AWS_SESSION_TOKEN");
	const char *file = object_env("AWS_WEB_IDENTITY_TOKEN_FILE"), *role = object_env("AWS_ROLE_ARN");
	int rc = o->kind == CRED_AZURE ? -ENOENT : take(o->id, o->secret, o->token, "the options", ret, err);

	if (rc == -ENOENT && o->kind == CRED_GOOGLE)
		rc = take(object_env("GS_ACCESS_KEY_ID"), object_env("GS_SECRET_ACCESS_KEY"), NULL, "the environment", ret, err);
	if (rc == -ENOENT && o->kind != CRED_AZURE && !o->profile)
		rc = take(id, secret, token, "the environment", ret, err);
	if (rc == -ENOENT && o->kind == CRED_AWS && !o->profile && file && role)
		rc = cred_web_identity(file, role, object_env("AWS_ROLE_SESSION_NAME"), now_ms, ret, err);
	if (rc == -ENOENT && o->kind == CRED_AWS)
		rc = from_files(o, now_ms, ret, err);
	return rc;
}

int cred_find(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	static const char *const hints[] = {
		[CRED_AWS] = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, write ~/.aws/credentials, or give the machine, pod or container a role",
		[CRED_GOOGLE] = "set GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY (an HMAC key: gcloud storage hmac create ACCOUNT), or run where there is a service account (a machine's, GKE workload identity)",
		[CRED_AZURE] = "set AZURE_STORAGE_SAS_TOKEN to a SAS of the container that allows read, write, create, delete and list (sp=rcwdl), or run with a managed or a workload identity",
	};
	struct err last = { 0 };
	int rc = find(o, now_ms, ret, err);

	if (rc != -ENOENT)
		return rc;
	if ((rc = cred_of_place(o, now_ms, ret, &last)) == 0)
		return 0;
	if (rc == -EACCES && last.hint[0]) { /* it was there and said no */
		if (err)
			*err = last;
		return rc;
	}
	err_set(err, -EACCES, "no credentials for the object store%s%.300s", last.msg[0] ? ": " : "", last.msg);
	err_hint(err, "%s", hints[o->kind]);
	return -EACCES;
}
