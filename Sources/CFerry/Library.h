#ifndef FERRY_LIBRARY_H
#define FERRY_LIBRARY_H

#include "CFerry.h"

/// The address of a function that the linker has put into the program, or NULL.
///
/// A program that is linked with `-static-executable` contains the libraries, and cannot look up functions by name.
#define FERRY_LINKED(NAME)                                                                                             \
    ({                                                                                                                 \
        extern void NAME(void) __attribute__((weak));                                                                  \
        (void *)NAME;                                                                                                  \
    })

/// Returns whether libcurl is part of the same file as this code, as are the libraries that it depends on.
bool ferry_has_linked_curl(void);

/// Returns a function that the process contains, or else one of `library`, which is loaded if necessary.
#define FERRY_SYMBOL(NAME, LIBRARY) ferry_symbol(#NAME, FERRY_LINKED(NAME), LIBRARY)
void *ferry_symbol(const char *name, void *linked, const char *library);

/// A function that is looked up by its name.
typedef struct {
    const char *name;
    void *linked;
    void **slot;
} ferry_wanted;

// A file lists the functions that it calls in a macro, with the result, the name and the parameters of each. The first
// of these macros makes them members of a structure `library`, and the second one the entries for looking them up.
#define FERRY_MEMBER(RESULT, NAME, PARAMETERS) RESULT(*NAME) PARAMETERS;
#define FERRY_WANTED(RESULT, NAME, PARAMETERS) {#NAME, FERRY_LINKED(NAME), (void **)&library.NAME},

/// Looks up functions of the libraries that libcurl depends on, and returns whether each of them was found.
///
/// A process may contain a second OpenSSL, whose objects must not be mixed with those of libcurl's.
bool ferry_find_beside_curl(const ferry_wanted *wanted, size_t count);

/// The callbacks that `ferry_install_callbacks` has set.
extern ferry_callbacks ferry_installed;

/// Begins a turn of the engine that the current thread runs, in which connections over TLS are read for a limited time.
void ferry_begin_reading(void);

/// Limits how long the connections of a new `SSL_CTX` are read in one turn of an engine, if that is possible.
void ferry_limit_reading(void *context);

#endif
