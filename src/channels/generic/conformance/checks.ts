/** The contract, line by line. A check throws what it found wrong. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Broken, type ContractCheck } from '../../../domain/checks.ts';
import { CrmProblem, OPERATIONS, type CrmMessage, type Operation, type AnswerOf } from '../contract.ts';
import { aReference, type Answered, type Probe } from './probe.ts';

const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 250;
/** A conversation made for tests is far shorter; a cursor that goes in circles is not. */
const MOST_PAGES = 1_000;

export const CHECKS: readonly ContractCheck<Probe>[] = [
  {
    name: 'refuses what is not signed, signed by another secret, changed after signing, or old',
    remedy:
      'Check the Standard Webhooks signature over the raw body before anything else; answer 401 {"code":"bad_signature"}.',
    async run(probe) {
      const body = { type: 'message.find', ...probe.place, reference: aReference() };
      const other = `whsec_${randomBytes(32).toString('base64')}`;
      refused(await probe.ask('find', body, { unsigned: true }), 401, 'an unsigned request');
      refused(await probe.ask('find', body, { secret: other }), 401, 'another secret');
      refused(await probe.ask('find', body, { signedBody: '{}' }), 401, 'a changed body');
      const old = new Date(Date.now() - 10 * MINUTE_MS);
      refused(await probe.ask('find', body, { at: old }), 401, 'a signature of ten minutes ago');
    },
  },
  {
    name: 'sends a message and answers its id',
    remedy: 'POST /messages/send answers 200 {"id": "…"}. The test conversation must exist: see --conversation.',
    async run(probe) {
      read('send', await probe.ask('send', probe.message(aReference())));
    },
  },
  {
    name: 'checks the signature over the bytes as they came, and keeps the words as they were sent',
    remedy: 'Verify before you parse: a body that was parsed and written again has other bytes. Store text as UTF-8.',
    async run(probe) {
      const message = probe.message(aReference(), 'Olá, “Ana” 😀\nsecond line');
      // Escapes and white space that JSON allows and few write.
      const written = ` ${JSON.stringify(message, null, 2).replace(/[^\n -~]/g, escaped)}\n`;
      read('send', await probe.ask('send', message, { written }));
      const { text } = await onceInTranscript(probe, message.reference);
      if (text !== message.content.text) throw new Broken(`${brief(message.content.text)} is kept as ${brief(text)}`);
    },
  },
  {
    name: 'sends the same reference once: asked twice, one message and one id',
    remedy: 'Keep the reference with the message under a unique key; a repeat answers 200 with the first one’s id.',
    async run(probe) {
      const message = probe.message(aReference());
      const first = read('send', await probe.ask('send', message));
      const second = read('send', await probe.ask('send', message));
      same(first.id, second.id);
      await onceInTranscript(probe, message.reference);
    },
  },
  {
    name: 'sends the same reference once: asked five times at once, one message and one id',
    remedy: 'Let the database decide (a unique index), not a look before the insert.',
    async run(probe) {
      const message = probe.message(aReference());
      const answers = await Promise.all(Array.from({ length: 5 }, async () => probe.ask('send', message)));
      const ids = answers.map((answer) => read('send', answer).id);
      for (const id of ids) same(ids[0] ?? '', id);
      await onceInTranscript(probe, message.reference);
    },
  },
  {
    name: 'finds a message by its reference, and nothing where there is none',
    remedy: 'POST /messages/find answers 200 {"id": "…"}, or 200 {"id": null} when nothing was accepted under it.',
    async run(probe) {
      const message = probe.message(aReference());
      const { id } = read('send', await probe.ask('send', message));
      same(id, (await find(probe, message.reference)) ?? 'null');
      const none = await find(probe, aReference());
      if (none !== null) throw new Broken(`found ${none} for a reference that was never sent`);
    },
  },
  {
    name: 'a lost answer: what was accepted is found, and sent again it is still one message',
    remedy: 'Store the message and its reference in one transaction, whether or not the caller is still there.',
    async run(probe) {
      const message = probe.message(aReference());
      await probe.askAndHangUp('send', message);
      const id = await settled(probe, message.reference);
      const again = read('send', await probe.ask('send', message));
      if (id !== null) same(id, again.id);
      same(again.id, (await find(probe, message.reference)) ?? 'null');
      await onceInTranscript(probe, message.reference);
    },
  },
  {
    name: 'reads the transcript, oldest first, page by page',
    remedy: 'POST /messages/list answers {"items": [...], "nextCursor": …} in the shape of the OpenAPI file.',
    async run(probe) {
      const messages = [probe.message(aReference()), probe.message(aReference())];
      for (const message of messages) read('send', await probe.ask('send', message));
      const all = await transcript(probe, 2);
      const at = messages.map(({ reference }) => all.findIndex((one) => one.reference === reference));
      if (at.includes(-1)) throw new Broken('a message that was sent is not in the transcript with its reference');
      if ((at[0] ?? 0) > (at[1] ?? 0)) throw new Broken('a later message stands before an earlier one');
      const own = all[at[0] ?? 0];
      if (own?.direction !== 'out' || own.author !== 'agent' || own.private)
        throw new Broken(
          `our message is ${own?.direction}/${own?.author}, private ${own?.private}; not out/agent, false`,
        );
    },
  },
  {
    name: 'keeps a note, once, and marks it private',
    remedy: 'POST /notes/add answers 200 {"id": "…"}; notes stand in the transcript with "private": true.',
    async run(probe) {
      const note = { type: 'note.add', ...probe.place, reference: aReference(), text: 'Attaché conformance test.' };
      const first = read('note', await probe.ask('note', note));
      same(first.id, read('note', await probe.ask('note', note)).id);
      const kept = await onceInTranscript(probe, note.reference);
      if (!kept.private) throw new Broken('the note is not private: the customer could see it');
    },
  },
  {
    name: 'hands a conversation to people, also when asked twice',
    remedy: 'POST /conversations/hand-off opens it for people with the note, and answers 200 {}.',
    async run(probe) {
      const request = { type: 'conversation.handOff', ...probe.place, note: 'Attaché conformance test.' };
      for (let times = 0; times < 2; times += 1) read('handOff', await probe.ask('handOff', request));
    },
  },
  {
    name: 'says what is wrong in JSON: no such conversation, a body that does not fit',
    remedy:
      'Refusals are {"code", "detail"}: 404 conversation_not_found, 400 invalid (also when type and path differ).',
    async run(probe) {
      const nowhere = { ...probe.message(aReference()), conversation: `no-such-${aReference()}` };
      refused(await probe.ask('send', nowhere), 404, 'an unknown conversation', 'conversation_not_found');
      const unfit = { type: 'message.send', ...probe.place };
      refused(await probe.ask('send', unfit), 400, 'a body without reference and content', 'invalid');
      const crossed = { type: 'conversation.close', ...probe.place };
      refused(await probe.ask('handOff', crossed), 400, 'a close sent to the address of hand-offs', 'invalid');
    },
  },
  {
    name: 'closes a conversation, also when asked twice',
    remedy: 'POST /conversations/close answers 200 {}, also for one that is closed.',
    async run(probe) {
      const request = { type: 'conversation.close', ...probe.place };
      for (let times = 0; times < 2; times += 1) read('close', await probe.ask('close', request));
    },
  },
];

