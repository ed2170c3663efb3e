/*
 * Runs a program and disturbs its n-th system call, by ptrace of this one child: nothing but rights
 * over own children is needed.
 *
 *   fault-calls [--class WHICH] [--at N] [--how HOW] [--stay] [--from PATH] [--log FILE] -- PROGRAM
 *   ARGUMENTS
 *
 *   --class  which calls count, from 1: change (of files and folders), read (of them), net, or
 *            several with commas; all: every one. Default change
 *   --how    kill: SIGKILL of all its threads instead of the call; half: the call is told to do
 *            half of its bytes; the name of an error (EIO, ENOSPC, ...): the call is not made and
 *            fails so, close is made and fails so. half and ENOSPC count only calls that have
 *            bytes, that need room
 *   --stay   that call and all later ones of the class fail, as on a disk that is full or a network
 *            that is gone
 *   --from   count only after the first call that names a path which starts so: the loader's work
 *            is not ours
 *   --log    FILE gets the names of all calls that counted, a line each, with "*" behind those that
 *            were disturbed
 *
 * Threads of the program are traced, processes that it starts are not. Exit: the program's, 128 + n
 * for a signal, 125 with "fault-calls: ..." where it cannot be done here (no ptrace, another
 * processor).
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ptrace.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

long ptrace(int request, ...); /* <sys/ptrace.h> and <linux/ptrace.h> do not go together */

enum { CHANGE = 1, READ = 2, NET = 4, ALL = 8 };
enum { ROOM = 1, BYTES = 2, CLOSES = 4, BY_FD = 8, OPENS = 16, PATH0 = 32, PATH1 = 64 };

/* by: argument with the bytes. BY_FD: a socket makes it NET, what is neither file nor folder nor
 * socket does not count. */
static const struct call {
	long nr;
	const char *name;
	int kind, flags, by;
} calls[] = {
#define C(name, kind, flags, by)                   \
	{                                          \
		SYS_##name, #name, kind, flags, by \
	}
	C(write, CHANGE, ROOM | BYTES | BY_FD, 2),
	C(pwrite64, CHANGE, ROOM | BYTES | BY_FD, 2),
	C(writev, CHANGE, ROOM | BY_FD, 0),
	C(pwritev, CHANGE, ROOM | BY_FD, 0),
	C(fsync, CHANGE, ROOM | BY_FD, 0),
	C(fdatasync, CHANGE, ROOM | BY_FD, 0),
	C(syncfs, CHANGE, ROOM | BY_FD, 0),
	C(ftruncate, CHANGE, BY_FD, 0),
	C(fallocate, CHANGE, ROOM | BY_FD, 0),
	C(copy_file_range, CHANGE, ROOM | BYTES, 4),
	C(renameat, CHANGE, PATH1, 0),
	C(renameat2, CHANGE, PATH1, 0),
	C(linkat, CHANGE, ROOM | PATH1, 0),
	C(unlinkat, CHANGE, PATH1, 0),
	C(mkdirat, CHANGE, ROOM | PATH1, 0),
	C(flock, CHANGE, BY_FD, 0),
	C(ioctl, CHANGE, ROOM | BY_FD, 0),
	C(openat, READ, OPENS | PATH1, 0),
	C(read, READ, BYTES | BY_FD, 2),
	C(pread64, READ, BYTES | BY_FD, 2),
	C(preadv, READ, BY_FD, 0),
	C(readv, READ, BY_FD, 0),
	C(getdents64, READ, BY_FD, 0),
	C(fstat, READ, BY_FD, 0),
	C(newfstatat, READ, PATH1, 0),
	C(statx, READ, PATH1, 0),
	C(faccessat, READ, PATH1, 0),
	C(lseek, READ, BY_FD, 0),
	C(close, READ, CLOSES | BY_FD, 0),
	C(socket, NET, 0, 0),
	C(connect, NET, 0, 0),
	C(sendto, NET, BYTES, 2),
	C(sendmsg, NET, 0, 0),
	C(recvfrom, NET, BYTES, 2),
	C(recvmsg, NET, 0, 0),
	C(getsockopt, NET, 0, 0),
	C(setsockopt, NET, 0, 0),
	C(getsockname, NET, 0, 0),
	C(getpeername, NET, 0, 0),
	C(shutdown, NET, 0, 0),
	C(ppoll, NET, 0, 0),
#ifdef SYS_open
	C(rename, CHANGE, PATH0, 0),
	C(link, CHANGE, ROOM | PATH0, 0),
	C(unlink, CHANGE, PATH0, 0),
	C(mkdir, CHANGE, ROOM | PATH0, 0),
	C(rmdir, CHANGE, PATH0, 0),
	C(stat, READ, PATH0, 0),
	C(access, READ, PATH0, 0),
	C(open, READ, PATH0, 0),
	C(poll, NET, 0, 0),
#endif
};

