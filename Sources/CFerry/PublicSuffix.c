#include "CFerry.h"
#include "Library.h"

#include <pthread.h>
#include <string.h>

static struct {
    const void *(*builtin)(void);
    int (*is_acceptable)(const void *, const char *, const char *);
    int (*is_suffix)(const void *, const char *);
    const void *list;
} psl;

static pthread_once_t psl_once = PTHREAD_ONCE_INIT;

static void load(void) {
    *(void **)&psl.builtin = FERRY_SYMBOL(psl_builtin, "libpsl.so.5");
    *(void **)&psl.is_acceptable = FERRY_SYMBOL(psl_is_cookie_domain_acceptable, "libpsl.so.5");
    *(void **)&psl.is_suffix = FERRY_SYMBOL(psl_is_public_suffix, "libpsl.so.5");
    if (psl.builtin != NULL) psl.list = psl.builtin();
}

int ferry_cookie_domain_acceptable(const char *host, const char *domain) {
    pthread_once(&psl_once, load);
    if (psl.list == NULL || psl.is_acceptable == NULL || psl.is_suffix == NULL) return -1;
    // libpsl accepts every host for itself, including a public suffix.
    if (strcmp(host, domain) == 0) return psl.is_suffix(psl.list, domain) ? 0 : 1;
    return psl.is_acceptable(psl.list, host, domain) ? 1 : 0;
}
