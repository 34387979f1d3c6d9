#pragma once

// What the C library module of the toolchain lacks: GNU calls, unions, variadic calls and macros.
// Every function returns -1 with errno set on failure unless its comment says otherwise.

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "CLinuxProcess.h"

// epoll_event without the packed union.
struct clinux_event {
    uint64_t data;
    uint32_t mask;
};

// A turn hands out no more before it gives answers to the kernel and looks at what is urgent: a millisecond of work.
#define CLINUX_EVENTS_PER_WAIT 64

// Constants as functions, because the headers define them as enumerators of several types.
uint32_t clinux_epoll_in(void);
uint32_t clinux_epoll_out(void);
uint32_t clinux_epoll_rdhup(void);
uint32_t clinux_epoll_hup(void);
uint32_t clinux_epoll_err(void);
uint32_t clinux_epoll_et(void);

int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int descriptor, uint32_t mask, uint64_t data);
int clinux_epoll_modify(int epoll, int descriptor, uint32_t mask, uint64_t data);
int clinux_epoll_remove(int epoll, int descriptor);
// Fills at most CLINUX_EVENTS_PER_WAIT events; an interrupted wait returns 0.
int clinux_epoll_wait(int epoll, struct clinux_event *events, int timeout_milliseconds);
// Which of at most 64 descriptors can be read or have failed, the first in the lowest bit; 0 also when the kernel refuses.
uint64_t clinux_poll_readable(const int *descriptors, int count);

// Non-blocking counter, and a blocking one that counts down by one per read.
int clinux_eventfd(void);
int clinux_eventfd_semaphore(void);
// Adds one; takes everything, or one from the semaphore.
int clinux_eventfd_add(int descriptor);
int clinux_eventfd_take(int descriptor);

// Starts a joinable thread. Returns 0 or an errno value. The name is cut to 15 bytes.
int clinux_thread_start(pthread_t *thread, const char *name, void *(*body)(void *), void *context);

// Fills a buffer from the kernel's generator. Does not return on failure: there is no safe way on without it.
void clinux_random_fill(void *buffer, size_t count);
// Overwrites memory; the compiler may not drop the write.
void clinux_wipe(void *buffer, size_t count);

// The constant name of an errno value, such as "ECONNRESET"; NULL for an unknown one.
const char *clinux_error_name(int number);

// Nanoseconds of CLOCK_MONOTONIC.
uint64_t clinux_monotonic_nanoseconds(void);
// Microseconds of CLOCK_REALTIME.
int64_t clinux_wall_microseconds(void);

// accept4 with SOCK_NONBLOCK | SOCK_CLOEXEC.
int clinux_accept(int listener, void *address, uint32_t *length);
// socket with SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC.
int clinux_stream_socket(int family);
// send with MSG_NOSIGNAL.
ssize_t clinux_send(int socket, const void *bytes, size_t count);
// Sends two runs of bytes with one call, MSG_NOSIGNAL.
ssize_t clinux_send_two(int socket, const void *first, size_t first_count, const void *second, size_t second_count);

// Sends one datagram to a Unix address and keeps no socket; an abstract name begins with a zero byte. Waits a second for room at most,
// or not at all.
int clinux_send_datagram(const void *name, size_t name_count, const void *bytes, size_t count, int waits);

// Ignores SIGPIPE for the whole process.
int clinux_ignore_sigpipe(void);
