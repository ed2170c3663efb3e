/*
 * AWS IAM Identity Center: "aws sso login" leaves a token in ~/.aws/sso/cache, which the portal
 * changes for keys of a role. A token that is nearly over is renewed where the login is of an
 * sso-session and its client is still registered, and written back, as the providers' tools do:
 * they share it.
 */
#include <errno.h>
#include <stdlib.h>
#include "base/fdio.h"
#include "base/jw.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/digest.h"
#include "net/http.h"
#include "auth/cred_json.h"
#include "auth/auth_env.h"
#include "auth/role.h"

#define RENEW_MS    (15 * MS_MINUTE)         /* as botocore: well before it is over */
#define TIME_MAX_MS INT64_C(253402300799999) /* the end of the year 9999 */

/* ---- what is read ------------------------------------------------------------------------ */

void sso_token_free(struct sso_token *t)
{
	role_wipe_text(&t->token);
	role_wipe_text(&t->refresh);
	role_wipe_text(&t->client_id);
	role_wipe_text(&t->client_secret);
}

/* "2026-11-21T22:00:00Z"; older ones end in "UTC". */
static int64_t time_of(struct sv v)
{
	int64_t at;

	if (sv_ends(v, SV("UTC")))
		v.n -= 3;
	if (v.p && tm_parse(v, 0, &at) == 0)
		return at;
	return INT64_MIN;
}

int cred_sso_token_parse(struct sv json, struct sso_token *ret, struct err *err)
{
	struct cred_json j;
	int rc = cred_json_open(&j, json);

	memset(ret, 0, sizeof *ret);
	if (rc == 0) {
		struct sv token = cred_json_text(&j, "accessToken");
		if (cred_value_ok(token))
			ret->token = xstrsv(token);
		ret->refresh = xstrsv(cred_json_text(&j, "refreshToken"));
		ret->client_id = xstrsv(cred_json_text(&j, "clientId"));
		ret->client_secret = xstrsv(cred_json_text(&j, "clientSecret"));
		ret->expires_ms = time_of(cred_json_text(&j, "expiresAt"));
		ret->registration_ms = time_of(cred_json_text(&j, "registrationExpiresAt"));
		rc = ret->token && ret->expires_ms != INT64_MIN ? 0 : -EBADMSG;
	}
	if (rc < 0)
		sso_token_free(ret);
	cred_json_close(&j);
	if (rc < 0)
		return err_set(err, -EBADMSG, "the login cannot be read");
	return 0;
}

int cred_sso_parse(struct sv json, struct cred *ret, struct err *err)
{
	struct cred_json j, in = { 0 };
	int rc = cred_json_open(&j, json);
	int64_t end;

	if (rc == 0)
		rc = cred_json_open(&in, cred_json_nested(&j, "roleCredentials"));
	if (rc == 0) {
		struct sv id = cred_json_text(&in, "accessKeyId"),
			  secret = cred_json_text(&in, "secretAccessKey"),
			  token = cred_json_text(&in, "sessionToken");
		if (!cred_value_ok(id) || !cred_value_ok(secret) || !cred_value_ok(token) ||
		    sv_i64(cred_json_text(&in, "expiration"), &end) < 0 || end <= 0 ||
		    end > TIME_MAX_MS)
			rc = -EBADMSG;
		else
			*ret = (struct cred){ .id = xstrsv(id),
					      .secret = xstrsv(secret),
					      .token = xstrsv(token),
					      .expires_ms = end,
					      .source = "the login (aws sso)" };
	}
	cred_json_close(&in);
	cred_json_close(&j);
	if (rc < 0)
		return err_set(err, rc,
			       "the credentials that IAM Identity Center gave cannot be read");
	return 0;
}

/* ---- the settings ------------------------------------------------------------------------ */

struct sso {
	const char *profile;
	char *session, *start_url, *region, *account, *role; /* session: NULL in the older form */
	char *path;                                          /* of the token */
	int64_t now_ms;
	struct http *h;
};

static int refuse_missing(const struct sso *s, const char *what, struct err *err)
{
	err_set(err, -EACCES, "the profile '%s' is a login (sso) and has no %s", s->profile, what);
	return aws_hint(err, "write all of it: aws configure sso --profile ", s->profile, "");
}

/* Of the section [sso-session NAME] where the profile names one, else of the profile. */
static int read_settings(struct sso *s, const struct aws_files *f, struct err *err)
{
	struct str section = { 0 };

	s->session = xstrsv(aws_files_value(f, s->profile, "sso_session"));
	s->account = xstrsv(aws_files_value(f, s->profile, "sso_account_id"));
	s->role = xstrsv(aws_files_value(f, s->profile, "sso_role_name"));
	str_addf(&section, "%s%s", s->session ? "sso-session " : s->profile,
		 text_or(s->session, ""));
	s->start_url = xstrsv(aws_files_value(f, str_z(&section), "sso_start_url"));
	s->region = xstrsv(aws_files_value(f, str_z(&section), "sso_region"));
	str_free(&section);
	if (s->session && !s->start_url && !s->region) {
		err_set(err, -EACCES,
			"the profile '%s' names the sso_session '%s', which ~/.aws/config does not have",
			s->profile, s->session);
		err_hint(err, "'aws configure sso-session' makes it");
		return -EACCES;
	}
	if (!s->account)
		return refuse_missing(s, "sso_account_id", err);
	if (!s->role)
		return refuse_missing(s, "sso_role_name", err);
	if (!s->start_url)
		return refuse_missing(s, "sso_start_url", err);
	if (!s->region)
		return refuse_missing(s, "sso_region", err);
	if (aws_region_ok(sv_of(s->region)))
		return 0;
	return err_set(err, -EACCES, "'%.60s' is not a name of a region (sso_region)", s->region);
}

