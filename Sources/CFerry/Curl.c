#define _GNU_SOURCE
#include "CFerry.h"
#include "Library.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <linux/tcp.h>
#include <unistd.h>

typedef struct {
    int message;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
} curl_message;

typedef struct {
    const void *data;
    size_t length;
    unsigned int flags;
} curl_blob;

typedef ferry_list_node curl_list;

typedef struct {
    int count;
    curl_list **certificates;
} curl_chain;

#define FERRY_LIBCURL "libcurl.so.4"

#define LIBCURL(FUNCTION)                                                                                              \
    FUNCTION(int, curl_global_init, (long))                                                                            \
    FUNCTION(const ferry_version *, curl_version_info, (int))                                                          \
    FUNCTION(void *, curl_easy_init, (void))                                                                           \
    FUNCTION(void, curl_easy_cleanup, (void *))                                                                        \
    FUNCTION(void, curl_easy_reset, (void *))                                                                          \
    FUNCTION(int, curl_easy_pause, (void *, int))                                                                      \
    FUNCTION(const char *, curl_easy_strerror, (int))                                                                  \
    FUNCTION(int, curl_easy_setopt, (void *, int, ...))                                                                \
    FUNCTION(int, curl_easy_getinfo, (void *, int, ...))                                                               \
    FUNCTION(curl_list *, curl_slist_append, (curl_list *, const char *))                                              \
    FUNCTION(void *, curl_multi_init, (void))                                                                          \
    FUNCTION(int, curl_multi_cleanup, (void *))                                                                        \
    FUNCTION(int, curl_multi_setopt, (void *, int, ...))                                                               \
    FUNCTION(int, curl_multi_add_handle, (void *, void *))                                                             \
    FUNCTION(int, curl_multi_remove_handle, (void *, void *))                                                          \
    FUNCTION(int, curl_multi_socket_action, (void *, int, int, int *))                                                 \
    FUNCTION(int, curl_multi_socket_all, (void *, int *))                                                              \
    FUNCTION(int, curl_multi_timeout, (void *, long *))                                                                \
    FUNCTION(curl_message *, curl_multi_info_read, (void *, int *))

static struct {
    LIBCURL(FERRY_MEMBER)
} library;

static char load_error[256];
static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static void *(*find_function)(const char *);

void ferry_use_library(void *(*find)(const char *)) { find_function = find; }

// Returns the shared library that libcurl's functions are from; NULL if it is not `libcurl.so.4`.
static void *curl_library(void) {
    void *file = dlopen(FERRY_LIBCURL, RTLD_NOW | RTLD_NOLOAD);
    if (file == NULL || dlsym(file, "curl_easy_init") != (void *)library.curl_easy_init) return NULL;
    return file;
}

bool ferry_find_beside_curl(const ferry_wanted *wanted, size_t count) {
    const bool is_linked = ferry_has_linked_curl();
    void *file = is_linked ? NULL : curl_library();
    if (!is_linked && file == NULL) return false;
    for (size_t index = 0; index < count; index++) {
        void *symbol = is_linked ? wanted[index].linked : dlsym(file, wanted[index].name);
        if (symbol == NULL) return false;
        *wanted[index].slot = symbol;
    }
    return true;
}

/// Asks libcurl's OpenSSL not to clean up in `exit`, since the threads of sessions still use it then, and would crash.
///
/// This has no effect if OpenSSL has been used before.
static void keep_openssl_until_end(void) {
    const uint64_t no_atexit = 0x00080000;
    int (*init_crypto)(uint64_t, const void *) = NULL;
    const ferry_wanted wanted = {"OPENSSL_init_crypto", FERRY_LINKED(OPENSSL_init_crypto), (void **)&init_crypto};
    // If the function is missing, libcurl is built with another library, such as GnuTLS.
    if (ferry_find_beside_curl(&wanted, 1)) init_crypto(no_atexit, NULL);
}

// How many handles are being cleaned up, and whether the process ends.
static atomic_int cleanups;
static atomic_bool is_ending;

/// Returns whether a handle may be cleaned up, which is the case until `exit` runs the destructors of libraries.
///
/// Cleaning up closes connections. For one that was authenticated with MIT's Kerberos, that library is called, which
/// calls `abort` if its destructors have run.
static bool begin_cleanup(void) {
    atomic_fetch_add(&cleanups, 1);
    if (!atomic_load(&is_ending)) return true;
    atomic_fetch_sub(&cleanups, 1);
    return false;
}

