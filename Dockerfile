# An image with wherefrom and everything that its commands can use (extras web, fleet, plot), run by an ordinary user.
#
#   docker build -t wherefrom .
#   docker run --rm -v "$PWD:/work" wherefrom compile --nodes
#
# The build has not been tried where the project is tested: there is no container runtime there. The commands that it
# runs are (tests/install).

FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/wherefrom \
 && /opt/wherefrom/bin/pip install --no-cache-dir '.[web,fleet,plot]' \
 && /opt/wherefrom/bin/python -m compileall -q /opt/wherefrom/lib

FROM python:3.12-slim
# git: `diff --since`, `fleet diff`, `explain --blame`. graphviz: `graph --format svg`. curl: the recipe for GitLab.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates curl git graphviz \
 && rm -rf /var/lib/apt/lists/* \
 # A mounted repository belongs to somebody else; git is only asked to read.
 && git config --system --add safe.directory '*' \
 && useradd --create-home --uid 1000 wherefrom
COPY --from=build /opt/wherefrom /opt/wherefrom
ENV PATH=/opt/wherefrom/bin:$PATH
USER wherefrom
WORKDIR /work
ENTRYPOINT ["wherefrom"]
CMD ["--help"]
