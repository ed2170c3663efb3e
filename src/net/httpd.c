/*
 * A connection is ours (HEAD) until its head is whole and good, read without being taken from the
 * socket (MSG_PEEK); then it is handed to the library (ANSWER), which reads the same bytes again. A
 * refused one is answered here and lingers until the peer has seen that, since closing with bytes
 * unread would take the answer away (LINGER).
 */
#include "net/httpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/guard.h"
#include "net/listen.h"

#define LINGER_MS  1000
#define PAUSE_MS   100 /* without descriptors: until somebody is asked in again */
#define MAX_EVENTS 64  /* a round */
#define MAX_ROUNDS 16  /* a run: the caller has other things to do */
#define SEND_BYTES \
	1048576 /* the system takes most answers whole, so slow readers hold nothing here */

enum conn_state { CONN_HEAD, CONN_ANSWER, CONN_LINGER, CONN_GONE };

struct conn {
	int fd;
	enum conn_state state;
	bool dropped;     /* an ANSWER that was shut down; the library will close it */
	int64_t until_ms; /* then it is closed */
	size_t seen;      /* see guard_read() */
	struct sockaddr_storage from, to;
	socklen_t from_size;
};

struct httpd {
	struct MHD_Daemon *daemon;
	httpd_fn *fn;
	void *ctx;
	char *hosts;
	int64_t head_ms, answer_ms;
	int listen_fd, epoll_fd, port;
	int64_t pause_ms;         /* nobody is asked in until then; 0 = open */
	struct conn *handed;      /* being given to the library */
	VEC(struct conn *) conns; /* oldest first; those that are gone until the end of a run */
	char head[GUARD_HEAD_MAX];
};

/* ---- answers ----------------------------------------------------------------------------- */

/* Called when the library has the head: there is no body to wait for, the guard has seen to
 * that. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *data_size, void **state)
{
	struct httpd *h = ctx;
	struct httpd_res res = { .status = 200, .content_type = "text/plain; charset=utf-8" };
	const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Accept");
	struct httpd_req req = { .path = url, .accept = text_or(accept, "") };
	h->fn(h->ctx, &req, &res);

	struct MHD_Response *r = MHD_create_response_from_buffer(
		res.body.n, (char *)(uintptr_t)str_z(&res.body), MHD_RESPMEM_MUST_COPY);
	str_free(&res.body);
	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", res.content_type);
	MHD_add_response_header(r, "Cache-Control", "no-store");
	MHD_add_response_header(r, "Connection", "close");
	enum MHD_Result ok = MHD_queue_response(c, (unsigned)res.status, r);
	MHD_destroy_response(r);
	return ok;
}

static void on_connection(void *ctx, struct MHD_Connection *c, void **own,
			  enum MHD_ConnectionNotificationCode code)
{
	struct httpd *h = ctx;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*own = h->handed;
	} else if (*own) { /* the library closes the descriptor */
		struct conn *conn = *own;
		conn->fd = -1;
		conn->state = CONN_GONE;
	}
}

static void be_silent(void *ctx, const char *fmt, va_list ap)
{
}

/* ---- connections ------------------------------------------------------------------------- */

/* The address, an IPv4 one also where it came as IPv6. Returns its size. */
static size_t address_of(const struct sockaddr_storage *a, unsigned char ret[16])
{
	if (a->ss_family == AF_INET) {
		memcpy(ret, &((const struct sockaddr_in *)a)->sin_addr, 4);
		return 4;
	}
	const struct in6_addr *six = &((const struct sockaddr_in6 *)a)->sin6_addr;
	bool mapped = IN6_IS_ADDR_V4MAPPED(six);
	memcpy(ret, six->s6_addr + (mapped ? 12 : 0), mapped ? 4 : 16);
	if (mapped)
		return 4;
	return 16;
}

static void drop_conn(struct httpd *h, struct conn *c)
{
	if (c->state == CONN_ANSWER) { /* the library sees that and closes it */
		c->dropped = true;
		shutdown(c->fd, SHUT_RDWR);
		MHD_run(h->daemon);
	} else if (c->state != CONN_GONE) {
		close(c->fd);
		c->fd = -1;
		c->state = CONN_GONE;
	}
}

/* Counts connections, and finds the oldest: of like's peer or of all (NULL); with an answer only or
 * all. */
static size_t count_conns(struct httpd *h, const struct conn *like, bool answers,
			  struct conn **ret_oldest)
{
	unsigned char peer[16], own[16];
	size_t n = 0, npeer = like ? address_of(&like->from, peer) : 0;
	*ret_oldest = NULL;
	for (size_t i = 0; i < h->conns.n; i++) {
		struct conn *c = h->conns.v[i];
		bool other = answers && c->state != CONN_ANSWER;
		if (c == like || c->state == CONN_GONE || c->dropped || other)
			continue;
		/* an IPv6 host has its /64 */
		if (like && (address_of(&c->from, own) != npeer ||
			     memcmp(own, peer, npeer == 4 ? 4 : 8) != 0))
			continue;
		if (n++ == 0)
			*ret_oldest = c;
	}
	return n;
}