static const struct {
	const char *name;
	int nr;
} errors[] = { { "EIO", EIO },       { "ENOSPC", ENOSPC },         { "EINTR", EINTR },
	       { "EDQUOT", EDQUOT }, { "ECONNRESET", ECONNRESET }, { "ETIMEDOUT", ETIMEDOUT },
	       { "EPIPE", EPIPE },   { "EMFILE", EMFILE },         { "ENOMEM", ENOMEM },
	       { "EACCES", EACCES }, { "EROFS", EROFS },           { "EAGAIN", EAGAIN },
	       { "ESTALE", ESTALE } };

static struct {
	int classes, error; /* error: 0 none */
	int kill, half, stay;
	long at;
	const char *from, *log;
} o = { .classes = CHANGE };

static pid_t program;
static long count, hits;
static int begun, killed;
static FILE *names;

/* to give back when its call returns; after: the call was made */
struct thread {
	pid_t tid;
	int error;
	int after;
};
static struct thread threads[4096];

static struct thread *thread_of(pid_t tid)
{
	struct thread *free_one = NULL;

	for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
		if (threads[i].tid == tid)
			return &threads[i];
		if (!threads[i].tid && !free_one)
			free_one = &threads[i];
	}
	if (free_one)
		*free_one = (struct thread){ .tid = tid };
	return free_one;
}

/* ---- registers --------------------------------------------------------------------------- */

#if defined __x86_64__
static int skip_call(pid_t tid)
{
	return (int)ptrace(PTRACE_POKEUSR, tid, offsetof(struct user_regs_struct, orig_rax), -1L);
}

static int set_result(pid_t tid, long v)
{
	return (int)ptrace(PTRACE_POKEUSR, tid, offsetof(struct user_regs_struct, rax), v);
}

static int set_arg(pid_t tid, int i, uint64_t v)
{
	static const size_t at[] = {
		offsetof(struct user_regs_struct, rdi), offsetof(struct user_regs_struct, rsi),
		offsetof(struct user_regs_struct, rdx), offsetof(struct user_regs_struct, r10),
		offsetof(struct user_regs_struct, r8),  offsetof(struct user_regs_struct, r9)
	};
	return (int)ptrace(PTRACE_POKEUSR, tid, at[i], v);
}
#elif defined __aarch64__
static int set_reg(pid_t tid, int i, uint64_t v)
{
	struct user_regs_struct r;
	struct iovec v0 = { &r, sizeof r };

	if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &v0) < 0)
		return -1;
	r.regs[i] = v;
	return (int)ptrace(PTRACE_SETREGSET, tid, NT_PRSTATUS, &v0);
}

static int skip_call(pid_t tid)
{
	int nr = -1;
	struct iovec v = { &nr, sizeof nr };

	return (int)ptrace(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &v);
}

static int set_result(pid_t tid, long v)
{
	return set_reg(tid, 0, (uint64_t)v);
}

static int set_arg(pid_t tid, int i, uint64_t v)
{
	return set_reg(tid, i, v);
}
#else
#define UNKNOWN_PROCESSOR
static int skip_call(pid_t tid)
{
	return -1;
}
static int set_result(pid_t tid, long v)
{
	return -1;
}
static int set_arg(pid_t tid, int i, uint64_t v)
{
	return -1;
}
#endif

