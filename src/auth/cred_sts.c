/* AWS STS: keys of a role, for the token of a web identity (no signature) or for those who hold
 * other keys (signed by them). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/among.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/http.h"
#include "net/sigv4.h"
#include "auth/auth_env.h"
#include "auth/role.h"
#include "net/xml.h"

#define FORM "application/x-www-form-urlencoded"

/* The four that both kinds of answers have. */
int cred_sts_parse(struct sv xml, struct cred *ret, struct err *err)
{
	static const char *const names[] = { "AccessKeyId", "SecretAccessKey", "SessionToken",
					     "Expiration" };
	struct arena a = { 0 };
	char *v[4];
	int64_t end = 0;
	bool ok = true;

	for (int i = 0; i < 4; i++) {
		struct sv raw = xml_find(xml, names[i]);
		v[i] = raw.n ? xml_text(&a, raw) : NULL;
		ok = ok && v[i] && cred_value_ok(sv_of(v[i]));
	}
	ok = ok && tm_parse(sv_of(v[3]), 0, &end) == 0;
	if (ok)
		*ret = (struct cred){ .id = xstrdup(v[0]),
				      .secret = xstrdup(v[1]),
				      .token = xstrdup(v[2]),
				      .expires_ms = end,
				      .source = "the role of the web identity" };
	for (int i = 0; i < 4; i++)
		if (v[i])
			explicit_bzero(v[i], strlen(v[i]));
	arena_free(&a);
	if (ok)
		return 0;
	return err_set(err, -EBADMSG, "the credentials that STS gave cannot be read");
}

/* ---- where ------------------------------------------------------------------------------- */

struct place {
	struct str url;
	char region[64]; /* that is signed */
};

/* Each region has its own; the one of all is signed as us-east-1. */
static int place_of(const struct sts_role *r, struct place *ret, struct err *err)
{
	const char *told = auth_env("AWS_ENDPOINT_URL_STS"), *all = auth_env("AWS_ENDPOINT_URL"),
		   *legacy = auth_env("AWS_STS_REGIONAL_ENDPOINTS");
	const char *env = auth_env("AWS_REGION"), *dflt = auth_env("AWS_DEFAULT_REGION"),
		   *end = text_or(told, all);
	char *conf = env || dflt ? NULL : cred_config(r->profile, NULL, "region");
	const char *region = env ? env : text_or(dflt, conf);
	bool global = !region || (!end && legacy && !strcmp(legacy, "legacy"));
	int rc = 0;

	if (region && !aws_region_ok(sv_of(region)))
		rc = err_set(err, -EACCES, "'%.60s' is not a name of a region", region);
	snprintf(ret->region, sizeof ret->region, "%s", global || rc < 0 ? "us-east-1" : region);
	if (end)
		str_addf(&ret->url, "%s%s", end, text_if(end[strlen(end) - 1] != '/', "/"));
	else if (global)
		str_addz(&ret->url, "https://sts.amazonaws.com/");
	else
		str_addf(&ret->url, "https://sts.%s.%s/", ret->region, aws_domain(ret->region));
	free(conf);
	return rc;
}

/* ---- refusals ---------------------------------------------------------------------------- */

static int tell_refused(const struct sts_role *r, struct sv answer, struct err *err)
{
	struct sv code = xml_find(answer, "Code"), text = xml_find(answer, "Message");
	struct str line = { 0 };

	if (!code.n)
		return -EACCES; /* the transport's words stay */
	role_words(&line, code);
	str_addz(&line, ": ");
	role_words(&line, text);
	err_set(err, -EACCES, "STS gives no credentials for the role '%.200s': %s", r->arn,
		str_z(&line));
	str_free(&line);
	return -EACCES;
}

/* The clock of this machine is another: STS takes 15 minutes, and has no code of its own for it. */
static bool is_clock(struct sv code, struct sv text)
{
	if (sv_is(code, "RequestTimeTooSkewed"))
		return true;
	return sv_is(code, "SignatureDoesNotMatch") &&
	       (sv_has(text, SV("expired")) || sv_has(text, SV("not yet current")));
}

static void hint_role(const struct sts_role *r, const char *by_name, struct sv answer,
		      struct err *err)
{
	struct sv code = xml_find(answer, "Code"), text = xml_find(answer, "Message");

	if (is_clock(code, text))
		err_hint(
			err,
			"set the clock of this machine (timedatectl set-ntp true, or chronyc makestep)");
	else if (sv_is(code, "AccessDenied"))
		err_hint(
			err,
			"%.120s must be allowed sts:AssumeRole on the role, and the role's trust policy must name them%s",
			by_name,
			r->external_id
				? " with this external_id"
				: "; where it asks for an external_id, the profile needs one");
	else if (sv_is(code, "InvalidClientTokenId") || sv_is(code, "SignatureDoesNotMatch"))
		err_hint(err, "the key or the secret of %.120s is wrong", by_name);
	else if (sv_is(code, "ExpiredToken") || sv_is(code, "ExpiredTokenException"))
		err_hint(err, "the credentials of %.120s are over: get new ones", by_name);
	else if (sv_has(text, SV("DurationSeconds")))
		err_hint(
			err,
			"duration_seconds of the profile may not be longer than the role allows; of a role that is taken by another role, than 3600");
	else if (sv_is(code, "RegionDisabledException"))
		err_hint(err, "switch STS on for this region, or name another in AWS_REGION");
}

