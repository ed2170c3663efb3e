#include "base/lines.h"

#include <errno.h>

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"

#define CHUNK ((size_t)128 << 10)

void lines_open(struct lines *l, struct input *in)
{
	*l = (struct lines){ .in = in };
}

void lines_free(struct lines *l)
{
	str_free(&l->buf);
	str_free(&l->own);
}

static int give_line(struct lines *l, size_t n, size_t skip, struct sv *ret, struct err *err)
{
	struct sv v = { l->buf.p + l->at, n };

	l->at += n + skip;
	l->line++;
	if (memchr(v.p, 0, v.n))
		return err_set(err, -EBADMSG, "'%s' line %lld: a NUL byte: this is no text",
			       input_name(l->in), (long long)l->line);
	if (l->line == 1 && sv_starts(v, SV("\xef\xbb\xbf"))) {
		v.p += 3;
		v.n -= 3;
	}
	if (v.n && v.p[v.n - 1] == '\r')
		v.n--;
	*ret = sv_is_ascii(v) ? v : utf8_of(&l->own, v);
	return 1;
}

int lines_next(struct lines *l, struct sv *ret, struct err *err)
{
	size_t seen = 0;

	for (;;) {
		size_t left = l->buf.n - l->at;
		const char *nl = NULL;
		if (left > seen)
			nl = memchr(l->buf.p + l->at + seen, '\n', left - seen);
		if (nl)
			return give_line(l, (size_t)(nl - (l->buf.p + l->at)), 1, ret, err);
		if (l->end) {
			if (left)
				return give_line(l, left, 0, ret, err);
			return 0;
		}
		if (left > LINES_MAX_BYTES)
			return err_set(err, -EMSGSIZE, "'%s' line %lld is longer than %zu bytes",
				       input_name(l->in), (long long)l->line + 1, LINES_MAX_BYTES);
		/* move what is left to the front and read on */
		seen = left;
		if (l->at) {
			memmove(l->buf.p, l->buf.p + l->at, left);
			l->buf.n = left;
			l->at = 0;
		}
		char *chunk = xmalloc(CHUNK);
		int64_t got = input_read(l->in, chunk, CHUNK, err);
		if (got > 0)
			str_add(&l->buf, chunk, (size_t)got);
		free(chunk);
		l->end = got == 0;
		if (got < 0)
			return (int)got;
	}
}
