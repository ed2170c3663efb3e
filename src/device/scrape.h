#ifndef TARE_DEVICE_SCRAPE_H
#define TARE_DEVICE_SCRAPE_H
/*
 * A Prometheus or OpenMetrics endpoint, asked now and then. What it says about GPUs becomes a view
 * of device/gpu.h (dcgm-exporter, Triton's nv_gpu_*, exporters over nvidia-smi, tare's own agent);
 * what it says about requests becomes device/serving.h.
 *
 * An endpoint is not trusted: its answer ends at SCRAPE_BODY_MAX bytes and SCRAPE_TIMEOUT_MS,
 * devices and models are counted, texts cut.
 */
#include "base/err.h"
#include "base/str.h"
#include "net/expo.h"

/* some hundred times what an exporter of 16 GPUs says */
#define SCRAPE_BODY_MAX   ((size_t)8 << 20)
#define SCRAPE_TIMEOUT_MS 2000

struct scrape;
/* -EINVAL: not http:// or https://. Nothing is asked yet. */
int scrape_open(const char *url, struct scrape **ret, struct err *err);
void scrape_close(struct scrape *s); /* NULL is fine */
/*
 * Ask. *ret is the text, valid until the next call. After a failure the endpoint is left alone for
 * some seconds (by mono_ms) and the last error comes again. Waits at most SCRAPE_TIMEOUT_MS.
 */
int scrape_get(struct scrape *s, int64_t mono_ms, struct sv *ret, struct err *err);

#endif
