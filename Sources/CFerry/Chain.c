#define _GNU_SOURCE
#include "CFerry.h"
#include "Library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// OpenSSL's functions, from the libraries that libcurl itself depends on: a process may contain a second OpenSSL, whose
// objects must not be mixed with these.
static struct {
    int (*new_index)(int, long, void *, void *, void *, void *);
    int (*context_mode)(const void *);
    int (*context_level)(const void *);
    void *(*context_callback)(const void *);
    void (*context_set_verify)(void *, int, int (*)(int, void *));
    int (*context_set_data)(void *, int, void *);
    void *(*context_data)(const void *, int);
    void *(*connection_context)(const void *);
    int (*connection_index)(void);
    void *(*store_data)(const void *, int);
    void *(*store_certificate)(const void *);
    void *(*store_chain)(const void *);
    int (*store_depth)(const void *);
    void (*store_set_error)(void *, int);
    void *(*extension)(const void *, int, int *, int *);
    void *(*name_value)(const void *, int *);
    void (*free_names)(void *);
    int (*stack_count)(const void *);
    void *(*stack_item)(const void *, int);
    int (*encode)(const void *, unsigned char **);
    int (*pending)(const void *);
    void (*chosen_protocol)(const void *, const unsigned char **, unsigned int *);
} ssl;

static bool is_available;
static int owner_index;
static int easy_index;
static int names_index;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const ferry_wanted wanted[] = {
        FERRY_WANTED(CRYPTO_get_ex_new_index, ssl.new_index),
        FERRY_WANTED(SSL_CTX_get_verify_mode, ssl.context_mode),
        FERRY_WANTED(SSL_CTX_get_security_level, ssl.context_level),
        FERRY_WANTED(SSL_CTX_get_verify_callback, ssl.context_callback),
        FERRY_WANTED(SSL_CTX_set_verify, ssl.context_set_verify),
        FERRY_WANTED(SSL_CTX_set_ex_data, ssl.context_set_data),
        FERRY_WANTED(SSL_CTX_get_ex_data, ssl.context_data),
        FERRY_WANTED(SSL_get_SSL_CTX, ssl.connection_context),
        FERRY_WANTED(SSL_get_ex_data_X509_STORE_CTX_idx, ssl.connection_index),
        FERRY_WANTED(X509_STORE_CTX_get_ex_data, ssl.store_data),
        FERRY_WANTED(X509_STORE_CTX_get_current_cert, ssl.store_certificate),
        FERRY_WANTED(X509_STORE_CTX_get0_untrusted, ssl.store_chain),
        FERRY_WANTED(X509_STORE_CTX_get_error_depth, ssl.store_depth),
        FERRY_WANTED(X509_STORE_CTX_set_error, ssl.store_set_error),
        FERRY_WANTED(X509_get_ext_d2i, ssl.extension),
        FERRY_WANTED(GENERAL_NAME_get0_value, ssl.name_value),
        FERRY_WANTED(GENERAL_NAMES_free, ssl.free_names),
        FERRY_WANTED(OPENSSL_sk_num, ssl.stack_count),
        FERRY_WANTED(OPENSSL_sk_value, ssl.stack_item),
        FERRY_WANTED(i2d_X509, ssl.encode),
        FERRY_WANTED(SSL_pending, ssl.pending),
        FERRY_WANTED(SSL_get0_alpn_selected, ssl.chosen_protocol),
    };
    if (!ferry_find_beside_curl(wanted, sizeof wanted / sizeof *wanted)) return;
    const int of_contexts = 1;
    owner_index = ssl.new_index(of_contexts, 0, NULL, NULL, NULL, NULL);
    easy_index = ssl.new_index(of_contexts, 0, NULL, NULL, NULL, NULL);
    names_index = ssl.new_index(of_contexts, 0, NULL, NULL, NULL, NULL);
    is_available = owner_index >= 0 && easy_index >= 0 && names_index >= 0;
}

static void tell(void *owner, void *easy, bool is_at_fault, const void *certificate) {
    int length = certificate != NULL ? ssl.encode(certificate, NULL) : 0;
    unsigned char *bytes = length > 0 ? malloc((size_t)length) : NULL;
    if (bytes == NULL) return;
    unsigned char *end = bytes;
    if (ssl.encode(certificate, &end) == length) ferry_installed.refused(owner, easy, is_at_fault, bytes, (size_t)length);
    free(bytes);
}

/// Whether a certificate has a host or an address in its subject alternative name: without one, libcurl compares the
/// common name, which names no host (RFC 9525, section 2).
static bool names_a_host(const void *certificate) {
    enum { subject_alternative_name = 85, dns = 2, address = 7 };
    void *names = ssl.extension(certificate, subject_alternative_name, NULL, NULL);
    bool found = false;
    for (int index = 0; names != NULL && !found && index < ssl.stack_count(names); index++) {
        int type = -1;
        ssl.name_value(ssl.stack_item(names, index), &type);
        found = type == dns || type == address;
    }
    if (names != NULL) ssl.free_names(names);
    return found;
}

// Called for each certificate of a chain, the server's own last, and for a fault.
static int verified(int is_good, void *store) {
    const void *connection = ssl.store_data(store, ssl.connection_index());
    const void *context = connection != NULL ? ssl.connection_context(connection) : NULL;
    void *owner = context != NULL ? ssl.context_data(context, owner_index) : NULL;
    if (owner == NULL) return is_good;
    if (is_good) {
        enum { hostname_mismatch = 62 };
        bool needs_names = ssl.store_depth(store) == 0 && ssl.context_data(context, names_index) != NULL;
        if (!needs_names || names_a_host(ssl.store_certificate(store))) return is_good;
        ssl.store_set_error(store, hostname_mismatch);
        is_good = 0;
    }
    void *easy = ssl.context_data(context, easy_index);
    const void *chain = ssl.store_chain(store);
    int count = chain != NULL ? ssl.stack_count(chain) : 0;
    for (int index = 0; index < count; index++) tell(owner, easy, false, ssl.stack_item(chain, index));
    tell(owner, easy, true, ssl.store_certificate(store));
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
    bool needs_names = transfer == NULL || ferry_installed.handshake((void *)transfer, ssl.context_level(context));
    int mode = ssl.context_mode(context);
    if (mode == 0 || ssl.context_callback(context) != NULL) return 0;
    if (ssl.context_set_data(context, owner_index, owner) == 1 && ssl.context_set_data(context, easy_index, easy) == 1
        && (!needs_names || ssl.context_set_data(context, names_index, owner) == 1)) {
        ssl.context_set_verify(context, mode, verified);
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
    return connection != NULL ? ssl.pending(connection) : 0;
}

bool ferry_easy_has_chosen_http2(void *easy) {
    const void *connection = connection_of(easy);
    const unsigned char *name = NULL;
    unsigned int length = 0;
    if (connection != NULL) ssl.chosen_protocol(connection, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}
