#ifndef FERRY_LIBRARY_H
#define FERRY_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns a symbol that the process has loaded, or else one of `library`, which is loaded if necessary.
void *ferry_symbol(const char *name, const char *library);

/// Whether the process has loaded a symbol.
bool ferry_is_loaded(const char *name);

/// Calls the installed callback for a certificate of a refused chain.
void ferry_tell_refused(void *owner, void *easy, bool is_at_fault, const uint8_t *bytes, size_t length);

/// Calls the installed callback for the beginning of a handshake.
void ferry_tell_handshake(void *context);

/// Returns the address of `curl_easy_init` in the libcurl in use, which identifies it.
void *ferry_easy_init_symbol(void);

#endif
