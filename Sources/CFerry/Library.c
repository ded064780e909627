#define _GNU_SOURCE
#include "Library.h"

#include <dlfcn.h>
#include <stddef.h>

bool ferry_is_loaded(const char *name) { return dlsym(RTLD_DEFAULT, name) != NULL; }

void *ferry_symbol(const char *name, const char *library) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    if (symbol != NULL) return symbol;
    // dlopen counts references, so asking again for each symbol is cheap and needs no state.
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    return handle != NULL ? dlsym(handle, name) : NULL;
}