static int log_in(const struct sso *s, const char *why, struct err *err)
{
	err_set(err, -EACCES, "the login of the %s '%s' %s", s->session ? "sso_session" : "profile",
		text_or(s->session, s->profile), why);
	if (s->session)
		return aws_hint(err, "run: aws sso login --sso-session ", s->session, "");
	return aws_hint(err, "run: aws sso login --profile ", s->profile, "");
}

/* ---- the token --------------------------------------------------------------------------- */

/* AWS_ENDPOINT_URL holds for all services, and often names an object store alone: that one is not
 * told the login in the clear. */
static int service_url(struct str *url, const char *variable, const char *host, const char *region,
		       const char *path, struct err *err)
{
	const char *told = auth_env(variable), *end = told;

	if (!told)
		end = auth_env("AWS_ENDPOINT_URL");
	if (end)
		str_addf(url, "%.*s%s", (int)(strlen(end) - (end[strlen(end) - 1] == '/')), end,
			 path);
	else
		str_addf(url, "https://%s.%s.%s%s", host, region, aws_domain(region), path);
	if (role_url_safe(str_z(url)))
		return 0;
	err_set(err, -EACCES,
		"%s '%.150s' is not https, and the login would be told to all on the way",
		told ? variable : "AWS_ENDPOINT_URL", text_or(end, ""));
	err_hint(
		err,
		told ? "name an https address there, or unset it"
		     : "name the object store's address in AWS_ENDPOINT_URL_S3 instead, which is not that of the login too");
	return -EACCES;
}

/* What CreateToken answered, put into t. */
static int token_answer(struct sv json, int64_t now_ms, struct sso_token *t)
{
	struct cred_json j;
	int64_t seconds;
	int rc = cred_json_open(&j, json);

	if (rc == 0) {
		struct sv token = cred_json_text(&j, "accessToken"),
			  refresh = cred_json_text(&j, "refreshToken");
		if (!cred_value_ok(token) ||
		    sv_i64(cred_json_text(&j, "expiresIn"), &seconds) < 0 || seconds <= 0 ||
		    seconds > 10000000) {
			rc = -EBADMSG;
		} else {
			role_wipe_text(&t->token);
			t->token = xstrsv(token);
			t->expires_ms = now_ms + seconds * 1000;
			if (refresh.n) {
				role_wipe_text(&t->refresh);
				t->refresh = xstrsv(refresh);
			}
		}
	}
	cred_json_close(&j);
	return rc;
}

/* A new token, kept for the next one and for the AWS CLI. */
static int renew_token(const struct sso *s, struct sso_token *t, struct err *err)
{
	struct str url = { 0 }, body = { 0 }, answer = { 0 }, text = { 0 };
	struct jw w;

	int rc = service_url(&url, "AWS_ENDPOINT_URL_SSO_OIDC", "oidc", s->region, "/token", err);
	jw_init(&w, &body, 0);
	jw_obj(&w);
	jw_put_str(&w, "clientId", t->client_id);
	jw_put_str(&w, "clientSecret", t->client_secret);
	jw_put_str(&w, "grantType", "refresh_token");
	jw_put_str(&w, "refreshToken", t->refresh);
	jw_end_obj(&w);
	struct role_question q = { .url = str_z(&url),
				   .body = str_sv(&body),
				   .content_type = "application/json" };
	if (rc == 0)
		rc = role_ask(s->h, &q, &answer, err);
	if (rc == 0)
		rc = token_answer(str_sv(&answer), s->now_ms, t);
	if (rc == 0) {
		jw_init(&w, &text, 0);
		jw_obj(&w);
		jw_put_str(&w, "startUrl", s->start_url);
		jw_put_str(&w, "region", s->region);
		jw_put_str(&w, "accessToken", t->token);
		jw_put_time(&w, "expiresAt", t->expires_ms / 1000 * 1000);
		jw_put_str(&w, "clientId", t->client_id);
		jw_put_str(&w, "clientSecret", t->client_secret);
		jw_put_time(&w, "registrationExpiresAt", t->registration_ms / 1000 * 1000);
		jw_put_str(&w, "refreshToken", t->refresh);
		jw_end_obj(&w);
		/* a disk that is full is no reason to stop: the token is good */
		file_replace_secret(s->path, str_sv(&text), NULL);
	}
	str_free(&url);
	role_wipe(&body);
	role_wipe(&answer);
	role_wipe(&text);
	return rc;
}

