#ifndef TARE_RUN_NOTICE_H
#define TARE_RUN_NOTICE_H
/*
 * Who says that this machine or job will be taken away, and when. A source a file: AWS
 * (spot/instance-action, recommendations/rebalance by IMDSv2), Google (instance/preempted,
 * maintenance-event by wait_for_change), Azure (scheduled events, acknowledged), Slurm (signal
 * before the limit or preemption), Kubernetes (SIGTERM, taints of the node), a file that appears, a
 * command that ends with 0.
 *
 * Nobody who watches ever waits: each source is a thread that may, and all of them wake one
 * descriptor.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

enum notice_kind {
	NOTICE_NONE,
	NOTICE_REBALANCE, /* likelier than before: save, go on */
	NOTICE_STOP,      /* will be taken away at `at_ms` */
	NOTICE_GONE,      /* it was said earlier and is withdrawn */
};
struct notice {
	enum notice_kind kind;
	/* wall clock; where the source tells none, its usual notice after seen_ms */
	int64_t at_ms;
	int64_t seen_ms;
	/* "aws", "gcp", "azure", "slurm", "kubernetes", "file", "command", "signal" */
	char source[24];
	char what[160]; /* in the source's words, cleaned */
};

struct notice_opt {
	/* "auto" or names with commas; auto: those that answer on this machine */
	const char *sources;
	/* URL of the metadata service, NULL: the provider's link-local address */
	const char *aws, *gcp, *azure;
	const char *file, *command;
	/* NULL: from the service account */
	const char *kube_url, *kube_token_file, *kube_ca_file, *node;
	/* 0: as the provider advises (AWS 5 s, Azure 1 s; Google waits in the request) */
	int64_t poll_ms;
	/* file, command, kubernetes: the notice where they tell no time; 0: 30 s, 30 s, 60 s */
	int64_t usual_ms;
	/* Azure: acknowledge (StartRequests) when the state is safe, so that the machine goes at
	 * once */
	bool ack;
};
struct notice_watch;
int notice_open(const struct notice_opt *opt, int64_t now_ms, struct notice_watch **ret,
		struct err *err);
/* A descriptor that poll() says readable when notice_next() has something to do; the same for the
 * whole life of the watch. */
int notice_fd(const struct notice_watch *w);
/* Do what is due without blocking. 1: *ret is a new notice; 0: none; negative: only without memory.
 * Sources that do not answer are in notice_problem(). */
int notice_next(struct notice_watch *w, int64_t now_ms, struct notice *ret, struct err *err);
/* The state is safe: tell those who asked for it. Waits up to 3 s where opt.ack is set, as the
 * program ends behind it. */
void notice_ack(struct notice_watch *w, int64_t now_ms);
const char *notice_problem(const struct notice_watch *w); /* NULL: all that should answer do */
/* Names of those that are asked, up to max. */
size_t notice_sources(const struct notice_watch *w, const char *ret[], size_t max);
void notice_close(struct notice_watch *w);

#endif
