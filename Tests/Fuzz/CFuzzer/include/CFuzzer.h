// The part of libFuzzer that a program with a main function of its own needs; the toolchain has no header for it.
#ifndef CFUZZER_H
#define CFUZZER_H

#include <stddef.h>
#include <stdint.h>

/// Runs the fuzzer with the arguments of a program; returns its exit status.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*run)(const uint8_t *bytes, size_t count));

/// The seconds since 1970 that a time in a form of `strptime` stands for; -1 where the text is not of that form to its end.
int64_t readTime(const char *text, const char *form);

#endif
