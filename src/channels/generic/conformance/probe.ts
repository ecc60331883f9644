/** Asks a server as the channel does, and in the ways the channel never would. */
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { jsonOf } from '../../../domain/json.ts';
import { signedHeaders } from '../../standard-webhooks.ts';
import { endpointOf } from '../crm-client.ts';
import { OPERATIONS, type Operation } from '../contract.ts';

export interface Answered {
  /** 0: no answer, and `json` says why. */
  readonly status: number;
  readonly json: unknown;
}
export interface Asking {
  readonly secret?: string;
  /** Unsigned, or another body than the one that was signed. */
  readonly unsigned?: boolean;
  readonly signedBody?: string;
  /** The very text to send, where it is not as this machine would write the body. */
  readonly written?: string;
  readonly at?: Date;
}

const TIMEOUT_MS = 15_000;

export class Probe {
  readonly url: string;
  readonly secret: string;
  readonly place: { readonly tenant: string; readonly conversation: string };
  readonly address: string;
  /** How long a server whose caller hung up may go on writing, ms. */
  readonly settlesMs: number;

  constructor(of: {
    url: string;
    secret: string;
    tenant: string;
    conversation: string;
    address: string;
    settlesMs: number;
  }) {
    this.url = of.url;
    this.secret = of.secret;
    this.place = { tenant: of.tenant, conversation: of.conversation };
    this.address = of.address;
    this.settlesMs = of.settlesMs;
  }

  async ask(operation: Operation, body: object, how: Asking = {}): Promise<Answered> {
    const text = how.written ?? JSON.stringify(body);
    try {
      const response = await fetch(endpointOf(this.url, OPERATIONS[operation].path), {
        method: 'POST',
        headers: this.headersOf(body, how.signedBody ?? text, how),
        body: text,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, json: answerOf(await response.text()) };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return { status: 0, json: cause instanceof Error ? cause.message : String(cause) };
    }
  }

  /** Hands the whole request over and hangs up before the answer. */
  async askAndHangUp(operation: Operation, body: object): Promise<void> {
    const text = JSON.stringify(body);
    const target = new URL(endpointOf(this.url, OPERATIONS[operation].path));
    const call = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const headers = { ...this.headersOf(body, text, {}), 'content-length': String(Buffer.byteLength(text)) };
    await new Promise<void>((resolve) => {
      const request = call(target, { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS });
      request.once('error', () => resolve());
      request.once('close', () => resolve());
      request.end(text, () => request.destroy());
    });
  }

  message(reference: string, text = 'Attaché conformance test: please ignore.') {
    return {
      type: 'message.send',
      ...this.place,
      address: this.address,
      reference,
      content: { kind: 'text', text },
    } as const;
  }

  private headersOf(body: object, signed: string, { secret = this.secret, unsigned, at = new Date() }: Asking) {
    const reference = 'reference' in body && typeof body.reference === 'string' ? body.reference : undefined;
    return {
      'content-type': 'application/json',
      ...(reference === undefined ? {} : { 'idempotency-key': reference }),
      ...(unsigned === true
        ? {}
        : signedHeaders({ id: reference ?? randomUUID(), at, body: signed, secrets: [secret] })),
    };
  }
}

export function aReference(): string {
  return `at-conformance-${randomUUID()}`;
}

/** What was answered: as JSON, else the beginning of its text. */
function answerOf(text: string): unknown {
  const json = jsonOf(text);
  return json === undefined ? text.slice(0, 200) : json;
}
