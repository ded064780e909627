#ifndef FERRY_LIBRARY_H
#define FERRY_LIBRARY_H

/// Looks a symbol up in what the process has loaded, then in `library`, which is loaded if need be.
void *ferry_symbol(const char *name, const char *library);

#endif
