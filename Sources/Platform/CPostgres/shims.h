#pragma once

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Whether ~/.postgresql/root.crt is there, by which libpq verifies servers unless it is told otherwise.
static inline bool shim_has_own_authorities(void) {
    const char *home = getenv("HOME");
    char path[4096];
    if (home == NULL || *home == 0) return false;
    int length = snprintf(path, sizeof path, "%s/.postgresql/root.crt", home);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

// Notices (RAISE NOTICE, "relation already exists, skipping") go to standard error unless somebody takes them.
static void shim_drop_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}

static inline void shim_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, shim_drop_notice, 0);
}

// The fields of an error that are safe to show to an operator are macros of type char.
static inline const char *shim_sqlstate(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *shim_primary_message(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline const char *shim_constraint_name(const PGresult *result) {
    return PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
}
