#define _GNU_SOURCE
#include "CFerry.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>

int ferry_end_watch_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

bool ferry_end_watch_add(int watch, int socket) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.fd = socket};
    if (epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event) == 0) return true;
    // A second request on the connection.
    return errno == EEXIST && epoll_ctl(watch, EPOLL_CTL_MOD, socket, &event) == 0;
}

int ferry_end_watch_next(int watch) {
    struct epoll_event event;
    while (epoll_wait(watch, &event, 1, 0) == 1) {
        // A child process that is just being started keeps a closed socket in the watch, whose number another socket
        // may have by now.
        struct pollfd wait = {event.data.fd, POLLRDHUP, 0};
        if (poll(&wait, 1, 0) == 1 && wait.revents & (POLLRDHUP | POLLHUP | POLLERR)) return event.data.fd;
    }
    return -1;
}