/* ---- which calls count ------------------------------------------------------------------- */

static const struct call *call_of(uint64_t nr)
{
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if ((uint64_t)calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

static void read_path(pid_t tid, uint64_t at, char *buf, size_t cap)
{
	struct iovec to = { buf, cap - 1 }, from = { (void *)(uintptr_t)at, cap - 1 };
	ssize_t n = process_vm_readv(tid, &to, 1, &from, 1, 0);

	if (n < 0) { /* near the end of what is mapped: up to the page's end */
		from.iov_len = to.iov_len = 4096 - at % 4096 < cap - 1 ? 4096 - at % 4096 : cap - 1;
		n = process_vm_readv(tid, &to, 1, &from, 1, 0);
	}
	buf[n > 0 ? n : 0] = 0;
}

/* READ and CHANGE of files, NET of sockets, 0 of pipes and the like. */
static int kind_of_fd(pid_t tid, uint64_t fd, int kind)
{
	char path[64], to[256];
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)tid, (int)fd);
	n = readlink(path, to, sizeof to - 1);
	to[n > 0 ? n : 0] = 0;
	if (!strncmp(to, "socket:", 7))
		return NET;
	return to[0] == '/' && (strncmp(to, "/dev/", 5) || !strncmp(to, "/dev/shm/", 9)) &&
			       strncmp(to, "/proc/", 6)
		       ? kind
		       : 0;
}

static int kind_of(pid_t tid, const struct call *c, const uint64_t *arg)
{
	char path[512];

	if (!begun && c->flags & (PATH0 | PATH1)) {
		read_path(tid, arg[c->flags & PATH1 ? 1 : 0], path, sizeof path);
		begun = !strncmp(path, o.from, strlen(o.from));
	}
	if (!begun)
		return 0;
	if (c->flags & OPENS && arg[2] & (O_CREAT | O_TRUNC))
		return CHANGE;
	if (c->nr == SYS_ioctl && arg[1] != 0x40049409) /* FICLONE */
		return 0;
	return c->flags & BY_FD ? kind_of_fd(tid, arg[0], c->kind) : c->kind;
}

static int needs_room(const struct call *c, const uint64_t *arg)
{
	return c->flags & ROOM || (c->flags & OPENS && arg[2] & O_CREAT);
}

static int can_be_hit(const struct call *c, const uint64_t *arg)
{
	if (o.half)
		return c && c->flags & BYTES && arg[c->by] > 1;
	return o.error != ENOSPC || (c && needs_room(c, arg));
}

/* ---- disturbing -------------------------------------------------------------------------- */

static int disturb(pid_t tid, struct thread *t, const struct call *c, const uint64_t *arg)
{
	if (o.kill) {
		skip_call(tid);
		killed = 1;
		return kill(program, SIGKILL) == 0;
	}
	if (o.half)
		return set_arg(tid, c->by, arg[c->by] / 2) == 0;
	if (!o.error || !c)
		return 0;
	t->error = o.error;
	t->after = (c->flags & CLOSES) != 0; /* a descriptor is gone even where closing it fails */
	return t->after || skip_call(tid) == 0;
}

static void enter(pid_t tid, struct thread *t, uint64_t nr, const uint64_t *arg)
{
	const struct call *c = call_of(nr);
	int kind = c ? kind_of(tid, c, arg) : 0, hit = 0;

	if (killed || !begun || (!(o.classes & ALL) && !(kind & o.classes)) || !can_be_hit(c, arg))
		return;
	count++;
	if (o.at > 0 && (count == o.at || (o.stay && count > o.at)))
		hit = disturb(tid, t, c, arg);
	hits += hit;
	if (names && c)
		fprintf(names, "%s%s\n", c->name, hit ? " *" : "");
	else if (names)
		fprintf(names, "%ld%s\n", (long)nr, hit ? " *" : "");
}

static void leave(pid_t tid, struct thread *t)
{
	if (t->error)
		set_result(tid, -(long)t->error);
	t->error = 0;
}

