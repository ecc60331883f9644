/** Who is signed in. Null: nobody, and a key is needed. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { createAsk, Refused, type Ask } from '../api/ask.ts';
import { endSession, openSession, readSession } from '../api/session.ts';

const KEY = ['session'];

export function useSession() {
  const queries = useQueryClient();
  const ask = useMemo<Ask>(() => createAsk({ onSignedOut: () => queries.setQueryData(KEY, null) }), [queries]);
  const session = useQuery({
    queryKey: KEY,
    queryFn: async () => {
      try {
        return await readSession(ask);
      } catch (error) {
        if (error instanceof Refused && error.problem.status === 401) return null;
        throw error;
      }
    },
    staleTime: Infinity,
    refetchInterval: false,
  });
  return {
    ask,
    session,
    signIn: async (secret: string, person: string) => {
      await openSession(ask, { secret, person });
      await queries.invalidateQueries({ queryKey: KEY });
    },
    signOut: async () => {
      await endSession(ask);
      // Nothing that was read as somebody is left for the next; the session itself is still looked at.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
      queries.setQueryData(KEY, null);
    },
  };
}
