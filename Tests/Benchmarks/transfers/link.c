// A link to a server on this machine: each connection has a rate, a latency in each direction and, if wanted, an end.
//
//     link PORT SERVER-PORT BYTES-PER-SECOND MILLISECONDS [RESET-SECONDS]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int server_port;
static double rate, latency, lifetime;

enum { PIECE = 16384, MOST_UNDER_WAY = 4 << 20 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Bytes that arrive at a time.
struct piece {
    double arrival;
    ssize_t count, sent;
    struct piece *next;
    char bytes[PIECE];
};

struct direction {
    int from, to;
    struct piece *first, *last;
    ssize_t under_way;
    double next_read; // so that the rate holds
    bool is_read, is_closed;
};

static void receive(struct direction *d) {
    while (!d->is_read && d->under_way < MOST_UNDER_WAY && now() >= d->next_read) {
        struct piece *piece = malloc(sizeof *piece);
        if (!piece) exit(1);
        piece->count = recv(d->from, piece->bytes, PIECE, MSG_DONTWAIT);
        if (piece->count <= 0) {
            d->is_read = piece->count == 0 || errno != EAGAIN;
            free(piece);
            return;
        }
        double time = now();
        piece->arrival = time + latency;
        piece->sent = 0;
        piece->next = NULL;
        if (d->last) d->last->next = piece;
        else d->first = piece;
        d->last = piece;
        d->under_way += piece->count;
        // What was not used in the last 20 ms is lost.
        if (d->next_read < time - 0.02) d->next_read = time - 0.02;
        d->next_read += (double)piece->count / rate;
    }
}

static void deliver(struct direction *d) {
    while (d->first && d->first->arrival <= now()) {
        struct piece *piece = d->first;
        ssize_t count = send(d->to, piece->bytes + piece->sent, (size_t)(piece->count - piece->sent),
                             MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0) {
            if (errno != EAGAIN) d->is_closed = true;
            return;
        }
        piece->sent += count;
        d->under_way -= count;
        if (piece->sent < piece->count) continue;
        d->first = piece->next;
        if (!d->first) d->last = NULL;
        free(piece);
    }
    if (d->is_read && !d->first && !d->is_closed) {
        shutdown(d->to, SHUT_WR);
        d->is_closed = true;
    }
}

// Returns the latest time of the next action.
static double next_time(const struct direction *d, double time) {
    if (!d->is_read && d->next_read > now() && d->next_read < time) time = d->next_read;
    if (d->first && d->first->arrival > now() && d->first->arrival < time) time = d->first->arrival;
    return time;
}

static void *carry(void *argument) {
    int client = (int)(long)argument, server = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server_port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct direction up = {.from = client, .to = server}, down = {.from = server, .to = client};
    double end = lifetime > 0 ? now() + lifetime : 1e18;
    if (connect(server, (struct sockaddr *)&address, sizeof address)) down.is_closed = true;
    while (!down.is_closed && now() < end) {
        for (struct direction *d = &up; d; d = d == &up ? &down : NULL) {
            receive(d);
            deliver(d);
        }
        struct pollfd wait[] = {{client, 0, 0}, {server, 0, 0}};
        for (int index = 0; index < 2; index++) {
            const struct direction *in = index ? &down : &up, *out = index ? &up : &down;
            if (!in->is_read && in->under_way < MOST_UNDER_WAY && now() >= in->next_read) wait[index].events |= POLLIN;
            if (out->first && out->first->arrival <= now()) wait[index].events |= POLLOUT;
        }
        double most = next_time(&down, next_time(&up, now() + 1)) - now();
        struct timespec pause = {0, most > 0 ? (long)(most * 1e9) : 0};
        if (pause.tv_nsec >= 1000000000) pause = (struct timespec){1, 0};
        ppoll(wait, 2, &pause, NULL);
    }
    // A connection whose time is over is reset.
    struct linger linger = {now() >= end, 0};
    setsockopt(client, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(client);
    close(server);
    for (struct direction *d = &up; d; d = d == &up ? &down : NULL) {
        while (d->first) {
            struct piece *next = d->first->next;
            free(d->first);
            d->first = next;
        }
    }
    return NULL;
}

int main(int count, char **words) {
    if (count < 5) return 2;
    signal(SIGPIPE, SIG_IGN);
    server_port = atoi(words[2]);
    rate = atof(words[3]);
    latency = atof(words[4]) / 1000;
    lifetime = count > 5 ? atof(words[5]) : 0;
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 128)) return 1;
    for (;;) {
        int client = accept(listener, NULL, NULL);
        pthread_t thread;
        if (client >= 0 && !pthread_create(&thread, NULL, carry, (void *)(long)client)) pthread_detach(thread);
    }
}
