#define _GNU_SOURCE
#include "CSimulation.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static simulated_curl simulated;

void simulation_install(simulated_curl functions) { simulated = functions; }

// MARK: - libcurl's functions

typedef struct {
    int age;
    const char *version;
    unsigned int number;
    const char *host;
    int features;
    const char *tls;
    long tls_number;
    const char *zlib;
    const char *const *protocols;
    // The other fields are zero.
    const void *others[16];
} version_data;

// A version for which Ferry needs no workaround; with TLS and asynchronous lookups, without HTTP/2.
static int global_init(long flags) { (void)flags; return 0; }
static version_data *version_info(int age) {
    static version_data data = {
        .version = "8.17.0", .number = 0x081100, .host = "simulation", .features = 1 << 2 | 1 << 3 | 1 << 7,
        .tls = "Simulation/1.0", .zlib = "1.2.13",
    };
    (void)age;
    return &data;
}
static const char *easy_strerror(int code) { (void)code; return "A simulated failure"; }

static int easy_setopt(void *easy, int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    if (option < 10000) simulated.set_integer(easy, option, va_arg(arguments, long));
    else if (option >= 30000 && option < 40000) simulated.set_integer(easy, option, va_arg(arguments, int64_t));
    else if (option >= 40000) (void)va_arg(arguments, void *);
    else {
        void *value = va_arg(arguments, void *);
        simulated.set_pointer(easy, option, value);
    }
    va_end(arguments);
    return 0;
}

static int easy_getinfo(void *easy, int info, ...) {
    va_list arguments;
    va_start(arguments, info);
    void *result = va_arg(arguments, void *);
    va_end(arguments);
    int64_t value = simulated.get(easy, info);
    switch (info & 0xF00000) {
    case 0x100000: *(const char **)result = (const char *)(intptr_t)value; return 0;
    case 0x200000: *(long *)result = value; return 0;
    case 0x500000: *(int *)result = (int)value; return 0;
    case 0x600000: *(int64_t *)result = value; return 0;
    default: return 43;
    }
}

static void *list_append(void *list, const char *line) { (void)line; return list; }
static int multi_cleanup(void *multi) { simulated.multi_cleanup(multi); return 0; }
static int multi_setopt(void *multi, int option, ...) {
    va_list arguments;
    va_start(arguments, option);
    simulated.multi_set(multi, option, va_arg(arguments, long));
    va_end(arguments);
    return 0;
}
static int multi_remove(void *multi, void *easy) { simulated.multi_remove(multi, easy); return 0; }
static int multi_socket_action(void *multi, int socket, int what, int *running) {
    (void)socket, (void)what;
    simulated.multi_perform(multi);
    *running = 0;
    return 0;
}
static int multi_socket_all(void *multi, int *running) { return multi_socket_action(multi, -1, 0, running); }
static int multi_timeout(void *multi, long *timeout) { (void)multi; *timeout = -1; return 0; }
typedef struct {
    int message;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
} finished_message;

static finished_message *multi_info_read(void *multi, int *left) {
    static _Thread_local finished_message message;
    int code = 0;
    void *easy = simulated.multi_next_finished(multi, &code);
    *left = 0;
    if (easy == NULL) return NULL;
    message.message = 1;
    message.easy = easy;
    message.data.result = code;
    return &message;
}

void *simulation_find(const char *name) {
    const struct {
        const char *name;
        void *function;
    } functions[] = {
        {"curl_global_init", global_init},
        {"curl_version_info", version_info},
        {"curl_easy_init", simulated.easy_init},
        {"curl_easy_cleanup", simulated.easy_cleanup},
        {"curl_easy_reset", simulated.easy_reset},
        {"curl_easy_pause", simulated.easy_pause},
        {"curl_easy_strerror", easy_strerror},
        {"curl_easy_setopt", easy_setopt},
        {"curl_easy_getinfo", easy_getinfo},
        {"curl_slist_append", list_append},
        {"curl_multi_init", simulated.multi_init},
        {"curl_multi_cleanup", multi_cleanup},
        {"curl_multi_setopt", multi_setopt},
        {"curl_multi_add_handle", simulated.multi_add},
        {"curl_multi_remove_handle", multi_remove},
        {"curl_multi_socket_action", multi_socket_action},
        {"curl_multi_socket_all", multi_socket_all},
        {"curl_multi_timeout", multi_timeout},
        {"curl_multi_info_read", multi_info_read},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        if (strcmp(functions[index].name, name) == 0) return functions[index].function;
    }
    return NULL;
}

// MARK: - Ferry's callbacks

struct address {
    int family;
    int socktype;
    int protocol;
    unsigned int length;
    struct sockaddr address;
};

// The socket of a simulated connection is a UDP socket: it has addresses like a TCP socket, and sends no packet.
int simulation_open_socket(void *function, void *context) {
    struct address address = {AF_INET, SOCK_DGRAM, 0, sizeof(struct sockaddr_in), {0}};
    return ((int (*)(void *, int, struct address *))function)(context, 0, &address);
}

