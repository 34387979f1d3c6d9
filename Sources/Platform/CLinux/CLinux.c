#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

uint32_t clinux_epoll_in(void) { return EPOLLIN; }
uint32_t clinux_epoll_out(void) { return EPOLLOUT; }
uint32_t clinux_epoll_rdhup(void) { return EPOLLRDHUP; }
uint32_t clinux_epoll_hup(void) { return EPOLLHUP; }
uint32_t clinux_epoll_err(void) { return EPOLLERR; }
uint32_t clinux_epoll_et(void) { return EPOLLET; }

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int descriptor, uint32_t mask, uint64_t data) {
    struct epoll_event event;
    memset(&event, 0, sizeof event);
    event.events = mask;
    event.data.u64 = data;
    return epoll_ctl(epoll, operation, descriptor, &event);
}

int clinux_epoll_add(int epoll, int descriptor, uint32_t mask, uint64_t data) {
    return control(epoll, EPOLL_CTL_ADD, descriptor, mask, data);
}

int clinux_epoll_modify(int epoll, int descriptor, uint32_t mask, uint64_t data) {
    return control(epoll, EPOLL_CTL_MOD, descriptor, mask, data);
}

int clinux_epoll_remove(int epoll, int descriptor) {
    return control(epoll, EPOLL_CTL_DEL, descriptor, 0, 0);
}

int clinux_epoll_wait(int epoll, struct clinux_event *events, int timeout_milliseconds) {
    struct epoll_event raw[CLINUX_EVENTS_PER_WAIT];
    int count = epoll_wait(epoll, raw, CLINUX_EVENTS_PER_WAIT, timeout_milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -1;
    for (int index = 0; index < count; index++) {
        events[index].data = raw[index].data.u64;
        events[index].mask = raw[index].events;
    }
    return count;
}

uint64_t clinux_poll_readable(const int *descriptors, int count) {
    struct pollfd asked[64];
    uint64_t ready = 0;
    if (count > 64) count = 64;
    for (int index = 0; index < count; index++) asked[index] = (struct pollfd){.fd = descriptors[index], .events = POLLIN};
    if (poll(asked, (nfds_t)count, 0) <= 0) return 0;
    for (int index = 0; index < count; index++)
        if (asked[index].revents != 0) ready |= (uint64_t)1 << index;
    return ready;
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int clinux_eventfd_semaphore(void) { return eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE); }

int clinux_eventfd_add(int descriptor) { return eventfd_write(descriptor, 1); }

int clinux_eventfd_take(int descriptor) {
    eventfd_t count;
    return eventfd_read(descriptor, &count);
}

int clinux_thread_start(pthread_t *thread, const char *name, void *(*body)(void *), void *context) {
    int status = pthread_create(thread, NULL, body, context);
    if (status != 0) return status;
    char short_name[16];
    strncpy(short_name, name, sizeof short_name - 1);
    short_name[sizeof short_name - 1] = 0;
    // The name only helps an operator; a failure to set it is no failure to start.
    (void)pthread_setname_np(*thread, short_name);
    return 0;
}

void clinux_random_fill(void *buffer, size_t count) {
    unsigned char *at = buffer;
    while (count > 0) {
        ssize_t got = getrandom(at, count, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) abort();
        at += got;
        count -= (size_t)got;
    }
}

void clinux_wipe(void *buffer, size_t count) { explicit_bzero(buffer, count); }

const char *clinux_error_name(int number) { return strerrorname_np(number); }

uint64_t clinux_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t clinux_wall_microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + (int64_t)(now.tv_nsec / 1000);
}

int clinux_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int clinux_stream_socket(int family) { return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

ssize_t clinux_send(int socket, const void *bytes, size_t count) { return send(socket, bytes, count, MSG_NOSIGNAL); }

ssize_t clinux_send_two(int socket, const void *first, size_t first_count, const void *second, size_t second_count) {
    struct iovec parts[2] = {
        {.iov_base = (void *)first, .iov_len = first_count},
        {.iov_base = (void *)second, .iov_len = second_count},
    };
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

int clinux_send_datagram(const void *name, size_t name_count, const void *bytes, size_t count, int waits) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (name_count == 0 || name_count >= sizeof address.sun_path) {
        errno = EINVAL;
        return -1;
    }
    memcpy(address.sun_path, name, name_count);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    struct timeval patience = {.tv_sec = 1};
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    // Every byte of an abstract name counts, so its length ends with it.
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + name_count + (address.sun_path[0] == 0 ? 0 : 1));
    ssize_t sent = sendto(descriptor, bytes, count, MSG_NOSIGNAL | (waits ? 0 : MSG_DONTWAIT), (struct sockaddr *)&address, length);
    int code = errno;
    close(descriptor);
    errno = code;
    return sent < 0 ? -1 : 0;
}

int clinux_ignore_sigpipe(void) { return signal(SIGPIPE, SIG_IGN) == SIG_ERR ? -1 : 0; }
