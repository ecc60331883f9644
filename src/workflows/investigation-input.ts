import type { AgentKey, Slot, Subject, TenantId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { InvestigationPolicy } from '../domain/schemas/investigations.ts';
import type { InvestigationData } from './investigation-data.ts';

/** What an investigation is started with. Read by newer and older code: fields are only ever added. */
export interface InvestigationInput {
  readonly v: 1;
  readonly tenant: TenantId;
  readonly agent: AgentKey;
  readonly signature: string;
  readonly summary: string;
  readonly trigger: JsonObject;
  /** As the run that opened it has it. */
  readonly policy: InvestigationPolicy;
  readonly openedBy: { readonly subject: Subject; readonly slot: Slot; readonly id: string };
  /** Present after a roll-over. */
  readonly carried?: InvestigationData;
}