/* ---- requests ---------------------------------------------------------------------------- */

/* The name of another page that resolves to this machine (DNS rebinding) is none of ours. */
static bool is_known_host(const struct httpd *h, const struct conn *c,
			  const struct guard_head *head)
{
	char text[64];
	unsigned char named[16], own[16];
	if (sv_ieq(head->host, SV("localhost")))
		return true;
	for (struct sv rest = sv_of(h->hosts), one; rest.p;) {
		one = sv_trim(sv_cut(rest, ',', &rest));
		if (one.n && sv_ieq(one, head->host))
			return true;
	}
	if (head->host.n >= sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", SVF(head->host));
	size_t n = 4;
	if (head->host_is_v6)
		n = 16;
	return inet_pton(n == 4 ? AF_INET : AF_INET6, text, named) == 1 &&
	       address_of(&c->to, own) == n && memcmp(named, own, n) == 0;
}

static void refuse_conn(struct conn *c, int status)
{
	static const struct {
		int status;
		const char *why;
	} whys[] = {
		{ 400, "the request is malformed, or could be understood in two ways" },
		{ 405, "only GET is answered here" },
		{ 413, "no body is read here" },
		{ 414, "the path is too long" },
		{ 421, "this Host is not known here: the agent's setting hosts lists more" },
		{ 431, "the head is too large" },
		{ 501, "this method is not known" },
		{ 505, "only HTTP/1.1 and 1.0 are spoken here" },
	};
	const char *why = "";
	char text[512], rest[4096];
	for (size_t i = 0; i < sizeof whys / sizeof *whys; i++)
		if (whys[i].status == status)
			why = whys[i].why;
	int n = snprintf(text, sizeof text,
			 "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n"
			 "Content-Length: %zu\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n%s\n",
			 status, MHD_get_reason_phrase_for((unsigned)status), strlen(why) + 1, why);
	/* Nothing was sent before, so the system has room for it; who is gone already misses it. */
	bool sent = send(c->fd, text, (size_t)n, MSG_NOSIGNAL) == n;
	shutdown(c->fd, SHUT_WR);
	for (int i = 0; sent && i < 16 && recv(c->fd, rest, sizeof rest, 0) > 0; i++)
		;
	c->state = CONN_LINGER;
	c->until_ms = tm_steady_ms() + LINGER_MS;
}

static void read_head(struct httpd *h, struct conn *c, bool closed)
{
	struct guard_head head;
	ssize_t n = recv(c->fd, h->head, sizeof h->head, MSG_PEEK);
	int r = n <= 0 ? -EAGAIN : guard_read(h->head, (size_t)n, &c->seen, &head);
	bool dead = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	if (r == -EAGAIN) {
		if (dead || closed)
			drop_conn(h, c);
		return;
	}
	if (r == 0 && !is_known_host(h, c, &head))
		r = 421;
	if (r == 0 && !sv_is(head.method, "GET") && !sv_is(head.method, "HEAD"))
		r = 405;
	if (r == 0 && head.body)
		r = 413;
	if (r) {
		refuse_conn(c, r);
		return;
	}

	/* to the library, which closes the descriptor in any case */
	int bytes = SEND_BYTES;
	struct conn *oldest;
	if (count_conns(h, NULL, true, &oldest) >= HTTPD_ANSWERS)
		drop_conn(h, oldest);
	setsockopt(c->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
	epoll_ctl(h->epoll_fd, EPOLL_CTL_DEL, c->fd, NULL);
	c->state = CONN_ANSWER;
	c->until_ms = tm_steady_ms() + h->answer_ms;
	h->handed = c;
	if (MHD_add_connection(h->daemon, c->fd, (struct sockaddr *)&c->from, c->from_size) !=
	    MHD_YES)
		c->state = CONN_GONE;
	h->handed = NULL;
	MHD_run(h->daemon); /* answered before the next one is: few answers in memory at a time */
}

static void linger_conn(struct httpd *h, struct conn *c)
{
	for (int i = 0; i < 16; i++) {
		ssize_t n = recv(c->fd, h->head, sizeof h->head, 0);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0)
			break;
	}
	drop_conn(h, c); /* it has closed, or sends on as if nothing had been said */
}

static void listen_for(struct httpd *h, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = NULL };
	epoll_ctl(h->epoll_fd, EPOLL_CTL_MOD, h->listen_fd, &e);
}

/* Returns false where nobody waits, or no descriptor can be had for who does. */
static bool take_one(struct httpd *h)
{
	struct conn *c = xcalloc(1, sizeof *c), *oldest;
	socklen_t size = sizeof c->to;
	c->from_size = sizeof c->from;
	c->fd = accept4(h->listen_fd, (struct sockaddr *)&c->from, &c->from_size,
			SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = c };
	if (c->fd < 0) {
		bool none = errno == EAGAIN, gone = errno == ECONNABORTED || errno == EINTR;
		free(c);
		if (none || gone)
			return gone;
		if (count_conns(h, NULL, false, &oldest)) { /* no descriptors: the oldest's */
			drop_conn(h, oldest);
			return true;
		}
		h->pause_ms = tm_steady_ms() + PAUSE_MS;
		listen_for(h, 0);
		return false;
	}
	if (getsockname(c->fd, (struct sockaddr *)&c->to, &size) ||
	    epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, c->fd, &e)) {
		close(c->fd);
		free(c);
		return true;
	}
	c->until_ms = tm_steady_ms() + h->head_ms;
	*vec_push(&h->conns) = c;
	if (count_conns(h, c, false, &oldest) >= HTTPD_PER_PEER ||
	    count_conns(h, NULL, false, &oldest) > HTTPD_CONNECTIONS)
		drop_conn(h, oldest);
	read_head(h, c, false);
	return true;
}

