#ifndef TARE_OPT_TRANSFER_LINEAR_H
#define TARE_OPT_TRANSFER_LINEAR_H
/* The little linear algebra that a Gaussian process needs. Matrices are [n*n], row-major, of which
 * the lower half is read and written. */
#include <stdbool.h>
#include <stddef.h>

double linear_dot(const double *a, const double *b, size_t n);
/* a becomes L of a = L L^T; false where a is not positive definite. O(n^3 / 6). */
bool linear_cholesky(double *a, size_t n);
void linear_forward(const double *l, size_t n, double *x);  /* x = L^-1 x */
void linear_backward(const double *l, size_t n, double *x); /* x = L^-T x */
#endif
