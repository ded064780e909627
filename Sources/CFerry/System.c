#define _GNU_SOURCE
#include "CFerry.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

// Functions of the system that Swift's modules do not export.

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

void ferry_reserve(int file, int64_t offset, int64_t count) {
    // A full disk is reported when bytes are written.
    (void)fallocate(file, FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)count);
}

void ferry_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

// FoundationNetworking links libdispatch.
extern const char *dispatch_queue_get_label(void *queue);

const char *ferry_current_queue_label(void) { return dispatch_queue_get_label(NULL); }
