#include "net/httpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

struct httpd {
	struct MHD_Daemon *daemon;
	httpd_fn *fn;
	void *ctx;
	int epoll_fd, port;
};

static enum MHD_Result answer(struct MHD_Connection *c, struct httpd_res *res)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(
		res->body.n, res->body.n ? res->body.p : (char *)"", MHD_RESPMEM_MUST_COPY);
	str_free(&res->body);
	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", res->content_type);
	MHD_add_response_header(r, "Cache-Control", "no-store");
	if (res->status == 405)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	enum MHD_Result ok = MHD_queue_response(c, (unsigned)res->status, r);
	MHD_destroy_response(r);
	return ok;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *data_size, void **state)
{
	struct httpd *h = ctx;
	struct httpd_res res = { .status = 200, .content_type = "text/plain; charset=utf-8" };
	if (strcmp(method, "GET") && strcmp(method, "HEAD")) {
		res.status = 405;
		str_addz(&res.body, "only GET is answered here\n");
		return answer(c, &res);
	}
	if (!*state) { /* the headers are there, the body is not: wait for the end of the request */
		*state = h;
		return MHD_YES;
	}
	if (*data_size) {
		*data_size = 0;
		return MHD_YES;
	}
	const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Accept");
	struct httpd_req req = { .path = url, .accept = accept ? accept : "" };
	h->fn(h->ctx, &req, &res);
	return answer(c, &res);
}

static void be_silent(void *ctx, const char *fmt, va_list ap)
{
}

static bool is_port(const char *z)
{
	char *end;
	long v = strtol(z, &end, 10);

	return *z >= '0' && *z <= '9' && !*end && v <= 65535; /* 0: any that is free */
}

static void why_not(int code, struct err *err)
{
	if (code == -EADDRINUSE)
		err_hint(err, "Another program has the port; name another one");
	else if (code == -EADDRNOTAVAIL)
		err_hint(
			err,
			"This machine has no such address; 127.0.0.1 is itself alone, 0.0.0.0 all of its addresses");
	else if (code == -EACCES)
		err_hint(err, "Ports below 1024 are for root; name a higher one");
}

/* A socket of our own, so that errors can be told in words. */
static int open_socket(const char *listen_at, int *ret_port, struct err *err)
{
	char host[256];
	const char *colon = strrchr(listen_at, ':');
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_PASSIVE | AI_NUMERICSERV },
			*found = NULL;
	struct sockaddr_storage own;
	socklen_t size = sizeof own;
	int one = 1, fd = -1, code;
	if (!colon || (size_t)(colon - listen_at) >= sizeof host || !is_port(colon + 1)) {
		err_set(err, -EINVAL, "'%s' is no ADDRESS:PORT", listen_at);
		err_hint(err, "Such as 127.0.0.1:9757; none to listen nowhere");
		return -EINVAL;
	}
	size_t n = (size_t)(colon - listen_at);
	bool bracket = n >= 2 && listen_at[0] == '[' && listen_at[n - 1] == ']';
	snprintf(host, sizeof host, "%.*s", (int)(bracket ? n - 2 : n), listen_at + bracket);
	if ((code = getaddrinfo(*host ? host : NULL, colon + 1, &hint, &found)))
		return err_set(err, -EINVAL, "cannot listen on '%s': '%s' is no address here: %s",
			       listen_at, host, gai_strerror(code));
	code = 0;
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) ||
	    listen(fd, HTTPD_CONNECTIONS) || getsockname(fd, (struct sockaddr *)&own, &size))
		code = -errno;
	freeaddrinfo(found);
	if (code < 0) {
		if (fd >= 0)
			close(fd);
		err_set(err, code, "cannot listen on '%s': %s", listen_at, strerror(-code));
		why_not(code, err);
		return code;
	}
	*ret_port = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
						    : ((struct sockaddr_in *)&own)->sin_port);
	return fd;
}

int httpd_open(const char *listen_at, httpd_fn *fn, void *ctx, struct httpd **ret, struct err *err)
{
	int port = 0, fd = open_socket(listen_at, &port, err);
	if (fd < 0)
		return fd;
	struct httpd *h = xcalloc(1, sizeof *h);
	h->fn = fn;
	h->ctx = ctx;
	h->port = port;
	h->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request,
				     h, MHD_OPTION_EXTERNAL_LOGGER, be_silent, NULL,
				     MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				     (unsigned)HTTPD_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
				     10U, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384,
				     MHD_OPTION_END);
	if (!h->daemon) {
		close(fd);
		free(h);
		return err_set(err, -EIO, "cannot start the server on '%s'", listen_at);
	}
	h->epoll_fd = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	*ret = h;
	return 0;
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
	MHD_run(h->daemon);
}

int64_t httpd_timeout_ms(const struct httpd *h)
{
	MHD_UNSIGNED_LONG_LONG ms;
	return MHD_get_timeout(h->daemon, &ms) == MHD_YES ? (int64_t)ms : -1;
}

void httpd_close(struct httpd *h)
{
	if (!h)
		return;
	MHD_stop_daemon(h->daemon);
	free(h);
}
