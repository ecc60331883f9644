/**
 * The server's stream of changes, turned into "read this again". It tells what changed, never what it says; so a change
 * costs one read of what is on the screen, and a burst of changes no more than a few a second.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useServer } from './context.ts';
import { gather, type Gathered } from './gather.ts';
import { keepStream } from './stream.ts';

export type LiveState =
  | { readonly is: 'connecting' | 'live' }
  /** What is shown may be as old as that, in ms. */
  | { readonly is: 'away'; readonly since: number };

/** One change, as the stream tells it. */
export interface Told {
  readonly subject: string | null;
  readonly id?: string;
}

/** What is in view and can be looked up by its subject: the server answers in milliseconds. */
const IN_VIEW_MS = 100;
/** Pages of lists, and all of one run. */
const READ_MS = 250;
/** Sums over everything, which nobody waits for and which cost the most. */
const SUM_MS = 2_000;
const SUMS: ReadonlySet<string> = new Set(['counts', 'stats', 'outcomes', 'calendar', 'agents']);
const TYPES = [
  ...['run', 'effect', 'act', 'message', 'event', 'conversation', 'switch', 'delivery'],
  ...['investigation', 'bulk', 'reset'],
] as const;
type Type = (typeof TYPES)[number];

/** Which reads a kind of change makes old: the second part of a query's key, after the tenant. */
const CONCERNS: Readonly<Partial<Record<Type, readonly string[]>>> = {
  run: ['runs', 'run', 'timeline', 'counts', 'stats', 'outcomes', 'calendar', 'agents'],
  effect: ['timeline', 'run', 'messages'],
  act: ['timeline', 'audit'],
  message: ['messages', 'timeline', 'channels'],
  event: ['timeline', 'events', 'run'],
  conversation: ['run', 'messages', 'conversation'],
  switch: ['switches', 'agents', 'channels', 'runs'],
  delivery: ['deliveries', 'delivery', 'endpoints'],
  investigation: ['investigations', 'investigation'],
  bulk: ['bulk'],
};

type AllTold = Gathered<Type, Told>;
type Hear = (told: AllTold) => Promise<unknown>;
const hearers = new Set<Hear>();

/** For who can do better than read everything again. @param hear done when what was read is there. @returns how to stop. */
export function onTold(hear: Hear): () => void {
  hearers.add(hear);
  return () => hearers.delete(hear);
}

/** Keeps what is shown up to date; answers whether the stream is there. */
export function useLive(): LiveState {
  const { streamAddress, tenant } = useServer();
  const queries = useQueryClient();
  const [state, setState] = useState<LiveState>({ is: 'connecting' });
  useEffect(() => {
    const readers = [
      gather<Type, Told>({ everyMs: IN_VIEW_MS, read: (told) => Promise.all([...hearers].map((hear) => hear(told))) }),
      gather<Type, Told>({
        everyMs: READ_MS,
        read: (told) => readAgain(queries, tenant, told, (kind) => !SUMS.has(kind)),
      }),
      gather<Type, Told>({
        everyMs: SUM_MS,
        read: (told) => readAgain(queries, tenant, told, (kind) => SUMS.has(kind)),
      }),
    ];
    let isAway = false;
    const close = keepStream(streamAddress, {
      types: TYPES,
      hear: (type, data) => {
        if (type === 'reset') void queries.invalidateQueries({ queryKey: [tenant] });
        else for (const reader of readers) reader.add(type as Type, toldIn(data));
      },
      found: () => {
        setState({ is: 'live' });
        if (isAway) void queries.invalidateQueries({ queryKey: [tenant] });
        isAway = false;
      },
      lost: (since) => {
        isAway = true;
        setState((now) => (now.is === 'away' ? now : { is: 'away', since }));
      },
    });
    return () => {
      close();
      for (const reader of readers) reader.stop();
    };
  }, [streamAddress, tenant, queries]);
  return state;
}

function toldIn(data: string): Told {
  try {
    return JSON.parse(data) as Told;
  } catch {
    return { subject: null };
  }
}

function readAgain(
  queries: QueryClient,
  tenant: string,
  told: AllTold,
  isMeant: (kind: string) => boolean,
): Promise<void> {
  const kinds = new Set([...told.keys()].flatMap((type) => CONCERNS[type] ?? []).filter(isMeant));
  const subjects = new Set([...told.values()].flat().map(({ subject }) => subject));
  return queries.invalidateQueries({
    queryKey: [tenant],
    predicate: ({ queryKey: [, kind, about] }) =>
      kinds.has(String(kind)) && (typeof about !== 'string' || subjects.has(about)),
  });
}
