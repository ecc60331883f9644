/** Who is signed in. Null: nobody, and a key is needed. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { createAsk, Refused, type Ask } from '../api/ask.ts';
import { endSession, openSession, readSession } from '../api/session.ts';

const KEY = ['session'];

export function useSession() {
  const queries = useQueryClient();
  const [hasEnded, setHasEnded] = useState(false);
  const ask = useMemo<Ask>(() => {
    const onSignedOut = () => {
      if (queries.getQueryData(KEY) != null) setHasEnded(true);
      queries.setQueryData(KEY, null);
    };
    return createAsk({ onSignedOut });
  }, [queries]);
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
  // Nothing that was read as somebody is left for the next; the session itself is still looked at.
  const forgetReads = () => queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  return {
    ask,
    session,
    /** Nobody is signed in any more, and nobody has signed out. */
    hasEnded,
    signIn: async (secret: string, person: string) => {
      await openSession(ask, { secret, person });
      forgetReads();
      await queries.invalidateQueries({ queryKey: KEY });
    },
    signOut: async () => {
      await endSession(ask);
      forgetReads();
      setHasEnded(false);
      queries.setQueryData(KEY, null);
    },
  };
}
