#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

#define RAW_BYTES      ((size_t)256 << 10)
#define PEEK_MAX_BYTES ((size_t)256 << 10)

enum packing { PLAIN, GZIP, ZSTD };

struct input {
	char *name;
	int fd; /* -1: memory */
	bool own_fd, regular;
	struct sv mem; /* what is left of it */
	struct sv all; /* all of it, for the hash */
	int64_t raw_size, raw_taken;
	XXH3_state_t *hash; /* streams only: what can be read once is hashed on the way */
	bool raw_end;
	/* [RAW_BYTES] packed or first bytes; raw_at..raw_n is still to be used */
	unsigned char *raw;
	size_t raw_at, raw_n;

	enum packing packing;
	bool open_frame; /* inside a gzip member or zstd frame: the end here would be a cut */
	bool end;
	int failed; /* once damaged, always damaged */
	z_stream z;
	ZSTD_DCtx *zd;

	char *peek; /* unpacked bytes looked at and not taken: peek_at..peek_n */
	size_t peek_at, peek_n;
};

const char *input_name(const struct input *in)
{
	return in->name;
}

const char *input_path(const struct input *in)
{
	if (in->regular && in->packing == PLAIN)
		return in->name;
	return NULL;
}

int64_t input_packed_read(const struct input *in)
{
	return in->raw_taken - (int64_t)(in->raw_n - in->raw_at);
}

int64_t input_packed_size(const struct input *in)
{
	return in->raw_size;
}

/* Bytes as stored, straight to where they are wanted. */
static int64_t read_stored(struct input *in, void *buf, size_t n, struct err *err)
{
	int64_t got;
	if (in->fd < 0) {
		got = (int64_t)min_size(n, in->mem.n);
		if (got)
			memcpy(buf, in->mem.p, (size_t)got);
		in->mem.p += got;
		in->mem.n -= (size_t)got;
	} else {
		do
			got = read(in->fd, buf, min_size(n, 1U << 30));
		while (got < 0 && errno == EINTR);
		if (got < 0)
			got = -errno;
	}
	if (got < 0)
		return err_set(err, (int)got, "cannot read '%s': %s", in->name,
			       strerror((int)-got));
	if (got == 0)
		in->raw_end = true;
	else if (in->hash)
		XXH3_128bits_update(in->hash, buf, (size_t)got);
	in->raw_taken += got;
	return got;
}

/* More stored bytes into raw, behind what is unused there. */
static int fill_raw(struct input *in, struct err *err)
{
	if (in->raw_at) {
		memmove(in->raw, in->raw + in->raw_at, in->raw_n - in->raw_at);
		in->raw_n -= in->raw_at;
		in->raw_at = 0;
	}
	int64_t got = read_stored(in, in->raw + in->raw_n, RAW_BYTES - in->raw_n, err);
	if (got < 0)
		return (int)got;
	in->raw_n += (size_t)got;
	return 0;
}

