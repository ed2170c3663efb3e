#ifndef TARE_BASE_INPUT_H
#define TARE_BASE_INPUT_H
/*
 * A file, "-" for stdin, read as a stream of bytes; gzip and zstd are recognised by their first
 * bytes and unpacked on the way. A truncated or damaged stream is an error at the place where it is
 * met, never a short file.
 */
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct input;

/*
 * Open; *ret is owned by the caller. A directory, a missing file and an empty name are errors with
 * the name in them. Several gzip members or zstd frames one after the other are one stream;
 * anything else behind them is an error.
 */
int input_open(const char *path, struct input **ret, struct err *err);
/* A stream over memory, for tests and fuzzing; the bytes are borrowed. Packed bytes are unpacked as
 * above. */
int input_from_memory(const char *name, const void *p, size_t n, struct input **ret,
		      struct err *err);
/* Up to n bytes; 0 at the end, or a negative errno (-EBADMSG for a damaged or cut stream), again
 * and again once it failed. */
int64_t input_read(struct input *in, void *buf, size_t n, struct err *err);
/* Look at the first bytes (unpacked) without taking them: up to `want` (at most 256 KiB), fewer at
 * the end of the file. */
int input_peek(struct input *in, size_t want, struct sv *ret, struct err *err);
void input_close(struct input *in);

const char *input_name(const struct input *in); /* as given */
/* a path a library can open itself (Parquet), or NULL for stdin and packed files */
const char *input_path(const struct input *in);
bool input_is_stream(const struct input *in); /* can be read only once: stdin, a pipe, a device */
/* bytes of the file as stored consumed so far: for progress */
int64_t input_packed_read(const struct input *in);
int64_t input_packed_size(const struct input *in); /* size of the file as stored, or -1 */
/*
 * xxh3-128 over the bytes as stored, as 32 hex digits. For real files it reads the whole file on
 * the side; what can be read only once (stdin, a pipe) is hashed on the way, so ask at the end:
 * whatever was not read yet is taken and lost.
 */
int input_hash(struct input *in, char ret_hex[33], struct err *err);

#endif
