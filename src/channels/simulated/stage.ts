/** What a simulated provider is to the person who plays with it. */
import type { Noise } from './noise.ts';

export interface SimulateOptions {
  readonly kind: 'whatsapp' | 'chatwoot' | 'crm';
  /** Where Attaché listens: `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly tenant: string;
  /** 0: any free one. */
  readonly port: number;
  /** The customer's phone, or the conversation's id. */
  readonly from?: string;
  readonly noise?: Noise;
  readonly latencyMs?: number;
  /** WhatsApp: free text only for 24 hours after the customer's last message. */
  readonly window?: boolean;
  /** ms since 1970: what the simulator's clock shows, and stays at. */
  readonly clock?: number;
}

/** One simulated provider, started. */
export interface Stage {
  /** The channel as it stands in `attache.config.json`. */
  readonly channel: object;
  /** Whose words a line is: `from +5531980000001`, `in conversation 1`. */
  readonly where: string;
  readonly say: (text: string) => Promise<unknown>;
  readonly commands: Readonly<Record<string, StageCommand>>;
  close(): Promise<void>;
}

export interface StageCommand {
  /** `<code>`: what is typed behind it. */
  readonly takes?: string;
  readonly does: string;
  /** @throws {Error} whose message tells the person what was wrong. */
  run(argument: string): unknown;
}

/** `2026-12-01T08:00:00Z`, or nothing for the real time. @throws {Error} */
export function instantOf(argument: string): number | undefined {
  if (argument === '') return undefined;
  const at = Date.parse(argument);
  if (Number.isNaN(at)) throw new Error('a clock is set to an instant such as 2026-12-01T08:00:00Z, or to nothing');
  return at;
}
