#include "CFerry.h"

#include <sys/epoll.h>
#include <unistd.h>

int ferry_end_watch_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

bool ferry_end_watch_add(int watch, int socket) {
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.fd = socket};
    return epoll_ctl(watch, EPOLL_CTL_ADD, socket, &event) == 0;
}

int ferry_end_watch_next(int watch) {
    struct epoll_event event;
    return epoll_wait(watch, &event, 1, 0) == 1 ? event.data.fd : -1;
}
