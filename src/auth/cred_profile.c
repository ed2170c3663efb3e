/*
 * A profile of ~/.aws/credentials and ~/.aws/config, and where its keys come from. The order inside
 * one is botocore's: a role by way of another profile, a web identity, a login, keys of the first
 * file, credential_process, keys of the second. A profile that lends its keys to another gives its
 * own keys first.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/mem.h"
#include "auth/auth_env.h"
#include "auth/role.h"
#include "base/num.h"
#include "base/shell.h"
#include "base/str.h"

#define PROCESS_MS  (60 * 1000) /* a program that asks a person for a second factor has its time */
#define PROCESS_MAX ((size_t)1 << 20)
#define CHAIN_MAX   8 /* profiles that lead to one another: more is a mistake */

struct chain {
	struct aws_files files;
	const char *first; /* whose region counts */
	char *name[CHAIN_MAX];
	size_t n;
	int64_t now_ms;
};

struct sv aws_files_value(const struct aws_files *f, const char *profile, const char *name)
{
	struct sv v = cred_ini_value(str_sv(&f->text[0]), profile, name);

	if (v.n)
		return v;
	return cred_ini_value(str_sv(&f->text[1]), profile, name);
}

static bool has_keys(const struct aws_files *f, int i, const char *profile)
{
	struct sv text = str_sv(&f->text[i]);

	return cred_ini_value(text, profile, "aws_access_key_id").n ||
	       cred_ini_value(text, profile, "aws_secret_access_key").n;
}

static bool is_profile(const struct aws_files *f, const char *profile)
{
	return cred_ini_has(str_sv(&f->text[0]), profile) ||
	       cred_ini_has(str_sv(&f->text[1]), profile);
}

/* ---- one profile, without others --------------------------------------------------------- */

