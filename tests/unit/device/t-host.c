/* The machine around the GPUs, from a /proc and /sys of our own, and processes of the real one. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/str.h"
#include "device/host.h"
#include "tree.h"

#define NET "Inter-|   Receive\n face |bytes\n    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"

static void rates(void **state)
{
	struct tree t;
	struct host_feed *f;
	struct host_view v;
	struct err err;

	tree_make(&t);
	tree_put(
		&t, "proc/stat",
		"cpu  100 0 100 800 0 0 0 0 0 0\ncpu0 50 0 50 400 0\ncpu1 50 0 50 400 0\nintr 5\n");
	tree_put(&t, "proc/meminfo",
		 "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    400 kB\n");
	tree_put(
		&t, "proc/net/dev",
		NET
		"  eth0: 1000 1 0 0 0 0 0 0 5000 1 0 0 0 0 0 0\n  veth9: 1000 1 0 0 0 0 0 0 5000 1 0 0 0 0 0 0\n");
	tree_put(&t, "proc/diskstats",
		 " 8 0 sda 1 0 10 0 1 0 20 0 0 0 0\n 7 0 loop0 1 0 10 0 1 0 20 0 0 0 0\n");
	tree_put(&t, "sys/class/net/eth0/device/x", "");
	tree_put(&t, "sys/class/net/eth0/operstate", "up\n");
	tree_put(&t, "sys/class/net/eth0/type", "1\n");
	tree_put(&t, "sys/class/net/ib0/device/x", "");
	tree_put(&t, "sys/class/net/ib0/operstate", "up\n");
	tree_put(&t, "sys/class/net/ib0/type", "32\n");
	tree_put(&t, "sys/class/net/veth9/operstate", "up\n");
	tree_put(&t, "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "100\n");
	tree_put(&t, "sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "200\n");
	tree_put(&t, "sys/block/sda/device/x", "");
	tree_put(&t, "sys/block/loop0/size", "1");
	assert_int_equal(host_feed_open(tree_at(&t, "proc"), tree_at(&t, "sys"), &f, &err), 0);
	assert_int_equal(host_feed_poll(f, 1000, &v, &err), 0);
	assert_int_equal(v.cpus, 2);
	assert_true(isnan(v.cpu_util_pct) && isnan(v.nic_rx_bytes_s) && isnan(v.disk_read_bytes_s));
	assert_true(v.mem_total_bytes == 1024000 && v.mem_available_bytes == 409600);

	tree_put(&t, "proc/stat", "cpu  160 0 100 820 20 0 0 0 0 0\ncpu0 1\n");
	tree_put(
		&t, "proc/net/dev",
		NET
		"  eth0: 3000 1 0 0 0 0 0 0 5000 1 0 0 0 0 0 0\n  veth9: 9000 1 0 0 0 0 0 0 5000 1 0 0 0 0 0 0\n");
	tree_put(&t, "proc/diskstats",
		 " 8 0 sda 1 0 14 0 1 0 20 0 0 0 0\n 7 0 loop0 1 0 99 0 1 0 99 0 0 0 0\n");
	tree_put(&t, "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1100\n");
	assert_int_equal(host_feed_poll(f, 3000, &v, &err), 0);
	assert_true(fabs(v.cpu_util_pct - 60) < 1e-9);
	assert_true(v.nic_rx_bytes_s == 1000 + 2000 && v.nic_tx_bytes_s == 0);
	assert_true(v.disk_read_bytes_s == 1024 && v.disk_write_bytes_s == 0);

	/* a counter that was reset and a link that went: nothing is made up */
	tree_put(&t, "proc/net/dev", NET "  eth0: 10 1 0 0 0 0 0 0 10 1 0 0 0 0 0 0\n");
	tree_rm(&t, "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data");
	assert_int_equal(host_feed_poll(f, 4000, &v, &err), 0);
	assert_true(isnan(v.nic_rx_bytes_s) && isnan(v.nic_tx_bytes_s));
	host_feed_close(f);
	tree_free(&t);
}

