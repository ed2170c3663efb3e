/* whose against a /proc of its own, stand-ins for scontrol and squeue, and local servers that speak
 * the wire formats of kubelet, API server and engine. */
#include "../base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/mem.h"
#include "device/podres.h"
#include "device/whose.h"
#include "../loopback.h"

#define ID  "3bd871e9bdc3d1954eabddf73691982a3bd871e9bdc3d1954eabddf73691982a"
#define UID "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"

static char dir[64];
static int64_t now = 1795000000000;

static const char *path(const char *fmt, ...)
{
	static char p[4][600];
	static int at;
	va_list ap;
	char rest[500];

	va_start(ap, fmt);
	vsnprintf(rest, sizeof rest, fmt, ap);
	va_end(ap);
	at = (at + 1) % 4;
	snprintf(p[at], sizeof p[at], "%s/%s", dir, rest);
	return p[at];
}

static void put(const char *file, const char *text, size_t n, mode_t mode)
{
	char tmp[700];

	snprintf(tmp, sizeof tmp, "%s.new", file);
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
	assert_int_equal(rename(tmp, file), 0);
}
static void putz(const char *file, const char *text)
{
	put(file, text, strlen(text), 0644);
}

/* A process of our /proc; env: NUL-separated, NULL = cannot be read. */
static void process(int pid, unsigned long long start, unsigned uid, const char *comm,
		    const char *cgroup, const char *env, size_t nenv)
{
	char text[4096];

	mkdir(path("proc"), 0755);
	mkdir(path("proc/%d", pid), 0755);
	snprintf(text, sizeof text,
		 "%d (%s) S 1 1 1 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 %llu 1 2 3\n", pid, comm,
		 start);
	putz(path("proc/%d/stat", pid), text);
	snprintf(text, sizeof text, "Name:\t%s\nUid:\t%u\t%u\t%u\t%u\n", comm, uid, uid, uid, uid);
	putz(path("proc/%d/status", pid), text);
	putz(path("proc/%d/cgroup", pid), cgroup);
	if (env)
		put(path("proc/%d/environ", pid), env, nenv, 0644);
}
#define ENV(z) z, sizeof z

/* A directory of users that does not answer at first: in place of libc's for one uid. */
#define LATE_UID 3999999999u
static bool directory_answers;

int getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t n, struct passwd **ret)
{
	const char *name = uid == 0 ? "root" : "carol";

	*ret = NULL;
	if (uid == LATE_UID && !directory_answers)
		return EIO;
	if ((uid != 0 && uid != LATE_UID) || n < 8)
		return 0;
	*pw = (struct passwd){ .pw_name = buf, .pw_uid = uid };
	memcpy(buf, name, strlen(name) + 1);
	*ret = pw;
	return 0;
}

static bool hasty; /* do not wait for answers */

static struct whose *open_with(struct whose_opt opt)
{
	struct whose *w;
	struct err err;

	opt.node = opt.node ? opt.node : "gpu1";
	opt.proc = path("proc");
	opt.scontrol = opt.scontrol ? opt.scontrol : "";
	opt.kubelet = opt.kubelet ? opt.kubelet : "";
	opt.pod_resources = opt.pod_resources ? opt.pod_resources : "";
	opt.docker = opt.docker ? opt.docker : "";
	opt.wait = !hasty;
	assert_int_equal(whose_open(&opt, &w, &err), 0);
	return w;
}

