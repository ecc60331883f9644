/** What a worker shows of itself: `/metrics` for Prometheus, `/healthz` for whoever asks whether it lives. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { InvalidInputError } from '../domain/errors.ts';
import { VERSION } from './version.ts';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

interface Address {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** @throws {InvalidInputError} naming ATTACHE_METRICS_PORT when the address cannot be had. */
export async function serveMetrics(registry: Registry, { host, port }: Address): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0];
    if (path === '/healthz') {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ status: 'ok', version: VERSION }));
      return;
    }
    if (path !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('a worker serves /metrics and /healthz\n');
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500, { 'content-type': 'text/plain' }).end('the metrics cannot be read\n'),
    );
  });
  await listening(server, { host, port });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function listening(server: Server, { host, port }: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const message = `${host}:${port} cannot be listened on (${error.code ?? error.message}); choose another port`;
      reject(new InvalidInputError([{ path: 'ATTACHE_METRICS_PORT', message }]));
    });
    server.listen({ host, port }, resolve);
  });
}