static void end_cleanup(void) { atomic_fetch_sub(&cleanups, 1); }

/// Waits until no handle is being cleaned up, at most for half a second; libraries end after the handlers of `exit`.
static void end_cleanups(void) {
    atomic_store(&is_ending, true);
    for (int waits = 0; waits < 500 && atomic_load(&cleanups) > 0; waits++) usleep(1000);
}

static void load(void) {
    const ferry_wanted wanted[] = {LIBCURL(FERRY_WANTED)};
    for (size_t index = 0; index < sizeof wanted / sizeof *wanted; index++) {
        const ferry_wanted function = wanted[index];
        void *symbol = find_function != NULL ? find_function(function.name)
                                             : ferry_symbol(function.name, function.linked, FERRY_LIBCURL);
        if (symbol == NULL) {
            snprintf(
                load_error, sizeof load_error,
                "libcurl was not found: %s is neither in this process nor in " FERRY_LIBCURL
                " (libcurl 7.80 or later is needed)",
                function.name);
            return;
        }
        *function.slot = symbol;
    }
    keep_openssl_until_end();
    // If there is no memory for the handler, handles are cleaned up while the process ends.
    atexit(end_cleanups);
    const long everything = 3;
    int code = library.curl_global_init(everything);
    if (code != 0) {
        const char *problem = library.curl_easy_strerror(code);
        snprintf(load_error, sizeof load_error, "libcurl could not be initialised: %s", problem);
    }
}

const char *ferry_load(void) {
    pthread_once(&load_once, load);
    return load_error[0] == 0 ? NULL : load_error;
}

const ferry_version *ferry_version_info(void) {
    const int age = 8;
    return library.curl_version_info(age);
}

// MARK: - Easy handles

void *ferry_easy_init(void) { return library.curl_easy_init(); }
void ferry_easy_cleanup(void *easy) {
    if (!begin_cleanup()) return;
    library.curl_easy_cleanup(easy);
    end_cleanup();
}
void ferry_easy_reset(void *easy) { library.curl_easy_reset(easy); }
int ferry_easy_pause(void *easy, int mask) { return library.curl_easy_pause(easy, mask); }
const char *ferry_easy_strerror(int code) { return library.curl_easy_strerror(code); }

int ferry_easy_set_long(void *easy, int option, long value) { return library.curl_easy_setopt(easy, option, value); }
int ferry_easy_set_offset(void *easy, int option, int64_t value) {
    return library.curl_easy_setopt(easy, option, value);
}
int ferry_easy_set_pointer(void *easy, int option, const void *value) {
    return library.curl_easy_setopt(easy, option, value);
}
int ferry_easy_set_blob(void *easy, int option, const void *bytes, size_t length) {
    const unsigned int not_copied = 0;
    curl_blob blob = {bytes, length, not_copied};
    return library.curl_easy_setopt(easy, option, &blob);
}

int ferry_easy_get_long(void *easy, int info, long *value) { return library.curl_easy_getinfo(easy, info, value); }
int ferry_easy_get_offset(void *easy, int info, int64_t *value) { return library.curl_easy_getinfo(easy, info, value); }
int ferry_easy_get_string(void *easy, int info, const char **value) {
    return library.curl_easy_getinfo(easy, info, value);
}

static const curl_chain *certificate_chain(void *easy) {
    enum { CERTINFO = 0x400000 + 34 };
    const curl_chain *chain = NULL;
    return library.curl_easy_getinfo(easy, CERTINFO, &chain) == 0 ? chain : NULL;
}

int ferry_easy_certificate_count(void *easy) {
    const curl_chain *chain = certificate_chain(easy);
    return chain != NULL && chain->certificates != NULL ? chain->count : 0;
}

const char *ferry_easy_certificate_field(void *easy, int index, const char *name) {
    if (index < 0 || index >= ferry_easy_certificate_count(easy)) return NULL;
    size_t length = strlen(name);
    for (const curl_list *line = certificate_chain(easy)->certificates[index]; line != NULL; line = line->next) {
        if (strncmp(line->data, name, length) == 0 && line->data[length] == ':') return line->data + length + 1;
    }
    return NULL;
}

ferry_callbacks ferry_installed;

void ferry_install_callbacks(ferry_callbacks callbacks) { ferry_installed = callbacks; }

