/**
 * The server's stream of changes, turned into "read this again". It tells what changed, never what it says; so a change
 * costs one read of what is on the screen, and a burst of changes no more than a few a second.
 */
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useServer } from './context.ts';
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

/** Changes that come within this time are read together. */
const GATHER_MS = 150;
const TYPES = [
  ...['run', 'effect', 'act', 'message', 'event', 'conversation', 'switch', 'delivery'],
  ...['investigation', 'bulk', 'reset'],
] as const;
type Type = (typeof TYPES)[number];

/** Which reads a kind of change makes old: the second part of a query's key, after the tenant. */
const CONCERNS: Readonly<Partial<Record<Type, readonly string[]>>> = {
  run: ['runs', 'run', 'timeline', 'stats', 'outcomes', 'calendar', 'agents'],
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

type Hear = (told: ReadonlyMap<Type, readonly Told[]>) => void;
const hearers = new Set<Hear>();

/** For who can do better than read everything again. @returns how to stop. */
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
    const gathered = gather((told) => {
      readAgain(queries, tenant, told);
      for (const hear of hearers) hear(told);
    });
    let isAway = false;
    const close = keepStream(streamAddress, {
      types: TYPES,
      hear: (type, data) => gathered.add(type as Type, toldIn(data)),
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
      gathered.stop();
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

function readAgain(queries: QueryClient, tenant: string, told: ReadonlyMap<Type, readonly Told[]>): void {
  if (told.has('reset')) {
    void queries.invalidateQueries({ queryKey: [tenant] });
    return;
  }
  const kinds = new Set([...told.keys()].flatMap((type) => CONCERNS[type] ?? []));
  const subjects = new Set([...told.values()].flat().map(({ subject }) => subject));
  void queries.invalidateQueries({
    queryKey: [tenant],
    predicate: ({ queryKey: [, kind, about] }) =>
      kinds.has(String(kind)) && (typeof about !== 'string' || subjects.has(about)),
  });
}

function gather(flush: (told: ReadonlyMap<Type, readonly Told[]>) => void) {
  let waiting = new Map<Type, Told[]>();
  let timer: number | undefined;
  return {
    add(type: Type, told: Told): void {
      waiting.set(type, [...(waiting.get(type) ?? []), told]);
      timer ??= window.setTimeout(() => {
        timer = undefined;
        const all = waiting;
        waiting = new Map();
        flush(all);
      }, GATHER_MS);
    },
    stop: () => window.clearTimeout(timer),
  };
}
