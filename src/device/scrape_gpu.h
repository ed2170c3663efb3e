#ifndef TARE_DEVICE_SCRAPE_GPU_H
#define TARE_DEVICE_SCRAPE_GPU_H
/* What an exposition text says about GPUs, device by device. For the source of device/scrape_gpu.c,
 * its tests and its fuzzer. */
#include "feed/readings/dcgm.h"
#include "model/model.h"

struct scraped_dev {
	/* "" = not said; mig: the GPU instance; texts cut, not to be trusted */
	char uuid[96], index[16], mig[32], name[96], profile[24];
	char owner[256]; /* dcgm_owner(); "": nobody, or several, who take turns */
	bool shared;     /* several */
	double field[DCGM_FIELD_N];
	double value[METRIC_N], power_limit_w; /* NAN = not said */
};
struct scraped;
struct scraped *scraped_new(void);
void scraped_free(struct scraped *s);
/* Read a text again; returns how many lines could not be read (they are left out). */
size_t scraped_parse(struct scraped *s, struct sv text);
/* valid until the next scraped_parse() */
size_t scraped_all(const struct scraped *s, const struct scraped_dev **ret);
#endif
