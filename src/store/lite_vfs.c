#include "store/lite_vfs.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "store/lite.h"

#define VFS_NAME "tare-sums"
/* of files made with sums, in the header of the file ("tSum"); the reserved bytes alone are a
 * single byte there, which may flip */
#define APPLICATION_ID 0x7453756d

/* https://www.sqlite.org/fileformat2.html */
#define DB_HEADER      100
#define DB_PAGE_SIZE   16
#define DB_RESERVED    20
#define PAGE_BYTES_MIN 512
#define PAGE_BYTES_MAX 65536
#define WAL_HEADER     32
#define WAL_PAGE_SIZE  8
#define WAL_SUM        24
#define FRAME_HEADER   24
#define FRAME_SUM      16
#define WAL_MAGIC      0x377f0682U /* or with the lowest bit: words of sums are big-endian */

enum kind { KIND_OTHER, KIND_MAIN, KIND_WAL };

/* One open file; the system's own struct lies behind it. */
struct file {
	sqlite3_file base;
	enum kind kind;
	bool has_sums;
	int page_bytes;
};

static sqlite3_vfs layer;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_registered;

static struct file *file_of(sqlite3_file *f)
{
	return (struct file *)f;
}

static sqlite3_file *below_file(sqlite3_file *f)
{
	return (sqlite3_file *)(file_of(f) + 1);
}

static sqlite3_vfs *system_vfs(void)
{
	return layer.pAppData;
}

/* ---- pages of the main file ------------------------------------------------------------------ */

static uint64_t sum_of_page(const unsigned char *page, int bytes, int64_t number)
{
	return XXH3_64bits_withSeed(page, (size_t)bytes - LITE_SUM_BYTES, (XXH64_hash_t)number);
}

static void learn_header(struct file *f, const unsigned char *p, int n, int64_t at)
{
	bool is_header = f->kind == KIND_MAIN && at == 0 && n >= DB_HEADER;
	if (!is_header || memcmp(p, "SQLite format 3", 16) != 0)
		return;
	int bytes = p[DB_PAGE_SIZE] << 8 | p[DB_PAGE_SIZE + 1];
	f->page_bytes = bytes == 1 ? PAGE_BYTES_MAX : bytes;
	f->has_sums = p[DB_RESERVED] == LITE_SUM_BYTES;
}

static bool is_summed_page(const struct file *f, int n, int64_t at)
{
	bool has_sums = f->kind == KIND_MAIN && f->has_sums;
	if (!has_sums || n < PAGE_BYTES_MIN)
		return false;
	return n == f->page_bytes && at % n == 0;
}

/* ---- pages of the log ------------------------------------------------------------------------ */

struct wal_sum {
	uint32_t a, b;
};

static uint32_t be32_at(const unsigned char *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return be32toh(v);
}

static struct wal_sum wal_sum_at(const unsigned char *p)
{
	return (struct wal_sum){ be32_at(p), be32_at(p + 4) };
}

static struct wal_sum wal_add(struct wal_sum s, bool big_endian, const unsigned char *p, int n)
{
	for (int i = 0; i < n; i += 8) {
		uint32_t w[2];
		memcpy(w, p + i, sizeof w);
		s.a += (big_endian ? be32toh(w[0]) : le32toh(w[0])) + s.b;
		s.b += (big_endian ? be32toh(w[1]) : le32toh(w[1])) + s.a;
	}
	return s;
}

/* Each frame's sum resumes from that of the frame before it, the first one's from the header's. */
static int check_frame(sqlite3_file *f, const unsigned char *page, int n, int64_t at)
{
	unsigned char wal[WAL_HEADER], frame[FRAME_HEADER], before[8];
	sqlite3_file *real = below_file(f);
	int64_t head_at = at - FRAME_HEADER, prev_at = head_at - FRAME_HEADER - n;
	bool first = head_at == WAL_HEADER;
	int r = real->pMethods->xRead(real, wal, sizeof wal, 0);
	if (r == SQLITE_OK)
		r = real->pMethods->xRead(real, frame, sizeof frame, head_at);
	if (r == SQLITE_OK)
		r = real->pMethods->xRead(real, before, sizeof before,
					  first ? WAL_SUM : prev_at + FRAME_SUM);
	if (r != SQLITE_OK)
		return SQLITE_IOERR_DATA;
	uint32_t magic = be32_at(wal);
	bool is_wal = (magic & ~1U) == WAL_MAGIC && be32_at(wal + WAL_PAGE_SIZE) == (uint32_t)n;
	struct wal_sum sum = wal_sum_at(before), kept = wal_sum_at(frame + FRAME_SUM);
	sum = wal_add(sum, magic & 1, frame, 8);
	sum = wal_add(sum, magic & 1, page, n);
	if (is_wal && sum.a == kept.a && sum.b == kept.b)
		return SQLITE_OK;
	return SQLITE_IOERR_DATA;
}

