#include <stdlib.h>

/// Limits how many tests run in parallel. By default Swift Testing starts all of them at the same time, and with a
/// thousand tests on two cores each timeout would include other tests' time. The environment can override the limit.
__attribute__((constructor)) static void limit_parallel_tests(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0);
}
