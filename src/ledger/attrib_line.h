#ifndef TARE_LEDGER_ATTRIB_LINE_H
#define TARE_LEDGER_ATTRIB_LINE_H
/*
 * The timeline of one GPU, shared by the files that work on it:
 *
 *   attrib.c         moves along the line, cuts it into spans and books each: who holds it, in what
 *                    state
 *   attrib_read.c    samples: streams of readings and what they mean
 *   attrib_wait.c    hours, those too that wait for the end of an idle run
 */
#include "ledger/attrib_priv.h"
#include "ledger/reading.h"

struct stream {
	char *text; /* owns mig and job */
	struct sv mig, job;
	size_t owner;
	int64_t end_ms;
	bool linked; /* an active allocation reads it */
	/* some allocation of this GPU answers to its names, now or at another time: it is
	 * evidence for that owner, inside that owner's time, and for nobody else */
	bool known;
	/* slices of the MIG instance, by an allocation of it or by its readings; 0 = not known */
	int compute, memory;
	bool like; /* an allocation names the instance */
	/* when the sample began somebody held the GPU or, where it has names, read it */
	bool began_held;
	struct sample s;
	struct reading r;
};

/* What is remembered of an allocation. */
struct hold {
	int32_t stream;     /* its own stream or -1 */
	bool was_busy, run; /* run: an idle run is open */
	int64_t run_idle_ms, run_hour_ms;
};

struct timeline {
	const struct attrib_conf *conf;
	const struct attrib_gpu *g;
	struct closer close;
	struct attrib_rest *rest;
	struct err *err;
	attrib_next_fn *next;
	void *next_ctx;
	int64_t now_ms;
	bool any_recorded;
	/* paid */
	size_t ipaid;
	const struct attrib_paid *paid; /* at now, or NULL */
	int64_t gpu;                    /* SHARE_ONE, less for a fractional GPU */
	size_t itold;                   /* the first that is not over */
	/* held */
	size_t ialloc;
	VEC(uint32_t) active;
	struct hold *hold; /* [nalloc] */
	int64_t alloc_change_ms;
	struct share_use *use; /* [nparts] of the active ones */
	int64_t *part;         /* [nparts] */
	struct share_sum sum;
	int64_t *measured; /* [3 x nparts] scratch for shares by process time */
	size_t nparts;
	bool laid_out; /* instances of known sizes are being read: what none of them is is free */
	bool stale;    /* shares and links must be worked out again */
	/* read */
	VEC(struct stream) stream; /* 0: of the whole GPU */
	struct attrib_sample sample;
	bool have_sample;
	struct intern names; /* jobs and MIG ids of all allocations; filled at the first stream */
	int64_t last_t_ms;
	/* hours */
	bool open;
	struct hour hour;
	VEC(struct hour) wait; /* closed hours, oldest first, from wait_head */
	size_t wait_head;
	VEC(struct hour) spare;
};

/* A stream still speaks at now. */
static inline bool line_alive(const struct timeline *t, size_t stream)
{
	return t->stream.v[stream].end_ms > t->now_ms;
}

/* Read the next sample ahead; check its order. */
int line_fetch_sample(struct timeline *t);
/* Samples that began by now become the newest of their streams. */
int line_take_samples(struct timeline *t);
/* Which allocation reads which stream, after either changed. */
void line_link_streams(struct timeline *t);
/* One that speaks for the allocation where what it was linked to is over, or NULL. */
const struct stream *line_own_other(const struct timeline *t, uint32_t alloc);
/* The stream that speaks for the allocation itself right now, or NULL. */
static inline const struct stream *line_own(const struct timeline *t, uint32_t alloc)
{
	int32_t own = t->hold[alloc].stream;

	if (own < 0)
		return NULL;
	if (line_alive(t, (size_t)own))
		return &t->stream.v[own];
	return line_own_other(t, alloc);
}

/* The table of the hour of now. */
struct hour *line_hour(struct timeline *t);
int line_finish_hour(struct timeline *t);
/* The idle run of an allocation is over; at_end: because the allocation is. */
int line_end_run(struct timeline *t, uint32_t alloc, bool at_end);

#endif