function read<Op extends Operation>(operation: Op, { status, json }: Answered): AnswerOf<Op> {
  const { path, answer } = OPERATIONS[operation];
  if (status === 0) throw new Broken(`no answer: ${String(json)}`);
  if (status === 401)
    throw new Broken(
      `${path} answered 401 to what was signed: is the secret it knows that of --secret? ${brief(json)}`,
    );
  if (status < 200 || status > 299) throw new Broken(`${path} answered ${status}, not 200: ${brief(json)}`);
  const parsed = answer.safeParse(json);
  if (parsed.success) return parsed.data as AnswerOf<Op>;
  const [issue] = parsed.error.issues;
  throw new Broken(`${path} answered ${status} with ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

/** A UTF-16 unit as JSON may write it. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function refused({ status, json }: Answered, wanted: number, what: string, code?: string): void {
  if (status !== wanted) throw new Broken(`${what} was answered ${status || 'not at all'}, not ${wanted}`);
  const problem = CrmProblem.safeParse(json);
  if (!problem.success) throw new Broken(`${what} was refused without {"code", "detail"}: ${brief(json)}`);
  if (code !== undefined && problem.data.code !== code)
    throw new Broken(`${what} was refused as ${problem.data.code}, not ${code}`);
}

function same(first: string, second: string): void {
  if (first !== second) throw new Broken(`one reference has two ids: ${first} and ${second}`);
}

async function find(probe: Probe, reference: string): Promise<string | null> {
  return read('find', await probe.ask('find', { type: 'message.find', ...probe.place, reference })).id;
}

/** The id, once the server knows of it; null: it never came to know. */
async function settled(probe: Probe, reference: string): Promise<string | null> {
  const deadline = Date.now() + probe.settlesMs;
  for (;;) {
    const id = await find(probe, reference);
    if (id !== null || Date.now() > deadline) return id;
    await sleep(LOOK_EVERY_MS);
  }
}

async function onceInTranscript(probe: Probe, reference: string): Promise<CrmMessage> {
  const found = (await transcript(probe)).filter((one) => one.reference === reference);
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Broken(`the transcript has ${found.length} messages of one reference, not 1`);
  return only;
}

async function transcript(probe: Probe, limit = 100): Promise<readonly CrmMessage[]> {
  const all: CrmMessage[] = [];
  let cursor: string | undefined;
  for (let pages = 0; ; pages += 1) {
    if (pages > MOST_PAGES) throw new Broken(`the transcript has not ended after ${MOST_PAGES} pages`);
    const request = { type: 'message.list', ...probe.place, limit, ...(cursor === undefined ? {} : { cursor }) };
    const page = read('list', await probe.ask('list', request));
    if (page.items.length > limit) throw new Broken(`a page of ${limit} has ${page.items.length} messages`);
    all.push(...page.items);
    if (page.nextCursor === null) return all;
    cursor = page.nextCursor;
  }
}

function brief(json: unknown): string {
  return (typeof json === 'string' ? json : JSON.stringify(json)).slice(0, 120);
}
