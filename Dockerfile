# A server for one model: docker build -t fofe . && docker run -p 127.0.0.1:8000:8000 -v "$PWD/runs/tiny/model:/model:ro" fofe
FROM python:3.12-slim AS build
WORKDIR /build
RUN python -m venv /opt/fofe
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY src ./src
RUN /opt/fofe/bin/pip install --no-cache-dir -c constraints.txt '.[serve]'

FROM python:3.12-slim
RUN useradd --system --uid 10001 fofe
COPY --from=build /opt/fofe /opt/fofe
# Arrays are small: threads of BLAS cost more than they bring.
ENV PATH=/opt/fofe/bin:$PATH OMP_NUM_THREADS=1 PYTHONUNBUFFERED=1
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["fofe"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000", "--model", "/model"]
