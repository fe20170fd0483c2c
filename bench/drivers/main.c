/* SPDX-License-Identifier: BSD-3-Clause */
/* main - the driver as a program, for libraries that a C or C++ program links. */
#include "library.h"

int main(void)
{
	return driver_run();
}
