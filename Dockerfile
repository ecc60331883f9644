# One image for `attache server` and `attache worker`. Node 24, not root, the workflow bundle built ahead of time.
FROM node:24.22.3-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY scripts scripts
COPY docs/attache.config.schema.json docs/attache.config.schema.json
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24.22.3-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
RUN mkdir .attache && chown node:node .attache
USER node
EXPOSE 8080
# Of the server. A worker serves nothing: docker-compose.yml switches this off for it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/attache.js"]
CMD ["server"]
