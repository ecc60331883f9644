/** Asks a server as the ERP's port does, and in the ways the port never would. */
import { randomUUID } from 'node:crypto';
import { jsonOf } from '../../../domain/json.ts';
import { Broken } from '../../../domain/checks.ts';
import type { ErpKind, ErpRecord } from '../../../domain/schemas/erp-records.ts';
import { type AnswerOf, ErpProblem, type Operation, OPERATIONS } from '../contract.ts';
import { endpointOf } from '../http-erp.ts';

export interface ProbeOptions {
  readonly url: string;
  readonly token: string;
  readonly tenant: string;
  /** A server that answers late may still be writing: it is asked for this long. */
  readonly settlesMs: number;
}

interface Answered {
  /** 0: no answer. */
  readonly status: number;
  readonly json: unknown;
}

/** Longer than any honest answer. */
const ANSWER_TIMEOUT_MS = 20_000;
/** Long enough for the request to leave, too short for most answers. */
const HANG_UP_AFTER_MS = 15;
const PAGE = 100;
/** A test tenant is far smaller; a cursor that goes in circles is not. */
const MOST_PAGES = 1_000;

export class Probe {
  readonly settlesMs: number;
  private readonly options: ProbeOptions;

  constructor(options: ProbeOptions) {
    this.options = options;
    this.settlesMs = options.settlesMs;
  }

  async ask(
    operation: Operation,
    body: object,
    { token = this.options.token, timeoutMs = ANSWER_TIMEOUT_MS }: { token?: string; timeoutMs?: number } = {},
  ): Promise<Answered> {
    try {
      const response = await fetch(endpointOf(this.options.url, OPERATIONS[operation].path), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ tenant: this.options.tenant, ...body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      return { status: response.status, json: answerOf(text) };
    } catch (error) {
      return { status: 0, json: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Sends it, and is gone before the answer comes. */
  async askAndHangUp(operation: Operation, body: object): Promise<void> {
    await this.ask(operation, body, { timeoutMs: HANG_UP_AFTER_MS });
  }

  /** @throws {Broken} unless the answer is a 200 that fits. */
  async read<Op extends Operation>(operation: Op, body: object): Promise<AnswerOf<Op>> {
    const { status, json } = await this.ask(operation, body);
    const { path, answer } = OPERATIONS[operation];
    if (status === 0) throw new Broken(`${path}: no answer: ${String(json)}`);
    if (status < 200 || status > 299) throw new Broken(`${path} answered ${status}, not 200: ${brief(json)}`);
    const parsed = answer.safeParse(json);
    if (parsed.success) return parsed.data as AnswerOf<Op>;
    const [issue] = parsed.error.issues;
    throw new Broken(`${path} answered 200 with ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }

  /** @throws {Broken} unless it is refused so. */
  async refused(
    operation: Operation,
    body: object,
    wanted: { status: number; code: string; token?: string },
  ): Promise<void> {
    const { status, json } = await this.ask(operation, body, wanted.token === undefined ? {} : { token: wanted.token });
    const { path } = OPERATIONS[operation];
    if (status !== wanted.status) throw new Broken(`${path} answered ${status || 'nothing'}, not ${wanted.status}`);
    const problem = ErpProblem.safeParse(json);
    if (!problem.success) throw new Broken(`${path} refused without {"code", "detail"}: ${brief(json)}`);
    if (problem.data.code !== wanted.code)
      throw new Broken(`${path} refused as ${problem.data.code}, not ${wanted.code}`);
  }

  /** All records of a kind, and the cursor after them. */
  async all<Kind extends ErpKind>(kind: Kind, limit = PAGE): Promise<{ items: ErpRecord<Kind>[]; cursor: string }> {
    const items: ErpRecord<Kind>[] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await this.read('list', { kind, limit, ...(cursor === undefined ? {} : { cursor }) });
      if (page.items.length > limit) throw new Broken(`a page of ${limit} has ${page.items.length} ${kind} records`);
      items.push(...page.items.map(({ record }) => record as ErpRecord<Kind>));
      if (!page.hasMore) return { items, cursor: page.nextCursor };
      if (page.nextCursor === cursor)
        throw new Broken(`the list of ${kind} goes in circles: its cursor stays the same`);
      cursor = page.nextCursor;
    }
    throw new Broken(`the list of ${kind} has not ended after ${MOST_PAGES} pages`);
  }

  /** A write that every ERP can do and take back: the least that a supplier delivers of a product. */
  async purchase(): Promise<{ readonly command: object; readonly productId: string }> {
    const [offer] = (await this.read('list', { kind: 'offer', limit: 1 })).items;
    if (offer?.kind !== 'offer')
      throw new Broken('there is no offer: the test tenant needs one product that a supplier sells');
    const { supplierId, productId, unitCost, minQuantity, packSize } = offer.record;
    const quantity = Math.ceil(minQuantity / packSize) * packSize;
    const lines = [{ productId, quantity, unitCost }];
    const expectedOn = new Date(Date.now() + 14 * 86_400_000).toISOString().slice(0, 10);
    return {
      command: { kind: 'createPurchaseOrder', supplierId, lines, expectedOn, note: 'Attaché conformance test.' },
      productId,
    };
  }
}

export function aKey(): string {
  return `attache-conformance:${randomUUID()}`;
}

export function brief(json: unknown): string {
  return (typeof json === 'string' ? json : JSON.stringify(json)).slice(0, 160);
}

/** What was answered: as JSON, else the beginning of its text. */
function answerOf(text: string): unknown {
  const json = jsonOf(text);
  return json === undefined ? text.slice(0, 200) : json;
}
