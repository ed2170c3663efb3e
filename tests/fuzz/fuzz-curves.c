#include "fuzz-feed.h"

FUZZ_FEED("curves")
