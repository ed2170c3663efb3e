#include "auth/role.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/among.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/http.h"
#include "net/xfer.h"
#include "auth/cred_json.h"
#include "auth/auth_env.h"

#define TRIES 3

void role_wipe(struct str *s)
{
	if (s->p)
		explicit_bzero(s->p, s->n);
	str_free(s);
}

/* ---- answers ----------------------------------------------------------------------------- */

static int role_members(struct cred_json *j, int64_t now_ms, struct cred *ret)
{
	struct sv id = cred_json_text(j, "AccessKeyId"),
		  secret = cred_json_text(j, "SecretAccessKey"), token = cred_json_text(j, "Token");
	struct sv end = cred_json_text(j, "Expiration"), bearer = cred_json_text(j, "access_token"),
		  span = cred_json_text(j, "expires_in");
	int64_t at = INT64_MAX, s;

	if (!token.p)
		token = cred_json_text(j, "SessionToken"); /* of a credential_process */
	if (end.p && tm_parse(end, 0, &at) < 0)
		return -EBADMSG;
	if (span.p && (sv_i64(span, &s) < 0 || !within_i64(s, 0, 1000000)))
		return -EBADMSG;
	if (span.p)
		at = now_ms + s * 1000;
	if (bearer.p && cred_value_ok(bearer)) {
		*ret = (struct cred){ .bearer = xstrsv(bearer), .expires_ms = at };
		return 0;
	}
	if (!id.p || !secret.p || !cred_value_ok(id))
		return -EBADMSG;
	if (!cred_value_ok(secret) || (token.p && !cred_value_ok(token)))
		return -EBADMSG;
	*ret = (struct cred){
		.id = xstrsv(id), .secret = xstrsv(secret), .token = xstrsv(token), .expires_ms = at
	};
	return 0;
}

int cred_role_parse(struct sv json, int64_t now_ms, struct cred *ret, struct err *err)
{
	struct cred_json j;
	int rc = -EBADMSG;

	if (cred_json_open(&j, json) >= 0)
		rc = role_members(&j, now_ms, ret);
	if (rc < 0)
		err_set(err, rc, "the credentials that the role service gave cannot be read%s%s",
			text_if(j.why, ": "), text_or(j.why, ""));
	cred_json_close(&j);
	return rc;
}

/* ---- asking ------------------------------------------------------------------------------ */

static int ask_once(struct http *h, const struct role_question *q, struct str *ret, int *ret_status,
		    struct err *err)
{
	struct http_res r = { 0 };
	struct http_req x = { .method = q->method,
			      .url = q->url,
			      .header = q->header,
			      .body = q->body,
			      .content_type = q->content_type,
			      .connect_timeout_ms = q->local ? 1000 : 10000,
			      .timeout_ms = q->local ? 3000 : 30000,
			      .body_max = 65536,
			      .keep_header = "Date",
			      .stay = true };

	while (x.nheader < sizeof q->header / sizeof *q->header && q->header[x.nheader])
		x.nheader++;
	int rc = http_do(h, &x, &r, err);
	if (rc == 0 && (r.status < 200 || r.status > 299))
		rc = http_status_err(q->url, &r, err);
	*ret_status = r.status;
	if (q->ret_status)
		*q->ret_status = r.status;
	if (q->ret_server_ms && tm_parse_http(str_sv(&r.header), q->ret_server_ms) < 0)
		*q->ret_server_ms = -1;
	str_clear(ret);
	str_addsv(ret, sv_trim(str_sv(&r.body)));
	if (r.body.p)
		explicit_bzero(r.body.p, r.body.n);
	http_res_free(&r);
	return rc;
}

int role_ask(struct http *h, const struct role_question *q, struct str *ret, struct err *err)
{
	int status = 0, rc = 0;

	for (int i = 0; i < TRIES; i++) {
		if (i)
			auth_sleep_ms(500LL << (i - 1));
		rc = ask_once(h, q, ret, &status, err);
		if (rc == 0)
			break;
		/* STS says so with status 400 */
		bool busy = sv_has(str_sv(ret), SV("IDPCommunicationError")) ||
			    sv_has(str_sv(ret), SV("<Code>Throttling"));
		if (status && status != 429 && status < 500 && !busy)
			break;
		if (!status && rc != -ETIMEDOUT && q->local)
			break;
	}
	return rc;
}

