/* Cholesky, forward and back substitution: textbook forms (Golub & Van Loan, Matrix Computations,
 * 4.2), the sums in eight strands for the compiler. */
#include "opt/transfer/linear.h"
#include <math.h>

double linear_dot(const double *a, const double *b, size_t n)
{
	double s[8] = { 0 };
	size_t i = 0;
	for (; i + 8 <= n; i += 8)
		for (int k = 0; k < 8; k++)
			s[k] += a[i + (size_t)k] * b[i + (size_t)k];
	for (; i < n; i++)
		s[0] += a[i] * b[i];
	return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

bool linear_cholesky(double *a, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++) {
			double s = a[i * n + j] - linear_dot(a + i * n, a + j * n, j);
			if (i == j && !(s > 0))
				return false;
			a[i * n + j] = i == j ? sqrt(s) : s / a[j * n + j];
		}
	return true;
}

void linear_forward(const double *l, size_t n, double *x)
{
	for (size_t i = 0; i < n; i++)
		x[i] = (x[i] - linear_dot(l + i * n, x, i)) / l[i * n + i];
}

void linear_backward(const double *l, size_t n, double *x)
{
	for (size_t i = n; i-- > 0;) {
		x[i] /= l[i * n + i];
		for (size_t j = 0; j < i; j++)
			x[j] -= l[i * n + j] * x[i];
	}
}
