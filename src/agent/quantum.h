#ifndef TARE_AGENT_QUANTUM_H
#define TARE_AGENT_QUANTUM_H
/*
 * How exactly raw readings are kept. What a sensor or a counter over a jittering second says beyond
 * this is noise, and noise does not compress. Roll-ups, states and /metrics are made of the
 * readings as they came.
 *
 *   shares (SM activity, ...)   0.001: a tenth of the point that the driver's utilisation has
 *   rates in bytes a second     9 bits, +-0.1 %: the length of the second they were taken over is
 *                               not known better than by a millisecond
 *   power, processors           0.1 W (boards' sensors: +-5 W), 0.1 %
 *   energy counter              1 J
 *   all others                  as they came
 */
#include "model/model.h"

double quantum_round(enum metric m, double v);

#endif
