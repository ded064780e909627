#define _GNU_SOURCE
#include "CFerry.h"
#include "Library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// OpenSSL's functions, from the libraries that libcurl itself depends on: a process may contain a second OpenSSL, whose
// objects must not be mixed with these.
#define OPENSSL(FUNCTION)                                                                                              \
    FUNCTION(int, CRYPTO_get_ex_new_index, (int, long, void *, void *, void *, void *))                                \
    FUNCTION(int, SSL_CTX_get_verify_mode, (const void *))                                                             \
    FUNCTION(int, SSL_CTX_get_security_level, (const void *))                                                          \
    FUNCTION(void *, SSL_CTX_get_verify_callback, (const void *))                                                      \
    FUNCTION(void, SSL_CTX_set_verify, (void *, int, int (*)(int, void *)))                                            \
    FUNCTION(int, SSL_CTX_set_ex_data, (void *, int, void *))                                                          \
    FUNCTION(void *, SSL_CTX_get_ex_data, (const void *, int))                                                         \
    FUNCTION(void *, SSL_get_SSL_CTX, (const void *))                                                                  \
    FUNCTION(int, SSL_get_ex_data_X509_STORE_CTX_idx, (void))                                                          \
    FUNCTION(void *, X509_STORE_CTX_get_ex_data, (const void *, int))                                                  \
    FUNCTION(void *, X509_STORE_CTX_get_current_cert, (const void *))                                                  \
    FUNCTION(void *, X509_STORE_CTX_get0_untrusted, (const void *))                                                    \
    FUNCTION(int, X509_STORE_CTX_get_error_depth, (const void *))                                                      \
    FUNCTION(void, X509_STORE_CTX_set_error, (void *, int))                                                            \
    FUNCTION(void *, X509_get_ext_d2i, (const void *, int, int *, int *))                                              \
    FUNCTION(void *, GENERAL_NAME_get0_value, (const void *, int *))                                                   \
    FUNCTION(void, GENERAL_NAMES_free, (void *))                                                                       \
    FUNCTION(int, OPENSSL_sk_num, (const void *))                                                                      \
    FUNCTION(void *, OPENSSL_sk_value, (const void *, int))                                                            \
    FUNCTION(int, i2d_X509, (const void *, unsigned char **))                                                          \
    FUNCTION(int, SSL_pending, (const void *))                                                                         \
    FUNCTION(void, SSL_get0_alpn_selected, (const void *, const unsigned char **, unsigned int *))

static struct {
    OPENSSL(FERRY_MEMBER)
} library;

static bool is_available;
static int owner_index;
static int easy_index;
static int names_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const ferry_wanted wanted[] = {OPENSSL(FERRY_WANTED)};
    if (!ferry_find_beside_curl(wanted, sizeof wanted / sizeof *wanted)) return;
    const int of_contexts = 1;
    owner_index = library.CRYPTO_get_ex_new_index(of_contexts, 0, NULL, NULL, NULL, NULL);
    easy_index = library.CRYPTO_get_ex_new_index(of_contexts, 0, NULL, NULL, NULL, NULL);
    names_index = library.CRYPTO_get_ex_new_index(of_contexts, 0, NULL, NULL, NULL, NULL);
    is_available = owner_index >= 0 && easy_index >= 0 && names_index >= 0;
}

static void tell(void *owner, void *easy, bool is_at_fault, const void *certificate) {
    int length = certificate != NULL ? library.i2d_X509(certificate, NULL) : 0;
    unsigned char *bytes = length > 0 ? malloc((size_t)length) : NULL;
    if (bytes == NULL) return;
    unsigned char *end = bytes;
    if (library.i2d_X509(certificate, &end) == length) {
        ferry_installed.refused(owner, easy, is_at_fault, bytes, (size_t)length);
    }
    free(bytes);
}

/// Whether a certificate has a host or an address in its subject alternative name: without one, libcurl compares the
/// common name, which names no host (RFC 9525, section 2).
static bool names_a_host(const void *certificate) {
    enum { subject_alternative_name = 85, dns = 2, address = 7 };
    void *names = library.X509_get_ext_d2i(certificate, subject_alternative_name, NULL, NULL);
    bool found = false;
    for (int index = 0; names != NULL && !found && index < library.OPENSSL_sk_num(names); index++) {
        int type = -1;
        library.GENERAL_NAME_get0_value(library.OPENSSL_sk_value(names, index), &type);
        found = type == dns || type == address;
    }
    if (names != NULL) library.GENERAL_NAMES_free(names);
    return found;
}

