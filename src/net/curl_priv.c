#include "net/curl_priv.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode once_rc;

static void start_curl(void)
{
	once_rc = curl_global_init(CURL_GLOBAL_DEFAULT);
}

int curl_ready(struct err *err)
{
	pthread_once(&once, start_curl);
	if (once_rc == CURLE_OK)
		return 0;
	return err_set(err, -EIO, "the HTTP library cannot start: %s", curl_easy_strerror(once_rc));
}

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *a)
{
	(void)ctx;
	(void)purpose;
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

void curl_own(CURL *c)
{
	curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

int curl_code(CURLcode rc)
{
	switch (rc) {
	case CURLE_OPERATION_TIMEDOUT: return -ETIMEDOUT;
	case CURLE_COULDNT_CONNECT: return -ECONNREFUSED;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY: return -EHOSTUNREACH;
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT: return -EINVAL;
	case CURLE_USE_SSL_FAILED:
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_WEIRD_SERVER_REPLY:
	case CURLE_BAD_CONTENT_ENCODING:
	case CURLE_TOO_MANY_REDIRECTS: return -EPROTO;
	case CURLE_OUT_OF_MEMORY: return -ENOMEM;
	default: return -EIO;
	}
}

struct sv curl_shown(const char *url, struct str *mem)
{
	struct sv u = { url, strcspn(url, "?#") };
	const char *scheme = strstr(url, "://");
	const char *host = scheme ? scheme + 3 : url;
	size_t authority = strcspn(host, "/?#");
	const char *at = memrchr(host, '@', authority);

	if (!at)
		return u;
	str_clear(mem);
	str_add(mem, url, (size_t)(host - url));
	str_add(mem, at + 1, (size_t)(u.p + u.n - at - 1));
	return str_sv(mem);
}
