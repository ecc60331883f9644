/** Posts signed events as Chatwoot does: once, whatever the answer, and with `noise` sometimes twice, late or not at all. */
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { generator, type Noise } from './noise.ts';

export interface ChatwootWebhookOptions {
  readonly webhookUrl: string;
  readonly webhookSecret: string;
  readonly noise?: Noise | undefined;
}

export class ChatwootWebhooks {
  /** Nothing is posted. */
  lost = false;
  private readonly options: ChatwootWebhookOptions;
  private readonly draw: () => number;
  private readonly closing = new AbortController();

  constructor(options: ChatwootWebhookOptions) {
    this.options = options;
    this.draw = generator(options.noise?.seed ?? 0);
  }

  /** Resolves when it was answered, or failed; one that is held back is not waited for. */
  async tell(event: string, data: object): Promise<void> {
    const { noise } = this.options;
    if (this.lost || (noise !== undefined && this.draw() < noise.dropped)) return;
    const body = JSON.stringify({ event, ...data });
    const copies = noise !== undefined && this.draw() < noise.duplicated ? 2 : 1;
    const posted = async () => {
      await Promise.all(Array.from({ length: copies }, async () => this.post(body)));
    };
    if (noise === undefined || this.draw() >= noise.late) return posted();
    void pause(this.draw() * noise.lateByMs, undefined, { signal: this.closing.signal })
      .then(posted)
      .catch(() => undefined);
  }

  close(): void {
    this.closing.abort();
  }

  private async post(body: string): Promise<void> {
    const { webhookUrl, webhookSecret } = this.options;
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', webhookSecret).update(`${timestamp}.${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-chatwoot-timestamp': timestamp,
      'x-chatwoot-signature': `sha256=${signature}`,
      'x-chatwoot-delivery': randomUUID(),
    };
    await fetch(webhookUrl, { method: 'POST', headers, body, signal: this.closing.signal })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined);
  }
}
