#pragma once

#include <libpq-fe.h>

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
