#include "feed/planner/chrome_trace.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/jstream.h"
#include "base/num.h"

#define DIMS   6
#define INPUTS 4

struct reader {
	chrome_trace_fn *fn;
	void *ctx;
	struct chrome_trace_info info;
	/* the event being read */
	char name[512], cat[64], type[32];
	size_t nname, ncat, ntype;
	char ph;
	bool has_ts, has_dur;
	struct trace_event e;
	double dim[INPUTS][DIMS];
	int ndim[INPUTS], input;
};

static void reset_event(struct reader *r)
{
	r->nname = r->ncat = r->ntype = 0;
	r->ph = 0;
	r->has_ts = r->has_dur = false;
	r->e = (struct trace_event){ .device = -1,
				     .stream = -1,
				     .correlation = -1,
				     .external = -1,
				     .bytes = NAN,
				     .flops = NAN,
				     .op_bytes = NAN,
				     .occupancy_frac = NAN,
				     .blocks_per_sm = NAN };
	memset(r->ndim, 0, sizeof r->ndim);
	r->input = 0;
}

static void keep_text(char *to, size_t max, size_t *n, struct sv text)
{
	*n = min_size(text.n, max);
	memcpy(to, text.p, *n);
}

/* Microseconds with decimals to nanoseconds, exactly: a double would lose them in times since
 * 1970. */
static bool to_ns(struct sv text, int64_t *ret)
{
	bool minus = text.n && text.p[0] == '-';
	int64_t v = 0;
	int decimals = -1;
	double f;

	for (size_t i = minus; i < text.n; i++) {
		char c = text.p[i];
		if (c == '.' && decimals < 0) {
			decimals = 0;
			continue;
		}
		if (c < '0' || c > '9') { /* 1.2e6 */
			if (sv_f64(text, &f) || !(fabs(f) < 9e15))
				return false;
			*ret = llround(f * 1000);
			return true;
		}
		if (decimals >= 3)
			continue;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, c - '0', &v))
			return false;
		decimals += decimals >= 0;
	}
	for (int i = max_int(decimals, 0); i < 3; i++)
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	*ret = minus ? -v : v;
	return text.n > minus;
}

static double read_number(struct sv text)
{
	double f;

	if (sv_f64(text, &f))
		return NAN;
	return f;
}

static int64_t read_whole(struct sv text)
{
	int64_t v;

	if (sv_i64(text, &v))
		return -1;
	return v;
}

static int read_small(struct sv text)
{
	int64_t v = read_whole(text);

	if (v >= 0 && v < 65536)
		return (int)v;
	return -1;
}

static void read_argument(struct reader *r, struct sv key, struct sv text)
{
	if (sv_is(key, "device"))
		r->e.device = read_small(text);
	else if (sv_is(key, "stream"))
		r->e.stream = read_small(text);
	else if (sv_is(key, "correlation"))
		r->e.correlation = read_whole(text);
	else if (sv_is(key, "External id") || sv_is(key, "external id"))
		r->e.external = read_whole(text);
	else if (sv_is(key, "bytes"))
		r->e.bytes = read_number(text);
	else if (sv_is(key, "flops"))
		r->e.flops = read_number(text);
	else if (sv_is(key, "blocks per SM"))
		r->e.blocks_per_sm = read_number(text);
	else if (sv_is(key, "est. achieved occupancy %"))
		r->e.occupancy_frac = read_number(text) / 100;
}

static void read_field(struct reader *r, struct sv key, struct sv text)
{
	if (sv_is(key, "name"))
		keep_text(r->name, sizeof r->name, &r->nname, text);
	else if (sv_is(key, "cat"))
		keep_text(r->cat, sizeof r->cat, &r->ncat, text);
	else if (sv_is(key, "ph"))
		r->ph = text.n == 1 ? text.p[0] : 0;
	else if (sv_is(key, "ts"))
		r->has_ts = to_ns(text, &r->e.start_ns);
	else if (sv_is(key, "dur"))
		r->has_dur = to_ns(text, &r->e.dur_ns) && r->e.dur_ns >= 0;
}

