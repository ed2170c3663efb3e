/*
 * tare top without a terminal: pages as text beside the files of tests/unit/top/pages
 * (TARE_UPDATE=1 rewrites them; look at what changed), sums of waste, sort, filter, keys, texts
 * that want to harm a terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <jansson.h>
#include <locale.h>
#include "watch/rollup.h"
#include "top/top_book.h"
#include "top/top_json.h"
#include "top/top_paint.h"
#include "store/agentdb.h"
#include "top_fix.h"

struct page {
	struct fix *f;
	struct snap_taker *t;
	struct top_model m;
	struct top_ui ui;
	struct cells g;
	struct str text;
};

static struct page *page_of(struct fix *f)
{
	struct page *p = calloc(1, sizeof *p);
	p->f = f;
	p->t = snap_taker_new(NULL);
	top_ui_init(&p->ui, 1000);
	for (int i = 0; i < 31; i++)
		fix_poll(f, p->t, &p->m, 2000);
	return p;
}

static void page_free(struct page *p)
{
	snap_taker_free(p->t);
	top_model_free(&p->m);
	top_ui_free(&p->ui);
	cells_free(&p->g);
	str_free(&p->text);
	free(p->f);
	free(p);
}

static const char *paint(struct page *p, int w, int h, bool utf8)
{
	cells_free(&p->g);
	cells_init(&p->g, w, h, utf8);
	top_ui_rows(&p->ui, &p->m);
	top_paint(&p->g, &p->m, &p->ui);
	str_clear(&p->text);
	cells_text(&p->g, &p->text);
	return str_z(&p->text);
}

static enum top_todo key(struct page *p, int k)
{
	enum top_todo t = top_ui_key(&p->ui, &p->m, k);
	top_ui_rows(&p->ui, &p->m);
	return t;
}

static void keys(struct page *p, const char *text)
{
	for (; *text; text++)
		key(p, *text);
}

/* The page is what the file says, no line is wider than the page. */
static void is_file(const char *got, const char *name)
{
	char path[512], *want = NULL;
	snprintf(path, sizeof path, "%s/tests/unit/top/pages/%s.txt",
		 getenv("TARE_SRC") ? getenv("TARE_SRC") : ".", name);
	if (getenv("TARE_UPDATE")) {
		FILE *f = fopen(path, "w");
		assert_non_null(f);
		fputs(got, f);
		fclose(f);
		return;
	}
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	want = calloc(1, 65536);
	size_t n = fread(want, 1, 65535, f);
	fclose(f);
	want[n] = 0;
	if (strcmp(got, want))
		print_message("%s: got\n%s\n", name, got);
	assert_string_equal(got, want);
	free(want);
}

static void snapshot(struct fix *f, int w, int h, bool utf8, const char *name)
{
	struct page *p = page_of(f);
	is_file(paint(p, w, h, utf8), name);
	page_free(p);
}

static void pages(void **state)
{
	snapshot(fix_usual(), 80, 24, true, "usual-80x24");
	snapshot(fix_usual(), 80, 24, false, "usual-ascii");
	snapshot(fix_usual(), 200, 50, true, "usual-200x50");
	snapshot(fix_usual(), 60, 10, true, "usual-60x10");
	snapshot(fix_sixteen(4), 80, 24, true, "sixteen-80x24");
	snapshot(fix_mig(), 80, 24, true, "mig-80x24");
	snapshot(fix_mig(), 120, 30, true, "mig-120x30");
}

static void small_and_none(void **state)
{
	struct page *p = page_of(fix_usual());
	assert_non_null(strstr(paint(p, 40, 8, true), "tare top needs 60x10, this is 40x8"));
	assert_non_null(strstr(paint(p, 12, 3, true), "tare top"));
	paint(p, 1, 1, true);
	page_free(p);
	struct fix *f = fix_new();
	f->gpus.driver = NULL;
	f->gpus.problem = "there is no NVIDIA driver: 'libnvidia-ml.so.1' cannot be opened";
	snapshot(f, 80, 24, true, "none-80x24");
}

/* Traffic beside what the link can take, where that is known; GPUs without NVLink have no line for
 * it. */
