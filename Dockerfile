# An image of tracecoach, of some 30 MB:
#   docker build -t tracecoach .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/work" tracecoach trace.json
# The first stage builds the program as the wheel has it: all libraries but that of C are linked in. The
# second one has no shell and no package manager.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
	gcc libc6-dev make cmake pkg-config libyajl-dev libsqlite3-dev zlib1g-dev libzstd-dev libpopt-dev \
	libinih-dev libseccomp-dev
COPY . /source
RUN cmake -S /source -B /build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DTC_WHEEL=ON -DTC_USE_ISAL=OFF && \
	cmake --build /build --target tracecoach-wheel-cmd -j "$(nproc)" && \
	strip /build/native/tracecoach

FROM gcr.io/distroless/base-debian12:nonroot
COPY --from=build /build/native/tracecoach /usr/local/bin/
COPY --from=build /source/LICENSE /usr/share/doc/tracecoach/
WORKDIR /work
ENV LANG=C.UTF-8
ENTRYPOINT ["/usr/local/bin/tracecoach"]
