#define _GNU_SOURCE
#include "Library.h"

#include <dlfcn.h>
#include <sys/auxv.h>

bool ferry_has_linked_curl(void) {
    void *function = FERRY_LINKED(curl_easy_init);
    if (function == NULL) return false;
    Dl_info curl, here;
    // A program without a dynamic linker has no other file, and may not know its own.
    if (dladdr(function, &curl) == 0 || dladdr((void *)ferry_has_linked_curl, &here) == 0) return true;
    return curl.dli_fbase == here.dli_fbase;
}

void *ferry_symbol(const char *name, void *linked, const char *library) {
    if (ferry_has_linked_curl()) {
        // Loading a library into a program without a dynamic linker would load a second C library too.
        bool has_dynamic_linker = getauxval(AT_BASE) != 0;
        if (linked != NULL || !has_dynamic_linker) return linked;
    }
    void *symbol = dlsym(RTLD_DEFAULT, name);
    if (symbol != NULL) return symbol;
    // dlopen counts references, so asking again for each symbol is cheap and needs no state.
    void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    return handle != NULL ? dlsym(handle, name) : NULL;
}

bool ferry_find_all(void *library, const ferry_wanted *wanted, size_t count) {
    bool is_linked = library == NULL && ferry_has_linked_curl();
    if (library == NULL && !is_linked) return false;
    for (size_t index = 0; index < count; index++) {
        void *symbol = is_linked ? wanted[index].linked : dlsym(library, wanted[index].name);
        if (symbol == NULL) return false;
        *wanted[index].slot = symbol;
    }
    return true;
}