static int at_call(pid_t tid)
{
	struct ptrace_syscall_info info = { 0 };
	struct thread *t = thread_of(tid);

	if (!t || ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof info, &info) <= 0)
		return -1;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		uint64_t arg[6];
		for (int i = 0; i < 6; i++)
			arg[i] = info.entry.args[i];
		enter(tid, t, info.entry.nr, arg);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		leave(tid, t);
	}
	return 0;
}

/* ---- the loop ---------------------------------------------------------------------------- */

static void cannot(const char *what)
{
	fprintf(stderr, "fault-calls: %s: %s\n", what, strerror(errno));
	if (program > 0)
		kill(program, SIGKILL);
	exit(125);
}

static void start(char **argv)
{
	int st;

	program = fork();
	if (program < 0)
		cannot("no process");
	if (!program) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
			_exit(125);
		raise(SIGSTOP);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (waitpid(program, &st, 0) < 0 || !WIFSTOPPED(st))
		cannot("no ptrace here");
	if (ptrace(PTRACE_SETOPTIONS, program, 0,
		   PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
			   PTRACE_O_EXITKILL) < 0 ||
	    ptrace(PTRACE_SYSCALL, program, 0, 0) < 0)
		cannot("no ptrace here");
}

/* Exit status of the program. */
static int follow(void)
{
	int st, status = 0;
	pid_t tid;

	while ((tid = waitpid(-1, &st, __WALL)) > 0 || errno == EINTR) {
		int sig = 0;
		if (tid < 0)
			continue;
		if (WIFEXITED(st) || WIFSIGNALED(st)) {
			struct thread *t = thread_of(tid);
			if (t)
				t->tid = 0;
			if (tid == program)
				status = st;
			continue;
		}
		if (WSTOPSIG(st) == (SIGTRAP | 0x80)) {
			if (at_call(tid) < 0 && !killed && errno != ESRCH)
				cannot("no PTRACE_GET_SYSCALL_INFO here");
		} else if (WSTOPSIG(st) != SIGTRAP &&
			   !(WSTOPSIG(st) == SIGSTOP && (!thread_of(tid) || tid != program))) {
			sig = WSTOPSIG(st);
		}
		ptrace(PTRACE_SYSCALL, tid, 0, sig);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int class_of(const char *s)
{
	static const struct {
		const char *name;
		int bit;
	} t[] = { { "change", CHANGE }, { "read", READ }, { "net", NET }, { "all", ALL } };
	int got = 0;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		if (strstr(s, t[i].name))
			got |= t[i].bit;
	return got;
}

static int set_how(const char *s)
{
	o.kill = !strcmp(s, "kill");
	o.half = !strcmp(s, "half");
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
		if (!strcmp(errors[i].name, s))
			o.error = errors[i].nr;
	return o.kill || o.half || o.error ? 0 : -1;
}

static int usage(void)
{
	fprintf(stderr,
		"usage: fault-calls [--class change,read,net|all] [--at N] [--how kill|half|ERROR] [--stay] [--from PATH] [--log FILE] -- PROGRAM ARGUMENTS\n");
	return 2;
}

int main(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && strcmp(argv[i], "--"); i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (!strcmp(argv[i], "--stay")) {
			o.stay = 1;
			continue;
		}
		if (!strcmp(argv[i], "--class"))
			o.classes = class_of(value);
		else if (!strcmp(argv[i], "--at"))
			o.at = atol(value);
		else if (!strcmp(argv[i], "--from"))
			o.from = value;
		else if (!strcmp(argv[i], "--log"))
			o.log = value;
		else if (strcmp(argv[i], "--how") || set_how(value) < 0)
			return usage();
		i++;
	}
	if (i + 1 >= argc)
		return usage();
#ifdef UNKNOWN_PROCESSOR
	errno = ENOSYS;
	cannot("not known how calls are changed on this processor");
#endif
	begun = !o.from;
	names = o.log ? fopen(o.log, "we") : NULL;
	start(argv + i + 1);
	i = follow();
	if (names)
		fclose(names);
	return i;
}
