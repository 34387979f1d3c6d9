#pragma once

#include <stdint.h>
#include <sys/types.h>

// What a child process shall be. All pointers are made before the fork and outlive the call.
struct clinux_spawn_plan {
    const char *executable;         // a path; PATH is not searched
    char *const *arguments;         // NULL-terminated, the program's name first
    char *const *environment;       // NULL-terminated
    const char *working_directory;  // NULL keeps the parent's
    int changes_user;               // drops to the ids below, without supplementary groups
    uid_t user;
    gid_t group;
    int new_session;                // setsid
    int death_signal;               // sent to the child when the calling thread ends; 0 for none
    int input;                      // descriptors for 0, 1 and 2; -1 keeps the parent's
    int output;
    int error;
};

// Forks and executes. Returns the process id and stores a pidfd; on failure -1 with the child's errno and, in `step`,
// the name of the call that failed there.
pid_t clinux_spawn(const struct clinux_spawn_plan *plan, int *pidfd, const char **step);

// Signals the process behind a pidfd, also when its number was given to another meanwhile.
int clinux_pidfd_signal(int pidfd, int signal);

// Waits for the end of the process behind a pidfd: 1 when it has ended, 0 when it runs on after the timeout (-1 waits for ever).
int clinux_pidfd_wait(int pidfd, int timeout_milliseconds);
// Collects how an ended process has ended, once: `was_signal` tells whether `code` is a signal's number or an exit code.
int clinux_pidfd_reap(int pidfd, int *was_signal, int *code);

// Blocks the signals of a mask (bit n-1 for signal n) in the calling thread.
int clinux_block_signals(uint64_t mask);
// A non-blocking signalfd for the signals of a mask.
int clinux_signalfd(uint64_t mask);
// The next signal's number, 0 when none waits.
int clinux_signalfd_read(int descriptor);
// Sends a signal to the calling thread alone.
int clinux_signal_thread(int signal);

// An unnamed file in memory.
int clinux_memory_file(const char *name);

// No core of this process is written, and no other process of its user may read its memory or trace it. Programs that it starts write no
// core either, but may be traced.
int clinux_forbid_dumps(void);
