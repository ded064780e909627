#define _GNU_SOURCE
#include "Inheritance.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/// One end of a connected pair of stream sockets that a child process would inherit.
typedef struct {
    int descriptor;
    ino_t inode;
    bool may_read, may_write;
} pair_end;

/// The most ends that are examined: a process deliberately leaves few sockets to its children.
enum { MOST_ENDS = 64 };

typedef struct {
    pair_end ends[MOST_ENDS];
    int count;
} pair_ends;

int ferry_lowest_free_descriptor(void) {
    int descriptor = eventfd(0, EFD_CLOEXEC);
    if (descriptor >= 0) close(descriptor);
    return descriptor;
}

static bool is_pair_end(int descriptor, pair_end *end) {
    int flags = fcntl(descriptor, F_GETFD);
    if (flags < 0 || (flags & FD_CLOEXEC) != 0) return false;
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISSOCK(info.st_mode)) return false;
    int domain = 0, type = 0;
    socklen_t length = sizeof domain;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 || domain != AF_UNIX) return false;
    length = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) return false;
    // Both ends of a pair belong to the process that made it.
    struct ucred peer;
    length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid != getpid()) return false;
    // They are connected and have no names.
    struct sockaddr_un address;
    length = sizeof address;
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) != 0 || length != sizeof(sa_family_t)) return false;
    *end = (pair_end){descriptor, info.st_ino, true, true};
    return true;
}

static void collect(pair_ends *found, int first, int last) {
    found->count = 0;
    for (int descriptor = first < 0 ? 0 : first; descriptor <= last && found->count < MOST_ENDS; descriptor++) {
        if (is_pair_end(descriptor, &found->ends[found->count])) found->count++;
    }
}

/// Collects the pair ends opened since `lowest` was the lowest free descriptor: from there up to the lowest free one
/// now.
static void collect_since(pair_ends *found, int lowest) {
    const int margin = 16;
    int next = ferry_lowest_free_descriptor();
    collect(found, lowest, (next > lowest ? next : lowest) + margin);
}

static int highest_descriptor(void) {
    int highest = -1;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) return highest;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        int descriptor = atoi(entry->d_name);
        if (descriptor > highest) highest = descriptor;
    }
    closedir(folder);
    return highest;
}

static void set_close_on_exec(int descriptor) {
    int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0) fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC);
}

// MARK: - The pair that wakes a multi handle

/// Excludes the ends whose queues are not those of the pair: one byte in transit if it was just woken, otherwise none.
static void compare_queues(pair_ends *found, bool is_woken) {
    for (int index = 0; index < found->count; index++) {
        pair_end *end = &found->ends[index];
        int unread = -1, unacknowledged = -1;
        bool is_known = ioctl(end->descriptor, FIONREAD, &unread) == 0
            && ioctl(end->descriptor, SIOCOUTQ, &unacknowledged) == 0;
        if (!is_known || unread != (is_woken ? 1 : 0) || unacknowledged != 0) end->may_read = false;
        if (!is_known || unread != 0 || (unacknowledged > 0) != is_woken) end->may_write = false;
    }
}

/// Returns whether exactly one end reads what one other end writes when the handle is woken; sets the flag on both.
static bool find_wake_pair(
    void *multi, pair_ends *found, int (*wakeup)(void *),
    int (*poll)(void *, void *, unsigned int, int, int *)) {
    // Twice, so that a socket of another thread cannot match by chance.
    for (int round = 0; round < 2 && found->count > 0; round++) {
        int ready = 0;
        compare_queues(found, false);
        if (wakeup(multi) != 0) return false;
        compare_queues(found, true);
        poll(multi, NULL, 0, 0, &ready);
        compare_queues(found, false);
    }
    int reader = -1, writer = -1, count = 0;
    for (int index = 0; index < found->count; index++) {
        const pair_end *end = &found->ends[index];
        if (end->may_read) reader = end->descriptor;
        if (end->may_write) writer = end->descriptor;
        count += end->may_read + end->may_write;
    }
    if (reader < 0 || writer < 0 || count != 2) return false;
    set_close_on_exec(reader);
    set_close_on_exec(writer);
    return true;
}

void ferry_close_wake_pair_on_exec(
    void *multi, int lowest, int (*wakeup)(void *),
    int (*poll)(void *, void *, unsigned int, int, int *)) {
    pair_ends found;
    collect_since(&found, lowest);
    if (find_wake_pair(multi, &found, wakeup, poll)) return;
    // Other threads have opened and closed descriptors since, or this libcurl sets the flag itself.
    collect(&found, 0, highest_descriptor());
    find_wake_pair(multi, &found, wakeup, poll);
}

// MARK: - The pairs of name lookups

void ferry_note_lookup(ferry_lookups *lookups) {
    if (lookups->have_begun) return;
    lookups->have_begun = true;
    lookups->lowest = ferry_lowest_free_descriptor();
}

/// Sets the flag on the writing end of a reading end's pair: both are made in one system call, so its inode is the
/// next.
static bool set_writer(const pair_ends *found, const pair_end *reader, const fd_set *readable) {
    for (int index = 0; index < found->count; index++) {
        const pair_end *writer = &found->ends[index];
        if (writer->inode != reader->inode + 1) continue;
        if (writer->descriptor < FD_SETSIZE && FD_ISSET(writer->descriptor, readable)) continue;
        set_close_on_exec(writer->descriptor);
        return true;
    }
    return false;
}

void ferry_close_lookups_on_exec(
    void *multi, ferry_lookups *lookups, int (*fdset)(void *, fd_set *, fd_set *, fd_set *, int *)) {
    lookups->have_begun = false;
    fd_set readable, writable, other;
    FD_ZERO(&readable);
    FD_ZERO(&writable);
    FD_ZERO(&other);
    int highest = -1;
    if (lookups->lowest < 0 || fdset(multi, &readable, &writable, &other, &highest) != 0) return;
    pair_ends found, all;
    collect_since(&found, lookups->lowest);
    all.count = 0;
    for (int descriptor = 0; descriptor <= highest && descriptor < FD_SETSIZE; descriptor++) {
        pair_end reader;
        // libcurl polls the end that it reads, and has no other socket of this kind.
        if (!FD_ISSET(descriptor, &readable) || !is_pair_end(descriptor, &reader)) continue;
        set_close_on_exec(descriptor);
        if (set_writer(&found, &reader, &readable)) continue;
        // Other threads have freed lower descriptors since.
        if (all.count == 0) collect(&all, 0, highest_descriptor());
        set_writer(&all, &reader, &readable);
    }
}

