#define _GNU_SOURCE
#include "CFerry.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

// The bits of curl/multi.h, which are the same for what libcurl waits for and for what has happened. Without either of
// them, libcurl does not wait for the socket any more.
enum { READABLE = 1, WRITABLE = 2 };

/// How many sockets are reported at once; the others are reported in the next turn.
enum { MOST = 64 };

struct ferry_socket_watch {
    int set;
    int wake;
    /// How many sockets could not be added.
    int missing;
    /// Whether there was no memory for the table of sockets.
    bool is_lost;
    /// How many of the events have not been taken yet, and how many there were.
    int count, found;
    struct epoll_event ready[MOST];
    /// For each number of a socket below `capacity`, what libcurl waits for, and whether its end is of interest.
    struct interest *sockets;
    size_t capacity;
    /// The first socket of the list of those that libcurl has stopped waiting for; -1 for none.
    int quiet;
};

struct interest {
    unsigned char what;
    bool is_marked;
    bool is_listed;
    bool is_missing;
    /// The next socket of the list.
    int next;
};

// Each event has the number of its socket, and in the upper half what libcurl waits for.
static struct epoll_event event(int descriptor, int what) {
    return (struct epoll_event){
        .events = (what & READABLE ? EPOLLIN : 0) | (what & WRITABLE ? EPOLLOUT : 0),
        .data.u64 = (uint64_t)what << 32 | (uint32_t)descriptor,
    };
}

ferry_socket_watch *ferry_watch_create(void) {
    ferry_socket_watch *watch = calloc(1, sizeof *watch);
    if (watch == NULL) return NULL;
    watch->quiet = -1;
    watch->set = epoll_create1(EPOLL_CLOEXEC);
    watch->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    // The events of sockets are never 0, since libcurl waits for something of each.
    struct epoll_event wake = {.events = EPOLLIN, .data.u64 = 0};
    if (watch->set >= 0 && watch->wake >= 0 && epoll_ctl(watch->set, EPOLL_CTL_ADD, watch->wake, &wake) == 0) return watch;
    int error = errno;
    ferry_watch_free(watch);
    errno = error;
    return NULL;
}

void ferry_watch_free(ferry_socket_watch *watch) {
    if (watch->set >= 0) close(watch->set);
    if (watch->wake >= 0) close(watch->wake);
    free(watch->sockets);
    free(watch);
}

int ferry_watch_descriptor(const ferry_socket_watch *watch) { return watch->set; }

static bool make_room(ferry_socket_watch *watch, size_t number) {
    if (number < watch->capacity) return true;
    size_t capacity = number + number / 2 + 64;
    struct interest *sockets = realloc(watch->sockets, capacity * sizeof *sockets);
    if (sockets == NULL) return false;
    memset(sockets + watch->capacity, 0, (capacity - watch->capacity) * sizeof *sockets);
    watch->sockets = sockets;
    watch->capacity = capacity;
    return true;
}

static void set_missing(ferry_socket_watch *watch, struct interest *interest, bool is_missing) {
    watch->missing += is_missing - interest->is_missing;
    interest->is_missing = is_missing;
}

int ferry_watch_change(void *easy, int socket, int what, void *context, void *unused) {
    (void)easy, (void)unused;
    ferry_socket_watch *watch = context;
    if (socket < 0) return 0;
    what &= READABLE | WRITABLE;
    if (!make_room(watch, (size_t)socket)) {
        watch->is_lost = true;
        return 0;
    }
    struct interest *interest = &watch->sockets[socket];
    interest->what = (unsigned char)what;
    if (what == 0) {
        if (interest->is_marked && !interest->is_listed) {
            interest->is_listed = true;
            interest->next = watch->quiet;
            watch->quiet = socket;
        }
        interest->is_marked = false;
        set_missing(watch, interest, false);
        epoll_ctl(watch->set, EPOLL_CTL_DEL, socket, NULL);
        return 0;
    }
    struct epoll_event changed = event(socket, what);
    bool is_watched = epoll_ctl(watch->set, EPOLL_CTL_ADD, socket, &changed) == 0
        || (errno == EEXIST && epoll_ctl(watch->set, EPOLL_CTL_MOD, socket, &changed) == 0);
    set_missing(watch, interest, !is_watched);
    return 0;
}

