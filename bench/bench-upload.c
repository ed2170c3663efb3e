/*
 * Sending a file to an S3 server beside bare libcurl doing the same: parts of 16 MiB, 8 at a time,
 * by the multi interface, from the page cache, without a signature, without anything tried again,
 * nothing looked at beforehand. The server is a process of its own that reads and forgets; it may
 * be held to a rate.
 *
 *   bench-upload MIB RUNS [MB_PER_S]     a line a run: seconds bare, of object_put, bare and of
 *                                        object_put with hashes; then the ratios of the medians
 *
 * Both twice: as over TLS, where bodies are not hashed for the signature (plain HTTP here, so that
 * nothing else costs), and as over plain HTTP, where the SHA-256 of every part is signed: the bare
 * one then hashes a part before it sends it, as a program that signs and nothing more does. Then
 * object_put as a push does it, without a signature: every byte is compared with the hashes of its
 * checkpoint before it is sent.
 */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "net/digest.h"
#include "object/object.h"
#include "ckpt/push_look.h"

#define PART (16ULL << 20)
enum { STREAMS = 8, RUNS_MAX = 101, PIECE = 1 << 20 };

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the server -------------------------------------------------------------------------- */

static double rate; /* bytes a second of all connections, 0: any */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static double free_at;

static void pace(size_t n)
{
	if (rate <= 0)
		return;
	pthread_mutex_lock(&gate);
	double now = now_s(), at = free_at > now ? free_at : now;
	free_at = at + (double)n / rate;
	pthread_mutex_unlock(&gate);
	if (at > now)
		usleep((useconds_t)((at - now) * 1e6));
}

static void answer(int fd, const char *request)
{
	char out[512];
	const char *body = strstr(request, "uploads")     ? "<R><UploadId>u1</UploadId></R>"
			   : !strncmp(request, "POST", 4) ? "<R></R>"
							  : "";
	int n = snprintf(out, sizeof out,
			 "HTTP/1.1 200 OK\r\nETag: \"x\"\r\nContent-Length: %zu\r\n\r\n%s",
			 strlen(body), body);

	if (write(fd, out, (size_t)n) < 0)
		perror("write");
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char *buf = malloc(PIECE + 1);
	size_t have = 0;
	ssize_t n;

	while ((n = read(fd, buf + have, PIECE - have)) > 0) {
		have += (size_t)n;
		buf[have] = 0;
		char *end = strstr(buf, "\r\n\r\n"), *len = strcasestr(buf, "content-length:");
		if (!end)
			continue;
		uint64_t left = len && len < end ? strtoull(len + 15, NULL, 10) : 0,
			 body = have - (size_t)(end + 4 - buf);
		char request[256];
		snprintf(request, sizeof request, "%.200s", buf);
		for (left -= body < left ? body : left;
		     left && (n = read(fd, buf, left < PIECE ? left : PIECE)) > 0;
		     left -= (uint64_t)n)
			pace((size_t)n);
		have = 0;
		answer(fd, request);
	}
	free(buf);
	close(fd);
	return NULL;
}

static pid_t start_server(char url[64])
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof a;
	int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	if (s < 0 || bind(s, (struct sockaddr *)&a, len) < 0 || listen(s, 64) < 0 ||
	    getsockname(s, (struct sockaddr *)&a, &len) < 0) {
		perror("server");
		exit(1);
	}
	snprintf(url, 64, "http://127.0.0.1:%d", ntohs(a.sin_port));
	if ((pid = fork()) != 0) {
		close(s);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd; (fd = accept(s, NULL, NULL)) >= 0;) {
		pthread_t t;
		pthread_create(&t, NULL, serve, (void *)(intptr_t)fd);
		pthread_detach(t);
	}
	_exit(0);
}

/* ---- bare -------------------------------------------------------------------------------- */

struct part {
	int fd;
	uint64_t at, left;
};

static size_t on_read(char *p, size_t size, size_t n, void *ctx)
{
	struct part *q = ctx;
	ssize_t got;

	n *= size;
	got = pread(q->fd, p, n < q->left ? n : q->left, (off_t)q->at);
	if (got < 0)
		return CURL_READFUNC_ABORT;
	q->at += (uint64_t)got, q->left -= (uint64_t)got;
	return (size_t)got;
}

static size_t drop(char *p, size_t size, size_t n, void *ctx)
{
	return size * n;
}

static void simple_post(CURL *c, const char *url)
{
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_POSTFIELDS, "");
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, drop);
	curl_easy_perform(c);
}

static void next_part(CURLM *m, CURL *c, struct part *q, const char *url, uint64_t at,
		      uint64_t bytes, int fd, struct curl_slist *none, bool hashed)
{
	char hex[DIGEST_HEX];

	*q = (struct part){ fd, at, bytes - at < PART ? bytes - at : PART };
	if (hashed)
		digest_hex(DIGEST_SHA256, NULL, fd, at, q->left, hex);
	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, none);
	curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
	curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, 262144L);
	curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)q->left);
	curl_easy_setopt(c, CURLOPT_READFUNCTION, on_read);
	curl_easy_setopt(c, CURLOPT_READDATA, q);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, drop);
	curl_easy_setopt(c, CURLOPT_PRIVATE, q);
	curl_multi_add_handle(m, c);
}

