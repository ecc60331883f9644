/** What the activities of investigations are given at the door. */
import type { ActivityDeps } from '../deps.ts';
import type { Erps } from '../../erp/erp.ts';
import type { AgentKey, AttachmentId, RunRef, TenantId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';

export interface InvestigationDeps extends Pick<ActivityDeps, 'desk' | 'agents' | 'tenant' | 'log' | 'clock'> {
  readonly erps: Erps;
  readonly runs: AgentRuns;
  readonly links: DecisionLinks;
}

/** Attaching and detaching, as everybody else does it. Errors are Temporal's: tried again. */
export interface AgentRuns {
  attach(
    of: RunRef & { readonly agent: AgentKey; readonly config: JsonObject; readonly actor: string },
  ): Promise<{ readonly id: AttachmentId; readonly isNew: boolean }>;
  detach(of: AttachedRun & { readonly actor: string }): Promise<void>;
  /** The `actor` it was attached with; null: Temporal does not know it. */
  attacherOf(of: AttachedRun): Promise<string | null>;
}

export interface AttachedRun extends RunRef {
  readonly id: AttachmentId;
}

/** Links with which one person decides on one proposal; none where nobody is named, or nothing signs them. */
export interface DecisionLinks {
  of(proposal: {
    readonly tenant: TenantId;
    readonly investigation: string;
    readonly proposalHash: string;
    readonly expiresAt: string;
  }): readonly { readonly person: string; readonly url: string }[];
}