bool ferry_watch_waits_for(const ferry_socket_watch *watch, int socket) {
    return socket >= 0 && (size_t)socket < watch->capacity && watch->sockets[socket].what != 0;
}

void ferry_watch_mark(ferry_socket_watch *watch, int socket) {
    if (socket < 0) return;
    if (make_room(watch, (size_t)socket)) watch->sockets[socket].is_marked = true;
    else watch->is_lost = true;
}

int ferry_watch_next_quiet(ferry_socket_watch *watch) {
    int socket = watch->quiet;
    if (socket < 0) return -1;
    watch->quiet = watch->sockets[socket].next;
    watch->sockets[socket].is_listed = false;
    return socket;
}

bool ferry_watch_is_incomplete(const ferry_socket_watch *watch) { return watch->is_lost || watch->missing > 0; }

void ferry_watch_wake(const ferry_socket_watch *watch) {
    const uint64_t one = 1;
    // It fails only if the counter is at its maximum, which wakes as well.
    (void)!write(watch->wake, &one, sizeof one);
}

bool ferry_watch_wait(ferry_socket_watch *watch, int timeout) {
    int count = epoll_wait(watch->set, watch->ready, MOST, timeout);
    // A stopped process continues here. Data that arrived meanwhile comes before the time limits.
    if (count < 0 && errno == EINTR) count = epoll_wait(watch->set, watch->ready, MOST, 0);
    bool is_ready = count > 0;
    watch->count = 0;
    for (int index = 0; index < count; index++) {
        const struct epoll_event found = watch->ready[index];
        uint64_t number;
        if (found.data.u64 != 0) watch->ready[watch->count++] = found;
        else (void)!read(watch->wake, &number, sizeof number);
    }
    watch->found = watch->count;
    return is_ready;
}

bool ferry_watch_listen(const ferry_socket_watch *watch, int timeout) {
    struct pollfd wait = {watch->set, POLLIN, 0};
    return poll(&wait, 1, timeout) > 0;
}

/// Changes whether the sockets that the last wait has found to be only writable are watched for that.
static void watch_writable(ferry_socket_watch *watch, bool is_watched) {
    for (int index = 0; index < watch->found; index++) {
        const int socket = (int)(uint32_t)watch->ready[index].data.u64;
        const int what = watch->sockets[socket].what;
        if (watch->ready[index].events != EPOLLOUT || !(what & WRITABLE)) continue;
        struct epoll_event changed = event(socket, what);
        if (!is_watched) changed.events &= ~(uint32_t)EPOLLOUT;
        epoll_ctl(watch->set, EPOLL_CTL_MOD, socket, &changed);
    }
}

bool ferry_watch_listen_for_input(ferry_socket_watch *watch, int timeout) {
    watch_writable(watch, false);
    bool is_ready = ferry_watch_listen(watch, timeout);
    watch_writable(watch, true);
    return is_ready;
}

bool ferry_watch_sleep(const ferry_socket_watch *watch, int timeout) {
    struct pollfd wait = {watch->wake, POLLIN, 0};
    uint64_t number;
    if (poll(&wait, 1, timeout) <= 0) return false;
    (void)!read(watch->wake, &number, sizeof number);
    return true;
}

int ferry_watch_next(ferry_socket_watch *watch, int *socket) {
    if (watch->count == 0) return 0;
    const struct epoll_event found = watch->ready[--watch->count];
    const int wanted = (int)(found.data.u64 >> 32);
    *socket = (int)(uint32_t)found.data.u64;
    // After an error or the end of the connection, libcurl finds out by reading or writing.
    if (found.events & (EPOLLERR | EPOLLHUP)) return wanted;
    return wanted & ((found.events & EPOLLIN ? READABLE : 0) | (found.events & EPOLLOUT ? WRITABLE : 0));
}