static void plain_sources(void **state)
{
	putz(path("mk"), "");
	process(10, 500, 0, "python3", "0::/user.slice/user-0.slice/session-1.scope\n",
		ENV("HOME=/root"));
	putz(path("proc/stat"), "cpu 1 2\nbtime 1794000000\n");
	process(11, 501, 4000000000u, "python3", "0::/system.slice/ollama.service\n",
		ENV("TARE_TEAM=search\0TARE_PROJECT=rag"));
	process(12, 502, 0, "a\033[2Jb", "0::/user.slice/user-0.slice/session-1.scope\n",
		ENV("TARE_TEAM=x\0TARE_JOB=nightly\0TARE_ENV=prod\0TARE_WORKLOAD=batch"));
	process(13, 503, 0, "python3", "0::/system.slice/docker-" ID ".scope\n",
		ENV("TARE_TEAM=vision\0CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25"));
	process(14, 504, 0, "python3",
		"0::/system.slice/slurmstepd.scope/job_77/step_0/user/task_0\n",
		ENV("SLURM_JOB_ID=77\0SLURM_JOB_ACCOUNT=team-ml\0SLURM_ARRAY_JOB_ID=70\0SLURM_ARRAY_TASK_ID=3\0SLURM_JOB_USER=alice\0SLURM_JOB_UID=0"));
	process(15, 505, 0, "python3", "0::/user.slice/user-0.slice/session-1.scope\n",
		ENV("TARE_TEAM=vision"));
	process(16, 506, 0, "python3", "0::/user.slice/user-0.slice/session-1.scope\n",
		ENV("TARE_TEAM=nlp"));
	struct whose *w = open_with((struct whose_opt){ 0 });
	const struct allocation *a = whose_process(w, 10, 500, now);
	assert_non_null(a);
	assert_sv(a->user, "root");
	assert_sv(a->job_id, "root/python3");
	assert_sv(a->node, "gpu1");
	assert_null(a->team.p);
	assert_int_equal(a->start_ms, 1794000000000 + 5000);
	assert_ptr_equal(whose_process(w, 10, 500, now + 1000), a);
	a = whose_process(w, 11, 501, now);
	assert_sv(a->job_id, "ollama.service/search/rag");
	assert_sv(a->user, "4000000000"); /* no such user: the number */
	assert_sv(a->team, "search");
	assert_sv(a->project, "rag");
	/* one user's programs of one name, for two teams: two jobs */
	assert_sv(whose_process(w, 15, 505, now)->job_id, "root/python3/vision");
	assert_sv(whose_process(w, 16, 506, now)->job_id, "root/python3/nlp");
	a = whose_process(w, 12, 502, now);
	assert_sv(a->job_id, "nightly");
	assert_sv(a->name, "a [2Jb");
	assert_sv(a->env, "prod");
	assert_sv(a->workload, "batch");
	a = whose_process(w, 13, 503, now);
	assert_sv(a->job_id, "3bd871e9bdc3");
	assert_null(a->user.p); /* whoever it is inside, it says nothing of an owner */
	assert_sv(a->team, "vision");
	assert_int_equal(a->share_kind, SHARE_MPS);
	assert_int_equal(a->share_ppb, 250000000);
	a = whose_process(w, 14, 504, now);
	assert_sv(a->job_id, "70_3");
	assert_sv(a->account, "team-ml");
	assert_sv(a->user, "alice");
	whose_close(w);
}

/* Gone, another one with its number, dead and not waited for, no rights. */
/* The number stands for a name as long as nobody knows one, and no longer. */
static void a_name_that_comes_late(void **state)
{
	static const char scope[] = "0::/user.slice/user-1.slice/session-1.scope\n";
	struct whose *w;

	process(40, 600, LATE_UID, "first", scope, ENV("HOME=/"));
	process(41, 601, LATE_UID, "second", scope, ENV("HOME=/"));
	process(42, 602, LATE_UID, "third", scope, ENV("HOME=/"));
	w = open_with((struct whose_opt){ 0 });
	assert_sv(whose_process(w, 40, 600, now)->user, "3999999999");
	directory_answers = true;
	assert_sv(whose_process(w, 41, 601, now + 1000)->user, "3999999999");
	assert_sv(whose_process(w, 42, 602, now + 120000)->user, "carol");
	whose_close(w);
}

static void pid_reuse(void **state)
{
	char text[200];

	process(20, 900, 0, "old", "0::/system.slice/old.service\n", ENV(""));
	struct whose *w = open_with((struct whose_opt){ 0 });
	const struct allocation *a = whose_process(w, 20, 900, now);
	assert_sv(a->job_id, "old.service");
	process(20, 950, 0, "new", "0::/system.slice/new.service\n", ENV(""));
	assert_sv(whose_process(w, 20, 950, now)->job_id, "new.service");
	/* looked at again: it is not there any more */
	assert_null(whose_process(w, 20, 900, now + 20000));
	assert_null(whose_process(w, 20, 901, now));
	assert_null(whose_process(w, 20, 0, now));
	assert_null(whose_process(w, 21, 1, now));
	assert_null(whose_process(w, -1, 1, now));
	snprintf(text, sizeof text,
		 "20 (new) Z 1 1 1 0 -1 4194560 1 0 0 0 1 2 0 0 20 0 1 0 950 1 2 3\n");
	putz(path("proc/20/stat"), text);
	assert_null(whose_process(w, 20, 950, now + 30000));
	whose_close(w);
}

