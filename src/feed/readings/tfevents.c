/*
 * TensorBoard's event files: records of a length, its checksum, a protobuf, its checksum, of which
 * the scalars are taken. Formats: tensorflow/core/lib/io/record_writer.h, core/util/event.proto,
 * core/framework/summary.proto and tensor.proto (TensorFlow 2.16). Nothing of TensorFlow is linked.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "feed/readings/curves.h"
#include "feed/feeds.h"

#define HEAD_BYTES 12                  /* length and its checksum */
#define RECORD_MAX ((uint64_t)1 << 28) /* an event with images; more is no event */
#define DT_FLOAT   1
#define DT_DOUBLE  2
#define MASK_DELTA 0xa282ead8u

/* ---- bytes ------------------------------------------------------------------------------- */

static uint64_t read_little(const char *p, int n)
{
	uint64_t v = 0;

	for (int i = n; i-- > 0;)
		v = v << 8 | (unsigned char)p[i];
	return v;
}

/* CRC-32C (Castagnoli) of four bits. */
static const uint32_t nibble[16] = { 0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
				     0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
				     0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
				     0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75 };

/* The checksum, rotated and shifted as the format wants, so that sums of sums differ. */
static uint32_t masked_crc(const char *p, size_t n)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned char)p[i];
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	crc = ~crc;
	return (crc >> 15 | crc << 17) + MASK_DELTA;
}

bool tfevents_is(struct sv head)
{
	return head.n >= HEAD_BYTES && masked_crc(head.p, 8) == read_little(head.p + 8, 4);
}

/* ---- protobuf ---------------------------------------------------------------------------- */

struct field {
	uint64_t number;
	int wire; /* 0 varint, 1 eight bytes, 2 bytes, 5 four bytes */
	uint64_t value;
	struct sv bytes;
};

static bool take_varint(struct sv *in, uint64_t *ret)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 64 && in->n; shift += 7) {
		unsigned char c = (unsigned char)*in->p;
		*in = sv_from(*in, 1);
		v |= (uint64_t)(c & 127) << shift;
		if (c < 128) {
			*ret = v;
			return true;
		}
	}
	return false;
}

/* The next field of a message: 1, 0 at its end, -1: it is no message. */
static int next_field(struct sv *in, struct field *f)
{
	uint64_t key, n = 0;

	if (!in->n)
		return 0;
	if (!take_varint(in, &key))
		return -1;
	*f = (struct field){ .number = key >> 3, .wire = (int)(key & 7) };
	switch (f->wire) {
	case 0: return take_varint(in, &f->value) ? 1 : -1;
	case 1: n = 8; break;
	case 5: n = 4; break;
	case 2:
		if (!take_varint(in, &n))
			return -1;
		break;
	default: return -1;
	}
	if (n > in->n)
		return -1;
	f->bytes = (struct sv){ in->p, (size_t)n };
	f->value = n <= 8 ? read_little(in->p, (int)n) : 0;
	*in = sv_from(*in, (size_t)n);
	return 1;
}

static double as_float(uint64_t bits)
{
	uint32_t u = (uint32_t)bits;
	float x;

	memcpy(&x, &u, sizeof x);
	return (double)x;
}