static double bare(const char *url, int fd, uint64_t bytes, bool hashed)
{
	CURLM *m = curl_multi_init();
	CURL *easy = curl_easy_init(), *c[STREAMS];
	struct curl_slist *none = curl_slist_append(NULL, "Expect:");
	struct part q[STREAMS];
	char at[128];
	double start = now_s();
	uint64_t next = 0;
	int running = 1;

	snprintf(at, sizeof at, "%s/b/k?uploads", url);
	simple_post(easy, at);
	snprintf(at, sizeof at, "%s/b/k?partNumber=1&uploadId=u1", url);
	for (int i = 0; i < STREAMS; i++) {
		c[i] = curl_easy_init();
		if (next < bytes)
			next_part(m, c[i], &q[i], at, next, bytes, fd, none, hashed);
		next += PART;
	}
	for (int live = STREAMS; running || live;) {
		CURLMsg *msg;
		curl_multi_perform(m, &running);
		for (int left; (msg = curl_multi_info_read(m, &left));) {
			struct part *p;
			CURL *done = msg->easy_handle;
			if (msg->data.result != CURLE_OK)
				fprintf(stderr, "bare: %s\n", curl_easy_strerror(msg->data.result));
			curl_easy_getinfo(done, CURLINFO_PRIVATE, (char **)&p);
			curl_multi_remove_handle(m, done);
			if (next < bytes) {
				next_part(m, done, p, at, next, bytes, fd, none, hashed);
				next += PART;
				running = 1;
			}
		}
		live = 0;
		if (running)
			curl_multi_poll(m, NULL, 0, 1000, NULL);
	}
	snprintf(at, sizeof at, "%s/b/k?uploadId=u1", url);
	simple_post(easy, at);
	double seconds = now_s() - start;
	for (int i = 0; i < STREAMS; i++)
		curl_easy_cleanup(c[i]);
	curl_easy_cleanup(easy);
	curl_multi_cleanup(m);
	curl_slist_free_all(none);
	return seconds;
}

/* ---- ours -------------------------------------------------------------------------------- */

static double ours(const char *url, int fd, uint64_t bytes, bool hashed, struct push_look *look)
{
	struct object_opt opt = { .endpoint = url,
				  .key_id = "k",
				  .secret = "s",
				  .streams = STREAMS,
				  .part_bytes = PART,
				  .payload_signing = hashed ? "on" : "off" };
	struct object_src src = {
		.fd = fd, .bytes = bytes, .look = look ? push_look_at : NULL, .look_ctx = look
	};
	const struct object_put put = { .src = &src };
	struct object_store *s = NULL;
	struct err err = { 0 };
	uint64_t sent = 0;
	double start = now_s();

	if (object_open("s3://bucket", &opt, &s, &err) < 0 ||
	    object_put(s, "k", &put, &sent, &err) < 0 || sent != bytes) {
		fprintf(stderr, "object_put: %s (%" PRIu64 " bytes)\n", err.msg, sent);
		exit(1);
	}
	object_close(s);
	return now_s() - start;
}

/* The checkpoint that these bytes are: chunks of 4 MiB. */
static void describe(struct ckpt *c, int fd, uint64_t bytes)
{
	char *buf = malloc(CKPT_CHUNK_BYTES);

	for (uint64_t at = 0; at < bytes; at += CKPT_CHUNK_BYTES) {
		uint32_t n = bytes - at < CKPT_CHUNK_BYTES ? (uint32_t)(bytes - at)
							   : CKPT_CHUNK_BYTES;
		if (pread(fd, buf, n, (off_t)at) != (ssize_t)n)
			exit(1);
		*vec_push(&c->chunk) = (struct ckpt_chunk){ 0, n, at, ckpt_hash_of(buf, n) };
	}
	free(buf);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	uint64_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1024) << 20;
	int runs = argc > 2 ? atoi(argv[2]) : 5;
	double v[5][RUNS_MAX], m[5]; /* bare, ours; both with hashes; ours compared */
	struct push_look look = { 0 };
	struct str hashes = { 0 };
	struct ckpt ckpt = { 0 };
	char url[64], name[] = "/tmp/bench-upload-XXXXXX", *piece = calloc(1, PIECE);
	int fd = mkstemp(name);

	rate = argc > 3 ? atof(argv[3]) * 1e6 : 0;
	if (fd < 0 || runs < 1 || runs > RUNS_MAX)
		return 2;
	unlink(name);
	for (uint64_t at = 0; at < bytes; at += PIECE) {
		memset(piece, (int)(at >> 20), PIECE);
		if (pwrite(fd, piece, PIECE, (off_t)at) != PIECE)
			return 1;
	}
	curl_global_init(CURL_GLOBAL_DEFAULT);
	pid_t pid = start_server(url);
	describe(&ckpt, fd, bytes);
	push_look_init(&look, &ckpt, 0, fd, &hashes);
	for (int i = 0; i < runs; i++) { /* in turns, and who begins too */
		for (int k = 0; k < 5; k++) {
			int who = (k + i) % 5;
			v[who][i] = who == 0 || who == 2 ? bare(url, fd, bytes, who == 2)
							 : ours(url, fd, bytes, who == 3,
								who == 4 ? &look : NULL);
		}
		printf("run %d: bare %.3f s (%.0f MB/s), object_put %.3f s (%.0f MB/s), with hashes bare %.3f s, object_put %.3f s, compared %.3f s\n",
		       i + 1, v[0][i], (double)bytes / v[0][i] / 1e6, v[1][i],
		       (double)bytes / v[1][i] / 1e6, v[2][i], v[3][i], v[4][i]);
		fflush(stdout);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int k = 0; k < 5; k++) {
		qsort(v[k], (size_t)runs, sizeof *v[k], by_size);
		m[k] = v[k][runs / 2];
	}
	printf("ratio of the medians (bare / object_put, 1 = as fast): %.3f\nwith hashes, beside bare with hashes: %.3f\nwith hashes, beside bare without: %.3f\ncompared with its checkpoint, beside bare: %.3f\n",
	       m[0] / m[1], m[2] / m[3], m[0] / m[3], m[0] / m[4]);
	free(piece);
	close(fd);
	return 0;
}
