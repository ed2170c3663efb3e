#ifndef TARE_RUN_NOTICE_PRIV_H
#define TARE_RUN_NOTICE_PRIV_H
/*
 * What the files notice*.c share. A source is a thread that asks somebody and waits; it may wait
 * for seconds in a request, the supervisor never does. What it learns goes through notice_say(),
 * which knows what was said already and wakes the supervisor by one eventfd.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "base/mem.h"
#include "base/str.h"
#include "net/http.h"
#include "run/notice.h"

struct notice_src;
struct notice_ops {
	const char *name; /* struct notice's source */
	/* Ask once; may wait. Returns ms until it wants to be called again, negative: never
	 * again. */
	int64_t (*ask)(struct notice_src *s);
	/* the state is safe; in the source's own thread; may be NULL */
	void (*ack)(struct notice_src *s);
	int64_t usual_ms; /* notice that counts where no time is told */
	bool by_user;     /* unless the user knows better */
};
struct notice_src {
	struct notice_watch *w;
	const struct notice_ops *ops;
	struct http *http;
	struct http_res res;
	const char *base; /* of the URL, without a slash at its end */
	/* AWS: session token; Google: of the last answer; Azure: name of this machine */
	struct str token, etag, me;
	int64_t token_until_ms; /* by the clock that never jumps */
	struct str said;        /* what the last notice was about: it is not said twice */
	struct str ids;         /* Azure: EventIds to acknowledge, separated by blanks */
	int64_t boot_wait_ms;
	int failures;
	int fd; /* inotify */
	bool tokened, acked;
};

extern const struct notice_ops notice_aws, notice_gcp_preempted, notice_gcp_maintenance,
	notice_azure, notice_kubernetes, notice_file, notice_command, notice_slurm;

const struct notice_opt *notice_options(const struct notice_src *s);
bool notice_stopped(const struct notice_src *s);
/* kind NONE: nothing is announced (what was said before is withdrawn). key: what names this
 * notice. */
void notice_say(struct notice_src *s, enum notice_kind kind, int64_t at_ms, struct sv key,
		const char *what);
/* A request that failed (status 0) or answered what it should not: notice_problem(); returns how
 * long to wait. */
int64_t notice_trouble(struct notice_src *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void notice_fine(struct notice_src *s);
/* GET base + path with one header; the status, 0 without an answer. keep: header of the answer
 * wanted in res.header, or NULL. */
int notice_get(struct notice_src *s, const char *path, const char *const *header, size_t nheader,
	       const char *keep, int64_t timeout_ms);
/*
 * A time of day that was told, by tm_steady_ms(). s: the answer that told it was asked for its
 * header Date: that is the clock it goes by. Without one (NULL: nobody has), where ours was set
 * ahead since the start, the earlier of both readings counts.
 */
int64_t notice_told_ms(const struct notice_src *s, int64_t at_ms);

/* ---- bytes from outside; for tests and fuzzing ------------------------------------------- */

/* at_ms INT64_MIN: none was told; in_ms: usual for it, 0 not known */
struct notice_event {
	enum notice_kind kind;
	int64_t at_ms;
	char key[200], what[160];
	int64_t in_ms;
};
int notice_aws_action(struct sv body, struct notice_event *ret); /* 0, -EBADMSG */
/* The most urgent event for the machine `me` ("": all); ids gets the EventIds that may be
 * acknowledged. kind NONE: none. -EBADMSG. */
int notice_azure_events(struct sv body, struct sv me, struct notice_event *ret, struct str *ids);
int notice_kube_node(struct sv body, struct notice_event *ret);
/* The raw value of a member of an object, texts without quotes; {NULL,0}: none. */
struct sv notice_member(struct sv object, const char *key);

#endif
