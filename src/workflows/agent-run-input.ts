import type { Slot, Subject, TenantId } from '../domain/ids.ts';
import type { AttachInput } from './messages.ts';
import type { RunData } from './run-data.ts';

/** What a run is started with, and rolls over with. Read by newer and older code: fields are only ever added. */
export interface AgentRunInput {
  readonly v: 1;
  readonly tenant: TenantId;
  readonly subject: Subject;
  readonly slot: Slot;
  readonly attach: AttachInput;
  /** Present after a roll-over. */
  readonly carried?: RunData;
}
