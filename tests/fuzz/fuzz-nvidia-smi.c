#include "fuzz-feed.h"

FUZZ_FEED("nvidia-smi")