int simulation_connect(int descriptor, int port) {
    struct sockaddr_in remote = {.sin_family = AF_INET, .sin_port = htons(port)}, local;
    socklen_t length = sizeof local;
    remote.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    memset(&local, 0, sizeof local);
    if (connect(descriptor, (struct sockaddr *)&remote, sizeof remote) != 0) return -1;
    if (getsockname(descriptor, (struct sockaddr *)&local, &length) != 0) return -1;
    return ntohs(local.sin_port);
}

void simulation_close_socket(void *function, void *context, int descriptor) {
    if (function != NULL) ((int (*)(void *, int))function)(context, descriptor);
    else close(descriptor);
}

size_t simulation_bytes(void *function, const void *bytes, size_t count, void *context) {
    return ((size_t (*)(char *, size_t, size_t, void *))function)((char *)bytes, 1, count, context);
}

int simulation_prerequest(void *function, void *context, int remote_port, int local_port) {
    char remote[] = "127.0.0.1", local[] = "127.0.0.1";
    return ((int (*)(void *, char *, char *, int, int))function)(context, remote, local, remote_port, local_port);
}

int simulation_resolve(void *function, void *context) {
    return ((int (*)(void *, void *, void *))function)(NULL, NULL, context);
}

int simulation_seek(void *function, void *context) {
    return ((int (*)(void *, int64_t, int))function)(context, 0, SEEK_SET);
}

bool simulation_is_shut_down(int descriptor) {
    struct pollfd wait = {descriptor, 0, 0};
    return poll(&wait, 1, 0) == 1 && (wait.revents & (POLLHUP | POLLERR)) != 0;
}

bool simulation_wait(int descriptor, int own) {
    struct pollfd waits[] = {{descriptor, POLLIN, 0}, {own, POLLIN, 0}};
    poll(waits, 2, -1);
    return waits[0].revents != 0;
}

void simulation_fill(void *bytes, size_t count, uint32_t seed) {
    for (size_t index = 0; index < count; index++) {
        ((uint8_t *)bytes)[index] = (uint8_t)((index * 31) ^ (index >> 8) ^ (index >> 16) ^ seed);
    }
}

// MARK: - Threads

/// Returns how often other threads have gone to sleep or lost their processor.
static long other_switches(void) {
    struct rusage all, own;
    getrusage(RUSAGE_THREAD, &own);
    getrusage(RUSAGE_SELF, &all);
    return all.ru_nvcsw + all.ru_nivcsw - own.ru_nvcsw - own.ru_nivcsw;
}

enum { MOST_THREADS = 256 };

/// Whether a thread sleeps. Its file stays open for the next time.
static bool sleeps(long thread) {
    static struct {
        long thread;
        int file;
    } known[MOST_THREADS];
    static int next = 0;
    char path[64], text[256];
    int index = 0;
    while (index < MOST_THREADS && known[index].thread != thread) index++;
    if (index == MOST_THREADS) {
        index = next++ % MOST_THREADS;
        if (known[index].thread != 0) close(known[index].file);
        snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
        known[index].thread = thread;
        known[index].file = open(path, O_RDONLY | O_CLOEXEC);
    }
    ssize_t count = pread(known[index].file, text, sizeof text - 1, 0);
    if (count <= 0) {
        // The thread has ended, or another thread has its number.
        if (known[index].file >= 0) close(known[index].file);
        known[index].thread = 0;
        return false;
    }
    text[count] = 0;
    // The name of the thread, in parentheses, may contain any character.
    const char *state = strrchr(text, ')');
    return state != NULL && state[1] == ' ' && (state[2] == 'S' || state[2] == 'Z' || state[2] == 'X');
}

// A thread that runs wakes others only before it sleeps itself, which changes the number of switches. So if that number
// has not changed while each thread was seen asleep, all of them were asleep at the same time.
static bool others_sleep(void) {
    static DIR *threads;
    // The thread that was last seen awake is checked first.
    static long awake;
    if (awake != 0 && !sleeps(awake)) {
        // It may have ended.
        if (syscall(SYS_tgkill, getpid(), awake, 0) != 0) awake = 0;
        return false;
    }
    const long before = other_switches(), own = syscall(SYS_gettid);
    if (threads == NULL) threads = opendir("/proc/self/task");
    if (threads == NULL) return false;
    rewinddir(threads);
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != own && !sleeps(awake = thread)) return false;
    }
    return other_switches() == before;
}

void simulation_wait_for_others(void) {
    // Otherwise the system lets a short wait take 50 microseconds longer.
    static bool is_exact = false;
    if (!is_exact) prctl(PR_SET_TIMERSLACK, 1);
    is_exact = true;
    static pid_t parent;
    if (parent == 0) parent = getppid();
    // Each check costs as much as a short piece of a thread's work, so the checks become rarer.
    for (long pause = 10000;; pause += pause < 200000 ? pause / 2 : 0) {
        // The tests that have started this process may have been stopped.
        if (getppid() != parent) _exit(1);
        if (others_sleep()) return;
        const struct timespec time = {0, pause};
        nanosleep(&time, NULL);
    }
}
