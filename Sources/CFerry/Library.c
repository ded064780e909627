#define _GNU_SOURCE
#include "Library.h"

#include <dlfcn.h>
#include <stddef.h>

void *ferry_symbol(const char *name, const char *library) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    if (symbol != NULL) return symbol;
    // dlopen counts references, so asking again for each symbol is cheap and needs no state.
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    return handle != NULL ? dlsym(handle, name) : NULL;
}

bool ferry_find_all(void *library, const ferry_wanted *wanted, size_t count) {
    for (size_t index = 0; index < count; index++) {
        *wanted[index].slot = dlsym(library, wanted[index].name);
        if (*wanted[index].slot == NULL) return false;
    }
    return true;
}
