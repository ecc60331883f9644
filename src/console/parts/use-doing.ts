/** One click, one request: what it said, or why not, in a note; and everything it touched is read again. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useServer } from '../api/context.ts';
import { useSay } from '../words/words.ts';
import { notDone, problemText } from './problem-note.tsx';
import { toast } from './toasts.tsx';

export function useDoing() {
  const say = useSay();
  const { tenant } = useServer();
  const queries = useQueryClient();
  const [doing, setDoing] = useState(false);
  const run = async (act: () => Promise<unknown>, said: string): Promise<void> => {
    setDoing(true);
    try {
      await act();
      toast(said);
    } catch (error) {
      toast(`${notDone(say, error)}: ${problemText(say, error)}`);
    }
    setDoing(false);
    await queries.invalidateQueries({ queryKey: [tenant] });
  };
  return { doing, run: (act: () => Promise<unknown>, said: string) => void run(act, said) };
}