static void many(void **state)
{
	struct whose *w;
	char comm[32];

	for (int i = 0; i < 300; i++) {
		snprintf(comm, sizeof comm, "p%d", i % 7);
		process(1000 + i, 100 + (unsigned)i, 0, comm, "0::/\n", ENV(""));
	}
	w = open_with((struct whose_opt){ 0 });
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 300; i++)
			assert_non_null(
				whose_process(w, 1000 + i, 100 + (unsigned)i, now + round * 1000));
	whose_sweep(w, now + 3600 * 1000 + 5000);
	assert_non_null(whose_process(w, 1000, 100, now + 3600 * 1000 + 6000));
	whose_close(w);
}

/* ---- Slurm ------------------------------------------------------------------------------- */

static void script(const char *name, const char *body)
{
	char text[8192];

	snprintf(text, sizeof text, "#!/bin/sh\n%s", body);
	put(path("bin/%s", name), text, strlen(text), 0755);
}

static struct whose *slurm_world(void)
{
	char conf[600];

	mkdir(path("bin"), 0755);
	script("squeue",
	       "[ \"$5\" = -t ] || exit 9\ncat <<'E'\n5|5|N/A|0|root|team-ml|gpu|RUNNING|normal|2026-11-21T10:00:00|1:00:00\n"
	       "6|6|N/A|1000|bob|team-x|gpu|RUNNING|normal|2026-11-21T11:00:00|UNLIMITED\nE\n");
	script("scontrol",
	       "case \"$2 $4\" in\n"
	       "'job 5') printf 'JobId=5 JobName=train\\n   Requeue=1 Restarts=1 BatchFlag=1\\n   Comment=team=nlp;project=llm\\n"
	       "     Nodes=gpu1 CPU_IDs=0 Mem=100 GRES=gpu:a100:2(IDX:0-1)\\n';;\n"
	       "'job 6') printf 'JobId=6 JobName=hold\\n     Nodes=gpu1 CPU_IDs=0 Mem=100 GRES=mps:a100:25(IDX:3)\\n';;\n"
	       "node*) printf 'NodeName=gpu1\\n   Gres=gpu:a100:4(S:0),mps:a100:400\\n';;\nesac\n");
	snprintf(conf, sizeof conf, "%s", path("bin/slurm.conf"));
	setenv("SLURM_CONF", conf, 1);
	putz(path("bin/gres.conf"),
	     "NodeName=gpu1 Name=gpu Type=a100 File=/dev/nvidia[3,2,1,0]\nNodeName=gpu1 Name=mps Count=400\n");
	return open_with((struct whose_opt){ .scontrol = path("bin/scontrol") });
}

static const struct whose_hold *find_hold(const struct whose_hold *h, size_t n, const char *job,
					  int nth)
{
	for (size_t i = 0; i < n; i++)
		if (sv_is(h[i].held->job_id, job) && nth-- == 0)
			return &h[i];
	fail_msg("no hold %s", job);
	return NULL;
}