static int read_token(const struct sso *s, struct sso_token *ret, struct err *err)
{
	struct str text = { 0 };
	int rc = cred_read_file(s->path, &text);

	if (rc == -ENOENT || rc == -ENOTDIR)
		rc = log_in(s, "was not made yet on this machine", err);
	else if (rc < 0)
		rc = err_set(err, -EACCES, "cannot read the login '%s': %s", s->path, cred_why(rc));
	else if ((rc = cred_sso_token_parse(str_sv(&text), ret, err)) < 0)
		rc = log_in(s, "cannot be read", err);
	role_wipe(&text);
	return rc;
}

static int find_token(const struct sso *s, struct sso_token *ret, struct err *err)
{
	int rc = read_token(s, ret, err);
	bool soon = rc == 0 && ret->expires_ms - s->now_ms < RENEW_MS;
	bool client = ret->client_id && ret->client_secret && ret->registration_ms > s->now_ms;
	bool can_renew = client && s->session && ret->refresh;

	soon = soon && can_renew;
	if (soon && renew_token(s, ret, NULL) < 0 && ret->expires_ms <= s->now_ms) {
		/* a refresh token is good once: another program may have had it, and written what
		 * it got; before the end the old one still does */
		sso_token_free(ret);
		rc = read_token(s, ret, err);
	}
	if (rc == 0 && ret->expires_ms <= s->now_ms)
		return log_in(s, "is over", err);
	return rc;
}

/* ---- the keys ---------------------------------------------------------------------------- */

static int tell_refused(const struct sso *s, struct sv answer, struct err *err)
{
	struct cred_json j;
	struct str words = { 0 };

	cred_json_open(&j, answer);
	role_words(&words, cred_json_text(&j, "message"));
	if (words.n)
		err_set(err, -EACCES,
			"IAM Identity Center gives no credentials for the role '%.100s' of the account '%.40s': %s",
			s->role, s->account, str_z(&words));
	err_hint(
		err,
		"the role must be assigned to you: look at sso_account_id and sso_role_name of the profile '%s'",
		s->profile);
	str_free(&words);
	cred_json_close(&j);
	return -EACCES;
}

static int ask_keys(const struct sso *s, const struct sso_token *t, struct cred *ret,
		    struct err *err)
{
	struct str url = { 0 }, header = { 0 }, answer = { 0 };
	int status = 0, rc = service_url(&url, "AWS_ENDPOINT_URL_SSO", "portal.sso", s->region,
					 "/federation/credentials?role_name=", err);

	if (rc < 0) {
		str_free(&url);
		return rc;
	}
	http_quote(&url, sv_of(s->role));
	str_addz(&url, "&account_id=");
	http_quote(&url, sv_of(s->account));
	str_addf(&header, "x-amz-sso_bearer_token: %s", t->token);
	struct role_question q = { .url = str_z(&url),
				   .header = { str_z(&header) },
				   .ret_status = &status };
	rc = role_ask(s->h, &q, &answer, err);
	if (rc == 0)
		rc = cred_sso_parse(str_sv(&answer), ret, err);
	else if (status == 401)
		rc = log_in(s, "is over", err); /* ended from elsewhere */
	else if (rc == -EACCES || rc == -ENOENT || rc == -EPROTO)
		rc = tell_refused(s, str_sv(&answer), err);
	str_free(&url);
	role_wipe(&header);
	role_wipe(&answer);
	if (rc < 0)
		return -EACCES;
	return 0;
}

int cred_of_sso(const struct aws_files *f, const char *profile, int64_t now_ms, struct cred *ret,
		struct err *err)
{
	struct http_opt opt = { .ca_file = auth_ca_file() };
	struct sso s = { .profile = profile, .now_ms = now_ms };
	struct sso_token t = { 0 };
	int rc;

	if (!aws_files_value(f, profile, "sso_account_id").n &&
	    !aws_files_value(f, profile, "sso_role_name").n)
		return -ENOENT;
	if ((rc = read_settings(&s, f, err)) == 0 && (rc = http_new(&opt, &s.h, err)) == 0) {
		/* ~/.aws/sso/cache/ and the SHA-1 of the session's name, or of the address where
		 * there is no session */
		const char *home = auth_env("HOME"), *of = text_or(s.session, s.start_url);
		char hex[DIGEST_HEX] = "";
		struct str path = { 0 };
		digest_hex(DIGEST_SHA1, of, -1, 0, strlen(of), hex);
		str_addf(&path, "%s/.aws/sso/cache/%s.json", text_or(home, ""), hex);
		s.path = path.p;
		rc = find_token(&s, &t, err);
	}
	if (rc == 0)
		rc = ask_keys(&s, &t, ret, err);
	sso_token_free(&t);
	http_free(s.h);
	free(s.session);
	free(s.start_url);
	free(s.region);
	free(s.account);
	free(s.role);
	free(s.path);
	return rc;
}
