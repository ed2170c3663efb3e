#include "net/smtp.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/str.h"
#include "net/curl_priv.h"

struct upload {
	struct sv rest;
};

static size_t on_read(char *p, size_t size, size_t n, void *ctx)
{
	struct upload *u = ctx;

	n *= size;
	n = min_size(n, u->rest.n);
	if (n)
		memcpy(p, u->rest.p, n);
	u->rest.p += n;
	u->rest.n -= n;
	return n;
}

static int code_of(CURLcode rc, long answer)
{
	int code = curl_code(rc);

	if (rc == CURLE_LOGIN_DENIED) {
		if (answer >= 400 && answer < 500)
			return -EAGAIN;
		return -EACCES;
	}
	if (code != -EIO)
		return code;
	if (answer >= 500)
		return -EPERM;
	if (answer >= 400)
		return -EAGAIN;
	return -EIO;
}

static void set_up_mail(CURL *c, const struct smtp_msg *m, struct curl_slist *to, const char *from,
			struct upload *u)
{
	curl_own(c);
	curl_easy_setopt(c, CURLOPT_URL, m->url);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
	curl_easy_setopt(c, CURLOPT_USE_SSL,
			 m->tls == SMTP_TLS_NEVER        ? (long)CURLUSESSL_NONE
			 : m->tls == SMTP_TLS_IF_OFFERED ? (long)CURLUSESSL_TRY
							 : (long)CURLUSESSL_ALL);
	if (m->ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, m->ca_file);
	if (m->user) {
		curl_easy_setopt(c, CURLOPT_USERNAME, m->user);
		curl_easy_setopt(c, CURLOPT_PASSWORD, text_or(m->password, ""));
	}
	curl_easy_setopt(c, CURLOPT_MAIL_FROM, from);
	curl_easy_setopt(c, CURLOPT_MAIL_RCPT, to);
	curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(c, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(c, CURLOPT_READDATA, u);
	curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)m->message.n);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, (long)m->timeout_ms);
	curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)m->timeout_ms);
}

static struct curl_slist *list_recipients(const struct smtp_msg *m)
{
	struct curl_slist *list = NULL;

	for (size_t i = 0; i < m->nto; i++) {
		struct str one = { 0 };
		str_addf(&one, "<%s>", m->to[i]);
		struct curl_slist *more = curl_slist_append(list, one.p);
		str_free(&one);
		if (!more) {
			curl_slist_free_all(list);
			return NULL;
		}
		list = more;
	}
	return list;
}

int smtp_send(const struct smtp_msg *m, struct err *err)
{
	char detail[CURL_ERROR_SIZE] = "";
	struct str from = { 0 };
	struct upload u = { m->message };
	long answer = 0;
	int r = 0;
	bool smtps = m->url && !strncasecmp(m->url, "smtps://", 8);

	if (!smtps && (!m->url || strncasecmp(m->url, "smtp://", 7) != 0))
		return err_set(err, -EINVAL, "'%.100s' is not an smtp:// or smtps:// address",
			       text_or(m->url, ""));
	if (!m->nto || !m->from)
		return err_set(err, -EINVAL, "a mail needs a sender and a recipient");
	if (m->user && !smtps && m->tls != SMTP_TLS_REQUIRED)
		return err_set(err, -EINVAL,
			       "a password is sent over TLS only: use smtps:// or 'tls: required'");
	struct curl_slist *to = list_recipients(m);
	CURL *c = NULL;
	if (to)
		c = curl_easy_init();
	if (!c) {
		curl_slist_free_all(to);
		return err_nomem(err);
	}
	str_addf(&from, "<%s>", m->from);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, detail);
	set_up_mail(c, m, to, from.p, &u);
	CURLcode rc = curl_easy_perform(c);
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &answer);
	if (rc != CURLE_OK) {
		/* host and port only: no user, no password */
		const char *host = strstr(m->url, "://") + 3;
		const char *at = memrchr(host, '@', strcspn(host, "/?#"));
		if (at)
			host = at + 1;
		r = err_set(err, code_of(rc, answer), "mail through '%.*s': %s",
			    (int)strcspn(host, "/?#"), host,
			    filled_or(detail, curl_easy_strerror(rc)));
	}
	curl_easy_cleanup(c);
	curl_slist_free_all(to);
	str_free(&from);
	return r;
}