static void links(void **state)
{
	struct fix *f = fix_usual();
	struct gpu_dev *g = (struct gpu_dev *)f->dev[0].gpu;
	g->value[METRIC_PCIE_RX_BYTES_S] = 21.5e9;
	g->value[METRIC_NVLINK_RX_BYTES_S] = 140e9;
	g->value[METRIC_NVLINK_TX_BYTES_S] = 139e9;
	f->dev[0].pcie_bytes_s = 31.5e9;
	struct page *p = page_of(f);
	key(p, KEYP_ENTER);
	const char *got = paint(p, 100, 60, true);
	assert_non_null(
		strstr(got, "PCIe from host  mean 21.50, highest 21.50 GB/s, now 21.50, of 31.50"));
	assert_non_null(strstr(got, "NVLink in       mean 140.00"));
	assert_non_null(strstr(got, "NVLink out      mean 139.00"));
	key(p, KEYP_ESC);
	key(p, KEYP_END), key(p, 'e');
	assert_null(strstr(paint(p, 100, 60, true), "NVLink"));
	page_free(p);
}

/* One GPU on the whole page, and from it to its processes. */
static void one_gpu(void **state)
{
	(void)state;
	struct page *p = page_of(fix_usual());
	key(p, 'f');
	assert_int_equal(p->ui.over, OVER_GPU);
	is_file(paint(p, 100, 30, true), "card-100x30");
	key(p, 'P');
	assert_int_equal(p->ui.over, OVER_NONE);
	assert_int_equal(p->ui.focus, FOCUS_PROCS);
	assert_int_equal(p->ui.proc.v[p->ui.proc_at].dev, p->ui.row.v[p->ui.row_at].dev);
	key(p, KEYP_TAB), key(p, KEYP_END);
	p->ui.over = OVER_NONE;
	assert_int_equal(key(p, 'P'), TODO_NOTHING); /* nothing runs on the last one */
	page_free(p);
}

/* GPUs of several machines say which, and are apart though their numbers are the same. */
static void two_machines(void **state)
{
	(void)state;
	struct fix *f = fix_new();
	for (int i = 0; i < 4; i++) {
		size_t d = fix_dev(f, "H100-SXM5-80GB");
		f->gpu[d].info.index = i / 2;
		*f->gpu[d].info.uuid = *f->gpu[d].info.bus_id = 0;
		snprintf(f->gpu[d].info.node, sizeof f->gpu[d].info.node, "%s",
			 i % 2 ? "train-2" : "a-long-name-of-a-machine-17");
	}
	struct page *p = page_of(f);
	const char *text = paint(p, 120, 30, true);
	assert_non_null(strstr(text, " train-2/1 "));
	assert_non_null(strstr(text, "a-lon..hine-17/0 "));
	assert_string_not_equal(p->m.snap->dev[0].key, p->m.snap->dev[1].key);
	keys(p, "/train-2"), key(p, KEYP_ENTER);
	assert_int_equal(p->ui.row.n, 2);
	page_free(p);
}

static void explain(void **state)
{
	struct page *p = page_of(fix_usual());
	top_ui_rows(&p->ui, &p->m);
	key(p, KEYP_DOWN), key(p, KEYP_DOWN);
	assert_int_equal(key(p, KEYP_ENTER), TODO_PAINT);
	is_file(paint(p, 80, 34, true), "explain-idle");
	key(p, KEYP_ESC);
	key(p, KEYP_DOWN), key(p, 'e');
	const char *got = paint(p, 100, 60, true);
	assert_non_null(strstr(got, "underused/input: it works, and far from all the time"));
	assert_non_null(strstr(got, "Causes, looked for in"));
	key(p, 'q');
	assert_int_equal(p->ui.over, OVER_NONE);
	key(p, KEYP_END), key(p, 'e');
	assert_non_null(strstr(paint(p, 80, 40, true), "does not answer for this GPU any more"));
	page_free(p);
	p = page_of(fix_usual());
	key(p, '?');
	is_file(paint(p, 80, 24, true), "help-80x24");
	int before = p->ui.over_top;
	key(p, KEYP_PGDN);
	paint(p, 80, 24, true);
	assert_true(p->ui.over_top > before);
	page_free(p);
}

static void cause_found(void **state)
{
	struct fix *f = fix_usual();
	f->use[3][0].cause = CAUSE_UNKNOWN;
	f->view.host.cpu_util_pct = 99.5;
	struct page *p = page_of(f);
	assert_int_equal(p->m.snap->dev[3].part[0].cause, CAUSE_UNKNOWN); /* a minute is not over */
	for (int i = 0; i < 10; i++)
		fix_poll(f, p->t, &p->m, 2000);
	assert_int_equal(p->m.snap->dev[3].part[0].cause, CAUSE_INPUT);
	assert_non_null(strstr(paint(p, 80, 24, true), "underused/input"));
	page_free(p);
}

