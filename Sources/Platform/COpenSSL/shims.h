#pragma once

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/ocsp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// TLS: macros as functions.

static inline int shim_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}

static inline long shim_SSL_CTX_set_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

static inline long shim_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    return SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int shim_SSL_CTX_set1_groups_list(SSL_CTX *context, const char *list) {
    return (int)SSL_CTX_set1_groups_list(context, list);
}

static inline int shim_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int shim_SSL_set_tlsext_host_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline uint64_t shim_server_options(void) {
    return SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA;
}

static inline uint64_t shim_no_tickets(void) { return SSL_OP_NO_TICKET; }

static inline long shim_session_modes(void) {
    return SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS;
}

// Gives a ticket's MAC its key and digest. The parameter list holds pointers to names, which only C keeps alive.
static inline int shim_set_ticket_mac(EVP_MAC_CTX *context, const unsigned char *key, size_t length) {
    OSSL_PARAM parameters[3];
    parameters[0] = OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (void *)key, length);
    parameters[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0);
    parameters[2] = OSSL_PARAM_construct_end();
    return EVP_MAC_CTX_set_params(context, parameters);
}

// Cryptography: macros, and calls that need C types the callers should not see.

/// Refuses to ask for a passphrase: without it OpenSSL would read one from the terminal.
static inline int shim_no_passphrase(char *buffer, int size, int writing, void *context) {
    (void)buffer, (void)size, (void)writing, (void)context;
    return -1;
}

static inline EVP_PKEY *shim_generate_key(const char *curve) { return EVP_EC_gen(curve); }

/// What a memory buffer holds; valid until the buffer is written to or freed.
static inline ptrdiff_t shim_memory_bytes(BIO *memory, const unsigned char **start) {
    char *bytes = NULL;
    long count = BIO_get_mem_data(memory, &bytes);
    *start = (const unsigned char *)bytes;
    return count > 0 ? (ptrdiff_t)count : 0;
}

/// Sets a serial number from big-endian bytes.
static inline int shim_set_serial(X509 *certificate, const unsigned char *bytes, size_t count) {
    BIGNUM *number = BN_bin2bn(bytes, (int)count, NULL);
    ASN1_INTEGER *serial = number ? BN_to_ASN1_INTEGER(number, NULL) : NULL;
    int set = serial && X509_set_serialNumber(certificate, serial);
    ASN1_INTEGER_free(serial);
    BN_free(number);
    return set;
}

/// Sets both ends of the validity, in seconds since 1970, UTC.
static inline int shim_set_validity(X509 *certificate, int64_t start, int64_t end) {
    return ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)start) != NULL
        && ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)end) != NULL;
}

/// Seconds since 1970, UTC.
static inline int shim_time_seconds(const ASN1_TIME *time, int64_t *seconds) {
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    int days = 0, rest = 0;
    int read = epoch && ASN1_TIME_diff(&days, &rest, epoch, time);
    ASN1_TIME_free(epoch);
    *seconds = (int64_t)days * 86400 + rest;
    return read;
}

static inline int shim_validity(const X509 *certificate, int64_t *start, int64_t *end) {
    return shim_time_seconds(X509_get0_notBefore(certificate), start)
        && shim_time_seconds(X509_get0_notAfter(certificate), end);
}

