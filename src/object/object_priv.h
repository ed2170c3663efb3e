#ifndef TARE_OBJECT_OBJECT_PRIV_H
#define TARE_OBJECT_OBJECT_PRIV_H
/* What the kinds of stores share: the table of their functions, and the loop that carries requests
 * to those that speak HTTP. */
#include "net/digest.h"
#include "net/xfer.h"
#include "object/object.h"
#include "auth/auth_env.h"
#include "auth/cred.h"

struct object_ops {
	const char *scheme; /* "s3://" */
	/* rest: behind the scheme */
	int (*open)(struct object_store *s, const char *rest, const struct object_opt *opt,
		    struct err *err);
	int (*put)(struct object_store *s, const char *key, const struct object_put *put,
		   uint64_t *ret_sent, struct err *err);
	int (*get)(struct object_store *s, const char *key, const struct object_get *get,
		   uint64_t *ret_bytes, struct err *err);
	int (*size)(struct object_store *s, const char *key, uint64_t *ret, struct err *err);
	int (*list)(struct object_store *s, const char *prefix, struct arena *a,
		    struct object_key **ret, size_t *ret_n, struct err *err);
	int (*del)(struct object_store *s, const char *key, struct err *err);
	void (*close)(struct object_store *s); /* may be NULL */
};
extern const struct object_ops object_s3_ops, object_gs_ops, object_azure_ops, object_dir_ops,
	object_cmd_ops;

struct web_req;
/* A request as it goes out; begins zero, the caller's to free. */
#define WEB_HEADERS 16
struct web_signed {
	struct str url, header[WEB_HEADERS];
	size_t nheader;
};
struct object_store {
	const struct object_ops *ops;
	char *url;         /* as shown */
	bool no_condition; /* it ignores If-None-Match, or cannot say */
	bool probed;
	bool swept; /* dir: what killed writers left was looked for */
	/* dir, cmd */
	char *path; /* folder, or the command */
	/* over HTTP */
	struct xfer *x;
	struct cred cred;
	struct cred_opt cred_opt;
	char *base;            /* "https://host[/bucket]", no slash at the end */
	char *bucket, *prefix; /* prefix: "" or with a slash at the end */
	char *region, *sas;
	char *put_header[3], *all_header; /* of what makes an object; of every request */
	/* hash_body: its requests carry the SHA-256 of large bodies */
	bool google, fixed_endpoint, path_style, unsigned_body, hash_body;
	int streams, tries;
	uint64_t part_bytes;
	uint64_t arrived;   /* of the put under way, parts that a run of requests finished */
	unsigned cred_no;   /* how often they were */
	int64_t renewed_ms; /* when credentials were last asked for again */
	/* deadline of the requests under way, INT64_MAX none; 0: none were made yet */
	int64_t until_ms;
	int64_t skew_ms; /* the server's clock less ours, once it was told */
	/* Make URL and headers of a try: signed at the moment it is sent. */
	int (*sign)(struct object_store *s, struct web_req *q, int64_t now_ms,
		    struct web_signed *ret, struct err *err);
};

/* A request that is tried again until it is answered permanently. */
struct web_req {
	const char *method;
	char *path;            /* "/KEY" encoded, or "" */
	char *query;           /* encoded, without "?", or NULL */
	const char *header[8]; /* further ones, signed */
	size_t nheader;
	bool has_body;
	const struct object_src *src; /* of the body, or NULL */
	uint64_t src_at;
	char sha256[DIGEST_HEX]; /* of the body, once it is known, else "" */
	const void *mem;
	int fd;
	uint64_t offset, bytes;
	void *to_mem;
	bool to_file;
	int to_fd;
	uint64_t to_offset, to_max;
	/* codes of errors (in the answer) that are an outcome here, not a failure; NULL none */
	const char *may;
	/* outcome */
	struct xfer_done *d; /* of the last try */
	int rc;
	int tries;
	int64_t not_before_ms;
	bool running, over, renewed;
	/* of the credentials of the last try, and by which clock it was signed */
	unsigned cred_no;
	int64_t skew_ms;
	uint64_t sent_bytes; /* of the try that arrived */
};
void web_req_free(struct web_req *q);