/* ---- sums -------------------------------------------------------------------------------- */

static void waste_adds_up(void **state)
{
	struct page *p = page_of(fix_usual());
	/* 30 steps of 2 s at 3.10 $/h: a whole GPU wastes 60 s x 3.10 / 3600 */
	dec gpu = 31 * DEC_ONE / 10 / 60, sum = 0, ms;
	assert_true(top_wasted(top_track_of(&p->m, &p->m.snap->dev[2]), &ms) - gpu <= 30 &&
		    ms == (dec)60000 * 1000000000);
	assert_true(top_wasted(top_track_of(&p->m, &p->m.snap->dev[0]), NULL) == 0);
	dec under = top_wasted(top_track_of(&p->m, &p->m.snap->dev[3]), NULL),
	    want = dec_muldiv(gpu, 88, 100);
	assert_true(under - want <= 60 && want - under <= 60);
	/* unknown is not idle */
	assert_true(top_wasted(top_track_of(&p->m, &p->m.snap->dev[6]), NULL) == 0);
	for (size_t i = 0; i < p->m.by.n; i++)
		sum += p->m.by.v[i].cost;
	assert_true(sum == p->m.wasted && sum > 3 * gpu);
	assert_int_equal(p->m.by.n, 4);
	page_free(p);
}

static void waste_of_shares(void **state)
{
	struct page *p = page_of(fix_mig());
	dec ms;
	/* the rest of the GPU: 3/7 for 60 s */
	top_wasted(top_track_of(&p->m, &p->m.snap->dev[1]), &ms);
	assert_true(ms == (dec)60000 * 428571429);
	top_wasted(top_track_of(&p->m, &p->m.snap->dev[2]), &ms);
	assert_true(ms == 0);
	/* half a GPU, 86 % of it unused */
	top_wasted(top_track_of(&p->m, &p->m.snap->dev[4]), &ms);
	assert_true(ms == (dec)60000 * 430000000);
	page_free(p);
}

static void no_price(void **state)
{
	struct fix *f = fix_usual();
	f->view.rate = (struct watch_rate){ 0 };
	struct page *p = page_of(f);
	const char *got = paint(p, 80, 24, true);
	assert_non_null(strstr(got, "no price known"));
	assert_non_null(strstr(got, "GPU-h"));
	assert_null(strstr(got, "$ since"));
	page_free(p);
}

static void midnight(void **state)
{
	struct page *p = page_of(fix_usual());
	assert_true(p->m.wasted > 0 && p->m.since_ms == FIX_T0);
	fix_poll(p->f, p->t, &p->m, INT64_C(10) * 3600 * 1000);
	/* ten hours in one step is what a suspended machine looks like: only the new day's is kept,
	 * and it begins at midnight */
	assert_true(p->m.since_ms == FIX_T0 - FIX_T0 % 86400000 + 86400000);
	page_free(p);
}

static void book(void **state)
{
	struct page *p = page_of(fix_usual());
	int64_t midnight_ms = FIX_T0 - FIX_T0 % 86400000;
	struct top_booked row = { .key = sv_of(p->m.snap->dev[2].key),
				  .state = STATE_IDLE_HELD,
				  .cause = CAUSE_FINISHED,
				  .ms_ppb = (dec)36000000 * 1000000000 }; /* ten hours: 31 $ */
	struct top_today t = { .known = true,
			       .since_ms = midnight_ms,
			       .until_ms = p->m.snap->t_ms - p->m.snap->t_ms % 60000 + 60000,
			       .row = &row,
			       .n = 1 };
	top_model_book(&p->m, &t);
	assert_true(p->m.booked && p->m.wasted == 31 * DEC_ONE && p->m.since_ms == midnight_ms);
	assert_non_null(strstr(paint(p, 80, 24, true),
			       "wasted 31.00 $ today, since 00:00: idle_held/finished 31.00"));
	for (int i = 0; i < 60; i++)
		/* two minutes, of which the book then has one more */
		fix_poll(p->f, p->t, &p->m, 2000);
	dec seen = p->m.wasted - 31 * DEC_ONE;
	assert_true(seen > 0);
	t.until_ms += 60000;
	top_model_book(&p->m, &t);
	assert_true(p->m.wasted > 31 * DEC_ONE && p->m.wasted - 31 * DEC_ONE < seen);
	page_free(p);
}

