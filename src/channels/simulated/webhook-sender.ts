/** Posts signed updates as Meta does: again until they are answered 200, in no promised order, and sometimes twice. */
import { createHmac } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { generator, type Noise } from './noise.ts';
import { asMetaWrites, envelope, type Update } from './webhook-bodies.ts';

/** How one update travels. */
export interface Passage {
  /** Posted so many times at once. */
  readonly copies: number;
  readonly lateByMs: number;
  /** So long after the first copy's first try its connection is cut; null: it is not. */
  readonly cutAfterMs: number | null;
}

export interface WebhookSenderOptions {
  readonly webhookUrl: string;
  readonly appSecret: string;
  /** Meta's own gaps grow to hours; a test wants the second try soon. */
  readonly retryEveryMs: number;
  readonly noise: Noise | undefined;
}

/** How held updates go out. `batch`: updates in one POST; `copies`: identical POSTs at once. */
export interface Release {
  readonly order?: 'given' | 'reversed';
  readonly batch?: number;
  readonly copies?: number;
}

/** Long enough that a server may have the whole body, short enough that its answer is rarely on its way. */
const CUT_WITHIN_MS = 20;

export class WebhookSender {
  private readonly options: WebhookSenderOptions;
  private readonly draw: () => number;
  private readonly closing = new AbortController();
  private readonly underway = new Set<Promise<void>>();
  private held: Update[] | undefined;

  constructor(options: WebhookSenderOptions) {
    this.options = options;
    this.draw = generator(options.noise?.seed ?? 0);
    // One listener for each post under way: many at once are the purpose, not a leak.
    setMaxListeners(0, this.closing.signal);
  }

  /** From now on updates are kept until {@link release}. */
  hold(): void {
    this.held ??= [];
  }

  /** Posts all that were held; resolves when each has been answered 200. */
  async release({ order = 'given', batch = 1, copies = 1 }: Release = {}): Promise<void> {
    const updates = this.held ?? [];
    this.held = undefined;
    if (order === 'reversed') updates.reverse();
    for (let from = 0; from < updates.length; from += batch)
      await this.copies(updates.slice(from, from + batch), { ...this.deal(), copies });
  }

  /** Resolves once answered 200 (at once while held). `passage`: default, what the noise deals out. */
  send(update: Update, passage: Passage = this.deal()): Promise<void> {
    if (this.held !== undefined) {
      this.held.push(update);
      return Promise.resolve();
    }
    const { signal } = this.closing;
    return this.track(pause(passage.lateByMs, undefined, { signal }).then(() => this.copies([update], passage)));
  }

  /** Posts these very bytes once, signed or with the signature given; answers the status. For malformed bodies. */
  async postRaw(body: string | Uint8Array, signature = signatureOf(body, this.options.appSecret)): Promise<number> {
    const response = await fetch(this.options.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
      body: typeof body === 'string' ? body : Buffer.from(body),
      signal: this.closing.signal,
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Everything sent so far has been answered. */
  async settled(): Promise<void> {
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  /** Gives up what has not been answered. */
  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.underway);
  }

  private deal(): Passage {
    const { noise } = this.options;
    if (noise === undefined) return { copies: 1, lateByMs: 0, cutAfterMs: null };
    return {
      copies: this.draw() < noise.duplicated ? 2 : 1,
      lateByMs: this.draw() < noise.late ? this.draw() * noise.lateByMs : 0,
      cutAfterMs: this.draw() < noise.dropped ? this.draw() * CUT_WITHIN_MS : null,
    };
  }

  private async copies(updates: readonly Update[], { copies, cutAfterMs }: Passage): Promise<void> {
    const body = asMetaWrites(envelope(updates));
    await Promise.all(
      Array.from({ length: copies }, (_, copy) =>
        this.track(this.postUntilAnswered(body, copy === 0 ? cutAfterMs : null)),
      ),
    );
  }

  private async postUntilAnswered(body: string, cutAfterMs: number | null): Promise<void> {
    let isAnswered = cutAfterMs === null ? await this.answered(body) : await this.postAndCut(body, cutAfterMs);
    while (!isAnswered) {
      await pause(this.options.retryEveryMs, undefined, { signal: this.closing.signal });
      isAnswered = await this.answered(body);
    }
  }

  private async answered(body: string): Promise<boolean> {
    try {
      return (await this.postRaw(body)) === 200;
    } catch {
      return false;
    }
  }

  /** The server may have read everything; its answer is thrown away. */
  private async postAndCut(body: string, afterMs: number): Promise<false> {
    const cut = new AbortController();
    const posted = fetch(this.options.webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signatureOf(body, this.options.appSecret) },
      body,
      signal: cut.signal,
    });
    setTimeout(() => {
      cut.abort();
    }, afterMs).unref();
    await posted.catch(() => undefined);
    return false;
  }

  private track(work: Promise<void>): Promise<void> {
    const tracked = work.catch((error: unknown) => {
      if (!this.closing.signal.aborted) throw error;
    });
    this.underway.add(tracked);
    return tracked.finally(() => this.underway.delete(tracked));
  }
}

/** Written apart from the code that checks it, so that one mistake cannot hide the other. */
function signatureOf(body: string | Uint8Array, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}
