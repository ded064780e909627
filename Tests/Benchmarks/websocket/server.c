// The server of the WebSocket benchmarks, with a thread for each connection, so that it is not the bottleneck. It
// returns each frame unchanged, without its mask. A request without an upgrade gets a response of one byte that does
// not end, for measuring idle connections. Prints its port.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

enum { CAPACITY = 262144 };

struct connection {
    int socket;
    size_t start, end; // the bytes that were read and not used
    unsigned char bytes[CAPACITY];
};

static int fill(struct connection *c) {
    if (c->start) {
        memmove(c->bytes, c->bytes + c->start, c->end - c->start);
        c->end -= c->start;
        c->start = 0;
    }
    if (c->end == CAPACITY) return 0;
    ssize_t count = read(c->socket, c->bytes + c->end, CAPACITY - c->end);
    if (count <= 0) return 0;
    c->end += count;
    return 1;
}

static int send_all(int socket, const void *bytes, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t count = write(socket, (const char *)bytes + done, length - done);
        if (count <= 0) return 0;
        done += count;
    }
    return 1;
}

// MARK: - The handshake

static uint32_t turned(uint32_t value, int bits) { return value << bits | value >> (32 - bits); }

// Adds a block to a digest (RFC 3174, section 6.1).
static void add_block(uint32_t digest[5], const unsigned char *block) {
    static const uint32_t constants[4] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    uint32_t words[80], a = digest[0], b = digest[1], c = digest[2], d = digest[3], e = digest[4];
    for (int i = 0; i < 80; i++) {
        const unsigned char *four = block + 4 * (i % 16);
        if (i < 16) words[i] = (uint32_t)four[0] << 24 | four[1] << 16 | four[2] << 8 | four[3];
        else words[i] = turned(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
        uint32_t mixed = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        uint32_t next = turned(a, 5) + mixed + e + words[i] + constants[i / 20];
        e = d, d = c, c = turned(b, 30), b = a, a = next;
    }
    digest[0] += a, digest[1] += b, digest[2] += c, digest[3] += d, digest[4] += e;
}

// Writes the value of Sec-WebSocket-Accept for a key of 24 characters (RFC 6455, section 4.2.2).
static void accept_value(const char *key, char text[29]) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t digest[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    unsigned char input[128] = {0}, bytes[21] = {0};
    memcpy(input, key, 24);
    memcpy(input + 24, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", 36);
    input[60] = 0x80; // the end of the 60 bytes; their number of bits is 480
    input[126] = 480 >> 8, input[127] = 480 & 255;
    add_block(digest, input);
    add_block(digest, input + 64);
    for (int i = 0; i < 20; i++) bytes[i] = digest[i / 4] >> (24 - 8 * (i % 4));
    for (int i = 0; i < 7; i++) {
        uint32_t group = bytes[3 * i] << 16 | bytes[3 * i + 1] << 8 | bytes[3 * i + 2];
        for (int j = 0; j < 4; j++) text[4 * i + j] = digits[group >> (18 - 6 * j) & 63];
    }
    text[27] = '=';
    text[28] = 0;
}

// Returns whether the connection is a WebSocket from now on.
static int shake_hands(struct connection *c) {
    char *end;
    do {
        if (!fill(c) || c->end == CAPACITY) return 0;
        c->bytes[c->end] = 0;
    } while (!(end = strstr((char *)c->bytes, "\r\n\r\n")));
    c->start = (unsigned char *)end + 4 - c->bytes;
    char *field = strcasestr((char *)c->bytes, "\r\nSec-WebSocket-Key:");
    if (!field || field > end) {
        static const char hold[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx";
        send_all(c->socket, hold, sizeof hold - 1);
        while (fill(c)) c->start = c->end;
        return 0;
    }
    field += 20;
    field += strspn(field, " ");
    if (end - field < 24) return 0;
    char value[29], response[256];
    accept_value(field, value);
    int length = snprintf(response, sizeof response, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                          "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", value);
    return send_all(c->socket, response, length);
}

// MARK: - Frames

static void unmask(unsigned char *bytes, size_t length, const unsigned char *mask) {
    uint32_t word;
    memcpy(&word, mask, 4);
    uint64_t wide = (uint64_t)word << 32 | word, value;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&value, bytes + i, 8);
        value ^= wide;
        memcpy(bytes + i, &value, 8);
    }
    for (; i < length; i++) bytes[i] ^= mask[i % 4];
}

static void *serve(void *context) {
    struct connection *c = context;
    int is_open = shake_hands(c);
    while (is_open) {
        unsigned char *frame = c->bytes + c->start;
        size_t there = c->end - c->start, length = there < 2 ? 0 : frame[1] & 0x7F;
        size_t head = 6 + (length == 126 ? 2 : length == 127 ? 8 : 0);
        if (there >= head && length >= 126) {
            length = 0;
            for (size_t i = 2; i < head - 4; i++) length = length << 8 | frame[i];
        }
        if (there < head || there - head < length) {
            if (length > CAPACITY - 14) break;
            is_open = fill(c);
            continue;
        }
        unmask(frame + head, length, frame + head - 4);
        // The header without the mask moves to just before the payload.
        memmove(frame + 4, frame, head - 4);
        frame[5] &= 0x7F;
        is_open = send_all(c->socket, frame + 4, head - 4 + length) && (frame[4] & 0x0F) != 8;
        c->start += head + length;
    }
    close(c->socket);
    free(c);
    return NULL;
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)) return 1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 131072);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    for (;;) {
        int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (socket < 0) continue;
        setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct connection *c = malloc(sizeof *c);
        if (!c) return 1;
        c->socket = socket;
        c->start = c->end = 0;
        if (pthread_create(&thread, &attributes, serve, c)) {
            close(socket);
            free(c);
        }
    }
}
