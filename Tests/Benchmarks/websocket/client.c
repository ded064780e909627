// The lower bound for WebSockets: a client in C over a plain socket, with a buffer for what it reads and one for what
// it sends. Options and output are those of the Swift clients.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static long count = 1, bytes, warm_up;
static const char *work = "", *url = "";
static int descriptor;
static unsigned char input[262144];
static size_t start, end;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static long memory(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long value = 0;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name))) value = atol(line + strlen(name)) * 1024;
    if (file) fclose(file);
    return value;
}

static void send_all(const void *what, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t written = write(descriptor, (const char *)what + done, length - done);
        if (written <= 0) fail("the connection was lost");
        done += written;
    }
}

static void fill(void) {
    memmove(input, input + start, end - start);
    end -= start;
    start = 0;
    ssize_t got = read(descriptor, input + end, sizeof input - end);
    if (got <= 0) fail("the server has ended the connection");
    end += got;
}

static void open_socket(void) {
    int port = 0, on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (sscanf(url, "http://127.0.0.1:%d/", &port) != 1) fail("--url must be one of 127.0.0.1");
    address.sin_port = htons(port);
    descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("there is no connection");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    // The key of RFC 6455, section 1.3, and what follows from it.
    char request[256];
    int length = snprintf(request, sizeof request, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                          "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", port);
    send_all(request, length);
    char *head_end;
    do fill();
    while (!(head_end = memmem(input, end, "\r\n\r\n", 4)));
    start = (unsigned char *)head_end + 4 - input;
    if (!memmem(input, end, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", 28)) fail("the server's handshake is wrong");
}

// Writes the header, the mask and the masked payload of a binary message, and returns the number of bytes.
static size_t make_frame(unsigned char *frame, const unsigned char *payload) {
    size_t head = 2, length = bytes;
    frame[0] = 0x82;
    frame[1] = 0x80 | (length < 126 ? length : length < 65536 ? 126 : 127);
    int size = length < 126 ? 0 : length < 65536 ? 2 : 8;
    for (int i = size - 1; i >= 0; i--) frame[head++] = length >> (8 * i);
    uint32_t mask;
    if (getrandom(&mask, 4, 0) != 4) fail("there are no random numbers");
    memcpy(frame + head, &mask, 4);
    head += 4;
    uint64_t wide = (uint64_t)mask << 32 | mask, value;
    size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        memcpy(&value, payload + i, 8);
        value ^= wide;
        memcpy(frame + head + i, &value, 8);
    }
    for (; i < length; i++) frame[head + i] = payload[i] ^ ((unsigned char *)&mask)[i % 4];
    return head + length;
}

static void receive(const unsigned char *expected) {
    size_t head = 2 + (bytes < 126 ? 0 : bytes < 65536 ? 2 : 8);
    while (end - start < head + bytes) fill();
    if (input[start] != 0x82 || memcmp(input + start + head, expected, bytes)) fail("a message is wrong");
    start += head + bytes;
}

static void *send_messages(void *payload) {
    unsigned char *frame = malloc(bytes + 14);
    for (long i = 0; i < count; i++) send_all(frame, make_frame(frame, payload));
    free(frame);
    return NULL;
}

static void round_trips(long number, unsigned char *frame, const unsigned char *payload) {
    for (long i = 0; i < number; i++) {
        send_all(frame, make_frame(frame, payload));
        receive(payload);
    }
}

int main(int argument_count, char **arguments) {
    for (int i = 1; i + 1 < argument_count; i += 2) {
        if (!strcmp(arguments[i], "--work")) work = arguments[i + 1];
        else if (!strcmp(arguments[i], "--url")) url = arguments[i + 1];
        else if (!strcmp(arguments[i], "--count")) count = atol(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--bytes")) bytes = atol(arguments[i + 1]);
        else if (!strcmp(arguments[i], "--warm-up")) warm_up = atol(arguments[i + 1]);
    }
    int is_stream = !strcmp(work, "echo-stream");
    if (!is_stream && strcmp(work, "echo")) fail("the C client does not support this work");
    if (bytes < 1 || bytes > 131072) fail("--bytes must be from 1 to 131072");
    open_socket();
    unsigned char *payload = malloc(bytes), *frame = malloc(bytes + 14);
    memset(payload, 'a', bytes);
    round_trips(warm_up, frame, payload);
    long start_memory = memory("VmRSS:");
    double wall = now(), processor = cpu();
    if (is_stream) {
        pthread_t sender;
        pthread_create(&sender, NULL, send_messages, payload);
        for (long i = 0; i < count; i++) receive(payload);
        pthread_join(sender, NULL);
    } else round_trips(count, frame, payload);
    wall = now() - wall;
    processor = cpu() - processor;
    printf("{\"count\":%ld,\"wall\":%.9f,\"cpu\":%.9f,\"peakMemory\":%ld,\"startMemory\":%ld,"
           "\"fileMemory\":%ld,\"threads\":%d,\"extras\":{}}\n",
           count, wall, processor, memory("VmHWM:"), start_memory, memory("RssFile:"), is_stream ? 2 : 1);
    return 0;
}
