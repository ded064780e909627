#ifndef FERRY_LIBRARY_H
#define FERRY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns a symbol that the process has loaded, or else one of `library`, which is loaded if necessary.
void *ferry_symbol(const char *name, const char *library);

/// A function that is looked up by its name.
typedef struct {
    const char *name;
    void **slot;
} ferry_wanted;

/// Looks up all functions in a library, and returns whether it has each of them.
bool ferry_find_all(void *library, const ferry_wanted *wanted, size_t count);

/// Calls the installed callback for a certificate of a refused chain.
void ferry_tell_refused(void *owner, void *easy, bool is_at_fault, const uint8_t *bytes, size_t length);

/// Calls the installed callback for the beginning of a handshake.
bool ferry_tell_handshake(void *context, int security_level);

/// Returns the libcurl in use, through which the functions of the OpenSSL that it depends on are found: a process may
/// contain a second OpenSSL. Returns NULL if it is not `libcurl.so.4`.
void *ferry_curl_library(void);

/// Begins a turn of the engine that the current thread runs, in which connections over TLS are read for a limited time.
void ferry_begin_reading(void);

/// Limits how long the connections of a new `SSL_CTX` are read in one turn of an engine, if that is possible.
void ferry_limit_reading(void *context);

// The stable ABI of zlib 1.x.
typedef struct {
    const uint8_t *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *msg;
    void *state;
    void *zalloc;
    void *zfree;
    void *opaque;
    int data_type;
    unsigned long adler;
    unsigned long reserved;
} ferry_zlib_stream;

#endif