static void put_minute(struct agentdb *db, int64_t t_ms, int64_t ms, enum state s, enum cause c,
		       double util)
{
	struct rollup r = { .dev = 1, .from_ms = t_ms, .to_ms = t_ms + ms };
	struct rollup_use *u = vec_push(&r.use);
	struct str blob = { 0 };
	struct err err;
	double keyed[ROLLUP_KEYS] = { util, NAN, NAN, NAN };
	*u = (struct rollup_use){ .share_ppb = 1000000000 };
	rollup_use_add(u, s, c, ms, keyed);
	rollup_pack(&r, &blob);
	struct agentdb_minute m = {
		.t_ms = t_ms, .dev = 1, .from_ms = t_ms, .to_ms = t_ms + ms, .roll = str_sv(&blob)
	};
	assert_int_equal(agentdb_put_minute(db, &m, &err), 0);
	str_free(&blob);
	rollup_free(&r);
}

static void agents_book(void **state)
{
	char dir[] = "/tmp/t-top.XXXXXX", cmd[64];
	struct agentdb *db;
	struct err err = { 0 };
	struct top_today t;
	int64_t now = FIX_T0 + 90000, day = FIX_T0 - FIX_T0 % 86400000;
	assert_non_null(mkdtemp(dir));
	struct top_book *b = top_book_new(dir);
	top_book_today(b, now, &t);
	assert_false(t.known); /* no agent */
	assert_int_equal(agentdb_open(dir, true, &db, &err), 0);
	assert_int_equal(agentdb_begin(db, &err), 0);
	struct agentdb_device d = { .id = 1, .uuid = SV("GPU-1"), .first_ms = day, .last_ms = now };
	assert_int_equal(agentdb_put_device(db, &d, &err), 0);
	put_minute(db, day - 60000, 60000, STATE_IDLE_HELD, CAUSE_FINISHED, 0); /* yesterday's */
	put_minute(db, day + 3600000, 60000, STATE_IDLE_HELD, CAUSE_FINISHED, 0);
	put_minute(db, day + 3660000, 60000, STATE_UNDERUSED, CAUSE_INPUT, 20);
	put_minute(db, day + 3720000, 60000, STATE_BUSY, CAUSE_NONE, 90);
	assert_int_equal(agentdb_commit(db, &err), 0);
	top_book_today(b, now, &t);
	assert_false(t.known); /* not at work for hours */
	assert_int_equal(agentdb_begin(db, &err), 0);
	put_minute(db, FIX_T0, 60000, STATE_IDLE_HELD, CAUSE_FINISHED, 0);
	assert_int_equal(agentdb_commit(db, &err), 0);
	for (int again = 0; again < 2; again++) { /* long closed minutes are not counted twice */
		top_book_today(b, now, &t);
		assert_true(t.known && t.since_ms == day + 3600000 &&
			    t.until_ms == FIX_T0 + 60000 && t.n == 2);
		assert_true(sv_is(t.row[0].key, "GPU-1") && t.row[0].state == STATE_IDLE_HELD &&
			    t.row[0].ms_ppb == (dec)120000 * 1000000000);
		assert_true(t.row[1].state == STATE_UNDERUSED &&
			    t.row[1].ms_ppb == (dec)60000 * 800000000);
	}
	top_book_today(b, now + 86400000, &t);
	assert_false(t.known);
	top_book_free(b);
	agentdb_close(db);
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	assert_int_equal(system(cmd), 0);
}

/* ---- lists ------------------------------------------------------------------------------- */

static int index_at(struct page *p, size_t row)
{
	return p->m.snap->dev[p->ui.row.v[row].dev].info.index;
}