static void slurm(void **state)
{
	const struct whose_hold *h;
	struct whose_source src[8];
	struct err err;
	size_t n;

	process(30, 1, 0, "python3", "0::/system.slice/slurmstepd.scope/job_5/step_0/user/task_0\n",
		ENV("SLURM_JOB_ID=5\0TARE_TEAM=other\0TARE_ENV=dev"));
	process(31, 1, 0, "python3", "0::/user.slice/user-0.slice/session-1.scope\n",
		ENV("SLURM_JOB_ID=5"));
	/* another user's job */
	process(32, 1, 0, "liar", "0::/user.slice/user-0.slice/session-1.scope\n",
		ENV("SLURM_JOB_ID=6"));
	/* of a job that ended */
	process(33, 1, 0, "leftover", "0::/user.slice/user-0.slice/session-1.scope\n",
		ENV("SLURM_JOB_ID=4"));
	struct whose *w = slurm_world();
	assert_int_equal(whose_holds(w, now, &h, &n, &err), 0);
	assert_int_equal(n, 3);
	const struct whose_hold *x = find_hold(h, n, "5", 0);
	assert_int_equal(x->minor, 3); /* the first of gres.conf */
	assert_int_equal(x->index, -1);
	assert_int_equal(x->share_ppb, -1);
	assert_int_equal(find_hold(h, n, "5", 1)->minor, 2);
	const struct allocation *a = x->held;
	assert_sv(a->user, "root");
	assert_sv(a->account, "team-ml");
	assert_sv(a->team, "nlp");
	assert_sv(a->project, "llm");
	assert_sv(a->name, "train");
	assert_sv(a->queue, "gpu");
	assert_int_equal(a->attempt, 1);
	assert_int_equal(a->gpus_milli, 2000);
	assert_int_equal(a->limit_ms, 3600000);
	x = find_hold(h, n, "6", 0); /* nothing runs in it: seen all the same */
	assert_int_equal(x->minor, 0);
	assert_int_equal(x->share_kind, SHARE_MPS);
	assert_int_equal(x->share_ppb, 250000000);
	assert_sv(x->held->user, "bob");
	assert_ptr_equal(whose_process(w, 30, 1, now), a);
	assert_sv(a->team, "nlp"); /* the environment fills only what is empty */
	assert_sv(a->env, "dev");
	assert_ptr_equal(whose_process(w, 31, 1, now), a);
	assert_sv(whose_process(w, 32, 1, now)->job_id, "root/liar");
	assert_sv(whose_process(w, 33, 1, now)->job_id, "root/leftover");
	assert_true(whose_sources(w, src, 8) >= 2);
	assert_true(src[1].works);
	/* the controller is away: the last answer counts for five minutes, then nobody knows */
	script("squeue", "echo 'squeue: error: slurm_load_jobs' >&2\nexit 1\n");
	assert_int_equal(whose_holds(w, now + 60000, &h, &n, &err), 0);
	assert_int_equal(n, 3);
	whose_sources(w, src, 8);
	assert_false(src[1].works);
	assert_has(src[1].why, "slurm_load_jobs");
	assert_int_equal(whose_holds(w, now + 400000, &h, &n, &err), 0);
	assert_int_equal(n, 0);
	/* requeued: a new attempt, another holder */
	script("squeue",
	       "echo '5|5|N/A|0|root|team-ml|gpu|RUNNING|normal|2026-11-21T12:00:00|1:00:00'\n");
	assert_int_equal(whose_holds(w, now + 500000, &h, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_ptr_not_equal(h[0].held, a);
	assert_sv(a->job_id, "5"); /* the first one's lives on */
	/* a program that hangs, and one that never stops printing, cost 2 s and nothing else */
	script("squeue", "exec sleep 30\n");
	assert_int_equal(whose_holds(w, now + 600000, &h, &n, &err), 0);
	assert_int_equal(n, 2);
	whose_close(w);
	unsetenv("SLURM_CONF");
}

/* ---- Kubernetes -------------------------------------------------------------------------- */

struct grpc { /* a kubelet: HTTP/2 just as far as one call needs it */
	int fd;
	pthread_t thread;
	struct str message;
	const char *status;
};

static void frame(struct str *out, int type, int flags, int stream, const void *p, size_t n)
{
	unsigned char h[9] = { (unsigned char)(n >> 16),
			       (unsigned char)(n >> 8),
			       (unsigned char)n,
			       (unsigned char)type,
			       (unsigned char)flags,
			       0,
			       0,
			       0,
			       (unsigned char)stream };

	str_add(out, (const char *)h, 9);
	if (n)
		str_add(out, p, n);
}

static void literal(struct str *out, const char *name, const char *value)
{
	str_addc(out, 0); /* literal without indexing, new name */
	str_addc(out, (char)strlen(name));
	str_addz(out, name);
	str_addc(out, (char)strlen(value));
	str_addz(out, value);
}

static void grpc_answer(struct grpc *g, int fd, int stream)
{
	struct str out = { 0 }, head = { 0 }, body = { 0 }, tail = { 0 };
	size_t n = g->message.n;
	unsigned char h[5] = { 0, (unsigned char)(n >> 24), (unsigned char)(n >> 16),
			       (unsigned char)(n >> 8), (unsigned char)n };

	str_addc(&head, (char)0x88); /* :status 200 */
	literal(&head, "content-type", "application/grpc");
	frame(&out, 1, 4, stream, head.p, head.n);
	str_add(&body, (const char *)h, 5);
	str_addsv(&body, str_sv(&g->message));
	frame(&out, 0, 0, stream, body.p, body.n);
	literal(&tail, "grpc-status", g->status);
	frame(&out, 1, 5, stream, tail.p, tail.n);
	loopback_send(fd, out.p, out.n);
	str_free(&out);
	str_free(&head);
	str_free(&body);
	str_free(&tail);
}

static bool exactly(int fd, unsigned char *p, size_t n)
{
	while (n) {
		ssize_t k = recv(fd, p, n, 0);
		if (k <= 0)
			return false;
		p += k;
		n -= (size_t)k;
	}
	return true;
}

static void *grpc_main(void *ctx)
{
	struct grpc *g = ctx;
	static unsigned char buf[70000];
	int fd;

	while ((fd = accept(g->fd, NULL, NULL)) >= 0) {
		struct str settings = { 0 };
		bool ok = exactly(fd, buf, 24) && !memcmp(buf, "PRI * HTTP/2.0", 14);
		frame(&settings, 4, 0, 0, NULL, 0);
		loopback_send(fd, settings.p, settings.n);
		str_free(&settings);
		while (ok && exactly(fd, buf, 9)) {
			size_t n = (size_t)buf[0] << 16 | (size_t)buf[1] << 8 | buf[2];
			int type = buf[3], flags = buf[4], stream = buf[8];
			if (n > sizeof buf - 16 || !exactly(fd, buf + 9, n))
				break;
			if (type == 4 && !(flags & 1)) {
				struct str ack = { 0 };
				frame(&ack, 4, 1, 0, NULL, 0);
				loopback_send(fd, ack.p, ack.n);
				str_free(&ack);
			}
			/* the empty request message has ended */
			if (type == 0 && (flags & 1) && n == 5)
				grpc_answer(g, fd, stream);
		}
		close(fd);
	}
	return NULL;
}

static int unix_listen(const char *file)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof a.sun_path, "%.100s", file);
	unlink(file);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(listen(fd, 4), 0);
	return fd;
}