/// Adds an extension given in the textual form of configuration files.
static inline int shim_add_extension(X509 *issuer, X509 *subject, int identifier, const char *value) {
    X509V3_CTX context = {0};
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, identifier, value);
    int added = extension && X509_add_ext(subject, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

/// Adds an extension by short name or object identifier; one of the latter has its value as `DER:` or `ASN1:`.
static inline int shim_add_named_extension(X509 *issuer, X509 *subject, const char *name, const char *value) {
    X509V3_CTX context = {0};
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, subject, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf(NULL, &context, name, value);
    int added = extension && X509_add_ext(subject, extension, -1);
    X509_EXTENSION_free(extension);
    return added;
}

/// The serial number that an OCSP request names, big-endian in at most 32 bytes; -1 where it does not fit.
static inline int shim_ocsp_serial(OCSP_CERTID *id, unsigned char *bytes) {
    ASN1_INTEGER *serial = NULL;
    if (!OCSP_id_get0_info(NULL, NULL, NULL, &serial, id)) return -1;
    BIGNUM *number = ASN1_INTEGER_to_BN(serial, NULL);
    int count = number && !BN_is_negative(number) && BN_num_bytes(number) <= 32 ? BN_bn2bin(number, bytes) : -1;
    BN_free(number);
    return count;
}

/// Whether an OCSP request means a certificate of an issuer, by either digest that is in use.
static inline int shim_ocsp_is_issuer(OCSP_CERTID *id, const X509 *issuer) {
    const EVP_MD *digests[] = {EVP_sha1(), EVP_sha256()};
    int is_same = 0;
    for (int index = 0; index < 2 && !is_same; index++) {
        OCSP_CERTID *own = OCSP_cert_to_id(digests[index], NULL, issuer);
        is_same = own && OCSP_id_issuer_cmp(id, own) == 0;
        OCSP_CERTID_free(own);
    }
    return is_same;
}

/// Adds the status of a certificate to an OCSP response; times in seconds since 1970, UTC.
static inline int shim_ocsp_add(
    OCSP_BASICRESP *response, OCSP_CERTID *id, int status, int64_t revoked, int64_t start, int64_t end) {
    ASN1_TIME *when = status == V_OCSP_CERTSTATUS_REVOKED ? ASN1_GENERALIZEDTIME_set(NULL, (time_t)revoked) : NULL;
    ASN1_TIME *from = ASN1_GENERALIZEDTIME_set(NULL, (time_t)start);
    ASN1_TIME *to = ASN1_GENERALIZEDTIME_set(NULL, (time_t)end);
    int added = from && to
        && OCSP_basic_add1_status(response, id, status, OCSP_REVOKED_STATUS_UNSPECIFIED, when, from, to) != NULL;
    ASN1_TIME_free(when);
    ASN1_TIME_free(from);
    ASN1_TIME_free(to);
    return added;
}

/// The bytes of the subject's last common name; they belong to the certificate.
static inline ptrdiff_t shim_common_name(const X509 *certificate, const unsigned char **start) {
    X509_NAME *subject = X509_get_subject_name(certificate);
    int last = -1;
    for (int next = -1; (next = X509_NAME_get_index_by_NID(subject, NID_commonName, next)) >= 0;) last = next;
    if (last < 0) return 0;
    const ASN1_STRING *text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, last));
    *start = ASN1_STRING_get0_data(text);
    return ASN1_STRING_length(text);
}

/// The alternative names of a certificate, or NULL; freed by shim_names_free.
static inline GENERAL_NAMES *shim_names(const X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}

static inline void shim_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

static inline int shim_names_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }

/// The bytes of one host name (GEN_DNS) or address (GEN_IPADD); nothing for another kind.
static inline ptrdiff_t shim_names_item(const GENERAL_NAMES *names, int index, int *kind, const unsigned char **start) {
    const GENERAL_NAME *name = sk_GENERAL_NAME_value(names, index);
    *kind = name->type;
    if (name->type != GEN_DNS && name->type != GEN_IPADD) return 0;
    const ASN1_STRING *value = (const ASN1_STRING *)GENERAL_NAME_get0_value(name, NULL);
    *start = ASN1_STRING_get0_data(value);
    return ASN1_STRING_length(value);
}

static inline void shim_free_certificates(STACK_OF(X509) *list) { sk_X509_pop_free(list, X509_free); }

static inline int shim_certificate_count(const STACK_OF(X509) *list) { return sk_X509_num(list); }

/// One certificate of a list; it belongs to the list.
static inline X509 *shim_certificate(const STACK_OF(X509) *list, int index) { return sk_X509_value(list, index); }

/// Every certificate of a PEM text, or NULL where one cannot be read; freed by shim_free_certificates.
static inline STACK_OF(X509) *shim_read_certificates(BIO *memory) {
    STACK_OF(X509) *list = sk_X509_new_null();
    X509 *certificate = NULL;
    while (list && (certificate = PEM_read_bio_X509(memory, NULL, shim_no_passphrase, NULL))) {
        if (sk_X509_push(list, certificate) > 0) continue;
        X509_free(certificate);
        shim_free_certificates(list);
        return NULL;
    }
    // The end of the text shows as the lack of one more beginning.
    unsigned long error = ERR_peek_last_error();
    if (ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE) {
        ERR_clear_error();
        return list;
    }
    shim_free_certificates(list);
    return NULL;
}