static void sorts(void **state)
{
	struct page *p = page_of(fix_usual());
	key(p, 'u');
	assert_int_equal(index_at(p, 0), 1);
	assert_int_equal(index_at(p, 1), 0);
	assert_int_equal(index_at(p, 7), 7); /* unknown last */
	key(p, 'r');
	assert_int_equal(index_at(p, 0), 2);
	assert_int_equal(index_at(p, 7), 7); /* and still last the other way round */
	key(p, 'r'), key(p, 'm');
	assert_int_equal(index_at(p, 0), 2);
	key(p, 'w');
	assert_int_equal(index_at(p, 0), 2);
	key(p, 'o');
	assert_int_equal(index_at(p, 0), 3); /* bo */
	key(p, 'i');
	key(p, KEYP_TAB), key(p, 'c'), key(p, 'u');
	assert_int_equal(p->m.snap->dev[p->ui.proc.v[0].dev].proc[p->ui.proc.v[0].proc].pid,
			 9000002);
	key(p, 'n');
	assert_int_equal(p->m.snap->dev[p->ui.proc.v[0].dev].proc[p->ui.proc.v[0].proc].pid,
			 9000001);
	page_free(p);
	p = page_of(fix_mig());
	key(p, 'm'), key(p, 'r'); /* a GPU takes what is on it along */
	assert_int_equal(index_at(p, 0), 2);
	assert_true(p->ui.row.v[1].part == 0 && p->ui.row.v[2].part == 1);
	assert_int_equal(index_at(p, 3), 1);
	assert_int_equal(p->m.snap->dev[p->ui.row.v[4].dev].info.gi, 1);
	page_free(p);
}

static void filters(void **state)
{
	struct page *p = page_of(fix_usual());
	keys(p, "/vision");
	assert_int_equal(p->ui.row.n, 2);
	assert_int_equal(p->ui.proc.n, 2);
	assert_non_null(strstr(paint(p, 80, 24, true), "filter: vision_"));
	key(p, KEYP_BACKSPACE);
	assert_string_equal(p->ui.filter, "visio");
	key(p, KEYP_ENTER);
	assert_false(p->ui.editing);
	keys(p, "/");
	key(p, 'u' - 96);
	keys(p, "idle_held");
	assert_int_equal(p->ui.row.n, 1);
	key(p, KEYP_ESC);
	assert_string_equal(p->ui.filter, "visio");
	key(p, KEYP_ESC);
	assert_int_equal(p->ui.row.n, 8);
	keys(p, "/no such thing");
	assert_int_equal(p->ui.row.n, 0);
	assert_non_null(strstr(paint(p, 80, 24, true), "no GPU matches the filter"));
	key(p, KEYP_ENTER);
	key(p, KEYP_DOWN), key(p, 'e'); /* nothing to select, nothing to explain */
	paint(p, 80, 24, true);
	page_free(p);
}

static void selection_stays(void **state)
{
	struct page *p = page_of(fix_usual());
	top_ui_rows(&p->ui, &p->m);
	key(p, KEYP_DOWN), key(p, KEYP_DOWN);
	assert_int_equal(index_at(p, (size_t)p->ui.row_at), 2);
	key(p, 'u');
	assert_int_equal(index_at(p, (size_t)p->ui.row_at), 2);
	key(p, KEYP_HOME);
	assert_int_equal(p->ui.row_at, 0);
	key(p, KEYP_END);
	assert_int_equal(p->ui.row_at, 7);
	p->f->view.ndev = p->f->gpus.ndev = 3; /* five GPUs gone */
	fix_poll(p->f, p->t, &p->m, 1000);
	top_ui_rows(&p->ui, &p->m);
	assert_true(p->ui.row_at >= 0 && p->ui.row_at < 3);
	page_free(p);
}

static void scrolls(void **state)
{
	struct page *p = page_of(fix_sixteen(12));
	paint(p, 80, 14, true);
	assert_true(p->ui.row_page < 16);
	key(p, KEYP_END);
	assert_non_null(strstr(paint(p, 80, 14, true), "/16"));
	assert_int_equal(p->ui.row_top + p->ui.row_page, 16);
	key(p, KEYP_TAB), key(p, KEYP_END);
	assert_non_null(strstr(paint(p, 80, 24, true), "/192"));
	assert_int_equal(p->ui.proc_at, 191);
	assert_true(p->ui.proc_page >= 8); /* the list in focus has half of the lines at least */
	page_free(p);
}

