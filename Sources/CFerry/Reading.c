#define _GNU_SOURCE
#include "Library.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

// Limits how long connections over TLS are read in one turn of an engine.
//
// libcurl reads an HTTP/2 connection until something comes for the request that it looks after, and OpenSSL reads until
// something comes for libcurl. A server that sends nothing but empty frames, or session tickets, as fast as they are
// read would let neither of them return. OpenSSL calls `before` for each of its reads; once the connection's time is
// over, that function makes it look as if nothing more had been received. The rest is read in the next turn.

/// The times in nanoseconds for one connection, for all together, and for each connection after that.
enum { time_of_one = 1000000, time_of_all = 4000000, time_of_late = 100000 };

/// The current turn of the engine that this thread runs.
static _Thread_local struct {
    /// When it began, which also identifies it; 0 for none.
    uint64_t start;
    /// How long connections have been read in it.
    uint64_t spent;
    /// The connection that was read last.
    const void *last;
} turn;

/// The times at which one connection was read.
typedef struct {
    /// The turn in which it was last read.
    uint64_t turn;
    /// When it was first and last read in that turn.
    uint64_t first, last;
} reading;

typedef void (*info_callback)(const void *, int, int);
typedef long (*source_callback)(void *, int, const char *, size_t, int, long, int, size_t *);

#define OPENSSL(FUNCTION)                                                                                              \
    FUNCTION(void, SSL_CTX_set_info_callback, (void *, info_callback))                                                 \
    FUNCTION(info_callback, SSL_CTX_get_info_callback, (const void *))                                                 \
    FUNCTION(void *, SSL_get_rbio, (const void *))                                                                     \
    FUNCTION(void, BIO_set_callback_ex, (void *, source_callback))                                                     \
    FUNCTION(void, BIO_set_callback_arg, (void *, char *))                                                             \
    FUNCTION(char *, BIO_get_callback_arg, (const void *))                                                             \
    FUNCTION(void, BIO_set_flags, (void *, int))                                                                       \
    FUNCTION(void, BIO_clear_flags, (void *, int))

static struct {
    OPENSSL(FERRY_MEMBER)
} library;

static bool is_available;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    const ferry_wanted wanted[] = {OPENSSL(FERRY_WANTED)};
    is_available = ferry_find_beside_curl(wanted, sizeof wanted / sizeof *wanted);
}

static uint64_t now(void) {
    struct timespec time = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void ferry_begin_reading(void) {
    turn.start = now();
    turn.spent = 0;
    turn.last = NULL;
}

/// Whether a connection may be read now: always once in a turn, so that each continues.
static bool may_read(reading *connection) {
    uint64_t time = now();
    bool is_first = connection->turn != turn.start;
    if (is_first) {
        connection->turn = turn.start;
        connection->first = time;
    } else if (turn.last == connection) {
        turn.spent += time - connection->last;
    }
    connection->last = time;
    turn.last = connection;
    return is_first || time - connection->first < (turn.spent < time_of_all ? time_of_one : time_of_late);
}

// Called by OpenSSL before and after each operation on the source of a connection's bytes, and before that is freed.
static long before(
    void *source, int operation, const char *bytes, size_t size, int command, long value, int result, size_t *count
) {
    enum { FREE = 1, READ = 2, IS_READING = 1, RETRY = 8, RETRY_MASK = 15 };
    (void)bytes, (void)size, (void)command, (void)value, (void)count;
    reading *connection = (reading *)(void *)library.BIO_get_callback_arg(source);
    if (operation == FREE) free(connection);
    if (operation != READ || connection == NULL || turn.start == 0 || may_read(connection)) return result;
    library.BIO_clear_flags(source, RETRY_MASK);
    library.BIO_set_flags(source, IS_READING | RETRY);
    return -1;
}

// Called by OpenSSL when a handshake begins, and at other times.
static void began(const void *connection, int moment, int value) {
    enum { HANDSHAKE_START = 0x10 };
    (void)value;
    void *source = (moment & HANDSHAKE_START) != 0 ? library.SSL_get_rbio(connection) : NULL;
    if (source == NULL || library.BIO_get_callback_arg(source) != NULL) return;
    reading *new = calloc(1, sizeof *new);
    if (new == NULL) return;
    library.BIO_set_callback_arg(source, (char *)new);
    library.BIO_set_callback_ex(source, before);
}

void ferry_limit_reading(void *context) {
    pthread_once(&once, load);
    if (!is_available || library.SSL_CTX_get_info_callback(context) != NULL) return;
    library.SSL_CTX_set_info_callback(context, began);
}
