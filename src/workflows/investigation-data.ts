/** What an investigation remembers; all of it travels through roll-over. Fields are only ever added. */
import type { EffectKey } from '../domain/ids.ts';
import type { InvestigationStatus } from '../domain/investigations.ts';
import type { ActionResult, Decision, Investigation, Proposal } from '../domain/schemas/investigations.ts';
import type { Answer } from './investigation-messages.ts';
import type { Begun, Telling } from './investigation-types.ts';

export interface InvestigationData {
  readonly openedAt: string;
  status: InvestigationStatus;
  updatedAt: string;
  endedAt: string | null;
  reason: string | null;
  occurrences: number;
  /** Effect keys that were counted, oldest first. */
  seen: EffectKey[];
  /** Of these, what no record has told the desk. Absent after a roll-over of older code. */
  counted?: EffectKey[];
  /** Null until the investigator is known. */
  begun: Extract<Begun, { result: 'begun' }> | null;
  proposal: Proposal | null;
  decisions: Decision[];
  /** Told about the current proposal. */
  reminders: number;
  isEscalated: boolean;
  /** Times something changed right before the act. */
  rechecks: number;
  results: ActionResult[];
  asked: Investigation['asked'];
  answer: Answer['answer'] | null;
  verification: Investigation['verification'];
  /** Of the last record in the desk. */
  version: number;
  /** Something is not recorded yet. */
  isDirty: boolean;
  /** To be told with the next record. */
  tell: Telling[];
}

export function newInvestigationData(openedAt: string): InvestigationData {
  return {
    openedAt,
    updatedAt: openedAt,
    status: 'investigating',
    ...{ endedAt: null, reason: null, begun: null, proposal: null, asked: null, answer: null, verification: null },
    ...{ occurrences: 0, reminders: 0, rechecks: 0, version: 0 },
    ...{ isEscalated: false, isDirty: true },
    ...{ seen: [], counted: [], decisions: [], results: [], tell: [] },
  };
}
