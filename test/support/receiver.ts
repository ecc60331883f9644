/** An endpoint of outgoing webhooks: a real HTTP server that answers what a test tells it to, and remembers what it got. */
import type { IncomingHttpHeaders } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { simulatorServer } from '../../src/channels/simulated/simulator-http.ts';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
/** `drop`: read, then the connection is cut; `silence`: never answered; `upgrade`: answered by another protocol. */
export type Answering =
  { readonly status: number; readonly headers?: Record<string, string> } | 'drop' | 'silence' | 'upgrade';

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** The next answers, in order; the last one stays. */
  answer(...answers: Answering[]): void;
  close(): Promise<void>;
}

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let answers: Answering[] = [{ status: 204 }];
  const server = simulatorServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      const [next = { status: 204 }] = answers.length > 1 ? answers.splice(0, 1) : answers;
      if (next === 'drop') request.socket.destroy();
      else if (next === 'upgrade')
        request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
      else if (next !== 'silence') response.writeHead(next.status, next.headers).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer: (...next) => void (answers = next),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The body, once its signature has been checked. @throws when it does not fit. */
export function opened({ headers, body }: Received, secret = SECRET): Record<string, unknown> {
  return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
}
