#ifndef TARE_ACT_NOTIFY_H
#define TARE_ACT_NOTIFY_H
/*
 * Tells people and programs of alerts: Prometheus' Alertmanager (API v2), a webhook, Slack-shaped
 * JSON, e-mail, a program with JSON on its standard input. A queue in memory, bounded and without
 * doubles, with retries; it has no clock and no thread: the agent brings both.
 *
 *   notify_add()   puts a notice into the queue of one receiver (another of the same id waiting
 *                  there is replaced)
 *   notify_next()  takes what is due out as a batch: what belongs together (same group and state)
 *                  in one message
 *   notify_send()  sends it and waits; touches nothing of the queue, so that a thread of its own
 *                  can do it
 *   notify_done()  says how it went: done, again later, or given up
 *
 * Texts of notices may come from outside: they are escaped for where they go, bounded, and never
 * become a header, a mail command or an argument.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"

enum notify_kind {
	NOTIFY_ALERTMANAGER,
	NOTIFY_WEBHOOK,
	NOTIFY_SLACK,
	NOTIFY_EMAIL,
	NOTIFY_EXEC,
	NOTIFY_KIND_N
};
/* "alertmanager" "webhook" "slack" "email" "exec", NULL */
extern const char *const notify_kind_name[NOTIFY_KIND_N + 1];
enum notify_tls { NOTIFY_TLS_REQUIRED, NOTIFY_TLS_IF_OFFERED, NOTIFY_TLS_NEVER };

struct notify_target { /* a receiver, as the settings say; files are read when something is sent */
	const char *name;
	enum notify_kind kind;
	const char *url; /* http(s)://, smtp(s)://; Alertmanager: its base */
	/* instead: the first line of this file, for addresses that are secrets */
	const char *url_file;
	const char *bearer_file; /* token, or NULL */
	const char *ca_file;     /* further roots, or NULL */
	const char *from;        /* mail */
	VEC(const char *) to;
	const char *user, *password_file;
	enum notify_tls tls;
	VEC(const char *) argv; /* exec: program and arguments; argv.v[argv.n] is NULL */
	int64_t timeout_ms;
	int64_t resend_ms; /* Alertmanager: what still fires is sent again after this */
	bool resolved;     /* also send when it is over */
};

struct notice_label {
	const char *name, *value;
};
struct notice {
	/* the same alert has the same id when it begins and when it is over */
	const char *id;
	const char *group; /* notices of one group go out in one message */
	const char *rule, *severity, *summary, *advice;
	const char *signal;
	double value, worst, threshold; /* NAN */
	bool above;
	bool over;
	const char *why_over;
	int64_t starts_ms, ends_ms;       /* ends UNKNOWN_MS while it lasts */
	const char *cost, *currency;      /* decimal text, NULL = not known */
	const struct notice_label *label; /* names fit for Prometheus; empty values are left out */
	size_t nlabel;
	bool test; /* only a test of the receiver */
};

struct notify_batch {
	size_t target;
	const struct notice *notice; /* [n], one group and state (Alertmanager: any) */
	size_t n;
	struct arena mem;
	int attempt;
	int64_t first_ms; /* when the oldest was put in */
};
struct notify_stat {
	int64_t sent, failed, retried, dropped;
	size_t waiting;
	char last_error[200];
};

/* notices that wait for one receiver; of more the oldest is dropped and counted */
#define NOTIFY_QUEUE_MAX 256
#define NOTIFY_BATCH_MAX 64 /* notices in one message */
/* a notice waits this long for others of its group, but at an Alertmanager, which does that
 * itself */
#define NOTIFY_GATHER_MS  2000LL
#define NOTIFY_GIVE_UP_MS 3600000LL /* a notice this old is given up */

struct notify;
/* target [n] must outlive the queue */
struct notify *notify_new(const struct notify_target *target, size_t n);
void notify_free(struct notify *q);
/* *n is copied */
void notify_add(struct notify *q, size_t target, const struct notice *n, int64_t mono_ms);
/* A batch that is due, or NULL; *ret_next_ms: when to look again (INT64_MAX: when something was
 * added). At most one a receiver is out. */
struct notify_batch *notify_next(struct notify *q, int64_t mono_ms, int64_t *ret_next_ms);
/* rc: of notify_send(). Frees the batch, or puts it back for later. */
void notify_done(struct notify *q, struct notify_batch *b, int rc, int64_t retry_after_ms,
		 const struct err *why, int64_t mono_ms);
/* Every notice that is not delivered yet, those being sent too; for a caller that keeps them over a
 * restart. */
void notify_each(const struct notify *q,
		 void (*fn)(void *ctx, size_t target, const struct notice *n), void *ctx);
void notify_hurry(struct notify *q); /* from now on nothing waits for others: the end is near */
const struct notify_stat *notify_stat(const struct notify *q, size_t target);

/* 0; -EAGAIN and others of the network: worth another try; -EINVAL, -EACCES, -ENOENT, -EPERM: not.
 * *ret_retry_after_ms -1 unless the receiver said. */
int notify_send(const struct notify_target *t, const struct notice *n, size_t count, int64_t now_ms,
		int64_t *ret_retry_after_ms, struct err *err);
bool notify_worth_retry(int rc);
/* What would be sent, for people: method and address without secrets, and the body. */
void notify_show(const struct notify_target *t, const struct notice *n, size_t count,
		 int64_t now_ms, struct str *out);

/* ---- what a message says: a file for each kind of receiver ------------------------------- */

/* an array of alerts, as API v2 takes it */
void notify_alertmanager_body(const struct notify_target *t, const struct notice *n, size_t count,
			      int64_t now_ms, struct str *out);
/* the document tare.notice/1 */
void notify_webhook_body(const struct notify_target *t, const struct notice *n, size_t count,
			 int64_t now_ms, struct str *out);
/* {"text": ...} */
void notify_slack_body(const struct notify_target *t, const struct notice *n, size_t count,
		       int64_t now_ms, struct str *out);
/* a message by RFC 5322 */
void notify_email_message(const struct notify_target *t, const struct notice *n, size_t count,
			  int64_t now_ms, struct str *out);
/* body to the program's standard input; waits for its end, at most timeout_ms */
int notify_exec_run(const struct notify_target *t, struct sv body, struct err *err);
/* "[warning] GPU utilisation is low: n1/0 (job 7, team vision)": one line, texts cut, control
 * characters gone. */
void notify_title(const struct notice *n, size_t count, struct str *out);
/* Lines of what is known: value, since when, what to do. */
void notify_lines(const struct notice *n, size_t count, struct str *out);
/* A mail address that is safe in a command and a header: one @, no blanks, brackets, quotes or
 * control characters. */
bool notify_address_ok(const char *z);
#endif
