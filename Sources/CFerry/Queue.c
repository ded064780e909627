#include "CFerry.h"

#include <stddef.h>

// A function of libdispatch that its Swift module does not export. FoundationNetworking links the library.
extern const char *dispatch_queue_get_label(void *queue);

const char *ferry_current_queue_label(void) {
    return dispatch_queue_get_label(NULL);
}
