FROM python:3.11-slim AS build
ARG EXTRAS=""
WORKDIR /src
RUN python -m venv /opt/youju
ENV PATH=/opt/youju/bin:$PATH PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY pyproject.toml constraints.txt README.md ./
COPY app app
COPY graphs graphs
COPY prompts prompts
# --build-arg EXTRAS=bge adds the BGE reranker and with it torch
RUN pip install -c constraints.txt ".${EXTRAS:+[$EXTRAS]}"

FROM python:3.11-slim
RUN useradd --uid 10001 --no-create-home --home-dir /data youju && install -d -o youju -g youju /data
COPY --from=build /opt/youju /opt/youju
WORKDIR /srv
COPY examples examples
ENV PATH=/opt/youju/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    HOME=/data YOUJU_HOST=0.0.0.0 YOUJU_PORT=8000 YOUJU_DATA_DIR=/data
USER youju
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD \
    ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:%s/healthz' % os.environ['YOUJU_PORT'], timeout=4)"]
CMD ["youju", "serve"]
