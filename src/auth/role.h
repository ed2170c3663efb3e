#ifndef TARE_AUTH_ROLE_H
#define TARE_AUTH_ROLE_H
/*
 * Credentials that a service gives to where a program runs: a pod, a container, a machine. All of
 * them end, and are asked for again.
 * Sources: AWS "container credential provider", "IMDSv2", STS AssumeRole and
 * AssumeRoleWithWebIdentity, IAM Identity Center (GetRoleCredentials, CreateToken); Google's
 * metadata server and its OAuth 2.0 for service accounts; Microsoft's managed identities (IMDS, App
 * Service) and the workload identity of Microsoft Entra. The order inside a profile is botocore's.
 */
#include "base/str.h"
#include "auth/cred.h"

/* What stands outside of environment and files: the container's role, the machine's; Google's
 * account; Azure's identity. -ENOENT: nothing there. */
int cred_of_place(const struct cred_opt *o, int64_t now_ms, struct cred *ret, struct err *err);
/* One of them alone, as credential_source in a profile names it. */
enum cred_source { SOURCE_CONTAINER, SOURCE_MACHINE };
int cred_of_source(enum cred_source where, int64_t now_ms, struct cred *ret, struct err *err);
/* the keys of AWS_ACCESS_KEY_ID ...; -ENOENT */
int cred_of_environment(struct cred *ret, struct err *err);

/* ---- STS (cred_sts.c) ---- */
struct sts_role {
	const char *arn, *session, *external_id; /* the last two may be NULL */
	int64_t duration_s;                      /* 0: an hour, as STS has it */
	/* whose region's STS is asked, where AWS_REGION does not say; NULL: AWS_PROFILE,
	 * "default" */
	const char *profile;
};
/* EKS and others: the token in a file is changed for keys of a role. -EACCES with the service's
 * words. */
int cred_web_identity(const struct sts_role *r, const char *token_file, int64_t now_ms,
		      struct cred *ret, struct err *err);
/* Keys of a role for those who hold other keys: `by`, which came from what `by_name` says. -EACCES
 * with the service's words. */
int cred_assume_role(const struct sts_role *r, const struct cred *by, const char *by_name,
		     int64_t now_ms, struct cred *ret, struct err *err);

/* ---- profiles of ~/.aws (cred_profile.c, cred_sso.c) ---- */
/* NULL: AWS_PROFILE, "default". -ENOENT: nothing there, and none was asked for by name. */
int cred_of_profile(const char *profile, int64_t now_ms, struct cred *ret, struct err *err);
struct aws_files {
	struct str text[2];
}; /* credentials, config */
/* A login of IAM Identity Center, where the profile is one: else -ENOENT. */
int cred_of_sso(const struct aws_files *f, const char *profile, int64_t now_ms, struct cred *ret,
		struct err *err);
/* credentials first, as the providers' tools do */
/* What to do next, with the name of a profile as a shell takes it. -EACCES. */
int aws_hint(struct err *err, const char *before, const char *name, const char *after);
struct sv aws_files_value(const struct aws_files *f, const char *profile, const char *name);

/* Google's key files (cred_google.c): GOOGLE_APPLICATION_CREDENTIALS, then the one that gcloud
 * writes. -ENOENT: neither. */
int cred_of_google_files(int64_t now_ms, struct cred *ret, struct err *err);

/* ---- shared ---- */
bool cred_value_ok(struct sv v);      /* printable ASCII without blanks: it goes into a header */
bool aws_region_ok(struct sv region); /* fit to stand in a host's name */
int cred_read_file(const char *path, struct str *ret);
/* The same of a file with keys: cred_warning() tells where others may read it. Of both, -EPERM:
 * everybody may write it. */
int cred_read_keys(const char *path, struct str *ret);
const char *cred_why(int rc);
/* strerror(), and for -EPERM what to do */ /* a MiB at most; negative errno */
/* ~/.aws/NAME, or the file that the variable names. The path is told for errors. */
int cred_read_aws(const char *name, const char *variable, struct str *path, struct str *text);
const char *cred_profile(const char *told); /* told, AWS_PROFILE, "default" */
struct role_question {
	const char *method, *url;
	const char *header[4];    /* up to the first NULL */
	struct sv body;           /* sent where it is one */
	const char *content_type; /* of body; NULL: a form */
	bool local;               /* link-local: answers at once or not at all */
	int64_t *ret_server_ms;   /* NULL, or gets the server's time: -1 where it did not say */
	int *ret_status;          /* NULL, or gets the status, 0 where there was no answer */
};
struct http;
/* ret: the answer, of a refusal too. A service that is busy is asked again. Redirections are not
 * followed: who asks has secrets. */
int role_ask(struct http *h, const struct role_question *q, struct str *ret, struct err *err);
bool role_url_safe(const char *url); /* fit to be told a secret: https, or this machine */
void role_form(struct str *form, const char *name, struct sv value); /* append NAME=VALUE, quoted */
/* A token in a file that somebody renews: read again each time. -EACCES. */
int role_token(const char *file, struct str *ret, struct err *err);
void role_wipe(struct str *s);
void role_wipe_text(char **p); /* free; NULL after it */
/* append a service's words: 200 bytes, fit for a terminal */
void role_words(struct str *out, struct sv text);
/* h: for addresses of the machine */
int role_azure(struct http *h, int64_t now_ms, struct cred *ret, struct err *err);

#endif
