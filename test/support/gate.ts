/** Where the ticks of {@link import('./gate-agent.ts').gateAgent} wait until the test lets them through. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { simulatorServer } from '../../src/channels/simulated/simulator-http.ts';
import { until } from './until.ts';

export interface Waiting {
  /** Which wake-up of the run. */
  readonly tick: number;
  /** False once the tick has hung up: cancelled, or its worker is dead. */
  isThere(): boolean;
  /** The tick goes on, says this (nothing when empty), and sleeps. */
  pass(text: string): void;
}

export interface Gate {
  readonly url: string;
  /** The `n`th tick, from 1, that came to the gate for this conversation, when it has come. */
  arrival(conversation: string, n: number): Promise<Waiting>;
  arrivals(conversation: string): number;
  close(): Promise<void>;
}

export async function openGate(): Promise<Gate> {
  const waiting = new Map<string, Waiting[]>();
  const server = simulatorServer((request, response) => {
    const [, conversation = '', tick = ''] = (request.url ?? '').split('/');
    waiting.set(conversation, [...(waiting.get(conversation) ?? []), waitingFor(Number(tick), response)]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals: (conversation) => waiting.get(conversation)?.length ?? 0,
    arrival: async (conversation, n) =>
      until(`tick ${n} of conversation ${conversation} at the gate`, () => waiting.get(conversation)?.[n - 1]),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function waitingFor(tick: number, response: ServerResponse): Waiting {
  return { tick, isThere: () => !response.closed, pass: (text) => void response.end(text) };
}

/** Opens when told to: how a test holds whatever is in this process at a place. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
