#include "ledger/infer.h"

#include "base/among.h"
#include "base/num.h"
#include "base/tm.h"

#define SHORT_MS   MS_HOUR
#define LONG_MS    (2 * MS_HOUR)
#define LASTING_MS (7 * MS_DAY)

/* Does a word of the text begin so? Words are runs of letters: "retrieval" is no "eval". */
static bool word_begins(struct sv text, const char *word)
{
	size_t n = strlen(word);
	bool inside = false; /* a word goes on */
	for (size_t i = 0; i + n <= text.n; i++) {
		bool may = !inside && (text.p[i] | 0x20) == *word; /* a small letter */
		if (may && sv_ieq((struct sv){ text.p + i, n }, sv_of(word)))
			return true;
		inside = within_int(text.p[i], 'a', 'z') || within_int(text.p[i], 'A', 'Z');
	}
	return false;
}

/* First match wins: "train-eval" is an evaluation. */
static const struct {
	const char *word, *workload;
} name_words[] = {
	{ "notebook", "research" },    { "jupyter", "research" },  { "eval", "evaluation" },
	{ "benchmark", "evaluation" }, { "train", "training" },    { "finetun", "training" },
	{ "fine-tun", "training" },    { "fine_tun", "training" }, { "pretrain", "training" },
	{ "pre-train", "training" },   { "sft", "training" },      { "rlhf", "training" },
	{ "serve", "inference" },      { "serving", "inference" }, { "inference", "inference" },
	{ "vllm", "inference" },       { "triton", "inference" },
};

size_t array_base(struct sv job_id)
{
	size_t n = 0;
	while (n < job_id.n && char_is_digit(job_id.p[n]))
		n++;
	if (n == 0 || n + 1 >= job_id.n || job_id.p[n] != '_')
		return 0;
	if (char_is_digit(job_id.p[n + 1]) || job_id.p[n + 1] == '[')
		return n;
	return 0;
}

bool infer_is_session(struct sv name)
{
	/* salloc and srun name a job after the shell */
	static const char *const shell[] = { "interactive", "bash", "sh", "zsh" };

	for (size_t i = 0; i < sizeof shell / sizeof *shell; i++)
		if (sv_ieq(name, sv_of(shell[i])))
			return true;
	return sv_ihas(name, SV("jupyter")) || sv_ihas(name, SV("notebook"));
}

struct sv infer_workload(const struct owner_evidence *e)
{
	/* the service of a bill line that is no GPU time says nothing */
	if (e->has_requests || (e->service.n && e->gpus_milli != UNKNOWN_I64))
		return SV("inference");
	const struct sv text[] = { e->name, e->queue, e->namespace_ };
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		for (size_t k = 0; k < sizeof name_words / sizeof *name_words; k++)
			if (word_begins(text[i], name_words[k].word))
				return sv_of(name_words[k].workload);
	bool timed = e->duration_ms != UNKNOWN_MS, sized = timed && e->gpus_milli != UNKNOWN_I64;
	bool ended_soon = timed && !e->open_end && e->duration_ms <= SHORT_MS;
	bool lasting = timed && e->open_end && e->duration_ms >= LASTING_MS;
	if (ended_soon && array_base(e->job))
		return SV("batch");
	if (sized && e->duration_ms >= LONG_MS && e->gpus_milli >= 2000)
		return SV("training");
	if (sized && lasting && e->gpus_milli <= 1000)
		return SV("inference");
	return SV_NULL;
}

struct sv job_pod(struct sv job_id, struct sv namespace_)
{
	bool inside = namespace_.n && sv_starts(job_id, namespace_) && job_id.n > namespace_.n + 1;

	if (!inside || job_id.p[namespace_.n] != '/')
		return SV_NULL;
	return sv_from(job_id, namespace_.n + 1);
}
