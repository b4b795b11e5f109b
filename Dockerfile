# The image of yardmasterd; deploy/README.md says how to run it.
#
#   docker build -t yardmaster .
#   buildah build --format docker -t yardmaster .       (only this format has health checks)
#
# BASE has to be Debian 12: both stages start from it, so that the programs find the libraries they were linked with.
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BASE} AS builder
# Where the sources lie while they are compiled. For builds that bring a ccache of their own: where it was filled, since precompiled headers
# have this path in them.
ARG SOURCE=/src
WORKDIR ${SOURCE}
# --without-npm: for builds that mount what npm fetches.
ARG INSTALL_OPTIONS
# First what changes least: a layer that caches keep while sources change.
COPY deploy/install-deps.sh deploy/
RUN deploy/install-deps.sh ${INSTALL_OPTIONS}
COPY . .
# For builds that bring a ccache of their own: where it is, and the locale it was filled under, which is part of its keys.
ARG CCACHE_DIR=/var/cache/ccache
ARG LANG
ARG LC_ALL
RUN --mount=type=cache,id=yardmaster-ccache,target=/var/cache/ccache \
    export CCACHE_BASEDIR=${SOURCE} CCACHE_NOHASHDIR=1 CCACHE_STATSLOG=/tmp/ccache-stats.log && \
    cmake --preset release -DYARDMASTER_BUILD_TESTS=OFF -DYARDMASTER_BUILD_BENCH=OFF && \
    cmake --build --preset release && \
    DESTDIR=/out cmake --install build/release --strip && \
    ccache --show-log-stats

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="yardmaster" \
      org.opencontainers.image.description="Triages issues of GitHub and GitCode under rule packs, and says why" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
COPY deploy/install-deps.sh /tmp/install-deps.sh
# The number of the user is fixed: volumes belong to it.
RUN /tmp/install-deps.sh --runtime && \
    rm -rf /tmp/install-deps.sh /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log && \
    groupadd --gid 10001 yardmaster && \
    useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/yardmaster --shell /usr/sbin/nologin yardmaster && \
    install -d -m 0700 -o 10001 -g 10001 /var/lib/yardmaster && \
    install -d -m 0755 /etc/yardmaster
COPY --from=builder /out/ /
COPY LICENSE /usr/local/share/doc/yardmaster/
USER 10001:10001
WORKDIR /var/lib/yardmaster
VOLUME /var/lib/yardmaster
# 8080: webhooks, health, metrics. 9090: gRPC.
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
# Needs no token. A daemon that listens elsewhere or with TLS: set YARD_SERVER and YARD_CA.
HEALTHCHECK --interval=30s --timeout=15s --start-period=30s --retries=3 CMD ["yard", "health", "--quiet"]
# An option given twice counts as given last: what stands behind the image's name comes on top.
ENTRYPOINT ["yardmasterd", "--listen-http", "0.0.0.0:8080", "--listen-grpc", "0.0.0.0:9090", "--data-dir", "/var/lib/yardmaster", "--log-format", "json"]
