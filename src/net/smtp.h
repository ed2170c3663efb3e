#ifndef TARE_NET_SMTP_H
#define TARE_NET_SMTP_H
/*
 * Send one mail (libcurl). Blocking, with a limit on the whole of it. The caller has checked the
 * addresses: they go into commands of the dialogue.
 */
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

/* STARTTLS of smtp://; smtps:// is TLS from the start */
enum smtp_tls { SMTP_TLS_REQUIRED, SMTP_TLS_IF_OFFERED, SMTP_TLS_NEVER };
struct smtp_msg {
	const char *url;             /* smtp://host[:25], smtps://host[:465] */
	const char *user, *password; /* NULL: no login */
	const char *ca_file;         /* further roots instead of the system's, or NULL */
	enum smtp_tls tls;
	const char *from; /* "a@b", without brackets */
	const char *const *to;
	size_t nto;
	struct sv message; /* headers and body with CR LF */
	int64_t timeout_ms;
};
/*
 * 0; -ETIMEDOUT, -ECONNREFUSED, -EHOSTUNREACH, -EAGAIN (the server says later: 4xx), -EACCES (login
 * refused), -EPERM (5xx: it will never take it), -EPROTO (TLS), -EINVAL (URL, or a password that
 * would go over the wire in the clear), -EIO. The error names host and answer, never the password.
 */
int smtp_send(const struct smtp_msg *m, struct err *err);
#endif