static int ask_metadata(struct http *h, const char *method, const char *url, const char *header,
			struct str *ret, struct err *err)
{
	struct role_question q = {
		.method = method, .url = url, .header = { header }, .local = true
	};
	int status;
	int rc = ask_once(h, &q, ret, &status, err);

	if (rc < 0)
		str_clear(ret);
	return rc;
}

void role_words(struct str *out, struct sv text)
{
	for (size_t i = 0; i < text.n && i < 200; i++)
		str_addc(out, (unsigned char)text.p[i] < ' ' || text.p[i] == 127 ? ' ' : text.p[i]);
}

bool aws_region_ok(struct sv region)
{
	for (size_t i = 0; i < region.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", region.p[i]) || !region.p[i])
			return false;
	return region.n > 0 && region.n <= 40;
}

/* HOST of "http://HOST:PORT/...", {NULL,0} where it is anything else, or names a user. */
static struct sv plain_host(const char *url)
{
	bool plain = !strncmp(url, "http://", 7);
	const char *at = url + (plain ? 7 : 0);
	/* as libcurl parts them: a "\\" is of the name */
	size_t n = strcspn(at, "/?#"),
	       host = *at == '[' ? strcspn(at, "]") + 1 : strcspn(at, ":/?#");

	if (!plain || memchr(at, '@', n))
		return SV_NULL;
	if (host == n || (host < n && at[host] == ':'))
		return (struct sv){ at, host };
	return SV_NULL;
}

bool role_url_safe(const char *url)
{
	struct sv host = plain_host(url);

	if (!host.n)
		return !strncmp(url, "https://", 8);
	return !strncmp(url, "https://", 8) || sv_is(host, "localhost") || sv_is(host, "[::1]") ||
	       /* 127.example.com is none of ours */
	       (sv_starts(host, SV("127.")) && strspn(host.p, "0123456789.") >= host.n);
}

void role_form(struct str *form, const char *name, struct sv value)
{
	str_addf(form, "%s%s=", text_if(form->n, "&"), name);
	http_quote(form, value);
}

int role_token(const char *file, struct str *ret, struct err *err)
{
	int rc = cred_read_file(file, ret);
	struct sv t = sv_trim(str_sv(ret));

	if (rc < 0) {
		err_set(err, -EACCES, "cannot read the token '%s': %s", file, cred_why(rc));
		err_hint(
			err,
			"it is put there by the cluster: look whether the pod's service account and its volume are as they should be");
		return -EACCES;
	}
	if (!cred_value_ok(t))
		return err_set(err, -EACCES, "there is no usable token in '%s'", file);
	memmove(ret->p, t.p, t.n);
	ret->n = t.n;
	ret->p[t.n] = 0;
	return 0;
}

/* ---- AWS: containers and machines -------------------------------------------------------- */

/* ECS, and EKS pod identity: an address in the environment, with a token in the environment or a
 * file. */
static int from_container(struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *full = auth_env("AWS_CONTAINER_CREDENTIALS_FULL_URI"),
		   *rel = auth_env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
	const char *token = auth_env("AWS_CONTAINER_AUTHORIZATION_TOKEN"),
		   *file = auth_env("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
	struct str url = { 0 }, header = { 0 }, text = { 0 };
	int rc = 0;

	if (!full && !rel)
		return -ENOENT;
	str_addf(&url, "%s%s", rel ? "http://169.254.170.2" : full, text_or(rel, ""));
	/* the token would be told to whoever listens: over plain HTTP only to this machine and to
	 * the addresses of ECS and EKS */
	struct sv host = plain_host(str_z(&url));
	if (!role_url_safe(str_z(&url)) &&
	    !SV_AMONG(host, "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"))
		rc = err_set(
			err, -EACCES,
			"AWS_CONTAINER_CREDENTIALS_FULL_URI '%.200s' is neither https nor the address of ECS, EKS or this machine",
			str_z(&url));
	if (rc == 0 && file)
		rc = role_token(file, &text, err);
	if (rc == 0 && (file || token))
		str_addf(&header, "Authorization: %s", file ? str_z(&text) : token);
	if (rc == 0 && header.p && (strchr(header.p, '\n') || strchr(header.p, '\r')))
		rc = err_set(err, -EACCES,
			     "AWS_CONTAINER_AUTHORIZATION_TOKEN has a line break in it");
	if (rc == 0) {
		struct role_question q = { .url = str_z(&url),
					   .header = { header.p },
					   .local = true };
		rc = role_ask(h, &q, &text, err);
		if (rc >= 0)
			rc = cred_role_parse(str_sv(&text), now_ms, ret, err);
		if (rc < 0 && rc != -EACCES)
			rc = -EACCES;
	}
	if (rc == 0)
		ret->source = "the container's role";
	else
		err_hint(
			err,
			"that is where AWS_CONTAINER_CREDENTIALS_%s_URI points: look at the task's or the pod's role (pod identity association)",
			rel ? "RELATIVE" : "FULL");
	str_free(&url);
	role_wipe(&header);
	role_wipe(&text);
	return rc;
}

/* IMDSv2: a token first, then the name of the role, then its keys. */
static int from_machine(struct http *h, int64_t now_ms, struct cred *ret, struct err *err)
{
	const char *told = auth_env("AWS_EC2_METADATA_SERVICE_ENDPOINT"),
		   *off = auth_env("AWS_EC2_METADATA_DISABLED");
	const char *at = text_or(told, "http://169.254.169.254"),
		   *slash = text_if(at[strlen(at) - 1] != '/', "/");
	struct str url = { 0 }, header = { 0 }, text = { 0 };
	int rc;

	if (off && !strcasecmp(off, "true"))
		return -ENOENT;
	str_addf(&url, "%s%slatest/api/token", at, slash);
	rc = ask_metadata(h, "PUT", str_z(&url), "X-aws-ec2-metadata-token-ttl-seconds: 300", &text,
			  err);
	if (rc == 0 && !cred_value_ok(str_sv(&text)))
		rc = err_set(err, -EBADMSG, "the machine's metadata service gave no usable token");
	str_addf(&header, "X-aws-ec2-metadata-token: %s", str_z(&text));
	str_clear(&url);
	str_addf(&url, "%s%slatest/meta-data/iam/security-credentials/", at, slash);
	if (rc == 0)
		rc = ask_metadata(h, NULL, str_z(&url), header.p, &text, err);
	if (rc == 0) {
		struct sv rest, role = sv_trim(sv_cut(str_sv(&text), '\n', &rest));
		http_quote(&url, role);
		rc = role.n ? ask_metadata(h, NULL, str_z(&url), header.p, &text, err) : -ENOENT;
	}
	if (rc == 0 && (rc = cred_role_parse(str_sv(&text), now_ms, ret, err)) == 0)
		ret->source = "the machine's role";
	str_free(&url);
	str_free(&header);
	str_free(&text);
	return rc;
}

/* ---- which ------------------------------------------------------------------------------- */

int cred_of_source(enum cred_source where, int64_t now_ms, struct cred *ret, struct err *err)
{
	/* link-local addresses are not behind a proxy */
	struct http_opt plain = { .proxy = "", .ca_file = auth_ca_file() };
	struct http *h = NULL;
	int rc = http_new(&plain, &h, err);

	if (rc == 0) {
		if (where == SOURCE_CONTAINER)
			rc = from_container(h, now_ms, ret, err);
		else
			rc = from_machine(h, now_ms, ret, err);
	}
	http_free(h);
	return rc;
}

int cred_of_place(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err)
{
	/* link-local addresses are not behind a proxy */
	struct http_opt plain = { .proxy = "", .ca_file = auth_ca_file() };
	struct http *h = NULL;
	int rc = http_new(&plain, &h, err);

	if (rc < 0)
		return rc;
	if (o->kind == CRED_GOOGLE) {
		const char *host = auth_env("GCE_METADATA_HOST");
		struct str url = { 0 }, text = { 0 };

		str_addf(&url,
			 "http://%s/computeMetadata/v1/instance/service-accounts/default/token",
			 text_or(host, "metadata.google.internal"));
		rc = ask_metadata(h, NULL, str_z(&url), "Metadata-Flavor: Google", &text, err);
		if (rc == 0 && (rc = cred_role_parse(str_sv(&text), now_ms, ret, err)) == 0)
			ret->source = "the machine's service account";
		str_free(&url);
		str_free(&text);
	} else if (o->kind == CRED_AZURE) {
		rc = role_azure(h, now_ms, ret, err);
	} else if ((rc = from_container(h, now_ms, ret, err)) == -ENOENT) {
		rc = from_machine(h, now_ms, ret, err);
	}
	http_free(h);
	return rc;
}
