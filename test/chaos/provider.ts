/** A model's provider as the tests' agents call it, `/{conversation}/{tick}`: slow, and counting who is there at once. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Provider {
  readonly url: string;
  /** Conversations, in the order in which they came, and when, ms since 1970. */
  readonly arrivals: readonly { readonly name: string; readonly at: number }[];
  readonly mostAtOnce: number;
  close(): Promise<void>;
}

/** @param answersInMs each call is answered after so long, with nothing to say. */
export async function startProvider(answersInMs: number): Promise<Provider> {
  const arrivals: { name: string; at: number }[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    arrivals.push({ name: request.url?.split('/')[1] ?? '', at: Date.now() });
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    response.once('close', () => (atOnce -= 1));
    setTimeout(() => response.end(), answersInMs);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    get mostAtOnce() {
      return mostAtOnce;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
