/** One address before several servers, as a deployment has it: what a dead server breaks, the sender sees as a broken connection. */
import { once } from 'node:events';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  readonly url: string;
  /** Answers of servers, by HTTP status. */
  readonly answers: ReadonlyMap<number, number>;
  /** Requests that no server answered: it died, or none was there. */
  readonly broken: number;
  close(): Promise<void>;
}

/** @param living addresses of the servers that are up. */
export async function startBalancer(living: () => readonly string[]): Promise<Balancer> {
  const answers = new Map<number, number>();
  let broken = 0;
  let turn = 0;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const urls = living();
    const url = urls[turn++ % Math.max(1, urls.length)];
    if (url === undefined) throw new Error('no server is up');
    const { method, headers } = request;
    const upstream = ask(`${url}${request.url ?? ''}`, { method, headers });
    // Who hangs up here hangs up there.
    response.once('close', () => upstream.destroy());
    upstream.end(Buffer.concat(body));
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage];
    const status = answer.statusCode ?? 0;
    answers.set(status, (answers.get(status) ?? 0) + 1);
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk as Buffer);
    response.writeHead(status, answer.headers).end(Buffer.concat(chunks));
  }

  const server = createServer((request, response) => {
    pass(request, response).catch(() => {
      // Broken by the sender, or by the server's death.
      if (!response.destroyed) broken += 1;
      request.socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    get broken() {
      return broken;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
