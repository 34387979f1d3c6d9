#include "CFuzzer.h"

// libFuzzer's own main function asks for this name and is linked in beside ours, which is the one that runs.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    (void)bytes;
    (void)count;
    return -1;
}
