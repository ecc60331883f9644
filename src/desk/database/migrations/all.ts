/** Every migration, in the order in which they are applied. A new one is added at the end. */
import type { Migration } from '../migrate.ts';
import { initial } from './0001-initial.ts';
import { smallReads } from './0002-small-reads.ts';
import { outbox } from './0003-outbox.ts';
import { rulesOfContact } from './0004-rules-of-contact.ts';
import { requeues } from './0005-requeues.ts';
import { people } from './0006-people.ts';
import { changes } from './0007-changes.ts';
import { runLists } from './0008-run-lists.ts';
import { fanOut } from './0009-fan-out.ts';
import { demoErp } from './0010-demo-erp.ts';
import { investigations } from './0011-investigations.ts';
import { embedding } from './0012-embedding.ts';
import { reports } from './0013-reports.ts';
import { mediaAndPolls } from './0014-media-and-polls.ts';
import { foundAndRead } from './0015-found-and-read.ts';
import { pollNotesTable } from './0016-poll-notes.ts';
import { topicsAndEchoes } from './0017-topics-and-echoes.ts';
import { investigationsFound } from './0018-investigations-found.ts';
import { heldUp } from './0019-held-up.ts';
import { homeTable } from './0020-home.ts';
import { shutChannelsTable } from './0021-shut-channels.ts';
import { marketingStops } from './0022-marketing-stops.ts';
import { runsStoredAt } from './0023-runs-stored-at.ts';
import { letterSeals } from './0024-letter-seals.ts';
import { previousCloses } from './0025-previous-closes.ts';

export const MIGRATIONS: readonly Migration[] = [
  initial,
  smallReads,
  outbox,
  rulesOfContact,
  requeues,
  people,
  changes,
  runLists,
  fanOut,
  demoErp,
  investigations,
  embedding,
  reports,
  mediaAndPolls,
  foundAndRead,
  pollNotesTable,
  topicsAndEchoes,
  investigationsFound,
  heldUp,
  homeTable,
  shutChannelsTable,
  marketingStops,
  runsStoredAt,
  letterSeals,
  previousCloses,
];
