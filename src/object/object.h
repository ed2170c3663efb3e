#ifndef TARE_OBJECT_OBJECT_H
#define TARE_OBJECT_OBJECT_H
/*
 * An object store: keys with bytes, behind one small table of functions. S3 and what speaks it
 * (s3://BUCKET/PREFIX), Google by its S3 interface (gs://), Azure blob
 * (azblob://ACCOUNT/CONTAINER/PREFIX), a folder (file:///DIR or a path), a command (cmd:PROGRAM).
 * Every request is bounded in time and size and tried again where that is safe; big objects go in
 * parts that survive a cut.
 */
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"

/* Who may read what is saved, in a folder of checkpoints or in one that is a store: its owner alone
 * (0600, folders 0700), or as the umask says where the environment has TARE_CHECKPOINT_SHARED=1.
 * What is there already stays as it is. */
unsigned object_file_mode(void);
unsigned object_folder_mode(void);

struct object_opt { /* zero-initialised: from the environment, as the provider's own tools do */
	/* "https://host:port", NULL: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, the provider's */
	const char *endpoint;
	const char *region; /* NULL: AWS_REGION, AWS_DEFAULT_REGION, us-east-1 */
	/* NULL: AWS_ACCESS_KEY_ID ..., else the profile, else the machine's role:
	 * docs/SURVIVE.md */
	const char *key_id, *secret, *token;
	const char *profile; /* of the credentials file, NULL: AWS_PROFILE, "default" */
	/* Azure, NULL: AZURE_STORAGE_CONNECTION_STRING, AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN,
	 * an identity */
	const char *sas;
	const char *ca_file; /* NULL: AWS_CA_BUNDLE, CURL_CA_BUNDLE, SSL_CERT_FILE */
	int streams;         /* parts in flight, 0: 8 */
	uint64_t part_bytes; /* 0: 16 MiB, more for objects that would have over 10,000 parts */
	/* a request without a byte for so long is given up and tried again, 0: 30 s */
	int64_t stall_ms;
	int tries; /* of a request, 0: 6 */
	/*
	 * Is the SHA-256 of bodies signed: "on", "off"; NULL: AWS_S3_PAYLOAD_SIGNING_ENABLED (true,
	 * false), payload_signing_enabled in the table "s3" of ~/.aws/config, else over plain HTTP
	 * only. "off" there is faster, on networks one trusts: who can change bytes on the way can
	 * then change bodies.
	 */
	const char *payload_signing;
	/* headers of S3: x-amz-server-side-encryption ...; NULL none */
	const char *sse, *sse_kms_key_id, *storage_class, *request_payer;
	/* http://host/bucket instead of http://bucket.host; always where the endpoint is not
	 * AWS's */
	bool path_style;
};

/* Where an object's bytes come from: memory, or a piece of an open file. Read several times where a
 * request is tried again. */
struct object_src {
	const void *mem;
	int fd;
	uint64_t offset, bytes;
	/*
	 * NULL, or looks at [offset, offset + bytes) of the source before they are sent: read them,
	 * tell whether they may go (negative: the put fails so, nothing is there), and hand them in
	 * order to feed, where that is given. Called in other threads, several at once, for each
	 * piece once.
	 */
	int (*look)(void *ctx, uint64_t offset, uint64_t bytes,
		    void (*feed)(void *to, const void *p, size_t n), void *to, struct err *err);
	void *look_ctx;
};
/* A deadline for everything below: wall-clock ms, INT64_MAX = none. A call that cannot end in time
 * returns -ETIME; parts that arrived are used by the next try. */
struct object_when {
	int64_t deadline_ms;
	int64_t (*now_ms)(void);
	/*
	 * NULL, or called by a put now and then (5 times a second; commands as stores never): how
	 * much of the object has arrived permanently, and how much more was sent. Negative: the put
	 * ends with that. It may move the deadline.
	 */
	int (*turn)(void *ctx, uint64_t arrived_bytes, uint64_t under_way_bytes);
	void *turn_ctx;
};

struct object_store;
/* Settings may stand behind an address over HTTP: "?region=...&sse=...", see object_set.c. Nothing
 * is asked of the store yet. -EINVAL: no such kind of address; -EACCES: no credentials anywhere
 * (the hint says where they were looked for). */
int object_open(const char *url, const struct object_opt *opt, struct object_store **ret,
		struct err *err);
void object_close(struct object_store *s);            /* NULL is fine */
const char *object_url(const struct object_store *s); /* without secrets */

struct object_put {
	const struct object_src *src;
	/* What names the content, such as its hash: an object of the same key, size and tag is this
	 * one, put by an earlier try; NULL = never resume. */
	const char *tag;
	bool only_new;                  /* -EEXIST where the key is there (If-None-Match: *) */
	const struct object_when *when; /* NULL: no deadline */
};
/*
 * Put an object. The store has all of it or nothing. A store that ignores only_new is found out at
 * the first such put (object_can_condition()) and looked at beforehand instead. An interrupted
 * upload of the same key and bytes (same tag) goes on with the parts that arrived.
 * *ret_sent_bytes, may be NULL: of a put that failed too.
 */
int object_put(struct object_store *s, const char *key, const struct object_put *put,
	       uint64_t *ret_sent_bytes, struct err *err);

struct object_get {
	uint64_t offset, bytes; /* [offset, offset + bytes); bytes UINT64_MAX: to the end */
	void *mem;              /* where they go, or NULL: to the file, at to_offset */
	int fd;
	uint64_t to_offset;
	const struct object_when *when; /* NULL: no deadline */
};
/* Read a piece of an object. -ENOENT. *ret_bytes: how many came. */
int object_get(struct object_store *s, const char *key, const struct object_get *get,
	       uint64_t *ret_bytes, struct err *err);
/* -ENOENT */
int object_size(struct object_store *s, const char *key, uint64_t *ret, struct err *err);
struct object_key {
	const char *key;
	uint64_t bytes;
};
/* Keys that start with a prefix, in order, with their sizes; in arena a. At most 10 million:
 * -E2BIG. */
int object_list(struct object_store *s, const char *prefix, struct arena *a,
		struct object_key **ret, size_t *ret_n, struct err *err);
int object_delete(struct object_store *s, const char *key, struct err *err); /* of none is 0 */
/* true until a store was seen to ignore it */
bool object_can_condition(const struct object_store *s);

/*
 * A command as a store (cmd:PROGRAM ARGUMENTS, split at blanks), in the manner of rclone. It is run
 *   once an operation, with behind its own arguments
 *   put KEY bytes on standard input put-new KEY the same, exit 4 where the key is there; exit 64:
 *           cannot
 *   get KEY FROM N    N bytes from FROM to standard output (fewer at the end), N "-": all
 *   size KEY the size, a line list PREFIX "SIZE KEY" a line delete KEY
 * Exit 0: done; 3: there is no such key; else it failed, and the first line of standard error says
 * why.
 */

/* The clock that deadlines of a request go by. */
int64_t object_now_ms(const struct object_when *when);

#endif
