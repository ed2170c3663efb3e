/* What the answer of a store means: over, well; to be tried again, with what it taught; failed for
 * good, in words for people. */
#include <errno.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "object/object_priv.h"
#include "net/xml.h"

#define RENEW_MS (20 * 1000) /* not for every part, where the new ones end soon too */

int64_t web_left_ms(const struct object_when *when)
{
	if (!when || when->deadline_ms == INT64_MAX)
		return INT64_MAX;
	return when->deadline_ms - object_now_ms(when);
}

static bool code_is(struct sv code, const char *list)
{
	struct sv rest = sv_of(list);

	while (code.p && code.n && rest.p && rest.n)
		if (sv_eq(sv_cut(rest, ' ', &rest), code))
			return true;
	return false;
}

/* Whether another try may help: the network, a server that is busy or ill. Certificates, addresses
 * and our own files do not change. */
static bool may_pass(const struct xfer_done *d, struct sv code)
{
	switch (d->rc) {
	case -EINVAL:
	case -EPROTO:
	case -ENOMEM:
	case -EMSGSIZE:
	case -ENODATA:
	case -ENOSPC: return false;
	}
	if (d->rc < 0)
		return true;
	if (d->status == 408 || d->status == 429)
		return true;
	return (d->status >= 500 && d->status != 501) ||
	       code_is(code,
		       "InternalError SlowDown RequestTimeout ServerBusy OperationTimedOut ConditionalRequestConflict ThrottlingException");
}

/* The clock is wrong: go by the server's from now on, once. Those that were under way together were
 * all signed by the wrong one. */
static bool learn_clock(struct object_store *s, struct web_req *q, const struct object_when *when)
{
	int64_t at;

	if (q->renewed || tm_parse_http(xfer_header(q->d, "date"), &at) < 0)
		return false;
	s->skew_ms = at - object_now_ms(when);
	return llabs(s->skew_ms - q->skew_ms) > MS_MINUTE;
}

/* Azure has no code of its own for a clock that is wrong; it takes 15 minutes. */
static bool is_far(const struct web_req *q, const struct object_when *when)
{
	int64_t at;

	if (tm_parse_http(xfer_header(q->d, "date"), &at) < 0)
		return false;
	return llabs(at - object_now_ms(when) - q->skew_ms) > 10 * MS_MINUTE;
}

static void take_cred(struct object_store *s, struct cred *c)
{
	cred_free(&s->cred);
	s->cred = *c;
	s->cred_no++;
}

/* Temporary credentials are over: fetch new ones, once a request. Those that were under way
 * together need them once. */
static bool learn_cred(struct object_store *s, struct web_req *q, const struct object_when *when)
{
	struct cred c = { 0 };

	if (!q->renewed && q->cred_no != s->cred_no)
		return true;
	if (q->renewed || !s->cred.source)
		return false;
	if (s->cred.expires_ms == INT64_MAX ||
	    cred_find(&s->cred_opt, object_now_ms(when), &c, NULL) < 0)
		return false;
	take_cred(s, &c);
	return true;
}

void web_renew(struct object_store *s, int64_t now_ms)
{
	struct cred c = { 0 };

	/* they last; asking may take a minute, which a notice does not leave */
	if (s->until_ms && s->until_ms < s->cred.expires_ms)
		return;
	if (!cred_old(&s->cred, now_ms) ||
	    (s->renewed_ms && llabs(now_ms - s->renewed_ms) < RENEW_MS))
		return;
	s->renewed_ms = now_ms;
	if (cred_find(&s->cred_opt, now_ms, &c, NULL) == 0) /* else the old ones may still do */
		take_cred(s, &c);
}

