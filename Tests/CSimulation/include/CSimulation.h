// The functions of libcurl that Ferry uses, for a simulation in Swift, which cannot define functions with variable
// arguments.
#ifndef CSIMULATION_H
#define CSIMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The code of the simulation. An integer that `get` returns for text is its address.
typedef struct {
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *easy);
    void (*easy_reset)(void *easy);
    int (*easy_pause)(void *easy, int mask);
    void (*set_integer)(void *easy, int option, int64_t value);
    void (*set_pointer)(void *easy, int option, void *value);
    int64_t (*get)(void *easy, int info);
    void *(*multi_init)(void);
    void (*multi_cleanup)(void *multi);
    void (*multi_set)(void *multi, int option, long value);
    int (*multi_add)(void *multi, void *easy);
    void (*multi_remove)(void *multi, void *easy);
    void (*multi_perform)(void *multi);
    /// Returns a handle whose transfer has ended, or NULL.
    void *(*multi_next_finished)(void *multi, int *code);
} simulated_curl;

/// Replaces the functions; call it once, before any of them is used.
void simulation_install(simulated_curl functions);

/// Returns the simulated function of a name such as `curl_easy_init`, or NULL.
void *simulation_find(const char *name);

// What the simulation calls back.
int simulation_open_socket(void *function, void *context);
void simulation_close_socket(void *function, void *context, int descriptor);
size_t simulation_bytes(void *function, const void *bytes, size_t count, void *context);
int simulation_prerequest(void *function, void *context, int remote_port, int local_port);
int simulation_resolve(void *function, void *context);
int simulation_seek(void *function, void *context);

/// Whether the socket was shut down.
bool simulation_is_shut_down(int descriptor);

/// Returns the local port of a socket after it has been connected to a port of this host.
int simulation_connect(int descriptor, int port);

/// Waits for one of two descriptors; returns whether the first one is ready.
bool simulation_wait(int descriptor, int own);

/// Fills memory with bytes that differ from their neighbours, fast also without the optimizations of a compiler.
void simulation_fill(void *bytes, size_t count, uint32_t seed);

// MARK: - Threads

/// Waits until all threads of the process but the calling one are asleep at the same moment.
void simulation_wait_for_others(void);

#endif
