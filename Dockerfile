FROM swift:6.3-bookworm AS build
RUN apt-get -qq update && apt-get -qq -y install --no-install-recommends \
    libssl-dev libpq-dev libcurl4-openssl-dev libnghttp2-dev pkg-config
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product sallyport

FROM debian:bookworm-slim
RUN apt-get -qq update && apt-get -qq -y install --no-install-recommends libssl3 libpq5 libcurl4 libnghttp2-14 ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /var/lib/sallyport --create-home sallyport
WORKDIR /usr/lib/sallyport
COPY --from=build /src/.build/release/sallyport ./sallyport
COPY migrations migrations
COPY public public
USER sallyport
ENTRYPOINT ["/usr/lib/sallyport/sallyport"]
CMD ["serve"]