static void commands(void **state)
{
	struct page *p = page_of(fix_usual());
	assert_int_equal(key(p, 'q'), TODO_QUIT);
	assert_int_equal(key(p, '+'), TODO_INTERVAL);
	assert_int_equal(p->ui.interval_ms, 2000);
	for (int i = 0; i < 20; i++)
		key(p, '-');
	assert_int_equal(p->ui.interval_ms, 100);
	assert_int_equal(key(p, '-'), TODO_NOTHING);
	assert_int_equal(key(p, ' '), TODO_NOW);
	assert_int_equal(key(p, 'Z'), TODO_NOTHING);
	key(p, 'p');
	top_model_hold(&p->m, p->ui.paused);
	int64_t t = p->m.snap->t_ms;
	dec wasted = p->m.wasted;
	fix_poll(p->f, p->t, &p->m, 2000);
	/* stands still, and is counted on */
	assert_true(p->m.snap->t_ms == t && p->m.wasted > wasted);
	assert_non_null(strstr(paint(p, 80, 24, true), "PAUSED"));
	key(p, 'p');
	top_model_hold(&p->m, p->ui.paused);
	assert_true(p->m.snap->t_ms > t);
	page_free(p);
}

/* ---- hostile texts ----------------------------------------------------------------------- */

static void only_what_prints(const char *page)
{
	for (const char *c = page; *c; c++)
		assert_true(*c == '\n' || ((unsigned char)*c >= 0x20 && (unsigned char)*c != 0x7f));
	assert_null(strstr(page, "\xe2\x80\xae")); /* turn the direction */
	assert_null(strstr(page, "\xc2\x9b"));     /* CSI in one character */
}

static void hostile(void **state)
{
	static const char evil[] =
		"\x1b[2J\x1b]0;owned\x07\n\r\xc2\x9b"
		"31m\xe2\x80\xae"
		"gpj\xff\xc3(\xf0\x9f\x92\xb8 \xe6\x97\xa5\xe6\x9c\xac e\xcc\x81\xcc\x81";
	char *mega = malloc(1 << 20);
	memset(mega, 'x', (1 << 20) - 1);
	mega[(1 << 20) - 1] = 0;
	for (int w = 60; w < 130; w += 7) {
		struct fix *f = fix_new();
		size_t d = fix_gpu(f, 10, 5, 100);
		f->dev[d].model = evil;
		snprintf(f->gpu[d].info.name, sizeof f->gpu[d].info.name, "%s", evil);
		fix_hold(f, d, evil, evil, mega, 1, STATE_IDLE_HELD, CAUSE_NONE);
		fix_proc(f, d, 9000001, 1, 1);
		f->view.node = evil;
		f->gpus.driver = evil;
		f->gpus.problem = evil;
		struct page *p = page_of(f);
		for (int utf8 = 0; utf8 < 2; utf8++) {
			only_what_prints(paint(p, w, 24, utf8));
			key(p, 'e');
			only_what_prints(paint(p, w, 24, utf8));
			key(p, KEYP_ESC);
		}
		struct str json = { 0 };
		json_error_t e;
		top_json(&p->m, &json);
		json_t *root = json_loads(json.p, 0, &e);
		assert_non_null(root);
		assert_true(json.n < 65536); /* the megabyte was cut */
		json_decref(root);
		str_free(&json);
		page_free(p);
	}
	free(mega);
}

static void wide_characters(void **state)
{
	struct cells g;
	struct str s = { 0 };
	cells_init(&g, 6, 1, true);
	/* two of them and the ellipsis */
	assert_int_equal(cells_put(&g, 0, 0, 5, 0, SV("日本語")), 5);
	cells_text(&g, &s);
	assert_string_equal(s.p, "日本…\n");
	str_clear(&s);
	cells_blank(&g);
	cells_put(&g, 0, 0, 4, 0, SV("日本語")); /* no half of one */
	cells_text(&g, &s);
	assert_string_equal(s.p, "日…\n");
	str_clear(&s);
	cells_blank(&g);
	cells_put(&g, 0, 0, 6, STYLE_RIGHT, SV("ab"));
	cells_put(&g, 0, 4, 60, 0, SV("cdef")); /* over the edge */
	cells_put(&g, 7, -3, 60, 0, SV("cdef"));
	cells_text(&g, &s);
	assert_string_equal(s.p, "    c…\n");
	str_free(&s);
	cells_free(&g);
}

static void sparks(void **state)
{
	assert_string_equal(cells_spark(true, 0), "▁");
	assert_string_equal(cells_spark(true, 0.001), "▂"); /* little is not nothing */
	assert_string_equal(cells_spark(true, 1), "▇");
	assert_string_equal(cells_spark(true, 7), "▇");
	assert_string_equal(cells_spark(true, NAN), "·");
	assert_string_equal(cells_spark(false, NAN), "?");
	assert_string_equal(cells_spark(false, 0), "_");
}

