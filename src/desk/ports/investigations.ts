import type { AgentKey, EffectKey, InvestigationId, TenantId, WorkflowId } from '../../domain/ids.ts';
import type { InvestigationStatus } from '../../domain/investigations.ts';
import type { Investigation } from '../../domain/schemas/investigations.ts';
import type { WebhookType } from '../../domain/webhooks.ts';
import type { Page } from './page.ts';

export interface InvestigationFilter {
  readonly tenant: TenantId;
  readonly status?: InvestigationStatus;
  readonly agent?: AgentKey;
  /** Of the id. */
  readonly beginning?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** An act as it is tried, and what undoes it: each under its own key, `{investigation}:{step}` and `…:undo`. */
export interface ActionAttempt {
  /** `new`: nobody has tried yet. `trying`: an attempt began and has not said how it ended. */
  readonly state: 'new' | 'trying' | 'done' | 'failed';
  readonly reference: string | null;
  readonly detail: string | null;
  /** When it was first tried, ISO-8601 UTC, database clock. */
  readonly since: string;
}

export interface Investigations {
  /**
   * What it is now, and what is to be told of it, in one transaction. A record that is not newer changes nothing;
   * what is told is told once for each key.
   */
  record(record: {
    readonly view: Investigation;
    readonly version: number;
    readonly tell: readonly InvestigationNotice[];
    /** Keys of effects that it has counted since its last record. */
    readonly counted: readonly EffectKey[];
  }): Promise<void>;
  /** The workflow that has counted this effect, live or ended; null: none has told so. */
  countedBy(tenant: TenantId, key: EffectKey): Promise<WorkflowId | null>;
  /** Live ones of all tenants, those compared with Temporal longest ago first, each twice a minute at most; marked as compared now. */
  liveUnchecked(limit: number): Promise<readonly { readonly view: Investigation; readonly version: number }[]>;
  get(tenant: TenantId, id: string): Promise<Investigation | null>;
  /** Newest first. */
  list(filter: InvestigationFilter): Promise<Page<Investigation>>;
  /** Has an attempt begun, however it ended? What was not tried has done nothing. */
  wasTried(key: string): Promise<boolean>;
  /** Writes down that it is being tried; answers how it stood before. */
  tryAction(of: {
    readonly key: string;
    readonly tenant: TenantId;
    readonly investigation: InvestigationId;
  }): Promise<ActionAttempt>;
  /** The attempt that found it `new` has done nothing: it is new again. */
  actionNotTried(key: string): Promise<void>;
  settleAction(of: {
    readonly key: string;
    readonly state: 'done' | 'failed';
    readonly reference: string | null;
    readonly detail: string | null;
  }): Promise<void>;
}

export interface InvestigationNotice {
  readonly type: WebhookType;
  readonly key: string;
  readonly at: string;
  /** A signed link for each person who may decide; only where a decision is asked for. */
  readonly links: readonly { readonly person: string; readonly url: string }[];
}
