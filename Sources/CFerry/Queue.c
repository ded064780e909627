#include "CFerry.h"

#include <stddef.h>

// libdispatch's own function, which its Swift module does not have; FoundationNetworking brings the library along.
extern const char *dispatch_queue_get_label(void *queue);

const char *ferry_current_queue_label(void) {
    return dispatch_queue_get_label(NULL);
}