static void pb(struct str *out, int field, struct sv v)
{
	str_addc(out, (char)(field << 3 | 2));
	for (size_t n = v.n;; n >>= 7) {
		str_addc(out, (char)(n > 127 ? (n & 127) | 128 : n));
		if (n <= 127)
			break;
	}
	str_addsv(out, v);
}

static void pb_pod(struct str *out, const char *ns, const char *name, const char *container,
		   const char *resource, const char *const *ids)
{
	struct str dev = { 0 }, box = { 0 }, pod = { 0 };

	for (; *ids; ids++)
		pb(&dev, 2, sv_of(*ids));
	pb(&dev, 1, sv_of(resource)); /* after the ids, as nothing forbids */
	pb(&box, 1, sv_of(container));
	pb(&box, 2, str_sv(&dev));
	pb(&pod, 1, sv_of(name));
	pb(&pod, 2, sv_of(ns));
	str_addc(&pod, 4 << 3); /* cpu_ids, a varint that is passed over */
	str_addc(&pod, 5);
	pb(&pod, 3, str_sv(&box));
	pb(out, 1, str_sv(&pod));
	str_free(&dev);
	str_free(&box);
	str_free(&pod);
}
#define IDS(...)                  \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

struct api {
	const char *token; /* that it takes now */
	const char *next;  /* written into the token file when the old one is refused; NULL: not */
	const char *file;
	int asked, refused;
	struct str body;
};

static void api_serve(void *ctx, const char *head, const char *body, struct answer *ret)
{
	struct api *a = ctx;
	char want[200];

	a->asked++;
	snprintf(want, sizeof want, "Authorization: Bearer %s", a->token);
	if (!strstr(head, want) ||
	    !strstr(head, "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dgpu1 ")) {
		a->refused++;
		ret->status = 401;
		ret->body = SV("{\"kind\":\"Status\",\"code\":401}");
		if (a->next)
			putz(a->file, a->next);
		return;
	}
	ret->body = str_sv(&a->body);
}

