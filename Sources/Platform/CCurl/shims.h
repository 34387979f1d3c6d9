#pragma once

#include <curl/curl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

// curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic, which Swift cannot call: one typed function for
// each kind of argument.

static inline CURLcode shim_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

// The library copies the text; NULL resets the option.
static inline CURLcode shim_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_easy_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_easy_set_transfer(CURL *easy, CURLoption option, size_t (*value)(char *, size_t, size_t, void *)) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode shim_easy_set_seek(CURL *easy, int (*value)(void *, curl_off_t, int)) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode shim_easy_set_open_socket(
    CURL *easy, curl_socket_t (*value)(void *, curlsocktype, struct curl_sockaddr *), void *context
) {
    CURLcode result = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
    return result == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context) : result;
}

// What the library takes for a refusal.
static inline curl_socket_t shim_no_socket(void) { return CURL_SOCKET_BAD; }

// A socket as the library opens one itself.
static inline curl_socket_t shim_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Copies the octets of an IP address in network order; 4, 16, or 0 for an address of another family.
static inline int shim_address(const struct curl_sockaddr *address, uint8_t *octets) {
    switch (address->family) {
    case AF_INET: memcpy(octets, &((const struct sockaddr_in *)&address->addr)->sin_addr, 4); return 4;
    case AF_INET6: memcpy(octets, &((const struct sockaddr_in6 *)&address->addr)->sin6_addr, 16); return 16;
    default: return 0;
    }
}

static inline CURLcode shim_easy_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode shim_easy_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, (char **)value);
}

// The peer's own certificate in PEM; NULL when the library was not told to keep it, and without TLS. The handle owns it.
static inline const char *shim_easy_peer_certificate(CURL *easy) {
    struct curl_certinfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &info) != CURLE_OK || info == NULL || info->num_of_certs < 1) return NULL;
    for (struct curl_slist *line = info->certinfo[0]; line != NULL; line = line->next) {
        if (strncmp(line->data, "Cert:", 5) == 0) return line->data + 5;
    }
    return NULL;
}

static inline CURLMcode shim_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode shim_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode shim_multi_set_socket(CURLM *multi, int (*value)(CURL *, curl_socket_t, int, void *, void *)) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, value);
}

static inline CURLMcode shim_multi_set_timer(CURLM *multi, int (*value)(CURLM *, long, void *)) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, value);
}

// The handle and the result of the next transfer that has ended; NULL when there is none.
static inline CURL *shim_multi_next_done(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

// The number of the loaded library, such as 7.88.1; static.
static inline const char *shim_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }

static inline CURLcode shim_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }
