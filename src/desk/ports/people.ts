/** API keys, sessions, the audit, and answers kept for repeats. */
import type { TenantId } from '../../domain/ids.ts';
import type { Role } from '../../domain/roles.ts';
import type { Page } from './page.ts';

/** An API key as it may be shown: of its secret nobody has more than a hash. */
export interface KeyRecord {
  /** Also the readable beginning of its secret: `att_{id}_…`. */
  readonly id: string;
  readonly tenant: TenantId;
  readonly name: string;
  readonly role: Role;
  readonly createdAt: string;
  readonly createdBy: string;
  /** Until when it may be used; null: until it is revoked. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** The key that took its place when it was rotated. */
  readonly replacedBy: string | null;
}
/** A new secret's id and its SHA-256, in hex: 256 random bits need no slow hash. */
export interface NewKey {
  readonly id: string;
  readonly hash: string;
}

export interface Keys {
  /** Null: a key of this name is in use. */
  create(
    key: NewKey & {
      readonly tenant: TenantId;
      readonly name: string;
      readonly role: Role;
      readonly by: string;
      readonly expiresAt: string | null;
    },
  ): Promise<KeyRecord | null>;
  /** A second secret under the same name and role; the old one holds until `overlapUntil`. Null: no such key in use. */
  rotate(change: {
    readonly tenant: TenantId;
    readonly id: string;
    readonly next: NewKey;
    readonly overlapUntil: string;
    readonly by: string;
  }): Promise<{ readonly key: KeyRecord; readonly old: KeyRecord } | null>;
  /** At once, its sessions too. A repeat changes nothing. Null: no such key. */
  revoke(of: { readonly tenant: TenantId; readonly id: string }): Promise<KeyRecord | null>;
  /** Newest first, revoked ones too. */
  list(query: {
    readonly tenant: TenantId;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<KeyRecord>>;
  /** The key of this id while it may be used, with the hash of its secret. */
  usable(id: string): Promise<(KeyRecord & { readonly hash: string }) | null>;
}

/** A key without its secret: one of the desk by id, or one of the configuration by a fingerprint. */
export type KeyRef =
  { readonly kind: 'desk'; readonly id: string } | { readonly kind: 'configured'; readonly fingerprint: string };

export interface Sessions {
  /** `hash`: SHA-256 of the cookie, in hex. */
  begin(session: {
    readonly hash: string;
    readonly key: KeyRef;
    readonly person: string;
    readonly expiresAt: string;
  }): Promise<void>;
  /** Null when it is over: ended, expired, unused for `idleMs`, or its key of the desk may no longer be used. Finding it is a use of it. */
  find(
    hash: string,
    idleMs: number,
  ): Promise<
    | ((
        | { readonly kind: 'desk'; readonly key: KeyRecord }
        | { readonly kind: 'configured'; readonly fingerprint: string }
      ) & {
        readonly person: string;
        readonly expiresAt: string;
      })
    | null
  >;
  end(hash: string): Promise<void>;
}

/** One thing that somebody asked for. `status` is null while it is not known what became of it. */
export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  /** `runs.detach`, `switches.off`, `keys.rotate` … */
  readonly act: string;
  /** What it was done to: `conversation/42/answering`, `agent/follow-up`. */
  readonly target: string;
  readonly reason: string | null;
  readonly status: number | null;
}

export interface Audit {
  /** Before it is done, so that nothing is done unrecorded. Answers the entry's id. `tenant` `*`: concerns all. */
  open(entry: {
    readonly tenant: TenantId | '*';
    readonly actor: string;
    readonly act: string;
    readonly target: string;
    readonly reason: string | null;
  }): Promise<number>;
  /** What became of it: the HTTP status answered. */
  close(id: number, status: number): Promise<void>;
  /** Newest first. `target`: it, and what lies below it. */
  list(filter: {
    readonly tenant: TenantId;
    readonly actor?: string;
    readonly act?: string;
    readonly target?: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<AuditEntry>>;
}

/** A request that may come twice: who sends the same key again gets the first answer. */
export interface RepeatableRequest {
  readonly tenant: TenantId;
  /** Method and path. */
  readonly route: string;
  readonly key: string;
}
export interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

/** Answers are kept for a day. */
export interface Idempotency {
  /** `mine`: to be executed by whoever asked, and finished or abandoned. `running`: somebody is at it. */
  begin(
    request: RepeatableRequest & {
      /** SHA-256 of the body: the same key with another body is a mistake. */
      readonly bodyHash: string;
    },
  ): Promise<{ readonly state: 'mine' | 'running' | 'other_body' } | ({ readonly state: 'done' } & StoredAnswer)>;
  finish(request: RepeatableRequest & StoredAnswer): Promise<void>;
  /** Nothing came of it: the next with this key executes it. */
  abandon(request: RepeatableRequest): Promise<void>;
}

export interface ServerSecrets {
  /** The same for all servers of this desk, for ever. */
  get(name: string): Promise<string>;
}
