# An image of wrs-verify. A drop is mounted, and needs no network and no right to write:
#
#   docker build -t wrs-verify .
#   docker run --rm --read-only --tmpfs /tmp --network none -v "$PWD/drop:/drop:ro" wrs-verify /drop
#
# The other commands: docker run --rm --entrypoint wrs-hash ...

FROM python:3.13-slim AS build
# Extras, such as [remote] for URLs or [sign,html].
ARG EXTRAS=""
WORKDIR /build
COPY . .
RUN python -m venv /opt/wrs-verify
RUN /opt/wrs-verify/bin/pip install --no-cache-dir --disable-pip-version-check ".${EXTRAS}"

FROM python:3.13-slim
COPY --from=build /opt/wrs-verify /opt/wrs-verify
ENV PATH=/opt/wrs-verify/bin:$PATH PYTHONDONTWRITEBYTECODE=1
# Not where a drop is mounted: a wrs-verify.toml in it is not to be read.
WORKDIR /work
# A number: a cluster that refuses root cannot tell who a name is.
USER 65532:65532
ENTRYPOINT ["wrs-verify"]
