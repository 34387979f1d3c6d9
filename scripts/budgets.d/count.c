// Counts what a program asks of the C library: memory, and the calls that carry its requests. Put in front of the library with
// LD_PRELOAD; the counts are in the file that COUNT_FILE names, which whoever watches maps too. It decides nothing: the program
// runs as it does without it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The order is the watcher's, see counters.py.
enum {
    ALLOCATIONS_OWN,
    ALLOCATIONS_LIBPQ,
    ALLOCATIONS_OPENSSL,
    ALLOCATIONS_CURL,
    ALLOCATIONS_NGHTTP2,
    ALLOCATED_BYTES,
    FREES,
    RECV,
    SEND,
    READ,
    WRITE,
    EPOLL_WAIT,
    EPOLL_CTL,
    CLOCK,
    COUNTERS
};

static uint64_t nowhere[COUNTERS];
static uint64_t *counters = nowhere;

static void count(int which, uint64_t by) { __atomic_fetch_add(&counters[which], by, __ATOMIC_RELAXED); }

// Where the code of the libraries is, whose memory is counted apart from the program's own.
static struct {
    uintptr_t start, end;
    int which;
} ranges[16];
static int range_count;

static int note_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    int which = strstr(info->dlpi_name, "libpq.so")       ? ALLOCATIONS_LIBPQ
                : strstr(info->dlpi_name, "libssl.so")    ? ALLOCATIONS_OPENSSL
                : strstr(info->dlpi_name, "libcrypto.so") ? ALLOCATIONS_OPENSSL
                : strstr(info->dlpi_name, "libcurl.so")   ? ALLOCATIONS_CURL
                : strstr(info->dlpi_name, "libnghttp2.so") ? ALLOCATIONS_NGHTTP2
                                                          : -1;
    for (int i = 0; which >= 0 && i < info->dlpi_phnum && range_count < 16; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        ranges[range_count].start = info->dlpi_addr + part->p_vaddr;
        ranges[range_count].end = ranges[range_count].start + part->p_memsz;
        ranges[range_count++].which = which;
    }
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("COUNT_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *map = mmap(NULL, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED) return;
    dl_iterate_phdr(note_library, NULL);
    // Where the kernel lets only parents trace (Yama), strace is no parent.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    counters = map;
}

static void count_allocation(size_t size, void *caller) {
    int which = ALLOCATIONS_OWN;
    for (int i = 0; i < range_count; i++)
        if ((uintptr_t)caller >= ranges[i].start && (uintptr_t)caller < ranges[i].end) which = ranges[i].which;
    count(which, 1);
    count(ALLOCATED_BYTES, size);
}

// MARK: Memory

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

#define CALLER __builtin_return_address(0)

void *malloc(size_t size) {
    count_allocation(size, CALLER);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count_allocation(number * size, CALLER);
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count_allocation(size, CALLER);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count_allocation(size, CALLER);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count_allocation(size, CALLER);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count_allocation(size, CALLER);
    void *memory = __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

void free(void *memory) {
    if (memory) count(FREES, 1);
    __libc_free(memory);
}

// MARK: Calls

#define FORWARD(which, result, name, parameters, arguments)                      \
    result name parameters {                                                     \
        static result(*next) parameters;                                         \
        if (!next) next = (result(*) parameters)dlsym(RTLD_NEXT, #name);         \
        count(which, 1);                                                         \
        return next arguments;                                                   \
    }

FORWARD(RECV, ssize_t, recv, (int socket, void *buffer, size_t size, int flags), (socket, buffer, size, flags))
FORWARD(RECV, ssize_t, recvmsg, (int socket, struct msghdr *message, int flags), (socket, message, flags))
FORWARD(SEND, ssize_t, send, (int socket, const void *buffer, size_t size, int flags), (socket, buffer, size, flags))
FORWARD(SEND, ssize_t, sendmsg, (int socket, const struct msghdr *message, int flags), (socket, message, flags))
FORWARD(READ, ssize_t, read, (int file, void *buffer, size_t size), (file, buffer, size))
FORWARD(WRITE, ssize_t, write, (int file, const void *buffer, size_t size), (file, buffer, size))
FORWARD(WRITE, ssize_t, writev, (int file, const struct iovec *parts, int number), (file, parts, number))
FORWARD(EPOLL_WAIT, int, epoll_wait, (int set, struct epoll_event *events, int size, int timeout),
        (set, events, size, timeout))
FORWARD(EPOLL_CTL, int, epoll_ctl, (int set, int operation, int file, struct epoll_event *event),
        (set, operation, file, event))
FORWARD(CLOCK, int, clock_gettime, (clockid_t clock, struct timespec *time), (clock, time))
