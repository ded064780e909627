// Keeps the descriptors that libcurl opens from child processes.
//
// libcurl before 8.10 makes its socket pairs without FD_CLOEXEC: one for each multi handle, which wakes it, and one for
// each name look-up, on which the resolver's thread reports. Both are found right after they were made, and only
// descriptors that are proven to be libcurl's are changed. A process that another thread starts in the microseconds
// between the two still inherits them.
#ifndef FERRY_INHERITANCE_H
#define FERRY_INHERITANCE_H

#include "CFerry.h"

#include <stdbool.h>
#include <sys/select.h>

/// The name look-ups that the calling thread has begun since it last looked.
typedef struct {
    bool have_begun;
    /// The lowest free descriptor before the first of them.
    int lowest;
} ferry_lookups;

/// Finds the pair that wakes a new multi handle, and closes it on exec.
///
/// `lowest` was the lowest free descriptor before the handle was made. The handle has no transfers yet.
void ferry_close_wake_pair_on_exec(
    void *multi, int lowest, int (*wakeup)(void *),
    int (*poll)(void *, void *, unsigned int, int, int *));

/// Takes note that libcurl is about to look up a name, or to find out that it need not.
void ferry_note_lookup(ferry_lookups *lookups);

/// Finds the pairs of the look-ups that have begun and are not over, and closes them on exec.
void ferry_close_lookups_on_exec(
    void *multi, ferry_lookups *lookups, int (*fdset)(void *, fd_set *, fd_set *, fd_set *, int *));

#endif
