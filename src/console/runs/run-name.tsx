/** Who a run is about: the contact where one is known, else the conversation's id, else the business. */
import { useSay, type Say } from '../words/words.ts';
import type { RunRow } from '../api/shapes.ts';

type Named = Pick<RunRow, 'subject' | 'contact'>;

export function whoOf(say: Say, { subject, contact }: Named): string {
  if (subject === 'business') return say('runs.business');
  const id = subject.slice('conversation/'.length);
  return contact?.name ?? say('runs.conversation', { id });
}

export function Who({ run }: { readonly run: Named }) {
  return useWho(run);
}

export function useWho(run: Named): string {
  return whoOf(useSay(), run);
}
