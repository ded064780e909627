#ifndef FERRY_LIBRARY_H
#define FERRY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Looks a symbol up in what the process has loaded, then in `library`, which is loaded if need be.
void *ferry_symbol(const char *name, const char *library);

/// Whether the process has loaded a symbol.
bool ferry_is_loaded(const char *name);

/// Passes a certificate of a refused chain on.
void ferry_tell_refused(void *owner, void *easy, bool is_at_fault, const uint8_t *bytes, size_t length);

/// Tells that a handshake begins.
void ferry_tell_handshake(void *context);

/// The libcurl that is used, by the address of one of its functions.
void *ferry_easy_init_symbol(void);

#endif