void ferry_easy_set_callbacks(void *easy, void *context, void *connections) {
    enum {
        WRITEDATA = 10001, READDATA = 10009, HEADERDATA = 10029, SEEKDATA = 10168, OPENSOCKETDATA = 10164,
        CLOSESOCKETDATA = 10209, RESOLVER_START_DATA = 10273, PREREQDATA = 10313,
        WRITEFUNCTION = 20011, READFUNCTION = 20012, HEADERFUNCTION = 20079, SEEKFUNCTION = 20167,
        OPENSOCKETFUNCTION = 20163, CLOSESOCKETFUNCTION = 20208, RESOLVER_START_FUNCTION = 20272,
        PREREQFUNCTION = 20312
    };
    library.curl_easy_setopt(easy, WRITEFUNCTION, ferry_installed.write);
    library.curl_easy_setopt(easy, WRITEDATA, context);
    library.curl_easy_setopt(easy, HEADERFUNCTION, ferry_installed.header);
    library.curl_easy_setopt(easy, HEADERDATA, context);
    library.curl_easy_setopt(easy, READFUNCTION, ferry_installed.read);
    library.curl_easy_setopt(easy, READDATA, context);
    library.curl_easy_setopt(easy, SEEKFUNCTION, ferry_installed.seek);
    library.curl_easy_setopt(easy, SEEKDATA, context);
    library.curl_easy_setopt(easy, OPENSOCKETFUNCTION, ferry_installed.open);
    library.curl_easy_setopt(easy, OPENSOCKETDATA, context);
    library.curl_easy_setopt(easy, CLOSESOCKETFUNCTION, ferry_installed.close);
    library.curl_easy_setopt(easy, CLOSESOCKETDATA, connections);
    library.curl_easy_setopt(easy, RESOLVER_START_FUNCTION, ferry_installed.resolve);
    library.curl_easy_setopt(easy, RESOLVER_START_DATA, context);
    library.curl_easy_setopt(easy, PREREQFUNCTION, ferry_installed.prerequest);
    library.curl_easy_setopt(easy, PREREQDATA, context);
}

void ferry_easy_watch_trailers(void *easy, void *context) {
    enum { TRAILERDATA = 10284, TRAILERFUNCTION = 20283 };
    library.curl_easy_setopt(easy, TRAILERFUNCTION, ferry_installed.trailers);
    library.curl_easy_setopt(easy, TRAILERDATA, context);
}

bool ferry_add_trailer(void *list, const char *line) {
    curl_list **first = list;
    curl_list *longer = library.curl_slist_append(*first, line);
    if (longer != NULL) *first = longer;
    return longer != NULL;
}

void ferry_easy_watch_progress(void *easy, void *context) {
    enum { NOPROGRESS = 43, XFERINFODATA = 10057, XFERINFOFUNCTION = 20219 };
    library.curl_easy_setopt(easy, XFERINFOFUNCTION, ferry_installed.progress);
    library.curl_easy_setopt(easy, XFERINFODATA, context);
    library.curl_easy_setopt(easy, NOPROGRESS, 0L);
}

static int report_text(void *easy, int type, char *text, size_t size, void *context) {
    enum { TEXT = 0 };
    (void)easy;
    // Nearly all lines are about something else, and begin with another letter.
    if (type == TEXT && size > 0 && memchr("DU[rR", text[0], 5) != NULL) ferry_installed.text(context, text, size);
    return 0;
}

void ferry_easy_watch_text(void *easy, void *context) {
    enum { VERBOSE = 41, DEBUGDATA = 10095, DEBUGFUNCTION = 20094 };
    // Without the function, libcurl would write to standard error.
    if (library.curl_easy_setopt(easy, DEBUGFUNCTION, report_text) != 0) return;
    library.curl_easy_setopt(easy, DEBUGDATA, context);
    library.curl_easy_setopt(easy, VERBOSE, 1L);
}

// MARK: - Sockets