static void pods_json(struct str *out)
{
	str_addz(
		out,
		"{\"kind\":\"PodList\",\"items\":[{\"metadata\":{\"name\":\"train-0\",\"namespace\":\"ml\",\"uid\":\"" UID
		"\","
		"\"creationTimestamp\":\"2026-11-21T09:00:00Z\",\"labels\":{\"team\":\"nlp\\u001b[31m\",\"app\":\"");
	for (int i = 0; i < 1 << 20; i++)
		str_addc(out, 'x');
	str_addz(
		out,
		"\",\"tare.io/project\":\"llm\"},\"ownerReferences\":[{\"kind\":\"Job\",\"name\":\"train\",\"controller\":true}],"
		"\"managedFields\":[{\"fieldsV1\":{\"f:metadata\":{\"f:labels\":{\".\":{}}}}}]},\"spec\":{\"nodeName\":\"gpu1\"},"
		"\"status\":{\"phase\":\"Running\",\"startTime\":\"2026-11-21T09:00:05Z\"}},"
		"{\"metadata\":{\"name\":\"done\",\"namespace\":\"ml\",\"uid\":\"11111111-2222-3333-4444-555555555555\"},\"status\":{\"phase\":\"Succeeded\"}}]}");
}

static void kubernetes(void **state)
{
	struct grpc kubelet = { .status = "0" };
	struct api api = { .token = "one", .file = path("token") };
	struct loopback server = { .serve = api_serve, .ctx = &api };
	const struct whose_hold *h;
	struct whose_source src[8];
	struct err err;
	size_t n;
	char url[64], file[600];

	snprintf(file, sizeof file, "%s", path("token"));
	api.file = file;
	putz(file, "one\n");
	pods_json(&api.body);
	assert_int_equal(loopback_start(&server), 0);
	snprintf(url, sizeof url, "http://127.0.0.1:%d", server.port);
	pb_pod(&kubelet.message, "ml", "train-0", "main", "nvidia.com/gpu", IDS("GPU-aaaa"));
	pb_pod(&kubelet.message, "ml", "train-0", "side", "nvidia.com/mig-1g.10gb",
	       IDS("MIG-bbbb"));
	pb_pod(&kubelet.message, "ml", "a", "main", "nvidia.com/gpu.shared",
	       IDS("GPU-cccc::0", "GPU-cccc::1"));
	pb_pod(&kubelet.message, "ml", "b", "main", "nvidia.com/gpu.shared", IDS("GPU-cccc::3"));
	pb_pod(&kubelet.message, "ml", "done", "main", "nvidia.com/gpu", IDS("GPU-dddd"));
	pb_pod(&kubelet.message, "ml", "gke", "main", "nvidia.com/gpu", IDS("nvidia2/gi3"));
	pb_pod(&kubelet.message, "ml", "net", "main", "intel.com/sriov", IDS("GPU-eeee"));
	kubelet.fd = unix_listen(path("kubelet.sock"));
	pthread_create(&kubelet.thread, NULL, grpc_main, &kubelet);
	process(40, 1, 0, "python3",
		"0::/kubepods.slice/kubepods-pod0a1b2c3d_4e5f_6071_8293_a4b5c6d7e8f9.slice/cri-containerd-" ID
		".scope\n",
		ENV("TARE_TEAM=other\0TARE_ENV=prod"));

	struct whose *w = open_with((struct whose_opt){
		.kubelet = url, .kube_token_file = file, .pod_resources = path("kubelet.sock") });
	assert_int_equal(whose_holds(w, now, &h, &n, &err), 0);
	whose_sources(w, src, 8);
	if (!src[2].works || !src[3].works)
		fail_msg("%s / %s", src[2].why, src[3].why);
	assert_int_equal(n, 5);
	const struct whose_hold *x = find_hold(h, n, "ml/train-0", 0);
	assert_sv(x->gpu, "GPU-aaaa");
	assert_int_equal(x->share_kind, SHARE_WHOLE);
	const struct allocation *a = x->held;
	assert_sv(a->namespace_, "ml");
	assert_sv(a->name, "train");
	assert_sv(a->team, "nlp [31m");
	assert_sv(a->project, "llm");
	assert_true(a->tags.n < 4000);
	x = find_hold(h, n, "ml/train-0", 1);
	assert_sv(x->mig, "MIG-bbbb");
	assert_int_equal(x->gpu.n, 0);
	assert_int_equal(x->share_kind, SHARE_MIG);
	assert_ptr_equal(x->held, a);
	x = find_hold(h, n, "ml/a", 0);
	assert_sv(x->gpu, "GPU-cccc");
	assert_int_equal(x->share_kind, SHARE_TIMESLICE);
	assert_int_equal(x->share_ppb, 666666666);
	assert_int_equal(find_hold(h, n, "ml/b", 0)->share_ppb, 333333333);
	x = find_hold(h, n, "ml/gke", 0);
	assert_int_equal(x->minor, 2);
	assert_int_equal(x->gi, 3);
	assert_ptr_equal(whose_process(w, 40, 1, now), a);
	assert_sv(a->env, "prod");
	assert_sv(a->team, "nlp [31m");
	/* the token expires; the kubelet writes the next one while we are refused: the same round
	 * works */
	api.token = "two";
	api.next = "two";
	assert_int_equal(whose_holds(w, now + 20000, &h, &n, &err), 0);
	assert_int_equal(api.refused, 1);
	whose_sources(w, src, 8);
	assert_true(src[3].works);
	/* it expires and no new one comes: said, the last answer counts on */
	api.token = "three";
	api.next = NULL;
	assert_int_equal(whose_holds(w, now + 40000, &h, &n, &err), 0);
	assert_int_equal(n, 5);
	whose_sources(w, src, 8);
	assert_false(src[3].works);
	assert_has(src[3].why, "401");
	/* the kubelet refuses, then is gone */
	kubelet.status = "7";
	assert_int_equal(whose_holds(w, now + 60000, &h, &n, &err), 0);
	whose_sources(w, src, 8);
	assert_false(src[2].works);
	assert_has(src[2].why, "'7'");
	whose_close(w);
	shutdown(kubelet.fd, SHUT_RDWR);
	pthread_join(kubelet.thread, NULL);
	close(kubelet.fd);
	loopback_stop(&server);
	str_free(&kubelet.message);
	str_free(&api.body);
}