/// Until when every certificate of a verified chain is valid, in seconds since 1970, UTC.
static inline int shim_chain_end(X509_STORE_CTX *context, int64_t *end) {
    const STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(context);
    *end = INT64_MAX;
    for (int index = 0; index < sk_X509_num(chain); index++) {
        int64_t seconds = 0;
        if (!shim_time_seconds(X509_get0_notAfter(sk_X509_value(chain, index)), &seconds)) return 0;
        if (seconds < *end) *end = seconds;
    }
    return 1;
}

// Keys of files and signatures over messages (CMS).

/// What a file for PKCS#12 holds; the caller owns all three.
typedef struct {
    EVP_PKEY *key;
    X509 *certificate;
    STACK_OF(X509) *others;
} shim_pkcs12;

/// Opens a PKCS#12 container with the algorithms of a library context. Returns 1, or 0 where it cannot be opened.
static inline int shim_read_pkcs12(OSSL_LIB_CTX *library, BIO *memory, const char *passphrase, shim_pkcs12 *contents) {
    PKCS12 *container = PKCS12_init_ex(NID_pkcs7_data, library, NULL);
    PKCS12 *filled = container ? d2i_PKCS12_bio(memory, &container) : NULL;
    int read = filled && PKCS12_parse(filled, passphrase, &contents->key, &contents->certificate, &contents->others);
    PKCS12_free(filled ? filled : container);
    return read;
}

/// Ends the verification of a signature's chain for any purpose but TLS and mail, at a time in seconds since 1970.
static inline int shim_set_any_purpose(X509_STORE *store, int64_t seconds) {
    X509_VERIFY_PARAM *rules = X509_STORE_get0_param(store);
    if (!X509_STORE_set_purpose(store, X509_PURPOSE_ANY)) return 0;
    X509_VERIFY_PARAM_set_time(rules, (time_t)seconds);
    return 1;
}

// Revocation (OCSP).

/// A list of one certificate, which the list does not own; freed by shim_free_list.
static inline STACK_OF(X509) *shim_list_of(X509 *certificate) {
    STACK_OF(X509) *list = sk_X509_new_null();
    if (list && sk_X509_push(list, certificate) > 0) return list;
    sk_X509_free(list);
    return NULL;
}

static inline void shim_free_list(STACK_OF(X509) *list) { sk_X509_free(list); }

/// The digest of a signature by ECDSA over an answer, as a NID; NID_undef for a signature of another kind.
static inline int shim_ocsp_digest(const OCSP_BASICRESP *answer) {
    const ASN1_OBJECT *algorithm = NULL;
    int digest = NID_undef, key = NID_undef;
    X509_ALGOR_get0(&algorithm, NULL, NULL, OCSP_resp_get0_tbs_sigalg(answer));
    if (!OBJ_find_sigid_algs(OBJ_obj2nid(algorithm), &digest, &key)) return NID_undef;
    return key == NID_X9_62_id_ecPublicKey ? digest : NID_undef;
}

/// Whether one entry of an answer names a certificate by the digest that the entry has chosen: 1, 0, or -1 for a failure.
static inline int shim_ocsp_names(const OCSP_SINGLERESP *entry, const X509 *certificate, const X509 *issuer) {
    ASN1_OBJECT *algorithm = NULL;
    // Only the pointer is not const.
    OCSP_CERTID *named = (OCSP_CERTID *)OCSP_SINGLERESP_get0_id(entry);
    if (!OCSP_id_get0_info(NULL, &algorithm, NULL, NULL, named)) return -1;
    int digest = OBJ_obj2nid(algorithm);
    if (digest != NID_sha1 && digest != NID_sha256 && digest != NID_sha384 && digest != NID_sha512) return 0;
    OCSP_CERTID *own = OCSP_cert_to_id(EVP_get_digestbynid(digest), certificate, issuer);
    if (!own) return -1;
    int same = OCSP_id_cmp(own, named) == 0;
    OCSP_CERTID_free(own);
    return same;
}
