#define _GNU_SOURCE
#include "CFerry.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

int ferry_memory_file(const void *bytes, size_t count) {
    int file = memfd_create("ferry", MFD_CLOEXEC);
    for (size_t written = 0; file >= 0 && written < count;) {
        ssize_t result = write(file, (const char *)bytes + written, count - written);
        if (result > 0) {
            written += (size_t)result;
        } else if (errno != EINTR) {
            close(file);
            file = -1;
        }
    }
    return file;
}
