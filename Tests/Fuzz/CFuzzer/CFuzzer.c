#define _GNU_SOURCE
#include "CFuzzer.h"
#include <string.h>
#include <time.h>

// libFuzzer's own main function asks for this name and is linked in beside ours, which is the one that runs.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return -1;
}

int64_t readTime(const char *text, const char *form) {
    struct tm parts;
    memset(&parts, 0, sizeof parts);
    const char *end = strptime(text, form, &parts);
    return end && *end == 0 ? (int64_t)timegm(&parts) : -1;
}