/* ---- the server -------------------------------------------------------------------------- */

static int start_daemon(struct httpd *h, struct err *err)
{
	h->daemon = MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG, 0, NULL, NULL,
		on_request, h, MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)(HTTPD_CONNECTIONS + HTTPD_ANSWERS), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)(3 * GUARD_HEAD_MAX), MHD_OPTION_END);
	h->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (!h->daemon || h->epoll_fd < 0)
		return err_set(err, -EIO, "cannot start the server");
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = h }, l = { .events = EPOLLIN };
	int lib = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	if (epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, lib, &e) ||
	    epoll_ctl(h->epoll_fd, EPOLL_CTL_ADD, h->listen_fd, &l))
		return err_set(err, -errno, "cannot start the server: %s", strerror(errno));
	return 0;
}

int httpd_open(const struct httpd_opt *opt, struct httpd **ret, struct err *err)
{
	int port = 0, fd = listen_open(opt->listen, &port, err);
	if (fd < 0)
		return fd;
	struct httpd *h = xcalloc(1, sizeof *h);
	h->fn = opt->fn;
	h->ctx = opt->ctx;
	h->hosts = xstrdup(text_or(opt->hosts, ""));
	h->head_ms = opt->head_ms ? opt->head_ms : HTTPD_HEAD_MS;
	h->answer_ms = opt->answer_ms ? opt->answer_ms : HTTPD_ANSWER_MS;
	h->port = port;
	h->listen_fd = fd;
	h->epoll_fd = -1;
	int r = start_daemon(h, err);
	if (r < 0)
		httpd_close(h);
	else
		*ret = h;
	return r;
}

int httpd_port(const struct httpd *h)
{
	return h->port;
}

int httpd_fd(const struct httpd *h)
{
	return h->epoll_fd;
}

void httpd_run(struct httpd *h)
{
	struct epoll_event e[MAX_EVENTS];
	int n = MAX_EVENTS;
	for (int round = 0; round < MAX_ROUNDS && n == MAX_EVENTS; round++) {
		n = epoll_wait(h->epoll_fd, e, MAX_EVENTS, 0);
		for (int i = 0; i < n; i++) {
			struct conn *c = e[i].data.ptr;
			bool closed = e[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
			if (!c)
				for (int k = 0; k < MAX_EVENTS && take_one(h); k++)
					;
			else if ((void *)c == (void *)h)
				MHD_run(h->daemon);
			else if (c->state == CONN_HEAD)
				read_head(h, c, closed);
			else if (c->state == CONN_LINGER)
				linger_conn(h, c);
		}
	}
	MHD_run(h->daemon);

	/* what is overdue ends */
	int64_t now = tm_steady_ms();
	size_t kept = 0;
	if (h->pause_ms && now >= h->pause_ms) {
		h->pause_ms = 0;
		listen_for(h, EPOLLIN);
	}
	for (size_t i = 0; i < h->conns.n; i++)
		if (now >= h->conns.v[i]->until_ms && !h->conns.v[i]->dropped)
			drop_conn(h, h->conns.v[i]);
	for (size_t i = 0; i < h->conns.n; i++)
		if (h->conns.v[i]->state == CONN_GONE)
			free(h->conns.v[i]);
		else
			h->conns.v[kept++] = h->conns.v[i];
	h->conns.n = kept;
}

int64_t httpd_timeout_ms(const struct httpd *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int64_t first = h->pause_ms ? h->pause_ms : INT64_MAX, now = tm_steady_ms();
	if (MHD_get_timeout(h->daemon, &ms) == MHD_YES && ms == 0)
		return 0;
	for (size_t i = 0; i < h->conns.n; i++)
		if (!h->conns.v[i]->dropped && h->conns.v[i]->until_ms < first)
			first = h->conns.v[i]->until_ms;
	if (first == INT64_MAX)
		return -1;
	if (first > now)
		return first - now;
	return 0;
}

void httpd_close(struct httpd *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->conns.n; i++)
		if (h->conns.v[i]->state != CONN_ANSWER)
			drop_conn(h, h->conns.v[i]);
	if (h->daemon)
		MHD_stop_daemon(h->daemon); /* closes those that it was given */
	for (size_t i = 0; i < h->conns.n; i++)
		free(h->conns.v[i]);
	vec_free(&h->conns);
	if (h->epoll_fd >= 0)
		close(h->epoll_fd);
	close(h->listen_fd);
	free(h->hosts);
	free(h);
}
