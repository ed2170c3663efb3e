/* Sending one message: what all receivers have in common. */
#include "act/notify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "net/http.h"
#include "net/smtp.h"

#define SECRET_MAX 4096

const char *const notify_kind_name[NOTIFY_KIND_N + 1] = { "alertmanager", "webhook", "slack",
							  "email", "exec" };

/* The first line of a file with a secret. */
static int read_secret(const struct notify_target *t, const char *path, char ret[SECRET_MAX],
		       struct err *err)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return err_set(err, errno == EACCES ? -EACCES : -ENOENT,
			       "receiver '%s': '%s' cannot be read: %s", t->name, path,
			       strerror(errno));
	if (!fgets(ret, SECRET_MAX, f))
		*ret = 0;
	fclose(f);
	ret[strcspn(ret, "\r\n")] = 0;
	if (*ret)
		return 0;
	return err_set(err, -ENOENT, "receiver '%s': the first line of '%s' is empty", t->name,
		       path);
}

static void body_of(const struct notify_target *t, const struct notice *n, size_t count,
		    int64_t now_ms, struct str *out)
{
	switch (t->kind) {
	case NOTIFY_ALERTMANAGER: notify_alertmanager_body(t, n, count, now_ms, out); break;
	case NOTIFY_SLACK: notify_slack_body(t, n, count, now_ms, out); break;
	case NOTIFY_EMAIL: notify_email_message(t, n, count, now_ms, out); break;
	default:
		notify_webhook_body(t, n, count, now_ms, out);
		str_addc(out, '\n'); /* programs read lines */
	}
}

/* The address as configured; Alertmanager's with the path of its API. */
static int find_address(const struct notify_target *t, struct str *ret, struct err *err)
{
	char secret[SECRET_MAX];
	const char *url = t->url;
	int r;

	if (t->url_file) {
		if ((r = read_secret(t, t->url_file, secret, err)) < 0)
			return r;
		url = secret;
	}
	str_addz(ret, url);
	if (t->kind == NOTIFY_ALERTMANAGER && !sv_ends(str_sv(ret), SV("/alerts")))
		str_addz(ret,
			 ret->n && ret->p[ret->n - 1] == '/' ? "api/v2/alerts" : "/api/v2/alerts");
	return 0;
}

static int post_notice(const struct notify_target *t, struct sv body, int64_t *ret_retry_after_ms,
		       struct err *err)
{
	char token[SECRET_MAX];
	struct str url = { 0 };
	struct http_res res = { 0 };
	struct http *h = NULL;
	int r = find_address(t, &url, err);

	if (r >= 0 && t->bearer_file)
		r = read_secret(t, t->bearer_file, token, err);
	if (r >= 0)
		r = http_new(&(struct http_opt){ .ca_file = t->ca_file }, &h, err);
	if (r >= 0) {
		struct http_req q = { .url = url.p,
				      .body = body,
				      .content_type = "application/json",
				      .bearer = t->bearer_file ? token : NULL,
				      .connect_timeout_ms = t->timeout_ms,
				      .timeout_ms = t->timeout_ms,
				      .body_max = 65536 };
		r = http_do(h, &q, &res, err);
		*ret_retry_after_ms = r >= 0 ? res.retry_after_ms : -1;
		if (r >= 0 && (res.status < 200 || res.status > 299)) {
			r = http_status_err(url.p, &res, err);
			/* it understood and does not want it: not again */
			if (r == -EPROTO)
				r = -EINVAL;
		}
		if (r < 0 && t->url_file) /* the address is a secret: not into a log */
			err_set(err, r, "receiver '%s' does not take it: status %d", t->name,
				res.status);
	}
	http_free(h);
	http_res_free(&res);
	str_free(&url);
	return r;
}

static int send_mail(const struct notify_target *t, struct sv message, struct err *err)
{
	char password[SECRET_MAX];
	struct str url = { 0 };
	int r = find_address(t, &url, err);

	if (r >= 0 && t->password_file)
		r = read_secret(t, t->password_file, password, err);
	if (r >= 0) {
		struct smtp_msg m = { .url = url.p,
				      .user = t->user,
				      .ca_file = t->ca_file,
				      .from = t->from,
				      .to = t->to.v,
				      .nto = t->to.n,
				      .message = message,
				      .timeout_ms = t->timeout_ms,
				      .tls = SMTP_TLS_REQUIRED };
		if (t->password_file)
			m.password = password;
		if (t->tls == NOTIFY_TLS_NEVER)
			m.tls = SMTP_TLS_NEVER;
		else if (t->tls == NOTIFY_TLS_IF_OFFERED)
			m.tls = SMTP_TLS_IF_OFFERED;
		r = smtp_send(&m, err);
	}
	str_free(&url);
	return r;
}

int notify_send(const struct notify_target *t, const struct notice *n, size_t count, int64_t now_ms,
		int64_t *ret_retry_after_ms, struct err *err)
{
	struct str body = { 0 };
	int r;

	*ret_retry_after_ms = -1;
	if (!count)
		return 0;
	body_of(t, n, count, now_ms, &body);
	if (t->kind == NOTIFY_EMAIL)
		r = send_mail(t, str_sv(&body), err);
	else if (t->kind == NOTIFY_EXEC)
		r = notify_exec_run(t, str_sv(&body), err);
	else
		r = post_notice(t, str_sv(&body), ret_retry_after_ms, err);
	str_free(&body);
	return r;
}

/* Scheme and host: paths and queries of webhooks are often the secret. */
static void put_address(const struct notify_target *t, struct str *out)
{
	const char *scheme = NULL;

	if (t->url)
		scheme = strstr(t->url, "://");
	if (t->url_file || !scheme) {
		str_addf(out, "(the address in %s)", text_or(t->url_file, "?"));
		return;
	}
	const char *host = scheme + 3, *at = memrchr(host, '@', strcspn(host, "/?#"));
	if (at)
		host = at + 1;
	str_add(out, t->url, (size_t)(scheme + 3 - t->url));
	str_add(out, host, strcspn(host, "/?#"));
	str_addz(out, t->kind == NOTIFY_ALERTMANAGER ? "/api/v2/alerts"
						     : text_if(host[strcspn(host, "/?#")], "/..."));
}

void notify_show(const struct notify_target *t, const struct notice *n, size_t count,
		 int64_t now_ms, struct str *out)
{
	str_addf(out, "%s (%s): ", t->name, notify_kind_name[t->kind]);
	if (t->kind == NOTIFY_EXEC) {
		for (size_t i = 0; i < t->argv.n && t->argv.v[i]; i++)
			str_addf(out, "%s%s", i ? " " : "run ", t->argv.v[i]);
	} else {
		str_addz(out, t->kind == NOTIFY_EMAIL ? "mail through " : "POST ");
		put_address(t, out);
	}
	str_addc(out, '\n');
	if (count)
		body_of(t, n, count, now_ms, out);
	if (out->n && out->p[out->n - 1] != '\n')
		str_addc(out, '\n');
}
