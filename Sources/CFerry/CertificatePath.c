#define _GNU_SOURCE
#include "CFerry.h"
#include "Library.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <time.h>

// OpenSSL's functions that verify certificate paths, as in OpenSSL 1.1.1 and 3.
#define OPENSSL(FUNCTION)                                                                                              \
    FUNCTION(void *, d2i_X509, (void **, const unsigned char **, long))                                                \
    FUNCTION(void, X509_free, (void *))                                                                                \
    FUNCTION(void *, X509_STORE_new, (void))                                                                           \
    FUNCTION(void, X509_STORE_free, (void *))                                                                          \
    FUNCTION(int, X509_STORE_add_cert, (void *, void *))                                                               \
    FUNCTION(void *, X509_STORE_CTX_new, (void))                                                                       \
    FUNCTION(void, X509_STORE_CTX_free, (void *))                                                                      \
    FUNCTION(int, X509_STORE_CTX_init, (void *, void *, void *, void *))                                               \
    FUNCTION(void, X509_STORE_CTX_set_flags, (void *, unsigned long))                                                  \
    FUNCTION(void, X509_STORE_CTX_set_time, (void *, unsigned long, time_t))                                           \
    FUNCTION(int, X509_STORE_CTX_set_purpose, (void *, int))                                                           \
    FUNCTION(void *, X509_STORE_CTX_get0_param, (const void *))                                                        \
    FUNCTION(void, X509_VERIFY_PARAM_set_auth_level, (void *, int))                                                    \
    FUNCTION(int, X509_STORE_CTX_get_error, (void *))                                                                  \
    FUNCTION(int, X509_verify_cert, (void *))                                                                          \
    FUNCTION(int, X509_check_ca, (void *))                                                                             \
    FUNCTION(void *, X509_get0_pubkey, (const void *))                                                                 \
    FUNCTION(int, X509_get_signature_info, (void *, int *, int *, int *, uint32_t *))                                  \
    FUNCTION(int, X509_verify, (void *, void *))                                                                       \
    FUNCTION(void *, OPENSSL_sk_new_null, (void))                                                                      \
    FUNCTION(int, OPENSSL_sk_push, (void *, const void *))                                                             \
    FUNCTION(void, OPENSSL_sk_free, (void *))                                                                          \
    FUNCTION(void, ERR_clear_error, (void))

static struct {
    OPENSSL(FERRY_MEMBER)
} library;

static pthread_once_t x509_once = PTHREAD_ONCE_INIT;
static bool x509_found;

// All functions must come from one library: two in a process may use the same names and different structures.
static bool find(void *handle, const ferry_wanted *wanted, size_t count) {
    const void *base = NULL;
    for (size_t index = 0; index < count; index++) {
        void *symbol = dlsym(handle, wanted[index].name);
        Dl_info info;
        if (symbol == NULL || dladdr(symbol, &info) == 0) return false;
        if (base != NULL && info.dli_fbase != base) return false;
        base = info.dli_fbase;
        *wanted[index].slot = symbol;
    }
    return true;
}

static void load(void) {
    const ferry_wanted wanted[] = {OPENSSL(FERRY_WANTED)};
    const size_t count = sizeof wanted / sizeof *wanted;
    if (ferry_has_linked_curl()) {
        x509_found = ferry_find_beside_curl(wanted, count);
    } else if (find(RTLD_DEFAULT, wanted, count)) {
        x509_found = true;
    } else {
        void *handle = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
        x509_found = handle != NULL && find(handle, wanted, count);
    }
}

/// Returns whether there is an OpenSSL to verify paths with: that of the process, or else libcrypto.so.3.
static bool is_available(void) {
    pthread_once(&x509_once, load);
    return x509_found;
}

static void *read_certificate(const uint8_t *bytes, size_t length) {
    if (length == 0 || length > LONG_MAX) return NULL;
    const unsigned char *end = bytes;
    void *certificate = library.d2i_X509(NULL, &end, (long)length);
    if (certificate != NULL && end != bytes + length) {
        library.X509_free(certificate);
        return NULL;
    }
    return certificate;
}

// The bits of security that OpenSSL demands of a signature at its levels (SSL_CTX_set_security_level).
static int required_strength(int security_level) {
    static const int bits[] = {0, 80, 112, 128, 192, 256};
    const int highest = sizeof bits / sizeof *bits - 1;
    return bits[security_level < 0 ? 0 : security_level > highest ? highest : security_level];
}

bool ferry_certificate_is_authority(
    const uint8_t *bytes, size_t length, bool is_self_signed, int security_level) {
    if (!is_available()) return false;
    void *certificate = read_certificate(bytes, length);
    if (certificate == NULL) return false;
    // Other results than 1 are for certificates without the extension, which older authorities have.
    bool is_authority = library.X509_check_ca(certificate) == 1;
    if (is_authority && is_self_signed) {
        void *key = library.X509_get0_pubkey(certificate);
        int strength = 0;
        is_authority = key != NULL && library.X509_get_signature_info(certificate, NULL, NULL, &strength, NULL) == 1
            && strength >= required_strength(security_level) && library.X509_verify(certificate, key) == 1;
    }
    library.X509_free(certificate);
    library.ERR_clear_error();
    return is_authority;
}

int ferry_path_verify(
    const uint8_t *bytes, const size_t *lengths, size_t chain_count, size_t anchor_count, bool checks_dates,
    int64_t date, int security_level) {
    enum { partial_chain = 0x80000, no_check_time = 0x200000, purpose_ssl_server = 2 };
    if (!is_available()) return FERRY_PATH_UNAVAILABLE;
    if (chain_count == 0 || anchor_count == 0) return FERRY_PATH_UNREADABLE;
    int verdict = FERRY_PATH_UNREADABLE;
    void *leaf = NULL;
    void *store = library.X509_STORE_new();
    void *context = library.X509_STORE_CTX_new();
    void *others = library.OPENSSL_sk_new_null();
    size_t kept = 0;
    void *owned[FERRY_PATH_LONGEST] = {NULL};
    if (store == NULL || context == NULL || others == NULL || chain_count > FERRY_PATH_LONGEST) goto end;
    for (size_t index = 0; index < chain_count + anchor_count; index++) {
        void *certificate = read_certificate(bytes, lengths[index]);
        bytes += lengths[index];
        if (certificate == NULL) goto end;
        if (index >= chain_count) {
            int added = library.X509_STORE_add_cert(store, certificate);
            library.X509_free(certificate);
            if (added != 1) goto end;
            continue;
        }
        owned[kept++] = certificate;
        if (index == 0) {
            leaf = certificate;
        } else if (library.OPENSSL_sk_push(others, certificate) <= 0) {
            goto end;
        }
    }
    if (library.X509_STORE_CTX_init(context, store, leaf, others) != 1) goto end;
    if (library.X509_STORE_CTX_set_purpose(context, purpose_ssl_server) != 1) goto end;
    // Without the level, OpenSSL accepts keys and signatures of any strength, unlike in a handshake.
    library.X509_VERIFY_PARAM_set_auth_level(library.X509_STORE_CTX_get0_param(context), security_level);
    library.X509_STORE_CTX_set_flags(context, partial_chain | (checks_dates ? 0 : no_check_time));
    if (checks_dates) library.X509_STORE_CTX_set_time(context, 0, (time_t)date);
    int good = library.X509_verify_cert(context);
    int error = library.X509_STORE_CTX_get_error(context);
    verdict = good == 1 && error == 0 ? FERRY_PATH_GOOD : error > 0 ? error : FERRY_PATH_UNREADABLE;
end:
    if (context != NULL) library.X509_STORE_CTX_free(context);
    if (others != NULL) library.OPENSSL_sk_free(others);
    while (kept > 0) library.X509_free(owned[--kept]);
    if (store != NULL) library.X509_STORE_free(store);
    // libcurl reads this thread's error queue too.
    library.ERR_clear_error();
    return verdict;
}
