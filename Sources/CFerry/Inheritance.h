// Keeps child processes from inheriting the descriptors that libcurl opens.
//
// libcurl before 8.10 makes its socket pairs without FD_CLOEXEC: one for each multi handle, which wakes it, and one for
// each name lookup, on which the resolver's thread reports. Both are found right after they were made, and only
// descriptors that are proven to be libcurl's are changed. A process that another thread starts in the microseconds in
// between still inherits them.
#ifndef FERRY_INHERITANCE_H
#define FERRY_INHERITANCE_H

#include "CFerry.h"

#include <stdbool.h>
#include <sys/select.h>

/// The name lookups that the calling thread has begun since the last `ferry_close_lookups_on_exec`.
typedef struct {
    bool have_begun;
    /// The lowest descriptor that was free before the first of them.
    int lowest;
} ferry_lookups;

/// Finds the socket pair that wakes a new multi handle, and sets its close-on-exec flags.
///
/// `lowest` is the lowest descriptor that was free before the handle was made. The handle must have no transfers yet.
void ferry_close_wake_pair_on_exec(
    void *multi, int lowest, int (*wakeup)(void *),
    int (*poll)(void *, void *, unsigned int, int, int *));

/// Records that libcurl is about to look up a name, or to find that no lookup is needed.
void ferry_note_lookup(ferry_lookups *lookups);

/// Finds the socket pairs of the pending lookups, and sets their close-on-exec flags.
void ferry_close_lookups_on_exec(
    void *multi, ferry_lookups *lookups, int (*fdset)(void *, fd_set *, fd_set *, fd_set *, int *));

#endif