/* The bucket is elsewhere: the server says where. */
static bool learn_region(struct object_store *s, struct web_req *q)
{
	struct sv region = xfer_header(q->d, "x-amz-bucket-region");

	if (!region.p)
		region = xml_find(str_sv(&q->d->text), "Region");
	if (!region.p || !region.n || region.n > 40)
		return false;
	if (s->fixed_endpoint || q->renewed || sv_is(region, text_or(s->region, "")))
		return false;
	for (size_t i = 0; i < region.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", region.p[i]))
			return false;
	char *was = s->region;
	struct str base = { 0 }, part = { 0 };
	/* a bucket in front of it has no dots, but may have a region's name in its own */
	str_addf(&part, "s3.%s.", text_or(was, ""));
	const char *at = NULL;
	if (was)
		at = strstr(s->base, str_z(&part));
	str_free(&part);
	if (!at)
		return false;
	at += strlen("s3.");
	str_add(&base, s->base, (size_t)(at - s->base));
	str_addsv(&base, region);
	str_addz(&base, at + strlen(was));
	s->region = xstrndup(region.p, region.n);
	free(was);
	free(s->base);
	s->base = base.p;
	return true;
}

static void hint_cause(struct object_store *s, const struct web_req *q, struct sv code,
		       struct err *err)
{
	int status = q->d->status;
	bool azure_refused = s->cred_opt.kind == CRED_AZURE && (status == 401 || status == 403);

	if (code_is(code, "RequestTimeTooSkewed"))
		err_hint(
			err,
			"the clock of this machine differs by %lld s from the store's: set it (timedatectl set-ntp true, or chronyc makestep)",
			(long long)(llabs(s->skew_ms) / 1000));
	else if (code_is(code, "SignatureDoesNotMatch InvalidAccessKeyId InvalidSecurity"))
		err_hint(err, "the key or the secret is wrong: it came from %s",
			 text_or(s->cred.source, "the options"));
	else if (code_is(code, "ExpiredToken ExpiredTokenException TokenRefreshRequired"))
		err_hint(err, "the credentials from %s are over: get new ones",
			 text_or(s->cred.source, "the options"));
	else if (code_is(code, "KeyBasedAuthenticationNotPermitted"))
		err_hint(
			err,
			"the storage account takes no keys (allowSharedKeyAccess): unset %s and run with a managed or a workload identity",
			text_or(s->cred.source, "the key"));
	else if (azure_refused && s->cred.secret)
		err_hint(
			err,
			"the key of the account '%s' (from %s) is wrong or was renewed: az storage account keys list --account-name %s",
			s->cred.id, s->cred.source, s->cred.id);
	else if (azure_refused && s->cred.bearer)
		err_hint(
			err,
			"give the identity (%s) the role 'Storage Blob Data Contributor' on the container",
			text_or(s->cred.source, "its token"));
	else if (s->sas && (status == 401 || status == 403))
		err_hint(
			err,
			"the SAS must not be over, and must allow read, write, create, delete and list on the container (sp=rcwdl, sr=c)");
	else if (status == 401 || status == 403)
		err_hint(err,
			 "let these credentials (from %s) read, write, list and delete below '%s'",
			 text_or(s->cred.source, "the options"), s->url);
	else if (status >= 300 && status < 400)
		err_hint(
			err,
			"give the address and the region of the store itself (endpoint; AWS_REGION)");
	else if (code_is(code, "NoSuchBucket ContainerNotFound"))
		err_hint(err, "make the bucket first, or look at its name");
}

static int code_of_status(int status)
{
	if (status == 404)
		return -ENOENT;
	if (status == 412)
		return -EEXIST;
	if (status == 401 || status == 403)
		return -EACCES;
	if (status == 416)
		return -ERANGE;
	if (status == 501)
		return -ENOSYS;
	if (status >= 500)
		return -EIO;
	return -EPROTO;
}

static int tell_failed(struct object_store *s, struct web_req *q, struct sv code, struct err *err)
{
	struct xfer_done *d = q->d;
	struct sv text = xml_find(str_sv(&d->text), "Message");
	struct str what = { 0 };
	int rc;

	if (d->rc < 0) {
		rc = err_set(err, d->rc, "%s", d->err.msg);
		if (q->tries > 1)
			err_prefix(err, "gave up after %d tries", q->tries);
		if (d->rc == -EPROTO && strstr(d->err.msg, "certificate"))
			err_hint(
				err,
				"where the store's certificate is of an authority of your own, name its file (PEM) in AWS_CA_BUNDLE");
		return rc;
	}
	str_addsv(&what, code);
	if (text.p && text.n)
		str_addf(&what, "%s%.*s", text_if(what.n, ": "), (int)min_size(text.n, 300),
			 text.p);
	for (size_t i = 0; i < what.n; i++) /* the server's words, for a terminal */
		if ((unsigned char)what.p[i] < ' ' || what.p[i] == 127)
			what.p[i] = ' ';
	rc = code_of_status(d->status);
	if (code_is(code, "BlobAlreadyExists"))
		rc = -EEXIST;
	else if (code_is(code, "NoSuchBucket ContainerNotFound"))
		rc = -ENXIO;
	rc = err_set(err, rc, "the object store '%s' answered %s with status %d%s%s", s->url,
		     q->method, d->status, text_if(what.n, ": "), str_z(&what));
	if (q->tries > 1 && may_pass(d, code))
		err_prefix(err, "gave up after %d tries", q->tries);
	hint_cause(s, q, code, err);
	str_free(&what);
	return rc;
}

int web_judge(struct object_store *s, struct web_req *q, const struct object_when *when,
	      int64_t mono_ms, struct err *err)
{
	struct xfer_done *d = q->d;
	struct sv code = xml_find(str_sv(&d->text), "Code"), after = xfer_header(d, "retry-after");
	int64_t wait, seconds;

	if (!code.p)
		code = xfer_header(d, "x-ms-error-code");
	if (code.n > 60)
		code = SV_NULL;
	/* the work of a copy or a completion may fail after its 200 was sent: the body then is an
	 * error */
	struct sv text = sv_trim(str_sv(&d->text));
	bool error = sv_has((struct sv){ text.p, min_size(text.n, 200) }, SV("<Error>"));
	if (d->rc >= 0 && within_int(d->status, 200, 299) && !error) {
		q->sent_bytes = d->sent_bytes;
		return 1;
	}

	bool learnt = false;
	bool azure_key = s->cred_opt.kind == CRED_AZURE && !s->sas;
	bool clock = azure_key && code_is(code, "AuthenticationFailed") && is_far(q, when);

	if (code_is(code, "RequestTimeTooSkewed") || clock)
		learnt = learn_clock(s, q, when);
	else if (code_is(code,
			 "ExpiredToken ExpiredTokenException TokenRefreshRequired InvalidToken") ||
		 (q->d->status == 401 && s->cred.bearer))
		learnt = learn_cred(s, q, when);
	else if (q->d->status == 301 || q->d->status == 307 ||
		 code_is(code, "AuthorizationHeaderMalformed PermanentRedirect"))
		learnt = learn_region(s, q);
	q->renewed = q->renewed || learnt;
	if (learnt) {
		q->not_before_ms = mono_ms;
		return 0;
	}
	/* such as InternalError of a completion */
	bool error_in_200 = d->rc == 0 && d->status < 300;
	if ((!may_pass(d, code) && !error_in_200) || q->tries >= s->tries)
		return tell_failed(s, q, code, err);
	wait = 200LL << (q->tries - 1);
	if (after.p && sv_i64(after, &seconds) == 0 && seconds > 0)
		wait = seconds > 30 ? 30000 : seconds * 1000;
	/* its own time may run out a moment before the deadline it was given for */
	if (web_left_ms(when) <= wait) {
		if (d->rc == -ETIMEDOUT)
			return web_too_late(s, err);
		return tell_failed(s, q, code, err);
	}
	q->not_before_ms = mono_ms + wait;
	return 0;
}
