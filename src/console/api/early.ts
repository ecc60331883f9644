/**
 * What a page needs first is asked for before there is a page: who is signed in and, where the address is a list of runs,
 * its beginning. Side by side, and ahead of everything else that the page will want to know.
 */
import { filterOf } from '../runs/run-filter.ts';
import { recall } from '../remembered.ts';
import type { Place } from '../place.ts';
import { begin } from './ask.ts';
import { createServer, FIRST_PAGE } from './server.ts';
import { readSession } from './session.ts';

export function askEarly({ path: [top, tenant, screen], query }: Place): void {
  // A panel asks with its token, and for one run.
  if (top === 'embed') return;
  void readSession(begin);
  const shown = top === undefined ? recall('tenant') : top === 't' && screen === 'runs' ? tenant : undefined;
  if (typeof shown === 'string') void createServer(begin, shown).runs(filterOf(query), { limit: FIRST_PAGE });
}