static double as_double(uint64_t bits)
{
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* A tensor of one float or double. 1, 0: something else, -1: broken. */
static int read_tensor(struct sv in, double *ret)
{
	struct field f;
	struct sv values = SV_NULL;
	uint64_t type = 0;
	size_t n = 0; /* of single values */
	int rc;

	while ((rc = next_field(&in, &f)) > 0) {
		bool content = f.number == 4 && f.wire == 2;
		bool packed = within_u64(f.number, 5, 6) && f.wire == 2;
		bool single = (f.number == 5 && f.wire == 5) || (f.number == 6 && f.wire == 1);
		if (f.number == 1 && f.wire == 0)
			type = f.value;
		if (content || packed || single)
			values = f.bytes;
		n += single;
	}
	if (rc < 0)
		return rc;
	if (n > 1 || !values.p)
		return 0;
	if (type == DT_FLOAT && values.n == 4)
		*ret = as_float(read_little(values.p, 4));
	else if (type == DT_DOUBLE && values.n == 8)
		*ret = as_double(read_little(values.p, 8));
	else
		return 0;
	return 1;
}

/* A value of a summary that is a scalar: 1; 0: an image, a histogram, a text; -1: broken. */
static int read_value(struct sv in, struct sv *ret_tag, double *ret)
{
	struct field f;
	int rc, scalar = 0;

	*ret_tag = SV_NULL;
	while ((rc = next_field(&in, &f)) > 0) {
		if (f.number == 1 && f.wire == 2) {
			*ret_tag = f.bytes;
		} else if (f.number == 2 && f.wire == 5) {
			*ret = as_float(f.value);
			scalar = 1;
		} else if (f.number == 8 && f.wire == 2) {
			int one = read_tensor(f.bytes, ret);
			if (one < 0)
				return -1;
			scalar |= one;
		}
	}
	if (rc < 0)
		return rc;
	return scalar;
}

/* ---- events ------------------------------------------------------------------------------ */

struct events {
	struct feed_run *r;
	struct str buf, tag;
	struct str path; /* of the file, without what is of no name in it */
	struct sv run, job, config;
	struct sv name;   /* of the run's folder alone */
	const char *part; /* "train", "validation": a run's folder below its own; "" */
	int64_t record;   /* from 1 */
};

static int tell_broken(const struct events *e, const char *what, struct err *err)
{
	err_set(err, -EBADMSG, "'%s' record %lld: %s", e->r->report->file, (long long)e->record,
		what);
	err_hint(err, "Copy the file again from where it was written.");
	return -EBADMSG;
}

static int give_summary(struct events *e, struct sv in, const struct curve_point *at,
			struct err *err)
{
	struct field f;
	int rc;

	while ((rc = next_field(&in, &f)) > 0) {
		struct curve_point p = *at;
		int scalar;
		if (f.number != 1 || f.wire != 2)
			continue;
		scalar = read_value(f.bytes, &p.metric, &p.value);
		if (scalar < 0)
			return tell_broken(e, "a summary that is no protobuf", err);
		feed_tick(e->r);
		if (!scalar || !p.metric.n) {
			feed_skip(e->r, e->record, p.metric, "is no scalar");
			continue;
		}
		str_clear(&e->tag);
		str_addf(&e->tag, "%s%s%.*s", e->part, text_if(*e->part, "/"), SVF(p.metric));
		p.metric = str_sv(&e->tag);
		rc = curve_give(e->r, &p, e->record, err);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return tell_broken(e, "a summary that is no protobuf", err);
	return 0;
}

static int give_event(struct events *e, struct sv in, struct err *err)
{
	struct curve_point p = {
		.run = e->run, .job = e->job, .config = e->config, .t_ms = UNKNOWN_MS
	};
	struct sv summary = SV_NULL;
	struct field f;
	double wall_s = NAN;
	int rc;

	while ((rc = next_field(&in, &f)) > 0) {
		if (f.number == 1 && f.wire == 1)
			wall_s = as_double(f.value);
		else if (f.number == 2 && f.wire == 0)
			p.step = (int64_t)f.value;
		else if (f.number == 5 && f.wire == 2)
			summary = f.bytes;
	}
	if (rc < 0)
		return tell_broken(e, "no protobuf of an event", err);
	if (wall_s > 0 && wall_s < 1e11)
		p.t_ms = llround(wall_s * 1000);
	if (summary.p && p.step != INT64_MIN)
		return give_summary(e, summary, &p, err);
	return 0;
}

/* n bytes into the buffer: 1, 0: the file ends before, negative. */
static int fill_buffer(struct events *e, size_t n, struct err *err)
{
	char piece[16384];

	str_clear(&e->buf);
	while (e->buf.n < n) {
		size_t want = min_u64(n - e->buf.n, sizeof piece);
		int64_t got = input_read(e->r->in, piece, want, err);
		if (got < 0)
			return (int)got;
		if (got == 0)
			return 0;
		str_add(&e->buf, piece, (size_t)got);
	}
	return 1;
}

/* A run that was killed leaves half a record behind: what came before it holds. */
static int cut_short(struct events *e, bool clean)
{
	if (!clean)
		feed_note(e->r->report, "ends within record %lld; all before it is kept",
			  (long long)e->record);
	return 0;
}

static int read_records(struct events *e, struct err *err)
{
	for (e->record = 1;; e->record++) {
		int rc = fill_buffer(e, HEAD_BYTES, err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return cut_short(e, !e->buf.n);
		if (!tfevents_is(str_sv(&e->buf)))
			return tell_broken(e, "the checksum of its length is wrong", err);
		uint64_t n = read_little(e->buf.p, 8);
		if (n > RECORD_MAX)
			return tell_broken(e, "is longer than 256 MiB", err);
		rc = fill_buffer(e, (size_t)n + 4, err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			return cut_short(e, false);
		if (masked_crc(e->buf.p, (size_t)n) != read_little(e->buf.p + n, 4))
			return tell_broken(e, "its checksum is wrong", err);
		rc = give_event(e, (struct sv){ e->buf.p, (size_t)n }, err);
		if (rc < 0)
			return rc;
	}
}

/* The folder of the file is the run, by its whole path: a/r1 and b/r1 are two. Its last name ties
 * it to its job. train and validation are parts of the run above (Keras). */
static void name_run(struct events *e)
{
	static const char *const parts[] = { "train", "validation", "eval", "test" };
	struct sv path = sv_of(e->r->report->file), name[3] = { SV_NULL };
	bool root = sv_starts(path, SV("/"));
	size_t end[3] = { 0 }, run; /* of the path, behind each name */

	while (path.n) {
		struct sv rest, part = sv_cut(path, '/', &rest);
		if (part.n && !sv_is(part, ".")) {
			str_addf(&e->path, "%s%.*s", text_if(e->path.n || root, "/"), SVF(part));
			memmove(&name[1], &name[0], 2 * sizeof *name);
			memmove(&end[1], &end[0], 2 * sizeof *end);
			name[0] = part;
			end[0] = e->path.n;
		}
		path = rest;
	}
	e->part = "";
	run = name[1].n > 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts && name[2].n; i++)
		if (sv_is(name[1], parts[i])) {
			e->part = parts[i];
			run = 2;
		}
	e->run = (struct sv){ e->path.p, end[run] };
	e->name = name[run];
}

static int tfevents_run(struct feed_run *r, struct err *err)
{
	struct events e = { .r = r,
			    .job = sv_of(feed_set_get(r, "job")),
			    .config = sv_of(feed_set_get(r, "config")) };
	const char *run = feed_set_get(r, "run");
	int rc;

	name_run(&e);
	if (run && *run)
		e.run = sv_of(run);
	else if (!e.job.n && !sv_eq(e.name, e.run))
		e.job = e.name;
	rc = read_records(&e, err);
	str_free(&e.path);
	str_free(&e.buf);
	str_free(&e.tag);
	return rc;
}

static int tfevents_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)col;
	(void)ncol;
	if (tfevents_is(head))
		return 95;
	return 0;
}

const struct feed feed_tensorboard = {
	.kind = "tensorboard",
	.group = "training",
	.about = "TensorBoard event files (events.out.tfevents...): scalars; the folder is the run",
	.detect = tfevents_detect,
	.run = tfevents_run,
};
