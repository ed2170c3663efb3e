#include "net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/num.h"
#include "base/str.h"

int listen_open(const char *at, int *ret_port, struct err *err)
{
	char host[256];
	const char *colon = strrchr(at, ':');
	struct addrinfo hint = { .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_PASSIVE | AI_NUMERICSERV },
			*found = NULL;
	struct sockaddr_storage own;
	socklen_t size = sizeof own;
	int one = 1, fd = -1, code;
	char *end = NULL;
	long port = colon ? strtol(colon + 1, &end, 10) : -1; /* 0: any that is free */
	bool number = port >= 0 && within_int(colon[1], '0', '9') && !*end;
	if (!number || port > 65535 || (size_t)(colon - at) >= sizeof host) {
		err_set(err, -EINVAL, "'%s' is not an ADDRESS:PORT", at);
		err_hint(err, "Such as 127.0.0.1:9757; none to listen nowhere");
		return -EINVAL;
	}
	size_t n = (size_t)(colon - at);
	bool bracket = n >= 2 && at[0] == '[' && at[n - 1] == ']';
	snprintf(host, sizeof host, "%.*s", (int)(bracket ? n - 2 : n), at + bracket);
	if ((code = getaddrinfo(filled_or(host, NULL), colon + 1, &hint, &found)))
		return err_set(err, -EINVAL,
			       "cannot listen on '%s': '%s' is not an address here: %s", at, host,
			       gai_strerror(code));
	code = 0;
	memset(&own, 0, sizeof own);
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, SOMAXCONN) ||
	    getsockname(fd, (struct sockaddr *)&own, &size))
		code = -errno;
	freeaddrinfo(found);
	if (code < 0) {
		if (fd >= 0)
			close(fd);
		err_set(err, code, "cannot listen on '%s': %s", at, strerror(-code));
		if (code == -EADDRINUSE)
			err_hint(err, "Another program has the port; name another one");
		else if (code == -EADDRNOTAVAIL)
			err_hint(
				err,
				"This machine has no such address; 127.0.0.1 is itself alone, 0.0.0.0 all of its addresses");
		else if (code == -EACCES)
			err_hint(err, "Ports below 1024 are for root; name a higher one");
		return code;
	}
	*ret_port = ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
						    : ((struct sockaddr_in *)&own)->sin_port);
	return fd;
}