/* Number of keys before those of an event's own members: 2 in {"traceEvents": [{...}]}, 1 in
 * [{...}], 0 elsewhere. */
static size_t base_of(const struct jstream *j)
{
	if (jstream_depth(j) >= 2 && jstream_at(j, 0, "traceEvents") && !jstream_key(j, 1).n)
		return 2;
	if (jstream_depth(j) >= 1 && !jstream_key(j, 0).n)
		return 1;
	return 0;
}

static int take_scalar(void *ctx, const struct jstream *j, struct sv text, bool quoted,
		       struct err *err)
{
	struct reader *r = ctx;
	size_t b = base_of(j), n = jstream_depth(j);

	(void)quoted;
	(void)err;
	if (!b) { /* about the run */
		bool rank = n == 2 && jstream_at(j, 0, "distributedInfo");
		bool name = n == 3 && jstream_at(j, 0, "deviceProperties") &&
			    jstream_at(j, 2, "name");
		if (name && !r->info.device[0]) {
			size_t k = min_size(text.n, sizeof r->info.device - 1);
			memcpy(r->info.device, text.p, k);
			r->info.device[k] = 0;
		}
		if (rank && jstream_at(j, 1, "rank"))
			r->info.rank = read_whole(text);
		if (rank && jstream_at(j, 1, "world_size"))
			r->info.world_size = read_whole(text);
		return 0;
	}
	if (n == b + 1)
		read_field(r, jstream_key(j, b), text);
	else if (n == b + 2 && jstream_at(j, b, "args"))
		read_argument(r, jstream_key(j, b + 1), text);
	else if (n == b + 4 && jstream_at(j, b + 1, "Input Dims") && r->input < INPUTS &&
		 r->ndim[r->input] < DIMS)
		r->dim[r->input][r->ndim[r->input]++] = read_number(text);
	else if (n == b + 3 && jstream_at(j, b + 1, "Input type") && !r->ntype)
		keep_text(r->type, sizeof r->type, &r->ntype, text);
	return 0;
}

/* ---- what an event is -------------------------------------------------------------------- */