static enum packing packing_of(const unsigned char *p, size_t n)
{
	if (n >= 2 && p[0] == 0x1f && p[1] == 0x8b)
		return GZIP;
	if (n >= 4 && p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd)
		return ZSTD;
	/* a skippable frame may come first */
	if (n >= 4 && (p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18)
		return ZSTD;
	return PLAIN;
}

static int open_failed(const char *path, int code, struct err *err)
{
	err_set(err, code, "cannot open '%s': %s", path, strerror(-code));
	if (code == -ENOENT)
		err_hint(err, "check the name; '-' reads standard input");
	else if (code == -EISDIR)
		err_hint(err, "name the files in it: %s%s*", path,
			 text_if(!(*path && path[strlen(path) - 1] == '/'), "/"));
	return code;
}

static int open_fd(struct input *in, const char *path, struct err *err)
{
	struct stat st;
	if (!strcmp(path, "-")) {
		in->fd = STDIN_FILENO;
	} else {
		in->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (in->fd < 0)
			return open_failed(path, -errno, err);
		in->own_fd = true;
	}
	if (fstat(in->fd, &st) < 0)
		return open_failed(path, -errno, err);
	if (S_ISDIR(st.st_mode))
		return open_failed(path, -EISDIR, err);
	in->regular = in->own_fd && S_ISREG(st.st_mode);
	if (in->regular)
		in->raw_size = st.st_size;
	else
		in->hash = XXH3_createState();
	if (in->hash)
		XXH3_128bits_reset(in->hash);
	if (in->regular || in->hash)
		return 0;
	return err_nomem(err);
}

/* Read the first bytes and get the unpacker ready, unless rc says that there is nothing to read. */
static int finish_open(struct input *in, int rc, struct input **ret, struct err *err)
{
	in->raw = xmalloc(RAW_BYTES);
	while (!rc && in->raw_n < 4 && !in->raw_end)
		rc = fill_raw(in, err);
	if (!rc)
		in->packing = packing_of(in->raw, in->raw_n);
	if (in->packing == GZIP && inflateInit2(&in->z, 15 + 16) != Z_OK)
		rc = err_nomem(err);
	if (in->packing == ZSTD && !(in->zd = ZSTD_createDCtx()))
		rc = err_nomem(err);
	if (rc)
		input_close(in);
	else
		*ret = in;
	return rc;
}

int input_open(const char *path, struct input **ret, struct err *err)
{
	if (!*path)
		return err_set(err, -EINVAL, "cannot open '': the file name is empty");
	struct input *in = xcalloc(1, sizeof *in);
	in->name = xstrdup(path);
	in->fd = -1;
	in->raw_size = -1;
	return finish_open(in, open_fd(in, path, err), ret, err);
}

int input_from_memory(const char *name, const void *p, size_t n, struct input **ret,
		      struct err *err)
{
	struct input *in = xcalloc(1, sizeof *in);
	in->name = xstrdup(name);
	in->fd = -1;
	in->raw_size = (int64_t)n;
	in->mem = in->all = (struct sv){ n ? p : "", n };
	return finish_open(in, 0, ret, err);
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->own_fd)
		close(in->fd);
	if (in->packing == GZIP)
		inflateEnd(&in->z);
	ZSTD_freeDCtx(in->zd);
	if (in->hash)
		XXH3_freeState(in->hash);
	free(in->raw);
	free(in->peek);
	free(in->name);
	free(in);
}

static int tell_damaged(struct input *in, struct err *err, const char *what)
{
	err_set(err, -EBADMSG, "'%s' is damaged: %s near byte %lld", in->name, what,
		(long long)input_packed_read(in));
	err_hint(err, "fetch or pack the file again");
	return -EBADMSG;
}

/* One step of unpacking from raw into buf; *ret_n may be 0 without being at the end. */
static int gzip_step(struct input *in, void *buf, size_t n, size_t *ret_n, struct err *err)
{
	size_t left = in->raw_n - in->raw_at;
	if (!in->open_frame) { /* between members */
		if (in->raw_taken > (int64_t)left &&
		    (left < 2 || packing_of(in->raw + in->raw_at, left) != GZIP) && left)
			return tell_damaged(in, err, "bytes that are not gzip follow the data");
		in->open_frame = true;
	}
	in->z.next_in = in->raw + in->raw_at;
	in->z.avail_in = (uInt)left;
	in->z.next_out = buf;
	in->z.avail_out = (uInt)min_size(n, 1U << 30);
	uInt room = in->z.avail_out;
	int rc = inflate(&in->z, Z_NO_FLUSH);
	in->raw_at = in->raw_n - in->z.avail_in;
	*ret_n = room - in->z.avail_out;
	if (rc == Z_MEM_ERROR)
		return err_nomem(err);
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return tell_damaged(in, err, text_or(in->z.msg, "its gzip data does not unpack"));
	if (rc == Z_STREAM_END) {
		in->open_frame = false;
		inflateReset(&in->z);
	}
	return 0;
}

static int zstd_step(struct input *in, void *buf, size_t n, size_t *ret_n, struct err *err)
{
	ZSTD_inBuffer src = { in->raw, in->raw_n, in->raw_at };
	ZSTD_outBuffer dst = { buf, n, 0 };
	size_t rc = ZSTD_decompressStream(in->zd, &dst, &src);
	in->raw_at = src.pos;
	*ret_n = dst.pos;
	if (ZSTD_isError(rc)) {
		tell_damaged(in, err, ZSTD_getErrorName(rc));
		if (strstr(ZSTD_getErrorName(rc), "too much memory"))
			err_hint(
				err,
				"it was packed with a window above 128 MiB: pack it again without --long=28 or more");
		return -EBADMSG;
	}
	in->open_frame = rc != 0;
	return 0;
}

