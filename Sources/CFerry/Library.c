#define _GNU_SOURCE
#include "Library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/auxv.h>

static bool has_linked_curl;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_for_linked_curl(void) {
    void *function = FERRY_LINKED(curl_easy_init);
    if (function == NULL) return;
    Dl_info curl, here;
    // A program without a dynamic linker has no other file, and `dladdr` may not find its own.
    has_linked_curl = dladdr(function, &curl) == 0 || dladdr((void *)look_for_linked_curl, &here) == 0
        || curl.dli_fbase == here.dli_fbase;
}

bool ferry_has_linked_curl(void) {
    pthread_once(&once, look_for_linked_curl);
    return has_linked_curl;
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
