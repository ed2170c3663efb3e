#include "auth/cred.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "base/mem.h"
#include "base/str.h"
#include "base/tm.h"
#include "auth/auth_env.h"
#include "auth/role.h"

#define FILE_MAX_BYTES  ((size_t)1 << 20)
#define VALUE_MAX_BYTES 16384
/* as the providers' tools: new ones are there well before */
#define SOON_MS (5 * MS_MINUTE)

void role_wipe_text(char **p)
{
	if (*p)
		explicit_bzero(*p, strlen(*p));
	free(*p);
	*p = NULL;
}

void cred_free(struct cred *c)
{
	role_wipe_text(&c->id);
	role_wipe_text(&c->secret);
	role_wipe_text(&c->token);
	role_wipe_text(&c->bearer);
	memset(c, 0, sizeof *c);
}

void cred_opt_free(struct cred_opt *o)
{
	role_wipe_text(&o->id);
	role_wipe_text(&o->secret);
	role_wipe_text(&o->token);
	role_wipe_text(&o->profile);
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

/* ---- files ------------------------------------------------------------------------------- */

static pthread_mutex_t warning_lock = PTHREAD_MUTEX_INITIALIZER;
static char warning[600];

bool cred_warning(char *ret, size_t cap)
{
	pthread_mutex_lock(&warning_lock);
	snprintf(ret, cap, "%s", warning);
	pthread_mutex_unlock(&warning_lock);
	return *ret;
}

const char *cred_why(int rc)
{
	if (rc == -EPERM)
		return "everybody may write it: look what is in it, and chmod o-w it";
	return strerror(-rc);
}

static int read_file(const char *path, bool keys, struct str *ret)
{
	char buf[4096];
	FILE *f = fopen(path, "re");
	struct stat st;
	size_t n;

	str_clear(ret);
	if (!f)
		return -errno;
	bool known = fstat(fileno(f), &st) == 0;
	/* whoever can write it says as whom we log in, and where */
	if (known && S_ISREG(st.st_mode) && st.st_mode & 0002) {
		fclose(f);
		return -EPERM;
	}
	/* as ssh does with keys; of tokens that a cluster puts there everybody's reading is
	 * usual */
	if (keys && known && st.st_mode & 0077) {
		pthread_mutex_lock(&warning_lock);
		if (!*warning)
			snprintf(
				warning, sizeof warning,
				"others than its owner may read the keys in '%.400s': chmod 600 it",
				path);
		pthread_mutex_unlock(&warning_lock);
	}
	while ((n = fread(buf, 1, sizeof buf, f)) > 0 && ret->n < FILE_MAX_BYTES)
		str_add(ret, buf, n);
	int rc = 0;
	if (ferror(f))
		rc = -EIO;
	fclose(f);
	explicit_bzero(buf, sizeof buf);
	return rc;
}

int cred_read_file(const char *path, struct str *ret)
{
	return read_file(path, false, ret);
}

int cred_read_keys(const char *path, struct str *ret)
{
	return read_file(path, true, ret);
}

int cred_read_aws(const char *name, const char *variable, struct str *path, struct str *text)
{
	const char *told = auth_env(variable), *home = auth_env("HOME");

	str_clear(path);
	if (told)
		str_addz(path, told);
	else
		str_addf(path, "%s/.aws/%s", text_or(home, ""), name);
	if (strcmp(name, "credentials"))
		return cred_read_file(str_z(path), text);
	return cred_read_keys(str_z(path), text);
}

const char *cred_profile(const char *told)
{
	const char *env = auth_env("AWS_PROFILE");

	if (told)
		return told;
	return text_or(env, "default");
}

char *cred_config(const char *profile, const char *table, const char *name)
{
	struct str path = { 0 }, text = { 0 };
	struct sv v = SV_NULL;

	if (cred_read_aws("config", "AWS_CONFIG_FILE", &path, &text) == 0) {
		if (table)
			v = cred_ini_nested(str_sv(&text), cred_profile(profile), table, name);
		else
			v = cred_ini_value(str_sv(&text), cred_profile(profile), name);
	}
	char *z = NULL;
	if (v.n)
		z = xstrndup(v.p, v.n);
	role_wipe(&text);
	str_free(&path);
	return z;
}

/* ---- the order --------------------------------------------------------------------------- */

static int take_keys(const char *id, const char *secret, const char *token, const char *source,
		     struct cred *ret, struct err *err)
{
	if (!id || !secret)
		return -ENOENT;
	if (!cred_value_ok(sv_of(id)) || !cred_value_ok(sv_of(secret)) ||
	    (token && !cred_value_ok(sv_of(token))))
		return err_set(err, -EACCES,
			       "the key or secret from %s has characters that no key has", source);
	*ret = (struct cred){ .id = xstrdup(id),
			      .secret = xstrdup(secret),
			      .token = xstrsv(sv_of(token)),
			      .expires_ms = INT64_MAX,
			      .source = source };
	return 0;
}

int cred_of_environment(struct cred *ret, struct err *err)
{
	return take_keys(auth_env("AWS_ACCESS_KEY_ID"), auth_env("AWS_SECRET_ACCESS_KEY"),
			 auth_env("AWS_SESSION_TOKEN"), "the environment", ret, err);
}

static int find_aws(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *file = auth_env("AWS_WEB_IDENTITY_TOKEN_FILE");
	struct sts_role role = { .arn = auth_env("AWS_ROLE_ARN"),
				 .session = auth_env("AWS_ROLE_SESSION_NAME") };
	int rc = take_keys(o->id, o->secret, o->token, "the options", ret, err);

	if (rc == -ENOENT && !o->profile)
		rc = cred_of_environment(ret, err);
	if (rc == -ENOENT && !o->profile && file && role.arn)
		rc = cred_web_identity(&role, file, now_ms, ret, err);
	if (rc == -ENOENT)
		return cred_of_profile(o->profile, now_ms, ret, err);
	return rc;
}

/* What is Google's own goes before keys that may be Amazon's. */
static int find_google(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	int rc = take_keys(o->id, o->secret, o->token, "the options", ret, err);

	if (rc == -ENOENT)
		rc = take_keys(auth_env("GS_ACCESS_KEY_ID"), auth_env("GS_SECRET_ACCESS_KEY"), NULL,
			       "the environment", ret, err);
	if (rc == -ENOENT)
		rc = cred_of_google_files(now_ms, ret, err);
	if (rc == -ENOENT)
		return cred_of_environment(ret, err);
	return rc;
}

int cred_find(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	static const char *const hints[] = {
		[CRED_AWS] =
			"set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name a profile of ~/.aws/config in AWS_PROFILE, or give the machine, pod or container a role",
		[CRED_GOOGLE] =
			"log in (gcloud auth application-default login), name a service account's key file in GOOGLE_APPLICATION_CREDENTIALS, set GS_ACCESS_KEY_ID and GS_SECRET_ACCESS_KEY (gcloud storage hmac create ACCOUNT), or run where there is a service account (a machine's, GKE workload identity)",
		[CRED_AZURE] =
			"set AZURE_STORAGE_KEY or AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_SAS_TOKEN to a SAS of the container that allows read, write, create, delete and list (sp=rcwdl), or run with a managed or a workload identity",
	};
	struct err last = { 0 };
	int rc = -ENOENT;

	/* a SAS and account keys of Azure are found with the address (object_azure_key.c): all else
	 * is a token */
	if (o->kind == CRED_AWS)
		rc = find_aws(o, now_ms, ret, err);
	else if (o->kind == CRED_GOOGLE)
		rc = find_google(o, now_ms, ret, err);
	if (rc != -ENOENT)
		return rc;
	if ((rc = cred_of_place(o, now_ms, ret, &last)) == 0)
		return 0;
	if (rc == -EACCES && last.hint[0]) { /* it was there and said no */
		if (err)
			*err = last;
		return rc;
	}
	err_set(err, -EACCES, "no credentials for the object store%s%.300s",
		text_if(last.msg[0], ": "), last.msg);
	err_hint(err, "%s", hints[o->kind]);
	return -EACCES;
}
