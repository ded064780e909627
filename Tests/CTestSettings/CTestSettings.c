#include <stdlib.h>

/// Runs a few tests at a time. Swift Testing begins all of them at once by default, and with a thousand on two cores
/// each deadline is then measured in other tests' time. The environment may say otherwise.
__attribute__((constructor)) static void limit_parallel_tests(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0);
}