/* One page, as a query or a checkpoint reads it. */
static bool is_page_of_frame(const struct file *f, int n, int64_t at)
{
	bool is_page = f->kind == KIND_WAL && n >= PAGE_BYTES_MIN && (n & (n - 1)) == 0;
	return is_page && at >= WAL_HEADER + FRAME_HEADER &&
	       (at - WAL_HEADER - FRAME_HEADER) % (n + FRAME_HEADER) == 0;
}

/* ---- files ----------------------------------------------------------------------------------- */

static int read_file(sqlite3_file *f, void *buf, int n, sqlite3_int64 at)
{
	int r = below_file(f)->pMethods->xRead(below_file(f), buf, n, at);
	if (r == SQLITE_IOERR_SHORT_READ && is_summed_page(file_of(f), n, at)) {
		/* It takes a piece of a page at the end of the file for a page that ends in
		 * zeros. */
		sqlite3_int64 size = 0;
		r = below_file(f)->pMethods->xFileSize(below_file(f), &size);
		if (r != SQLITE_OK)
			return r;
		if (size > at)
			return SQLITE_IOERR_DATA;
		return SQLITE_IOERR_SHORT_READ;
	}
	if (r != SQLITE_OK)
		return r;
	learn_header(file_of(f), buf, n, at);
	if (is_summed_page(file_of(f), n, at)) {
		uint64_t kept, sum = sum_of_page(buf, n, at / n);
		memcpy(&kept, (const char *)buf + n - LITE_SUM_BYTES, sizeof kept);
		if (le64toh(kept) == sum)
			return SQLITE_OK;
		return SQLITE_IOERR_DATA;
	}
	if (is_page_of_frame(file_of(f), n, at))
		return check_frame(f, buf, n, at);
	return SQLITE_OK;
}

static int write_file(sqlite3_file *f, const void *buf, int n, sqlite3_int64 at)
{
	learn_header(file_of(f), buf, n, at);
	if (is_summed_page(file_of(f), n, at)) {
		/* SQLite's own copy stays as it is: the log has sums of it. */
		unsigned char *copy = malloc((size_t)n);
		if (!copy)
			return SQLITE_IOERR_NOMEM;
		memcpy(copy, buf, (size_t)n);
		uint64_t sum = htole64(sum_of_page(copy, n, at / n));
		memcpy(copy + n - LITE_SUM_BYTES, &sum, sizeof sum);
		int r = below_file(f)->pMethods->xWrite(below_file(f), copy, n, at);
		free(copy);
		return r;
	}
	return below_file(f)->pMethods->xWrite(below_file(f), buf, n, at);
}

static int close_file(sqlite3_file *f)
{
	return below_file(f)->pMethods->xClose(below_file(f));
}

static int truncate_file(sqlite3_file *f, sqlite3_int64 size)
{
	return below_file(f)->pMethods->xTruncate(below_file(f), size);
}

static int sync_file(sqlite3_file *f, int flags)
{
	return below_file(f)->pMethods->xSync(below_file(f), flags);
}

static int size_of_file(sqlite3_file *f, sqlite3_int64 *ret)
{
	return below_file(f)->pMethods->xFileSize(below_file(f), ret);
}

static int lock_file(sqlite3_file *f, int level)
{
	return below_file(f)->pMethods->xLock(below_file(f), level);
}

static int unlock_file(sqlite3_file *f, int level)
{
	return below_file(f)->pMethods->xUnlock(below_file(f), level);
}

static int is_reserved(sqlite3_file *f, int *ret)
{
	return below_file(f)->pMethods->xCheckReservedLock(below_file(f), ret);
}

static int control_file(sqlite3_file *f, int op, void *arg)
{
	return below_file(f)->pMethods->xFileControl(below_file(f), op, arg);
}

static int sector_size(sqlite3_file *f)
{
	return below_file(f)->pMethods->xSectorSize(below_file(f));
}

static int device_characteristics(sqlite3_file *f)
{
	return below_file(f)->pMethods->xDeviceCharacteristics(below_file(f));
}

