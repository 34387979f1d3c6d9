# scripts/release names both bases by digest.
ARG BUILD_BASE=swift:6.3-bookworm
ARG BASE=debian:bookworm-slim

FROM $BUILD_BASE AS build
RUN apt-get -qq update && apt-get -qq -y install --no-install-recommends \
    libssl-dev libpq-dev libcurl4-openssl-dev libnghttp2-dev zlib1g-dev make pkg-config
WORKDIR /src
COPY Makefile Package.swift ./
COPY Sources Sources
COPY Tests Tests
# There is no git tree here.
ARG COMMIT=unknown
RUN make release COMMIT="$COMMIT"

FROM $BASE
RUN apt-get -qq update && apt-get -qq -y install --no-install-recommends libssl3 libpq5 libcurl4 libnghttp2-14 zlib1g ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /var/lib/sallyport --create-home sallyport
WORKDIR /usr/lib/sallyport
COPY LICENSE /usr/share/doc/sallyport/
COPY --from=build /src/.build/release/sallyport ./sallyport
COPY migrations migrations
COPY public public
COPY examples/wallet examples/wallet
# In PATH, for `docker compose exec broker sallyport ...`.
RUN ln -s /usr/lib/sallyport/sallyport /usr/bin/sallyport
USER sallyport
# The administration listener is on loopback, and there is no curl. Alive, not ready: a restart brings no database back.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8444 \
    && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && head -1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["/usr/lib/sallyport/sallyport"]
CMD ["serve"]