// Called for each certificate of a chain, the server's own last, and for a fault.
static int verified(int is_good, void *store) {
    const void *connection = library.X509_STORE_CTX_get_ex_data(store, library.SSL_get_ex_data_X509_STORE_CTX_idx());
    const void *context = connection != NULL ? library.SSL_get_SSL_CTX(connection) : NULL;
    void *owner = context != NULL ? library.SSL_CTX_get_ex_data(context, owner_index) : NULL;
    if (owner == NULL) return is_good;
    if (is_good) {
        enum { hostname_mismatch = 62 };
        bool needs_names = library.X509_STORE_CTX_get_error_depth(store) == 0
            && library.SSL_CTX_get_ex_data(context, names_index) != NULL;
        if (!needs_names || names_a_host(library.X509_STORE_CTX_get_current_cert(store))) return is_good;
        library.X509_STORE_CTX_set_error(store, hostname_mismatch);
        is_good = 0;
    }
    void *easy = library.SSL_CTX_get_ex_data(context, easy_index);
    const void *chain = library.X509_STORE_CTX_get0_untrusted(store);
    int count = chain != NULL ? library.OPENSSL_sk_num(chain) : 0;
    for (int index = 0; index < count; index++) tell(owner, easy, false, library.OPENSSL_sk_value(chain, index));
    tell(owner, easy, true, library.X509_STORE_CTX_get_current_cert(store));
    return is_good;
}

// Called by libcurl with the new SSL_CTX of an established connection, right before the handshake.
//
// libcurl's own handles for requests to a resolver over HTTPS inherit this function. They have no private pointer.
// Nothing is stored under their addresses, which handles of Ferry may have later.
static int watch(void *easy, void *context, void *owner) {
    ferry_limit_reading(context);
    const int private_pointer = 0x100000 + 21;
    const char *transfer = NULL;
    ferry_easy_get_string(easy, private_pointer, &transfer);
    if (transfer == NULL) easy = NULL;
    int level = library.SSL_CTX_get_security_level(context);
    bool needs_names = transfer == NULL || ferry_installed.handshake((void *)transfer, level);
    int mode = library.SSL_CTX_get_verify_mode(context);
    if (mode == 0 || library.SSL_CTX_get_verify_callback(context) != NULL) return 0;
    if (library.SSL_CTX_set_ex_data(context, owner_index, owner) == 1
        && library.SSL_CTX_set_ex_data(context, easy_index, easy) == 1
        && (!needs_names || library.SSL_CTX_set_ex_data(context, names_index, owner) == 1)) {
        library.SSL_CTX_set_verify(context, mode, verified);
    }
    return 0;
}

bool ferry_easy_watch_handshake(void *easy, void *owner, void *context) {
    enum { PRIVATE = 10103, SSL_CTX_DATA = 10109, SSL_CTX_FUNCTION = 20108 };
    pthread_once(&once, load);
    if (!is_available) return false;
    return ferry_easy_set_pointer(easy, PRIVATE, context) == 0
        && ferry_easy_set_pointer(easy, SSL_CTX_FUNCTION, (void *)watch) == 0
        && ferry_easy_set_pointer(easy, SSL_CTX_DATA, owner) == 0;
}

// Returns OpenSSL's object for the connection of a handle, or NULL.
static const void *connection_of(void *easy) {
    const int tls_pointer = 0x400000 + 45;
    const struct {
        int backend;
        void *internals;
    } *session = NULL;
    pthread_once(&once, load);
    if (!is_available) return NULL;
    ferry_easy_get_string(easy, tls_pointer, (const char **)&session);
    const int openssl = 1;
    return session != NULL && session->backend == openssl ? session->internals : NULL;
}

int ferry_easy_tls_pending(void *easy) {
    const void *connection = connection_of(easy);
    return connection != NULL ? library.SSL_pending(connection) : 0;
}

bool ferry_easy_has_chosen_http2(void *easy) {
    const void *connection = connection_of(easy);
    const unsigned char *name = NULL;
    unsigned int length = 0;
    if (connection != NULL) library.SSL_get0_alpn_selected(connection, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}
