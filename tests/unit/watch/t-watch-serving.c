/* The inference server beside the watch: asked by its own thread, added up over its models, and
 * gone when it is gone. */
#include "../base/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "watch/watch_serving.h"

static const char BODY[] =
	"vllm:num_requests_running{model_name=\"a\"} 6\nvllm:num_requests_waiting{model_name=\"a\"} 3\n"
	"vllm:num_requests_running{model_name=\"b\"} 2\nvllm:num_requests_waiting{model_name=\"b\"} 1\n";

struct server {
	int fd, port;
	int answers;
	bool hangs;
	pthread_t thread;
};

static void *serve(void *arg)
{
	struct server *s = arg;
	char buf[2048];
	for (int fd, n = 0; n < s->answers && (fd = accept(s->fd, NULL, NULL)) >= 0; n++) {
		if (s->hangs) { /* until the other side gives up */
			while (read(fd, buf, sizeof buf) > 0)
				;
		} else if (read(fd, buf, sizeof buf) > 0) {
			dprintf(fd,
				"HTTP/1.1 200 OK\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
				sizeof BODY - 1, BODY);
		}
		close(fd);
	}
	return NULL;
}

static void start(struct server *s)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof a;
	s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&a, n), 0);
	assert_int_equal(listen(s->fd, 4), 0);
	getsockname(s->fd, (struct sockaddr *)&a, &n);
	s->port = ntohs(a.sin_port);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct server *s)
{
	shutdown(s->fd, SHUT_RDWR);
	pthread_join(s->thread, NULL);
	close(s->fd);
}

static struct watch_serving *open_at(int port)
{
	struct watch_serving *w = NULL;
	struct err err = { 0 };
	char url[64];
	snprintf(url, sizeof url, "http://127.0.0.1:%d/metrics", port);
	assert_int_equal(watch_serving_open(url, &w, &err), 0);
	return w;
}

static void wait_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void t_answers(void **state)
{
	struct server s = { .answers = 100 };
	struct serving_reading r;
	char why[200];
	(void)state;
	start(&s);
	struct watch_serving *w = open_at(s.port);
	serving_none(&r);
	for (int i = 0; i < 3000 && isnan(r.waiting); i++) {
		wait_ms(10);
		watch_serving_get(w, &r, why);
	}
	assert_true(r.waiting == 4);
	assert_true(r.running == 8);
	assert_true(fabs(r.batch - (6 * 6 + 2 * 2) / 8.0) < 1e-9);
	assert_string_equal(why, "");
	assert_string_equal(r.model, ""); /* of two there is no name */
	watch_serving_close(w);
	stop(&s);
}

/* A server that takes the request and says nothing: a look at it waits for nobody, and its end
 * comes. */
static void t_hangs(void **state)
{
	struct server s = { .answers = 100, .hangs = true };
	struct serving_reading r;
	(void)state;
	start(&s);
	struct watch_serving *w = open_at(s.port);
	wait_ms(100);
	double t = now_s();
	for (int i = 0; i < 100; i++)
		watch_serving_get(w, &r, NULL);
	/* the asking itself gives up after two seconds: nobody waited for it */
	assert_true(now_s() - t < 2);
	assert_true(isnan(r.waiting) && isnan(r.running) && isnan(r.batch));
	watch_serving_close(w);
	assert_true(now_s() - t < 10);
	stop(&s);
}

static void t_wrong(void **state)
{
	struct watch_serving *w = NULL;
	struct err err = { 0 };
	(void)state;
	assert_int_equal(watch_serving_open("localhost:8000", &w, &err), -EINVAL);
	assert_null(w);
	watch_serving_close(NULL);
}

static void t_add_up(void **state)
{
	struct serving_reading v[2], r;
	(void)state;
	serving_add_up(NULL, 0, &r);
	assert_true(isnan(r.running) && isnan(r.batch));
	serving_none(&v[0]);
	serving_none(&v[1]);
	v[0].running = 0, v[0].batch = 2;
	v[1].waiting = 5, v[1].batch = 4;
	serving_add_up(v, 2, &r);
	assert_true(r.running == 0 && r.waiting == 5 && r.batch == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_add_up), cmocka_unit_test(t_wrong),
					    cmocka_unit_test(t_answers),
					    cmocka_unit_test(t_hangs) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