/* A program that prints credentials as JSON: what others' logins are reached by. */
static int from_process(struct sv command, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct shell_opt opt = { .limit_ms = PROCESS_MS };
	char *buf = xmalloc(PROCESS_MAX), *z = xstrsv(command);
	size_t n = 0;
	int code = shell_run(z, &opt, buf, PROCESS_MAX, &n), rc;

	if (code != 0) {
		/* its arguments may hold what nobody else is to see */
		size_t program = strcspn(z, " \t");
		rc = err_set(err, -EACCES, "the credential_process '%.*s' %s",
			     (int)min_size(program, 200), z,
			     code < 0 ? "did not end within a minute" : "failed");
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

/* The values of a role, owned. */
struct role_of {
	char *arn, *session, *external_id;
	struct sts_role sts;
};

static int role_read(const struct chain *c, const char *profile, struct role_of *ret,
		     struct err *err)
{
	struct sv seconds = aws_files_value(&c->files, profile, "duration_seconds");

	ret->arn = xstrsv(aws_files_value(&c->files, profile, "role_arn"));
	ret->session = xstrsv(aws_files_value(&c->files, profile, "role_session_name"));
	ret->external_id = xstrsv(aws_files_value(&c->files, profile, "external_id"));
	ret->sts = (struct sts_role){ ret->arn, ret->session, ret->external_id, 0, c->first };
	if (seconds.n && (sv_i64(seconds, &ret->sts.duration_s) < 0 ||
			  !within_i64(ret->sts.duration_s, 900, 43200)))
		return err_set(
			err, -EACCES,
			"duration_seconds of the profile '%s' is not a number from 900 to 43200",
			profile);
	return 0;
}

static void role_free(struct role_of *r)
{
	free(r->arn);
	free(r->session);
	free(r->external_id);
}

/* What the profile has itself. -ENOENT: nothing. */
static int read_own_keys(const struct chain *c, const char *profile, struct cred *ret,
			 struct err *err)
{
	struct sv command = aws_files_value(&c->files, profile, "credential_process");
	struct sv token_file = aws_files_value(&c->files, profile, "web_identity_token_file");
	int rc = -ENOENT;

	if (aws_files_value(&c->files, profile, "role_arn").n && token_file.n) {
		char *file = xstrsv(token_file);
		struct role_of r = { 0 };
		rc = role_read(c, profile, &r, err);
		if (rc == 0)
			rc = cred_web_identity(&r.sts, file, c->now_ms, ret, err);
		role_free(&r);
		free(file);
		return rc;
	}
	if ((rc = cred_of_sso(&c->files, profile, c->now_ms, ret, err)) != -ENOENT)
		return rc;
	if (has_keys(&c->files, 0, profile))
		return cred_ini_parse(str_sv(&c->files.text[0]), profile, ret, err);
	if (command.n)
		return from_process(command, c->now_ms, ret, err);
	if (has_keys(&c->files, 1, profile))
		return cred_ini_parse(str_sv(&c->files.text[1]), profile, ret, err);
	return -ENOENT;
}

/* ---- roles by way of others -------------------------------------------------------------- */

static int of_profile(struct chain *c, const char *profile, struct cred *ret, struct err *err);

/* The keys that ask for the role, by the word of credential_source. */
static int by_source(const struct chain *c, const char *profile, struct sv word, struct cred *ret,
		     struct err *err)
{
	int rc;

	if (sv_is(word, "Environment"))
		rc = cred_of_environment(ret, err);
	else if (sv_is(word, "EcsContainer"))
		rc = cred_of_source(SOURCE_CONTAINER, c->now_ms, ret, err);
	else if (sv_is(word, "Ec2InstanceMetadata"))
		rc = cred_of_source(SOURCE_MACHINE, c->now_ms, ret, err);
	else
		return err_set(
			err, -EACCES,
			"credential_source '%.*s' of the profile '%s' is none of Environment, EcsContainer, Ec2InstanceMetadata",
			(int)min_size(word.n, 60), word.p, profile);
	if (rc == -ENOENT) {
		err_set(err, -EACCES,
			"the profile '%s' takes its role by credential_source '%.*s', where there are no credentials",
			profile, SVF(word));
		err_hint(
			err, "%s",
			sv_is(word, "Environment")
				? "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
			: sv_is(word, "EcsContainer")
				? "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI or _FULL_URI is set where a task has a role"
				: "give the machine an instance profile (and unset AWS_EC2_METADATA_DISABLED)");
	} else if (rc < 0 && rc != -EACCES) {
		err_prefix(err, "the profile '%s' takes its role by credential_source '%.*s'",
			   profile, SVF(word));
	}
	if (rc < 0)
		return -EACCES;
	return 0;
}

static int no_loop(const struct chain *c, const char *profile, const char *source, struct err *err)
{
	bool seen = c->n >= CHAIN_MAX;

	for (size_t i = 0; i < c->n; i++)
		seen = seen || !strcmp(c->name[i], source);
	if (!seen)
		return 0;
	if (!strcmp(profile, source) && c->n < CHAIN_MAX &&
	    (has_keys(&c->files, 0, source) || has_keys(&c->files, 1, source)))
		return 0; /* to name itself is allowed where it has keys */
	err_set(err, -EACCES, "the profile '%s' has source_profile '%s', which leads back to it%s",
		profile, source,
		text_if(c->n >= CHAIN_MAX, ", or the chain is longer than 8 profiles"));
	err_hint(
		err,
		"the last source_profile must have keys, a login, a web identity or a credential_process of its own");
	return -EACCES;
}

static int by_profile(struct chain *c, const char *profile, const char *source, struct cred *ret,
		      struct err *err)
{
	int rc;

	if (!is_profile(&c->files, source)) {
		err_set(err, -EACCES,
			"the profile '%s' has source_profile '%s', which neither ~/.aws/credentials nor ~/.aws/config has",
			profile, source);
		return aws_hint(err, "make it: aws configure --profile ", source, "");
	}
	if ((rc = no_loop(c, profile, source, err)) < 0)
		return rc;
	if (c->n == 0 || strcmp(c->name[c->n - 1], source)) /* not itself */
		c->name[c->n++] = xstrdup(source);
	if (has_keys(&c->files, 0, source) || has_keys(&c->files, 1, source))
		rc = read_own_keys(c, source, ret, err);
	else
		rc = of_profile(c, source, ret, err);
	if (rc == -ENOENT)
		err_set(err, rc,
			"the profile '%s', which '%s' names as source_profile, has no credentials",
			source, profile);
	if (rc < 0)
		return -EACCES;
	return 0;
}

static int assume_role(struct chain *c, const char *profile, struct cred *ret, struct err *err)
{
	struct sv word = aws_files_value(&c->files, profile, "credential_source");
	char *source = xstrsv(aws_files_value(&c->files, profile, "source_profile"));
	struct role_of r = { 0 };
	struct cred by = { 0 };
	struct str name = { 0 };
	int rc = role_read(c, profile, &r, err);

	if (source)
		str_addf(&name, "the profile '%s'", source);
	else
		str_addf(&name, "credential_source '%.*s'", SVF(word));
	if (rc == 0 && aws_files_value(&c->files, profile, "mfa_serial").n) {
		err_set(err, -EACCES,
			"the profile '%s' wants a second factor (mfa_serial), for which nobody can be asked here",
			profile);
		rc = aws_hint(
			err,
			"take the role by the AWS CLI (version 2), which asks: eval \"$(aws configure export-credentials --profile ",
			profile, " --format env)\"; these keys end, and cannot be renewed here");
	}
	if (rc == 0 && !source == !word.n) {
		rc = err_set(
			err, -EACCES,
			"the profile '%s' has role_arn and %s of source_profile and credential_source",
			profile, source ? "both" : "neither");
		err_hint(err, "name in one of them whose keys ask for the role");
	}
	if (rc == 0) {
		if (source)
			rc = by_profile(c, profile, source, &by, err);
		else
			rc = by_source(c, profile, word, &by, err);
	}
	if (rc == 0)
		rc = cred_assume_role(&r.sts, &by, str_z(&name), c->now_ms, ret, err);
	cred_free(&by);
	role_free(&r);
	str_free(&name);
	free(source);
	return rc;
}

static int of_profile(struct chain *c, const char *profile, struct cred *ret, struct err *err)
{
	bool role = aws_files_value(&c->files, profile, "role_arn").n,
	     web = aws_files_value(&c->files, profile, "web_identity_token_file").n;

	if (role && !web)
		return assume_role(c, profile, ret, err);
	return read_own_keys(c, profile, ret, err);
}

/* ---- the files --------------------------------------------------------------------------- */

int cred_of_profile(const char *told, int64_t now_ms, struct cred *ret, struct err *err)
{
	static const char *const name[] = { "credentials", "config" };
	static const char *const variable[] = { "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE" };
	const char *profile = cred_profile(told);
	struct chain c = {
		.first = profile, .name = { xstrdup(profile) }, .n = 1, .now_ms = now_ms
	};
	struct str path = { 0 };
	int rc = 0;

	for (int i = 0; i < 2 && rc == 0; i++) {
		rc = cred_read_aws(name[i], variable[i], &path, &c.files.text[i]);
		/* a home that is not ours to read has none */
		if (rc == -ENOENT || rc == -ENOTDIR || rc == -EACCES)
			rc = 0;
		else if (rc < 0)
			rc = err_set(err, -EACCES, "cannot read '%s': %s", str_z(&path),
				     cred_why(rc));
	}
	str_free(&path);
	if (rc == 0)
		rc = of_profile(&c, profile, ret, err);
	if (rc == -ENOENT && (told || auth_env("AWS_PROFILE")) && !is_profile(&c.files, profile)) {
		/* asked for by name: not to be passed over */
		rc = err_set(err, -EACCES,
			     "there is no profile '%s' in ~/.aws/credentials or ~/.aws/config",
			     profile);
		aws_hint(err, "make it: aws configure --profile ", profile,
			 "; AWS_SHARED_CREDENTIALS_FILE and AWS_CONFIG_FILE name other files");
	}
	for (size_t i = 0; i < c.n; i++)
		free(c.name[i]);
	for (int i = 0; i < 2; i++)
		role_wipe(&c.files.text[i]);
	return rc;
}