/* ---- asking ------------------------------------------------------------------------------ */

static void add_common(struct str *form, const char *action, const struct sts_role *r,
		       int64_t now_ms)
{
	char name[40], seconds[24];

	snprintf(name, sizeof name, "tare-%lld", (long long)(now_ms / 1000));
	snprintf(seconds, sizeof seconds, "%lld", (long long)r->duration_s);
	role_form(form, "Action", sv_of(action));
	role_form(form, "Version", SV("2011-06-15"));
	role_form(form, "RoleArn", sv_of(r->arn));
	role_form(form, "RoleSessionName", sv_of(text_or(r->session, name)));
	if (r->duration_s)
		role_form(form, "DurationSeconds", sv_of(seconds));
	if (r->external_id)
		role_form(form, "ExternalId", sv_of(r->external_id));
}

int cred_web_identity(const struct sts_role *r, const char *token_file, int64_t now_ms,
		      struct cred *ret, struct err *err)
{
	struct http_opt opt = { .ca_file = auth_ca_file() };
	struct str token = { 0 }, form = { 0 }, answer = { 0 };
	struct place at = { 0 };
	struct http *h = NULL;
	int rc = role_token(token_file, &token, err);

	if (rc == 0)
		rc = place_of(r, &at, err);
	if (rc == 0)
		rc = http_new(&opt, &h, err);
	add_common(&form, "AssumeRoleWithWebIdentity", r, now_ms);
	role_form(&form, "WebIdentityToken", str_sv(&token));
	if (rc == 0) {
		struct role_question q = { .url = str_z(&at.url), .body = str_sv(&form) };
		rc = role_ask(h, &q, &answer, err);
		if (rc < 0) {
			struct sv code = xml_find(str_sv(&answer), "Code");
			rc = tell_refused(r, str_sv(&answer), err);
			if (sv_is(code, "AccessDenied"))
				err_hint(
					err,
					"the role's trust policy must name this cluster's identity provider and this service account (sts:AssumeRoleWithWebIdentity)");
			else if (SV_AMONG(code, "ExpiredTokenException", "ExpiredToken"))
				err_hint(
					err,
					"the token in the file is over: whoever renews it does not");
			else if (sv_is(code, "InvalidIdentityToken"))
				err_hint(
					err,
					"the account has no identity provider for this token's issuer: aws iam create-open-id-connect-provider");
		} else {
			rc = cred_sts_parse(str_sv(&answer), ret, err);
		}
	}
	http_free(h);
	role_wipe(&token);
	role_wipe(&form);
	role_wipe(&answer);
	str_free(&at.url);
	if (rc == -EBADMSG)
		return -EACCES;
	return rc;
}

struct sts_ask {
	struct http *h;
	const struct place *at;
	struct sv form;
	const struct cred *by; /* who signs */
};

/* One signed question. *ret_server_ms: the server's time, to sign by where it refused ours. */
static int ask_signed(const struct sts_ask *a, int64_t now_ms, struct str *answer,
		      int64_t *ret_server_ms, struct err *err)
{
	static const char *const type[] = { "Content-Type: " FORM };
	struct sigv4_key key = { a->by->id, a->by->secret, a->by->token };
	struct sigv4_req r = { .method = "POST",
			       .url = str_z(&a->at->url),
			       .header = type,
			       .nheader = 1,
			       .body = a->form,
			       .service = "sts",
			       .region = a->at->region,
			       .now_ms = now_ms };
	struct role_question q = { .url = str_z(&a->at->url),
				   .body = a->form,
				   .content_type = FORM,
				   .ret_server_ms = ret_server_ms };
	struct sigv4 sig = { 0 };
	int rc = sigv4_sign(&key, &r, &sig, err);

	for (size_t i = 0; i < sig.nheader && i < sizeof q.header / sizeof *q.header; i++)
		q.header[i] = str_z(&sig.header[i]);
	if (rc == 0)
		rc = role_ask(a->h, &q, answer, err);
	sigv4_free(&sig);
	return rc;
}

int cred_assume_role(const struct sts_role *r, const struct cred *by, const char *by_name,
		     int64_t now_ms, struct cred *ret, struct err *err)
{
	struct http_opt opt = { .ca_file = auth_ca_file() };
	struct str form = { 0 }, answer = { 0 };
	struct place at = { 0 };
	struct http *h = NULL;
	int64_t server_ms = -1;
	int rc = place_of(r, &at, err);

	if (rc == 0)
		rc = http_new(&opt, &h, err);
	add_common(&form, "AssumeRole", r, now_ms);
	if (rc == 0) {
		struct sts_ask ask = { h, &at, str_sv(&form), by };
		rc = ask_signed(&ask, now_ms, &answer, &server_ms, err);
		if (rc < 0 && server_ms >= 0 &&
		    is_clock(xml_find(str_sv(&answer), "Code"),
			     xml_find(str_sv(&answer), "Message")))
			rc = ask_signed(&ask, server_ms, &answer, &server_ms, err);
		if (rc < 0) {
			rc = tell_refused(r, str_sv(&answer), err);
			hint_role(r, by_name, str_sv(&answer), err);
		} else if ((rc = cred_sts_parse(str_sv(&answer), ret, err)) == 0) {
			ret->source = "the role of the profile";
		}
	}
	http_free(h);
	role_wipe(&form);
	role_wipe(&answer);
	str_free(&at.url);
	if (rc == -EBADMSG)
		return -EACCES;
	return rc;
}