/*
 * Run n requests, `streams` at a time, each tried again where that may help, until all are over or
 * one has failed permanently. Returns the first failure: -ENOENT (404), -EEXIST (412), -EACCES,
 * -ETIME (deadline), -EIO ... with the sentence in err; those under way are given up.
 */
int web_run(struct object_store *s, struct web_req *q, size_t n, const struct object_when *when,
	    struct err *err);
/* streams 1 */
int web_one(struct object_store *s, struct web_req *q, const struct object_when *when,
	    struct err *err);
/* "/a/b%20c" of a key. */
char *web_path(const char *prefix, const char *key);
int64_t web_left_ms(const struct object_when *when); /* INT64_MAX: no deadline */
/* Of an answer that came: 1: over, well; 0: to be tried again, not before q->not_before_ms (of
 * mono_ms's clock); negative: failed permanently. */
int web_judge(struct object_store *s, struct web_req *q, const struct object_when *when,
	      int64_t mono_ms, struct err *err);
int web_too_late(const struct object_store *s, struct err *err); /* -ETIME */
int web_open(struct object_store *s, const struct object_opt *opt, struct err *err);
void web_close(struct object_store *s);
/* The size that parts of an object of so many bytes get: at most `max_parts`. */
uint64_t web_part_bytes(const struct object_store *s, uint64_t bytes, uint64_t max_parts);
/* Both kinds over HTTP read by ranges and ask for the size by HEAD. */
int web_get(struct object_store *s, const char *key, const struct object_get *get,
	    uint64_t *ret_bytes, struct err *err);
int web_size(struct object_store *s, const char *key, uint64_t *ret, struct err *err);
int web_del(struct object_store *s, const char *key, struct err *err);
/* The request's body: a piece of the source. */
void web_body(struct web_req *q, const struct object_src *src, uint64_t offset, uint64_t bytes);
/* After an answer that was lost: is what is there what we sent? By its length and the tag in that
 * header. */
bool web_is_ours(struct object_store *s, const char *key, const char *tag_header, uint64_t bytes,
		 const char *tag);
/* What a list gives, page by page. */
struct object_listing {
	struct arena *a;
	const char *prefix; /* of the keys asked for */
	/* Asks for a page and sets *next to the mark of the next one or NULL. */
	int (*page)(struct object_store *s, struct object_listing *l, char **next, struct err *err);
	VEC(struct object_key) v;
	size_t skip; /* bytes of each key that are the store's prefix */
};
/* One key as it stands in the XML. -EBADMSG, -E2BIG. */
int web_list_add(struct object_listing *l, struct sv key, struct sv size);
/* All pages; l has arena, prefix and page. */
int web_list(struct object_store *s, struct object_listing *l, struct object_key **ret,
	     size_t *ret_n, struct err *err);
/* The XML of the answers: ListObjectsV2, List Blobs, ListParts. -EBADMSG. *ret_next: mark of the
 * next page or NULL. */
int s3_list_parse(struct object_listing *l, struct sv doc, char **ret_next);
int azure_list_parse(struct object_listing *l, struct sv doc, char **ret_next);
struct s3_part {
	int64_t number, size;
	const char *etag;
};
struct s3_parts {
	struct arena *a;
	VEC(struct s3_part) v;
};
int s3_parts_parse(struct s3_parts *l, struct sv doc, char **ret_next);
/* Fetch credentials again where they are soon over. */
void web_renew(struct object_store *s, int64_t now_ms);
/* S3, in two files: what makes an object has these headers; the condition that it is new; an object
 * in several parts. */
#define S3_TAG_HEADER(s) ((s)->google ? "x-goog-meta-tare-tag" : "x-amz-meta-tare-tag")
void s3_put_headers(const struct object_store *s, struct web_req *q);
const char *s3_new_header(const struct object_store *s);
int s3_put_parts(struct object_store *s, const char *key, const struct object_put *put,
		 uint64_t *ret_sent, struct err *err);
/* Azure, in two files: who we are (*ret_endpoint: an address that came with it, or NULL; the
 * caller's), and the headers of a request. */
int azure_find(struct object_store *s, const char *account, const struct object_opt *opt,
	       char **ret_endpoint, struct err *err);
int azure_sign(struct object_store *s, struct web_req *q, int64_t now_ms, struct web_signed *ret,
	       struct err *err);

#endif