static int shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **ret)
{
	return below_file(f)->pMethods->xShmMap(below_file(f), page, size, extend, ret);
}

static int shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return below_file(f)->pMethods->xShmLock(below_file(f), offset, n, flags);
}

static void shm_barrier(sqlite3_file *f)
{
	below_file(f)->pMethods->xShmBarrier(below_file(f));
}

static int shm_unmap(sqlite3_file *f, int remove)
{
	return below_file(f)->pMethods->xShmUnmap(below_file(f), remove);
}

/* Version 2: without the pages mapped into memory, which nobody could check. */
static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = close_file,
	.xRead = read_file,
	.xWrite = write_file,
	.xTruncate = truncate_file,
	.xSync = sync_file,
	.xFileSize = size_of_file,
	.xLock = lock_file,
	.xUnlock = unlock_file,
	.xCheckReservedLock = is_reserved,
	.xFileControl = control_file,
	.xSectorSize = sector_size,
	.xDeviceCharacteristics = device_characteristics,
	.xShmMap = shm_map,
	.xShmLock = shm_lock,
	.xShmBarrier = shm_barrier,
	.xShmUnmap = shm_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret_flags)
{
	struct file *me = file_of(f);
	(void)vfs;
	memset(me, 0, sizeof *me);
	if (flags & SQLITE_OPEN_MAIN_DB)
		me->kind = KIND_MAIN;
	else if (flags & SQLITE_OPEN_WAL)
		me->kind = KIND_WAL;
	int r = system_vfs()->xOpen(system_vfs(), name, below_file(f), flags, ret_flags);
	if (below_file(f)->pMethods)
		me->base.pMethods = &methods;
	return r;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync_dir)
{
	(void)vfs;
	return system_vfs()->xDelete(system_vfs(), name, sync_dir);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *ret)
{
	(void)vfs;
	return system_vfs()->xAccess(system_vfs(), name, flags, ret);
}

static int full_path(sqlite3_vfs *vfs, const char *name, int size, char *ret)
{
	(void)vfs;
	return system_vfs()->xFullPathname(system_vfs(), name, size, ret);
}

static void register_layer(void)
{
	sqlite3_vfs *real = sqlite3_vfs_find(NULL);
	if (!real)
		return;
	layer = *real; /* time and randomness are the system's */
	layer.szOsFile = (int)sizeof(struct file) + real->szOsFile;
	layer.zName = VFS_NAME;
	layer.pNext = NULL;
	layer.pAppData = real;
	layer.xOpen = open_file;
	layer.xDelete = delete_file;
	layer.xAccess = access_file;
	layer.xFullPathname = full_path;
	is_registered = sqlite3_vfs_register(&layer, 0) == SQLITE_OK;
}

/* ---- doors ----------------------------------------------------------------------------------- */

const char *lite_vfs(void)
{
	pthread_once(&once, register_layer);
	if (is_registered)
		return VFS_NAME;
	return NULL;
}

bool lite_has_sums(sqlite3 *db)
{
	sqlite3_file *f = NULL;
	int r = sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &f);
	bool is_ours = r == SQLITE_OK && f && f->pMethods == &methods;
	return is_ours && file_of(f)->has_sums;
}

void lite_reserve_sums(sqlite3 *db)
{
	int bytes = LITE_SUM_BYTES;
	sqlite3_file_control(db, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
}

int lite_give_sums(sqlite3 *db, struct err *err)
{
	char sql[64];
	int r = 0;
	if (!lite_has_sums(db)) {
		lite_reserve_sums(db);
		r = lite_exec(db, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", err);
	}
	if (r == 0 && lite_has_sums(db)) {
		snprintf(sql, sizeof sql, "PRAGMA application_id = %d", APPLICATION_ID);
		r = lite_exec(db, sql, err);
	}
	return r;
}

int lite_check_sums(sqlite3 *db, struct err *err)
{
	sqlite3_stmt *st;
	int r = lite_prepare(db, "PRAGMA application_id", &st, err);
	if (r)
		return r;
	r = lite_step(db, st, err);
	bool made_with = r > 0 && sqlite3_column_int(st, 0) == APPLICATION_ID;
	sqlite3_finalize(st);
	if (r > 0 && made_with && !lite_has_sums(db))
		return err_set(err, -EBADMSG,
			       "'%s' is damaged: its header is not as it was written",
			       sqlite3_db_filename(db, "main"));
	if (r < 0)
		return r;
	return 0;
}