static bool any_of(struct sv text, const char *const *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (sv_ihas(text, sv_of(word[i])))
			return true;
	return false;
}
#define ANY(text, ...)                                     \
	any_of(text, (const char *const[]){ __VA_ARGS__ }, \
	       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

static enum trace_kind kind_of_event(struct sv cat, struct sv name)
{
	if (sv_ieq(cat, SV("kernel"))) {
		if (ANY(name, "nccl", "rccl", "msccl"))
			return TRACE_COMM;
		return TRACE_KERNEL;
	}
	if (sv_ieq(cat, SV("gpu_memcpy")) || sv_ieq(cat, SV("memcpy"))) {
		if (ANY(name, "HtoD", "HostToDevice"))
			return TRACE_H2D;
		if (ANY(name, "DtoH", "DeviceToHost"))
			return TRACE_D2H;
		return TRACE_D2D;
	}
	if (sv_ieq(cat, SV("gpu_memset")) || sv_ieq(cat, SV("memset")))
		return TRACE_SET;
	if (ANY(cat, "runtime", "cuda_driver", "hip_driver")) {
		/* cudaMemcpy without Async waits; so do the calls that say so. */
		if (sv_ihas(name, SV("Synchronize")) || sv_ieq(name, SV("cudaMemcpy")))
			return TRACE_SYNC;
		if (sv_ieq(name, SV("hipMemcpy")) || sv_ihas(name, SV("hipMemcpyWithStream")))
			return TRACE_SYNC;
		if (ANY(name, "Launch", "Memcpy", "Memset"))
			return TRACE_LAUNCH;
		return TRACE_OTHER;
	}
	if (sv_starts(name, SV("enumerate(DataLoader)")))
		return TRACE_LOADER;
	if (sv_starts(name, SV("ProfilerStep")) && !sv_ieq(cat, SV("gpu_user_annotation")))
		return TRACE_STEP;
	if (ANY(cat, "cpu_op", "operator"))
		return TRACE_OP;
	return TRACE_OTHER;
}

static double width_of(struct sv type)
{
	if (ANY(type, "double", "long", "int64"))
		return 8;
	if (ANY(type, "half", "bfloat16", "float16", "short"))
		return 2;
	if (ANY(type, "char", "bool", "float8", "byte"))
		return 1;
	return 4;
}

/* Matrix products: m x k times k x n, perhaps b of them; bias and the like come first in addmm and
 * baddbmm. */
static void read_product(struct reader *r, struct sv name)
{
	int first = sv_is(name, "aten::addmm") || sv_is(name, "aten::baddbmm") ? 1 : 0;
	bool many = sv_is(name, "aten::bmm") || sv_is(name, "aten::baddbmm");
	int want = 2;

	if (many)
		want = 3;
	if (!first && !many && !sv_is(name, "aten::mm"))
		return;
	if (r->ndim[first] != want || r->ndim[first + 1] != want)
		return;
	const double *a = r->dim[first] + many, *b = r->dim[first + 1] + many;
	double n = many ? r->dim[first][0] : 1, w = width_of((struct sv){ r->type, r->ntype });
	if (isnan(r->e.flops))
		r->e.flops = 2 * n * a[0] * a[1] * b[1];
	r->e.op_bytes = w * n * (a[0] * a[1] + b[0] * b[1] + a[0] * b[1]);
}

static int end_event(struct reader *r, struct err *err)
{
	struct sv name = { r->name, r->nname }, cat = { r->cat, r->ncat };

	r->info.events++;
	if (r->ph != 'X' || !r->has_ts || !r->has_dur)
		return 0;
	if (r->e.start_ns > INT64_MAX / 2 - r->e.dur_ns || r->e.start_ns < INT64_MIN / 2)
		return 0;
	r->info.spans++;
	r->e.name = name;
	r->e.kind = kind_of_event(cat, name);
	if (r->e.kind == TRACE_OP)
		read_product(r, name);
	return r->fn(r->ctx, &r->e, err);
}

static int take_closed(void *ctx, const struct jstream *j, struct err *err)
{
	struct reader *r = ctx;
	size_t b = base_of(j), n = jstream_depth(j);
	int rc = 0;

	if (b && n == b) {
		rc = end_event(r, err);
		reset_event(r);
	} else if (b && n == b + 3 && jstream_at(j, b + 1, "Input Dims")) {
		r->input++;
	}
	return rc;
}

#define PIECE (256 * 1024)

int chrome_trace_read(struct input *in, chrome_trace_fn *fn, void *ctx,
		      struct chrome_trace_info *ret, struct err *err)
{
	static const struct jstream_ops ops = { .scalar = take_scalar, .close = take_closed };
	struct reader *r = xcalloc(1, sizeof *r);
	char *buf = xmalloc(PIECE);
	int64_t n;
	int rc = 0;

	r->fn = fn;
	r->ctx = ctx;
	r->info.rank = r->info.world_size = -1;
	reset_event(r);
	struct jstream *j = jstream_new(&ops, r);
	jstream_cut(j, 1024); /* call stacks may be long, and are not needed */
	while (!rc && (n = input_read(in, buf, PIECE, err)) != 0)
		rc = n < 0 ? (int)n : jstream_feed(j, (struct sv){ buf, (size_t)n }, err);
	if (!rc && (rc = jstream_end(j, err)) < 0)
		err_hint(
			err,
			"It is cut short: copy it again whole, or write it again and let the profiler end before the program does");
	if (!rc && !r->info.events) {
		rc = err_set(
			err, -EINVAL,
			"no trace events: neither an array of them nor an object with \"traceEvents\"");
		err_hint(err,
			 "Write one with torch.profiler: prof.export_chrome_trace(\"trace.json\")");
	}
	if (!rc)
		*ret = r->info;
	jstream_free(j);
	free(buf);
	free(r);
	return rc;
}
