#ifndef TARE_SPOT_OBJECT_ROLE_H
#define TARE_SPOT_OBJECT_ROLE_H
/*
 * Credentials that a service gives to where a program runs: a pod, a container, a machine. All of them end, and are asked for anew.
 * Sources: AWS "container credential provider", "IMDSv2", STS AssumeRoleWithWebIdentity; Google's metadata server; Microsoft's managed
 * identities (IMDS, App Service) and the workload identity of Microsoft Entra.
 */
#include "base/str.h"
#include "spot/object_cred.h"

/* What stands outside of environment and files: the container's role, the machine's; Google's account; Azure's identity. -ENOENT: nothing there. */
int cred_of_place(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err);
/* EKS and others: the token in a file is changed for keys of a role. session may be NULL. -EACCES with the service's words. */
int cred_web_identity(const char *token_file, const char *role_arn, const char *session, int64_t now_ms, struct cred *ret, struct err *err);

/* ---- shared with object_cred.c ---- */
bool cred_value_ok(struct sv v); /* printable ASCII without blanks: it goes into a header */
int cred_read_file(const char *path, struct str *ret); /* a MiB at most; negative errno */

/* ---- shared with object_role_azure.c ---- */
struct role_question {
	const char *method, *url, *header;
	struct sv form; /* sent where it is one */
	bool local;	/* link-local: answers at once or not at all */
};
struct http;
/* ret: the answer, of a refusal too. A service that is busy is asked again. */
int role_ask(struct http *h, const struct role_question *q, struct str *ret, struct err *err);
void role_form(struct str *form, const char *name, struct sv value); /* append NAME=VALUE, quoted */
/* A token in a file that somebody renews: read anew each time. -EACCES. */
int role_token(const char *file, struct str *ret, struct err *err);
void role_wipe(struct str *s);
int role_azure(struct http *h, int64_t now_ms, struct cred *ret, struct err *err); /* h: for addresses of the machine */

#endif
