// The least time of a download over several connections: it receives ranges and writes them to a file.
//
//     floor PORT PATH SIZE CONNECTIONS FILE MILLISECONDS
//
// Between two rounds over the connections it waits, so that more arrives for each call of recv.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 64 };

static struct range {
    off_t next, end;
    bool has_head;
} ranges[MOST];
static char buffer[524288];

int main(int words, char **word) {
    if (words < 7) return 2;
    const int count = atoi(word[4]);
    const off_t size = atoll(word[3]);
    const int file = open(word[5], O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0 || count < 1 || count > MOST) return 2;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(word[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    struct pollfd sockets[MOST];
    for (int index = 0; index < count; index++) {
        sockets[index] = (struct pollfd){socket(AF_INET, SOCK_STREAM, 0), POLLIN, 0};
        if (connect(sockets[index].fd, (struct sockaddr *)&address, sizeof address)) return 1;
        ranges[index] = (struct range){size / count * index, index == count - 1 ? size : size / count * (index + 1), false};
        int length = snprintf(buffer, sizeof buffer, "GET %s HTTP/1.1\r\nHost: a\r\nRange: bytes=%lld-%lld\r\n\r\n", word[2],
                              (long long)ranges[index].next, (long long)ranges[index].end - 1);
        if (send(sockets[index].fd, buffer, (size_t)length, 0) != length) return 1;
    }
    const struct timespec pause = {0, atol(word[6]) * 1000000};
    for (int left = count; left > 0;) {
        poll(sockets, (nfds_t)count, -1);
        nanosleep(&pause, NULL);
        for (int index = 0; index < count; index++) {
            struct range *range = &ranges[index];
            if (sockets[index].fd < 0) continue;
            ssize_t length = recv(sockets[index].fd, buffer, sizeof buffer, MSG_DONTWAIT);
            if (length < 0) continue;
            if (length == 0) return 1;
            const char *bytes = buffer;
            if (!range->has_head) {
                const char *end = memmem(buffer, (size_t)length, "\r\n\r\n", 4);
                if (!end) return 1;
                length -= end + 4 - bytes;
                bytes = end + 4;
                range->has_head = true;
            }
            if (pwrite(file, bytes, (size_t)length, range->next) != length) return 1;
            range->next += length;
            if (range->next < range->end) continue;
            close(sockets[index].fd);
            sockets[index].fd = -1;
            left--;
        }
    }
    return 0;
}
