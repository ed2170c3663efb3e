/* One process, read once. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "device/host.h"

/* Numbers of a line of /proc, separated by blanks; stops at what is none. */
static size_t read_numbers(const char *p, uint64_t *ret, size_t max)
{
	size_t n = 0;

	while (n < max) {
		char *end;
		p += strspn(p, " ");
		if (*p == '-') { /* some fields are negative; none of those is used */
			p += 1 + strspn(p + 1, "0123456789");
			ret[n++] = 0;
			continue;
		}
		if (*p < '0' || *p > '9')
			break;
		ret[n++] = strtoull(p, &end, 10);
		p = end;
	}
	return n;
}

/*
 * "123 (name) S 1 ...": the name may hold blanks and brackets, so the last bracket counts. The file
 * is written by the kernel in one piece below 4 KiB; the owner is that of the file.
 */
int host_proc_read(const char *proc, int32_t pid, struct host_proc *ret)
{
	char path[256], buf[4096], *open_p, *close_p;
	uint64_t v[22] = { 0 };
	struct stat st;
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/%d/stat", text_or(proc, "/proc"), (int)pid);
	if ((fd = open(path, O_RDONLY | O_CLOEXEC)) < 0) {
		if (errno == EACCES || errno == EPERM)
			return -EACCES;
		if (errno == ENOENT || errno == ESRCH)
			return -ESRCH;
		return -errno;
	}
	n = read(fd, buf, sizeof buf - 1);
	if (n <= 0 || fstat(fd, &st) < 0) {
		close(fd);
		return -ESRCH;
	}
	close(fd);
	buf[n] = 0;
	open_p = strchr(buf, '(');
	close_p = strrchr(buf, ')');
	if (!open_p || !close_p)
		return -ESRCH;
	if (close_p < open_p || strlen(close_p) < 5)
		return -ESRCH;
	*ret = (struct host_proc){ .pid = pid, .uid = st.st_uid, .state = close_p[2] };
	snprintf(ret->comm, sizeof ret->comm, "%.*s", (int)(close_p - open_p - 1), open_p + 1);
	/* fields 4 (ppid) and on; 14 utime, 15 stime, 16 and 17 of children, 22 start, 24 resident
	 * pages */
	if (read_numbers(close_p + 3, v, 21) < 21)
		return -ESRCH;
	ret->ppid = (int32_t)v[0];
	ret->cpu_ticks = v[10] + v[11];
	ret->child_ticks = v[12] + v[13];
	ret->start_ticks = v[18];
	ret->rss_bytes = v[20] * (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}
