#ifndef CBUILD_H
#define CBUILD_H

/// The commit that the program was built from, with `-dirty` where the tree differed from it; `unknown` where the build was not told.
const char *cbuild_commit(void);

#endif
