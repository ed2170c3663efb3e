#include "opt/size/curve.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *word;
	enum better better;
} known[] = {
	{ "loss", BETTER_LOWER },    { "ppl", BETTER_LOWER },       { "perplexity", BETTER_LOWER },
	{ "err", BETTER_LOWER },     { "error", BETTER_LOWER },     { "wer", BETTER_LOWER },
	{ "cer", BETTER_LOWER },     { "mse", BETTER_LOWER },       { "rmse", BETTER_LOWER },
	{ "mae", BETTER_LOWER },     { "mape", BETTER_LOWER },      { "nll", BETTER_LOWER },
	{ "bpb", BETTER_LOWER },     { "bpc", BETTER_LOWER },       { "fid", BETTER_LOWER },
	{ "acc", BETTER_HIGHER },    { "accuracy", BETTER_HIGHER }, { "top1", BETTER_HIGHER },
	{ "top5", BETTER_HIGHER },   { "auc", BETTER_HIGHER },      { "auroc", BETTER_HIGHER },
	{ "f1", BETTER_HIGHER },     { "bleu", BETTER_HIGHER },     { "rouge", BETTER_HIGHER },
	{ "map", BETTER_HIGHER },    { "map50", BETTER_HIGHER },    { "iou", BETTER_HIGHER },
	{ "miou", BETTER_HIGHER },   { "dice", BETTER_HIGHER },     { "precision", BETTER_HIGHER },
	{ "recall", BETTER_HIGHER }, { "reward", BETTER_HIGHER },   { "return", BETTER_HIGHER },
	{ "score", BETTER_HIGHER },  { "r2", BETTER_HIGHER },       { "psnr", BETTER_HIGHER },
	{ "ssim", BETTER_HIGHER },   { "ndcg", BETTER_HIGHER },
};

static const char *const held_out[] = { "val",        "valid", "validation", "eval",
					"evaluation", "dev",   "test",       "holdout" };

/* The next word of a name in small letters, cut to cap - 1; NULL: none is left. */
static const char *next_word(const char *z, char *ret, size_t cap)
{
	size_t n = 0;

	while (*z && !isalnum((unsigned char)*z))
		z++;
	if (!*z)
		return NULL;
	for (; isalnum((unsigned char)*z); z++)
		if (n + 1 < cap)
			ret[n++] = (char)tolower((unsigned char)*z);
	ret[n] = 0;
	return z;
}

enum better curve_better(const char *metric)
{
	enum better last = BETTER_UNKNOWN;
	char word[16];

	while ((metric = next_word(metric, word, sizeof word))) {
		if (!strcmp(word, "loss"))
			return BETTER_LOWER;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (!strcmp(word, known[i].word))
				last = known[i].better;
	}
	return last;
}

bool curve_is_validation(const char *metric)
{
	char word[16];

	while ((metric = next_word(metric, word, sizeof word)))
		for (size_t i = 0; i < sizeof held_out / sizeof *held_out; i++)
			if (!strcmp(word, held_out[i]))
				return true;
	return false;
}