/* Damaged messages: no crash, an error. */
static void protobuf(void **state)
{
	struct str msg = { 0 }, body = { 0 };
	struct arena mem = { 0 };
	struct podres *r;
	struct podres_device d;
	struct err err;
	size_t n;

	pb_pod(&msg, "ml", "train-0", "main", "nvidia.com/gpu", IDS("GPU-aaaa", "GPU-bbbb"));
	str_add(&body, "\0\0\0\0", 4);
	str_addc(&body, (char)msg.n);
	str_addsv(&body, str_sv(&msg));
	assert_int_equal(podres_parse(&mem, str_sv(&body), &r, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_sv(r[1].device, "GPU-bbbb");
	assert_sv(r[1].resource, "nvidia.com/gpu");
	assert_sv(r[1].pod, "train-0");
	for (size_t cut = 0; cut < body.n; cut++)
		assert_true(podres_parse(&mem, (struct sv){ body.p, cut }, &r, &n, &err) < 0);
	for (size_t i = 5; i < body.n; i++) { /* every byte wrong in turn */
		char was = body.p[i];
		body.p[i] = (char)0xff;
		podres_parse(&mem, str_sv(&body), &r, &n, &err);
		body.p[i] = was;
	}
	body.p[0] = 1;
	assert_int_equal(podres_parse(&mem, str_sv(&body), &r, &n, &err), -EOPNOTSUPP);
	assert_true(podres_device_of(SV("nvidia.com/gpu"), SV("nvidia0/vgpu3"), &d));
	assert_true(d.replica && d.minor == 0 && d.gi == -1);
	assert_false(podres_device_of(SV("nvidia.com/gpu"), SV("nvidiaX"), &d));
	assert_false(podres_device_of(SV("cpu"), SV("GPU-1"), &d));
	arena_free(&mem);
	str_free(&msg);
	str_free(&body);
}

/* ---- engine ------------------------------------------------------------------------------ */

static bool slow;

static void engine_serve(void *ctx, const char *head, const char *body, struct answer *ret)
{
	int *inspected = ctx;

	if (slow)
		usleep(100000);
	if (!strncmp(head, "GET /containers/json ", 21)) {
		ret->body = SV(
			"[{\"Id\":\"" ID
			"\",\"Names\":[\"/other/link\",\"/serve\\u001b]0;x\\u0007\"],\"Image\":\"vllm:1\",\"Labels\":{\"team\":\"search\",\"x\":\"a\\nb\"},"
			"\"Created\":1795000000,\"State\":\"running\"}]");
	} else if (!strncmp(head, "GET /containers/" ID "/json ", 16 + 64 + 6)) {
		++*inspected;
		ret->body = SV(
			"{\"Id\":\"" ID
			"\",\"Name\":\"/serve\",\"State\":{\"StartedAt\":\"2026-11-21T08:00:00.123456789Z\"},\"HostConfig\":{\"Runtime\":\"runc\","
			"\"DeviceRequests\":[{\"Driver\":\"\",\"Count\":0,\"DeviceIDs\":[\"GPU-aaaa\",\"1\"],\"Capabilities\":[[\"gpu\"]]}],"
			"\"Devices\":[{\"PathOnHost\":\"/dev/nvidia3\"},{\"PathOnHost\":\"/dev/nvidiactl\"}]}}");
	} else {
		ret->status = 404;
	}
}

static void engine(void **state)
{
	int inspected = 0;
	struct loopback l = { .serve = engine_serve, .ctx = &inspected };
	const struct whose_hold *h;
	struct err err;
	size_t n;

	l.fd = unix_listen(path("docker.sock"));
	pthread_create(&l.thread, NULL, loopback_main, &l);
	process(50, 1, 0, "python3", "0::/system.slice/docker-" ID ".scope\n", ENV(""));
	struct whose *w = open_with((struct whose_opt){ .docker = path("docker.sock") });
	const struct allocation *a = whose_process(w, 50, 1, now);
	assert_non_null(a);
	assert_sv(a->job_id, "serve ]0;x");
	assert_sv(a->team, "search");
	assert_sv(a->tags, "{\"team\":\"search\",\"x\":\"a b\",\"image\":\"vllm:1\"}");
	assert_int_equal(whose_holds(w, now + 16000, &h, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_sv(h[0].gpu, "GPU-aaaa");
	assert_int_equal(h[1].index, 1);
	assert_int_equal(h[2].minor, 3);
	assert_ptr_equal(h[0].held, a);
	assert_int_equal(inspected, 1); /* what does not change is asked once */
	whose_close(w);
	loopback_stop(&l);
}

/* A container that came after the last round is nobody's for a moment, not its id's. */
static void pending(void **state)
{
	int inspected = 0;
	struct loopback l = { .serve = engine_serve, .ctx = &inspected };

	l.fd = unix_listen(path("docker.sock"));
	pthread_create(&l.thread, NULL, loopback_main, &l);
	process(51, 1, 0, "python3",
		"0::/system.slice/docker-ffff71e9bdc3d1954eabddf73691982a3bd871e9bdc3d1954eabddf73691ffff.scope\n",
		ENV(""));
	hasty = slow = true;
	struct whose *w = open_with((struct whose_opt){ .docker = path("docker.sock") });
	hasty = false;
	assert_null(whose_process(w, 51, 1, now));
	const struct allocation *a = NULL;
	for (int i = 0; i < 300 && !a; i++) {
		usleep(10000);
		a = whose_process(w, 51, 1, now + i * 25);
	}
	assert_non_null(a); /* the engine was asked again and does not know it */
	slow = false;
	assert_sv(a->job_id, "ffff71e9bdc3");
	whose_close(w);
	loopback_stop(&l);
}

static int clean_up(void **state)
{
	char cmd[128];

	snprintf(cmd, sizeof cmd, "rm -rf %s", dir);
	return system(cmd);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(plain_sources),
					    cmocka_unit_test(pid_reuse),
					    cmocka_unit_test(many),
					    cmocka_unit_test(slurm),
					    cmocka_unit_test(kubernetes),
					    cmocka_unit_test(protobuf),
					    cmocka_unit_test(engine),
					    cmocka_unit_test(pending),
					    cmocka_unit_test(a_name_that_comes_late) };

	snprintf(dir, sizeof dir, "/tmp/t-whose.XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	return cmocka_run_group_tests(tests, NULL, clean_up);
}
