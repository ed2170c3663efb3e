#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>
#include "ckpt/manifest.h"
#include "run/runmsg.h"

static const char *const WORD[RUN_KINDS] = {
	[RUN_HELLO] = "hello", [RUN_STEP] = "step",     [RUN_SAVING] = "saving",
	[RUN_SAFE] = "safe",   [RUN_FAILED] = "failed", [RUN_SAVE] = "save",
	[RUN_STOP] = "stop",   [RUN_PRICE] = "price",
};

static void copy_clean(const char *from, size_t n, char *to, size_t cap)
{
	size_t i = 0;

	for (; i < n && i + 1 < cap; i++)
		to[i] = (unsigned char)from[i] < 0x20 || from[i] == 0x7f ? ' ' : from[i];
	to[i] = 0;
}

size_t runmsg_write(const struct runmsg *m, char ret[RUNMSG_MAX])
{
	char text[sizeof m->text], when[24] = "-";
	const char *word = WORD[m->kind];
	int n = 0;

	copy_clean(m->text, strnlen(m->text, sizeof m->text), text, sizeof text);
	if (m->deadline_ms != INT64_MIN)
		snprintf(when, sizeof when, "%" PRId64, m->deadline_ms);
	switch (m->kind) {
	case RUN_HELLO:
		n = snprintf(ret, RUNMSG_MAX, "%s %" PRId64 " %d %d", word, m->pid, m->rank,
			     m->world);
		break;
	case RUN_STEP: n = snprintf(ret, RUNMSG_MAX, "%s %" PRId64, word, m->step); break;
	case RUN_SAVING:
		n = snprintf(ret, RUNMSG_MAX, "%s %" PRId64 " %" PRIu64, word, m->step, m->bytes);
		break;
	case RUN_SAFE:
		n = snprintf(ret, RUNMSG_MAX, "%s %" PRId64 " %s %" PRId64 " %" PRId64 " %" PRIu64,
			     word, m->step, m->id, m->stall_ms, m->write_ms, m->bytes);
		break;
	case RUN_PRICE: n = snprintf(ret, RUNMSG_MAX, "%s %" PRId64, word, m->nano_hour); break;
	case RUN_FAILED:
		n = snprintf(ret, RUNMSG_MAX, "%s %" PRId64 " %s", word, m->step, text);
		break;
	default:
		if (m->step >= 0)
			n = snprintf(ret, RUNMSG_MAX, "%s-at %" PRId64 " %s %s", word, m->step,
				     when, text);
		else
			n = snprintf(ret, RUNMSG_MAX, "%s %s %s", word, when, text);
	}
	if (n < RUNMSG_MAX)
		return (size_t)n;
	return RUNMSG_MAX - 1;
}

static bool read_number(struct sv *rest, int64_t lo, int64_t *ret)
{
	struct sv word = sv_cut(*rest, ' ', rest);

	return sv_i64(word, ret) == 0 && *ret >= lo;
}

static bool parse_safe(struct sv rest, struct runmsg *m)
{
	int64_t bytes;
	struct sv id;

	if (!read_number(&rest, 0, &m->step))
		return false;
	id = sv_cut(rest, ' ', &rest);
	if (!ckpt_id_ok(id) || !read_number(&rest, 0, &m->stall_ms) ||
	    !read_number(&rest, 0, &m->write_ms))
		return false;
	if (!read_number(&rest, 0, &bytes) || rest.p)
		return false;
	memcpy(m->id, id.p, id.n);
	m->bytes = (uint64_t)bytes;
	return true;
}

static bool parse_rest(struct sv rest, struct runmsg *m)
{
	int64_t a, b;
	struct sv when;

	switch (m->kind) {
	case RUN_HELLO:
		if (!read_number(&rest, 1, &m->pid) || !read_number(&rest, 0, &a) ||
		    !read_number(&rest, 1, &b) || rest.p || b > 1 << 20 || a >= b)
			return false;
		m->rank = (int)a;
		m->world = (int)b;
		return true;
	case RUN_STEP: return read_number(&rest, 0, &m->step) && !rest.p;
	case RUN_SAVING:
		if (!read_number(&rest, 0, &m->step) || !read_number(&rest, 0, &a) || rest.p)
			return false;
		m->bytes = (uint64_t)a;
		return true;
	case RUN_PRICE: return read_number(&rest, 0, &m->nano_hour) && !rest.p;
	case RUN_SAFE: return parse_safe(rest, m);
	case RUN_FAILED:
		if (!read_number(&rest, 0, &m->step))
			return false;
		break;
	default:
		when = sv_cut(rest, ' ', &rest);
		if (!sv_is(when, "-") && (sv_i64(when, &m->deadline_ms) < 0 || m->deadline_ms < 0))
			return false;
	}
	copy_clean(rest.n ? rest.p : "", rest.n, m->text, sizeof m->text);
	return true;
}

int runmsg_parse(struct sv packet, struct runmsg *ret)
{
	struct runmsg m = { .deadline_ms = INT64_MIN, .step = -1 };
	struct sv rest, word = sv_cut(packet, ' ', &rest);
	bool at = sv_is(word, "save-at") || sv_is(word, "stop-at");

	if (packet.n >= RUNMSG_MAX)
		return -EINVAL;
	if (at && (!rest.p || !read_number(&rest, 0, &m.step)))
		return -EINVAL;
	if (at)
		word.n -= 3;
	for (int k = 0; k < RUN_KINDS; k++)
		if (sv_is(word, WORD[k])) {
			m.kind = (enum runmsg_kind)k;
			if (!rest.p || !parse_rest(rest, &m))
				return -EINVAL;
			*ret = m;
			return 0;
		}
	return -EINVAL;
}

/* ---- the file ---------------------------------------------------------------------------- */

static uint64_t file_hash(int64_t seq, struct sv attempt, struct sv packet)
{
	char text[RUNMSG_FILE_MAX + 32];
	int n = snprintf(text, sizeof text, "%" PRId64 " %.*s %.*s", seq, SVF(attempt),
			 SVF(packet));

	return XXH3_64bits(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

size_t runmsg_file_write(int64_t seq, const char *attempt, const struct runmsg *m,
			 char ret[RUNMSG_FILE_MAX])
{
	char packet[RUNMSG_MAX];
	struct sv p = { packet, runmsg_write(m, packet) };
	int n = snprintf(ret, RUNMSG_FILE_MAX, "%" PRId64 " %016" PRIx64 " %s %.*s\n", seq,
			 file_hash(seq, sv_of(attempt), p), attempt, SVF(p));

	if (n < RUNMSG_FILE_MAX)
		return (size_t)n;
	return 0;
}

int runmsg_file_parse(struct sv text, const char *attempt, int64_t *ret_seq, struct runmsg *ret)
{
	struct sv rest, line = sv_cut(text, '\n', &rest), hash, who, packet;
	char want[20];
	int64_t seq;

	if (!rest.p || sv_i64(sv_cut(line, ' ', &rest), &seq) < 0)
		return -EINVAL;
	if (seq < 0 || !rest.p)
		return -EINVAL;
	hash = sv_cut(rest, ' ', &rest);
	who = rest.p ? sv_cut(rest, ' ', &packet) : SV("");
	if (!rest.p || !packet.p)
		return -EINVAL;
	if (packet.n >= RUNMSG_MAX || who.n > 200)
		return -EINVAL;
	snprintf(want, sizeof want, "%016" PRIx64, file_hash(seq, who, packet));
	if (!sv_is(hash, want) || runmsg_parse(packet, ret) < 0)
		return -EINVAL;
	*ret_seq = seq;
	return sv_is(who, attempt);
}