static int64_t read_packed(struct input *in, void *buf, size_t n, struct err *err)
{
	size_t got = 0;
	while (got == 0) {
		/* two bytes at a gzip member's start, so that what follows a member can be
		 * judged */
		size_t least = 1 + (in->packing == GZIP && !in->open_frame);
		int rc = 0;
		while (!rc && in->raw_n - in->raw_at < least && !in->raw_end)
			rc = fill_raw(in, err);
		if (rc)
			return rc;
		bool dry = in->raw_at == in->raw_n;
		if (dry && !in->open_frame)
			return 0;
		if (in->packing == GZIP)
			rc = gzip_step(in, buf, n, &got, err);
		else
			rc = zstd_step(in, buf, n, &got, err);
		if (rc)
			return rc;
		if (!dry || got)
			continue;
		/* nothing in, nothing out, and not at an end */
		if (!in->open_frame)
			return 0;
		err_set(err, -EBADMSG,
			"'%s' is truncated: its %s data ends after %lld bytes in the middle of a stream",
			in->name, in->packing == GZIP ? "gzip" : "zstd", (long long)in->raw_taken);
		err_hint(err, "fetch the file again");
		return -EBADMSG;
	}
	return (int64_t)got;
}

/* Unpacked bytes behind those peeked. */
static int64_t read_behind(struct input *in, void *buf, size_t n, struct err *err)
{
	if (in->failed)
		return err_set(err, in->failed, "'%s' is damaged", in->name);
	if (in->end)
		return 0;
	int64_t got;
	if (in->packing != PLAIN) {
		got = read_packed(in, buf, n, err);
	} else if (in->raw_at < in->raw_n) {
		size_t left = in->raw_n - in->raw_at;
		got = (int64_t)min_size(n, left);
		memcpy(buf, in->raw + in->raw_at, (size_t)got);
		in->raw_at += (size_t)got;
	} else {
		got = in->raw_end ? 0 : read_stored(in, buf, n, err);
	}
	if (got < 0)
		in->failed = (int)got;
	in->end = got == 0;
	return got;
}

int64_t input_read(struct input *in, void *buf, size_t n, struct err *err)
{
	if (n == 0)
		return 0;
	size_t left = in->peek_n - in->peek_at;
	if (!left)
		return read_behind(in, buf, n, err);
	if (n > left)
		n = left;
	memcpy(buf, in->peek + in->peek_at, n);
	in->peek_at += n;
	return (int64_t)n;
}

int input_peek(struct input *in, size_t want, struct sv *ret, struct err *err)
{
	if (want > PEEK_MAX_BYTES)
		want = PEEK_MAX_BYTES;
	if (!in->peek)
		in->peek = xmalloc(PEEK_MAX_BYTES);
	if (in->peek_at) {
		memmove(in->peek, in->peek + in->peek_at, in->peek_n - in->peek_at);
		in->peek_n -= in->peek_at;
		in->peek_at = 0;
	}
	while (in->peek_n < want) {
		int64_t got = read_behind(in, in->peek + in->peek_n, want - in->peek_n, err);
		if (got < 0)
			return (int)got;
		if (got == 0)
			break;
		in->peek_n += (size_t)got;
	}
	*ret = (struct sv){ in->peek, min_size(in->peek_n, want) };
	return 0;
}

bool input_is_stream(const struct input *in)
{
	return in->hash != NULL;
}

static void hex_of(XXH128_hash_t h, char ret_hex[33])
{
	snprintf(ret_hex, 33, "%016llx%016llx", (unsigned long long)h.high64,
		 (unsigned long long)h.low64);
}

int input_hash(struct input *in, char ret_hex[33], struct err *err)
{
	if (in->fd < 0) {
		hex_of(XXH3_128bits(in->all.p, in->all.n), ret_hex);
		return 0;
	}
	if (in->hash) {
		while (!in->raw_end) {
			int64_t got = read_stored(in, in->raw, RAW_BYTES, err);
			if (got < 0)
				return (int)got;
			in->raw_at = in->raw_n = 0;
			in->end = true;
		}
		hex_of(XXH3_128bits_digest(in->hash), ret_hex);
		return 0;
	}
	XXH3_state_t *state = XXH3_createState();
	if (!state)
		return err_nomem(err);
	XXH3_128bits_reset(state);
	/* the whole of a real file, at its own offset so that reading goes on where it was */
	size_t size = (size_t)1 << 20;
	char *buf = xmalloc(size);
	int rc = 0;
	for (int64_t at = 0;;) {
		ssize_t got = pread(in->fd, buf, size, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			rc = err_set(err, -errno, "cannot read '%s': %s", in->name,
				     strerror(errno));
		if (got <= 0)
			break;
		XXH3_128bits_update(state, buf, (size_t)got);
		at += got;
	}
	free(buf);
	if (!rc)
		hex_of(XXH3_128bits_digest(state), ret_hex);
	XXH3_freeState(state);
	return rc;
}
