/*
 * Rows of sacct into cells. Its separator is not escaped, so a row may have too many cells: what is
 * too much then belongs to one of the free-text columns. Which one is found by trying: the others
 * must keep the shape of their column (a number, a time, TRES).
 */
#include <ctype.h>
#include <errno.h>

#include "feed/jobs/sacct.h"

enum shape { ANY, FREE, NUMBER, SPAN, DATE, TRES };
static const struct {
	const char *name;
	enum shape shape;
} known[] = {
	{ "JobName", FREE },         { "Comment", FREE },      { "AdminComment", FREE },
	{ "SystemComment", FREE },   { "SubmitLine", FREE },   { "Constraints", FREE },
	{ "Extra", FREE },           { "WorkDir", FREE },      { "Reason", FREE },
	{ "Reservation", FREE },     { "StdOut", FREE },       { "StdErr", FREE },
	{ "StdIn", FREE },           { "ElapsedRaw", NUMBER }, { "TimelimitRaw", NUMBER },
	{ "UID", NUMBER },           { "GID", NUMBER },        { "AssocID", NUMBER },
	{ "WCKeyID", NUMBER },       { "AllocCPUS", NUMBER },  { "ReqCPUS", NUMBER },
	{ "NCPUS", NUMBER },         { "NNodes", NUMBER },     { "AllocNodes", NUMBER },
	{ "NTasks", NUMBER },        { "CPUTimeRAW", NUMBER }, { "QOSRAW", NUMBER },
	{ "Priority", NUMBER },      { "Restarts", NUMBER },   { "Elapsed", SPAN },
	{ "Timelimit", SPAN },       { "CPUTime", SPAN },      { "TotalCPU", SPAN },
	{ "UserCPU", SPAN },         { "SystemCPU", SPAN },    { "Suspended", SPAN },
	{ "Reserved", SPAN },        { "Planned", SPAN },      { "ExitCode", SPAN },
	{ "DerivedExitCode", SPAN }, { "Start", DATE },        { "End", DATE },
	{ "Submit", DATE },          { "Eligible", DATE },     { "AllocTRES", TRES },
	{ "ReqTRES", TRES },
};

void sacct_column(struct sacct_cols *c, struct sv name)
{
	enum shape shape = ANY;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (sv_ieq(name, sv_of(known[i].name)))
			shape = known[i].shape;
	c->shape[c->ncol++] = (uint8_t)shape;
}

static bool fits_shape(enum shape shape, struct sv v)
{
	/* words that stand in such columns instead of a value */
	static const char *const word[] = { "UNLIMITED", "Partition_Limit", "Unknown", "None",
					    "N/A",       "INVALID",         "NOT_SET" };

	v = sv_trim(v);
	if (shape == ANY || shape == FREE || !v.n)
		return true;
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		if (sv_is(v, word[i]))
			return true;
	if (shape == TRES)
		return memchr(v.p, '=', v.n) != NULL;
	for (size_t i = 0; i < v.n; i++)
		if (!isdigit((unsigned char)v.p[i]) &&
		    (shape == NUMBER || !strchr(shape == DATE ? "-:T." : "-:.", v.p[i])))
			return false;
	return true;
}

struct sv sacct_cut(struct sv text, struct sv sep, struct sv *rest)
{
	const char *at = NULL;

	if (text.n)
		at = memmem(text.p, text.n, sep.p, sep.n);
	if (!at) {
		*rest = SV_NULL;
		return text;
	}
	*rest = (struct sv){ at + sep.n, (size_t)(text.p + text.n - at) - sep.n };
	return (struct sv){ text.p, (size_t)(at - text.p) };
}

/* With the extra cells in column `spill`; false where a column then has not its shape. */
static bool assign_cells(const struct sacct_cols *c, struct sv line, size_t spill, size_t extra,
			 struct sv *cell)
{
	struct sv rest;
	bool good = true;

	for (size_t i = 0; i < c->ncol; i++) {
		struct sv v = sacct_cut(line, c->sep, &rest);
		for (size_t e = 0; i == spill && e < extra; e++)
			v.n += c->sep.n + sacct_cut(rest, c->sep, &rest).n;
		cell[i] = sv_trim(v);
		good &= fits_shape((enum shape)c->shape[i], v);
		line = rest;
	}
	return good;
}

int sacct_split(const struct sacct_cols *c, struct sv line, struct sv *cell)
{
	size_t n = 0, extra;
	struct sv rest, scan = line;

	while (scan.p) { /* count first: only then it is known how much is too much */
		sacct_cut(scan, c->sep, &rest);
		n++;
		scan = rest;
	}
	if (n == c->ncol + 1 && sv_ends(line, c->sep)) {
		/* sacct -p ends lines with the separator */
		line.n -= c->sep.n;
		n--;
	}
	if (n < c->ncol)
		return -EDOM;
	extra = n - c->ncol;
	if (!extra) {
		assign_cells(c, line, 0, 0, cell);
		return 0;
	}
	/* the last column first: that is where people put the free text */
	for (size_t i = c->ncol; i-- > 0;)
		if (c->shape[i] == FREE && assign_cells(c, line, i, extra, cell))
			return 0;
	return -EDOM;
}