int ferry_socket_port(int descriptor, bool is_remote, char text[FERRY_ADDRESS_SIZE]) {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address;
    socklen_t length = sizeof address;
    memset(&address, 0, sizeof address);
    text[0] = 0;
    int status = is_remote ? getpeername(descriptor, &address.any, &length)
                           : getsockname(descriptor, &address.any, &length);
    if (status != 0) return -1;
    int family = address.any.sa_family;
    if (family != AF_INET && family != AF_INET6) return -1;
    const void *bytes = family == AF_INET ? (const void *)&address.v4.sin_addr : &address.v6.sin6_addr;
    if (inet_ntop(family, bytes, text, FERRY_ADDRESS_SIZE) == NULL) return -1;
    return ntohs(family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

// Returns whether the system has filled the first bytes of the structure, up to an end.
static bool get_info(int descriptor, struct tcp_info *info, size_t end) {
    socklen_t length = sizeof *info;
    memset(info, 0, sizeof *info);
    return getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, info, &length) == 0 && length >= end;
}

int64_t ferry_socket_acknowledged(int descriptor, uint32_t *milliseconds, int *waiting) {
    struct tcp_info info;
    const size_t end = offsetof(struct tcp_info, tcpi_bytes_acked) + sizeof info.tcpi_bytes_acked;
    if (!get_info(descriptor, &info, end) || ioctl(descriptor, TIOCOUTQ, waiting) != 0) return -1;
    *milliseconds = info.tcpi_last_ack_recv;
    // A peer that reads nothing continues to acknowledge the probes of its closed window, which are not data. If it has
    // acknowledged all data, it has done so within a round trip after the last.
    uint32_t trip = info.tcpi_rtt / 1000, sent = info.tcpi_last_data_sent;
    if (info.tcpi_unacked == 0 && sent > trip && sent - trip > *milliseconds) *milliseconds = sent - trip;
    return (int64_t)(info.tcpi_bytes_acked & INT64_MAX);
}

bool ferry_socket_is_unanswered(int descriptor) {
    struct tcp_info info;
    enum { CONNECTING = 2 };
    return get_info(descriptor, &info, offsetof(struct tcp_info, tcpi_unacked))
        && (info.tcpi_retransmits > (info.tcpi_state == CONNECTING ? 0 : 1) || info.tcpi_probes > 1);
}

int64_t ferry_socket_received(int descriptor) {
    struct tcp_info info;
    const size_t end = offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received;
    if (!get_info(descriptor, &info, end)) return -1;
    return (int64_t)(info.tcpi_bytes_received & INT64_MAX);
}

// MARK: - Multi handles

void *ferry_multi_init(void) { return library.curl_multi_init(); }
void ferry_multi_cleanup(void *multi) {
    if (!begin_cleanup()) return;
    library.curl_multi_cleanup(multi);
    end_cleanup();
}
int ferry_multi_set_long(void *multi, int option, long value) {
    return library.curl_multi_setopt(multi, option, value);
}
int ferry_multi_add(void *multi, void *easy) { return library.curl_multi_add_handle(multi, easy); }
int ferry_multi_remove(void *multi, void *easy) { return library.curl_multi_remove_handle(multi, easy); }
int ferry_multi_watch(void *multi, ferry_socket_watch *watch) {
    enum { SOCKETDATA = 10002, SOCKETFUNCTION = 20001 };
    return library.curl_multi_setopt(multi, SOCKETFUNCTION, ferry_watch_change)
        | library.curl_multi_setopt(multi, SOCKETDATA, watch);
}

int64_t ferry_multi_timeout(void *multi) {
    long timeout = -1;
    return library.curl_multi_timeout(multi, &timeout) == 0 ? timeout : -1;
}

void ferry_multi_perform(void *multi, ferry_socket_watch *watch, bool examines_all) {
    int running = 0, socket = -1, what = 0, count = 0;
    ferry_begin_reading();
    while ((what = ferry_watch_next(watch, &socket)) != 0) {
        if (!examines_all) library.curl_multi_socket_action(multi, socket, what, &running);
        count++;
    }
    const int no_socket = -1;
    if (examines_all) library.curl_multi_socket_all(multi, &running);
    // The timers include those of transfers that have been added or resumed.
    else if (count == 0) library.curl_multi_socket_action(multi, no_socket, 0, &running);
}

void ferry_multi_perform_quietly(void *multi, ferry_socket_watch *watch) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigemptyset(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ferry_multi_perform(multi, watch, false);
    if (sigismember(&before, SIGPIPE)) return;
    const struct timespec at_once = {0, 0};
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE)) sigtimedwait(&pipe, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool ferry_multi_next_finished(void *multi, void **easy, int *code) {
    const int done = 1;
    int left = 0;
    for (;;) {
        const curl_message *message = library.curl_multi_info_read(multi, &left);
        if (message == NULL) return false;
        if (message->message != done) continue;
        *easy = message->easy;
        *code = message->data.result;
        return true;
    }
}
