#include "CBuild.h"

#ifndef SALLYPORT_COMMIT
#define SALLYPORT_COMMIT "unknown"
#endif

const char *cbuild_commit(void) { return SALLYPORT_COMMIT; }