static void nothing_there(void **state)
{
	struct host_feed *f;
	struct host_view v;
	struct err err;

	assert_int_equal(host_feed_open("/nowhere", "/nowhere", &f, &err), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(host_feed_poll(f, i * 40000, &v, &err), 0);
	assert_int_equal(v.cpus, 0);
	assert_true(isnan(v.cpu_util_pct) && isnan(v.mem_total_bytes) && isnan(v.nic_rx_bytes_s) &&
		    isnan(v.disk_write_bytes_s));
	host_feed_close(f);
}

static void this_machine(void **state)
{
	struct host_feed *f;
	struct host_view v;
	struct err err;

	assert_int_equal(host_feed_open(NULL, NULL, &f, &err), 0);
	assert_int_equal(host_feed_poll(f, 0, &v, &err), 0);
	assert_true(v.cpus > 0 && v.mem_total_bytes > 1e6 &&
		    v.mem_available_bytes <= v.mem_total_bytes);
	host_feed_close(f);
}

static void a_process(void **state)
{
	struct host_proc p, q;
	volatile double x = 1;

	assert_int_equal(host_proc_read(NULL, getpid(), &p), 0);
	assert_int_equal(p.ppid, getppid());
	assert_int_equal(p.uid, geteuid());
	assert_true(p.start_ticks > 0 && p.rss_bytes > 100000 && p.state == 'R');
	assert_string_equal(p.comm, "t-device-host");
	for (int i = 0; i < 1000; i++) { /* until the kernel has counted one more */
		for (int k = 0; k < 1000000; k++)
			x *= 1.0000001;
		assert_int_equal(host_proc_read("/proc", getpid(), &q), 0);
		if (q.cpu_ticks > p.cpu_ticks)
			break;
	}
	assert_true(x > 1 && q.start_ticks == p.start_ticks && q.cpu_ticks > p.cpu_ticks);
}

static void gone_and_zombie(void **state)
{
	struct host_proc p;
	int pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	assert_int_equal(host_proc_read(NULL, pid, &p), 0);
	assert_int_equal(p.state, 'Z');
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(host_proc_read(NULL, pid, &p), -ESRCH);
	assert_int_equal(host_proc_read(NULL, 0, &p), -ESRCH);
	assert_int_equal(host_proc_read(NULL, -1, &p), -ESRCH);
}

static void hostile_name(void **state)
{
	static const char *const stat[] = {
		"7 (a) R) S (x) S 3 4 5 6 7 8 9 10 11 12 40 2 0 0 20 0 1 0 4242 9 5 18446744073709551615 1 1\n",
		"",
		"7",
		"7 (",
		"7 (x)",
		"7 (x) S",
		"7 (x) S 1 2 3",
		"7 (x) S a b c d e f g h i j k l m n o p q r s t u v w",
		")(",
		NULL
	};
	struct tree t;
	struct host_proc p;

	tree_make(&t);
	for (size_t i = 0; stat[i]; i++) {
		tree_put(&t, "proc/7/stat", stat[i]);
		assert_int_equal(host_proc_read(tree_at(&t, "proc"), 7, &p), i ? -ESRCH : 0);
	}
	tree_put(&t, "proc/7/stat", stat[0]);
	assert_int_equal(host_proc_read(tree_at(&t, "proc"), 7, &p), 0);
	assert_string_equal(p.comm, "a) R) S (x");
	assert_int_equal(p.state, 'S');
	assert_int_equal(p.ppid, 3);
	assert_int_equal(p.start_ticks, 4242);
	assert_int_equal(p.cpu_ticks, 42);
	tree_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates),           cmocka_unit_test(nothing_there),
		cmocka_unit_test(this_machine),    cmocka_unit_test(a_process),
		cmocka_unit_test(gone_and_zombie), cmocka_unit_test(hostile_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
