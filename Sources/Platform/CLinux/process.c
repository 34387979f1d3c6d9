#define _GNU_SOURCE
#include "CLinuxProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The steps of the child, as reported to the parent.
enum step { STEP_SIGNALS, STEP_SESSION, STEP_USER, STEP_DEATH, STEP_REDIRECT, STEP_CLOSE, STEP_DIRECTORY, STEP_EXEC };

static const char *const step_names[] = {"sigprocmask", "setsid", "setuid", "prctl", "dup2", "close_range", "chdir", "execve"};

struct report {
    int step;
    int code;
};

static void fail(int channel, enum step step) {
    struct report report = {step, errno};
    ssize_t written = write(channel, &report, sizeof report);
    _exit(written == sizeof report ? 127 : 126);
}

// dup2 also when source and target are the same, where dup2 would leave the close-on-exec flag set.
static int redirect(int source, int target) {
    if (source < 0) return 0;
    if (source == target) return fcntl(target, F_SETFD, 0);
    return dup2(source, target) < 0 ? -1 : 0;
}

// Ignored and blocked signals pass through exec; a new program starts with neither.
static int reset_signals(void) {
    for (int number = 1; number < NSIG; number++) {
        if (number != SIGKILL && number != SIGSTOP) (void)signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    return sigprocmask(SIG_SETMASK, &none, NULL);
}

// Runs between fork and exec, so only calls that are safe there; nothing is allocated.
static void become(const struct clinux_spawn_plan *plan, pid_t parent, int channel) {
    if (reset_signals() < 0) fail(channel, STEP_SIGNALS);
    if (plan->new_session && setsid() < 0) fail(channel, STEP_SESSION);
    if (plan->changes_user) {
        if (setgroups(0, NULL) < 0 || setresgid(plan->group, plan->group, plan->group) < 0 ||
            setresuid(plan->user, plan->user, plan->user) < 0)
            fail(channel, STEP_USER);
    }
    // A change of user clears the death signal, hence after it. The parent may have died before; then nobody would send it.
    if (plan->death_signal != 0) {
        if (prctl(PR_SET_PDEATHSIG, plan->death_signal) < 0) fail(channel, STEP_DEATH);
        if (getppid() != parent) _exit(125);
    }
    if (redirect(plan->input, 0) < 0 || redirect(plan->output, 1) < 0 || redirect(plan->error, 2) < 0)
        fail(channel, STEP_REDIRECT);
    if (close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) < 0) fail(channel, STEP_CLOSE);
    if (plan->working_directory != NULL && chdir(plan->working_directory) < 0) fail(channel, STEP_DIRECTORY);
    execve(plan->executable, plan->arguments, plan->environment);
    fail(channel, STEP_EXEC);
}

// Reads the child's report; the channel closes without one when exec succeeds.
static int read_report(int channel, struct report *report) {
    ssize_t got;
    do {
        got = read(channel, report, sizeof *report);
    } while (got < 0 && errno == EINTR);
    return got == sizeof *report;
}

static void reap(pid_t child) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
}

pid_t clinux_spawn(const struct clinux_spawn_plan *plan, int *pidfd, const char **step) {
    int channel[2];
    *step = "pipe2";
    if (pipe2(channel, O_CLOEXEC) < 0) return -1;
    // No handler of this process may run in the child before it has reset them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t parent = getpid();
    *step = "fork";
    pid_t child = fork();
    int code = errno;
    if (child == 0) become(plan, parent, channel[1]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(channel[1]);
    struct report report;
    if (child > 0 && read_report(channel[0], &report)) {
        reap(child);
        child = -1;
        code = report.code;
        *step = step_names[report.step];
    }
    close(channel[0]);
    if (child > 0) {
        *step = "pidfd_open";
        *pidfd = (int)syscall(SYS_pidfd_open, child, 0);
        if (*pidfd < 0) {
            code = errno;
            kill(child, SIGKILL);
            reap(child);
            child = -1;
        }
    }
    if (child < 0) errno = code;
    return child;
}

int clinux_pidfd_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0);
}

int clinux_pidfd_wait(int pidfd, int timeout_milliseconds) {
    struct pollfd entry = {.fd = pidfd, .events = POLLIN};
    return poll(&entry, 1, timeout_milliseconds);
}

int clinux_pidfd_reap(int pidfd, int *was_signal, int *code) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    if (waitid((idtype_t)P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0) return -1;
    *was_signal = info.si_code != CLD_EXITED;
    *code = info.si_status;
    return 0;
}

static sigset_t set_of(uint64_t mask) {
    sigset_t set;
    sigemptyset(&set);
    for (int number = 1; number <= 64; number++) {
        if (mask >> (number - 1) & 1) sigaddset(&set, number);
    }
    return set;
}

int clinux_block_signals(uint64_t mask) {
    sigset_t set = set_of(mask);
    int status = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (status == 0) return 0;
    errno = status;
    return -1;
}

int clinux_signalfd(uint64_t mask) {
    sigset_t set = set_of(mask);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int clinux_signalfd_read(int descriptor) {
    struct signalfd_siginfo info;
    ssize_t got = read(descriptor, &info, sizeof info);
    if (got == sizeof info) return (int)info.ssi_signo;
    return got < 0 && errno != EAGAIN ? -1 : 0;
}

int clinux_signal_thread(int signal) {
    int status = pthread_kill(pthread_self(), signal);
    if (status == 0) return 0;
    errno = status;
    return -1;
}

int clinux_memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

int clinux_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) < 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