/* ---- JSON -------------------------------------------------------------------------------- */

static void as_json(void **state)
{
	struct page *p = page_of(fix_usual());
	struct str out = { 0 };
	json_error_t e;
	top_json(&p->m, &out);
	assert_true(!strncmp(out.p, "{\"schema\":\"tare.top/1\"", 22) && out.p[out.n - 1] == '\n');
	json_t *root = json_loads(out.p, 0, &e), *gpus = json_object_get(root, "gpus");
	assert_int_equal(json_array_size(gpus), 8);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(root, "rate"), "usd_hour")),
		"24.8");
	json_t *g = json_array_get(gpus, 2), *h = json_array_get(json_object_get(g, "holders"), 0);
	assert_string_equal(json_string_value(json_object_get(g, "usd_hour")), "3.1");
	assert_string_equal(json_string_value(json_object_get(h, "state")), "idle_held");
	assert_string_equal(json_string_value(json_object_get(h, "cause")), "finished");
	assert_string_equal(json_string_value(json_object_get(h, "team")), "search");
	/* unknown is not zero */
	assert_true(json_is_null(json_object_get(json_array_get(gpus, 6), "gpu_util_pct")));
	assert_true(json_is_null(json_object_get(json_array_get(gpus, 6), "processes")));
	assert_true(json_is_integer(json_object_get(json_array_get(gpus, 4), "gpu_util_pct")) ||
		    json_is_real(json_object_get(json_array_get(gpus, 4), "gpu_util_pct")));
	json_decref(root);
	str_free(&out);
	page_free(p);
}

/* A call into the driver hangs: nobody knows whether the GPU is there. */
static void driver_hangs(void **state)
{
	struct fix *f = fix_usual();
	f->gpu[1].stuck = true;
	struct page *p = page_of(f);
	struct str out = { 0 };
	json_error_t e;
	top_json(&p->m, &out);
	json_t *root = json_loads(out.p, 0, &e), *gpus = json_object_get(root, "gpus");
	assert_true(json_is_null(json_object_get(json_array_get(gpus, 1), "present")));
	assert_true(json_is_false(json_object_get(json_array_get(gpus, 1), "driver_answers")));
	assert_true(json_is_true(json_object_get(json_array_get(gpus, 0), "present")));
	assert_true(json_is_true(json_object_get(json_array_get(gpus, 0), "driver_answers")));
	/* lost: the driver says so */
	assert_true(json_is_false(json_object_get(json_array_get(gpus, 7), "present")));
	json_decref(root);
	str_clear(&out);
	top_ui_rows(&p->ui, &p->m);
	top_print(&p->m, &p->ui, 100, true, &out);
	assert_non_null(strstr(str_z(&out), "driver hangs"));
	str_free(&out);
	page_free(p);
}

static void printed_once(void **state)
{
	struct page *p = page_of(fix_mig());
	struct str out = { 0 };
	top_ui_rows(&p->ui, &p->m);
	top_print(&p->m, &p->ui, 100, true, &out);
	is_file(str_z(&out), "once-100");
	str_free(&out);
	page_free(p);
}

int main(void)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		fprintf(stderr, "skipped: this system has no locale C.UTF-8\n");
		return 77;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),           cmocka_unit_test(small_and_none),
		cmocka_unit_test(one_gpu),         cmocka_unit_test(two_machines),
		cmocka_unit_test(explain),         cmocka_unit_test(links),
		cmocka_unit_test(cause_found),     cmocka_unit_test(waste_adds_up),
		cmocka_unit_test(waste_of_shares), cmocka_unit_test(no_price),
		cmocka_unit_test(midnight),        cmocka_unit_test(book),
		cmocka_unit_test(agents_book),     cmocka_unit_test(sorts),
		cmocka_unit_test(filters),         cmocka_unit_test(selection_stays),
		cmocka_unit_test(scrolls),         cmocka_unit_test(commands),
		cmocka_unit_test(hostile),         cmocka_unit_test(wide_characters),
		cmocka_unit_test(sparks),          cmocka_unit_test(as_json),
		cmocka_unit_test(driver_hangs),    cmocka_unit_test(printed_once),
	};
	return cmocka_run_group_tests_name("top", tests, NULL, NULL);
}
