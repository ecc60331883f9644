import assert from 'node:assert/strict';
import type { InvestigationClient } from '../../src/client/investigation-client.ts';
import { Action, type Decision, Investigation } from '../../src/domain/schemas/investigations.ts';
import { decisionToken, readDecisionToken } from '../../src/http/decision-links.ts';
import type { Decide } from '../../src/workflows/investigation-messages.ts';
import { parseTenantId } from '../../src/domain/ids.ts';
import { testApi } from '../support/api.ts';
import { attache, serveApi, type Served } from '../support/cli.ts';
import { openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME } from '../support/facts.ts';
import { anInvestigation, aProposal } from '../support/investigation-parts.ts';

const DEMO = parseTenantId('demo');
const SECRET = 'x'.repeat(32);
const AT = '2026-11-29T12:00:00.000Z';
const LATER = '2999-01-01T00:00:00.000Z';

const waiting = Investigation.parse({
  ...{ id: 'inv-1', tenant: 'acme', agent: 'restock', signature: 'stockout:P-1', status: 'proposed', occurrences: 1 },
  ...{ summary: 'P-1 runs out', reason: null, openedAt: AT, updatedAt: AT, endedAt: null, decisions: [], results: [] },
  workflowId: 'investigation/acme/restock/stockout:P-1',
  proposal: {
    ...{
      hash: 'h1',
      revision: 1,
      summary: 'Order <8>',
      method: 'm',
      evidence: [],
      risk: 'low',
      approvals: 1,
      fingerprint: 'f',
    },
    ...{ preconditions: {}, changed: [], proposedAt: AT, expiresAt: LATER, cost: { amount: 123_456, currency: 'EUR' } },
    actions: [
      {
        kind: 'payment.hold',
        step: 'hold',
        title: 'Hold PAY-1',
        risk: 'low',
        paymentId: 'P',
        reason: 'r',
        restsOn: [],
      },
    ],
  },
  ...{ trigger: {}, openedBy: { subject: 'business', slot: 'restock', id: 'a' }, verification: null, asked: null },
});
const decided: Decision = {
  decision: 'approve',
  ...{ proposalHash: 'h1', actor: 'crm/ana', person: 'crm', reason: null, at: AT, valid: true },
};
const over: Investigation = { ...waiting, id: 'inv-2', status: 'executed', endedAt: AT, decisions: [decided] };

describe('investigations over HTTP', () => {
  let opened: TestDesk;
  let asked: Decide[];
  let says: Awaited<ReturnType<InvestigationClient['decide']>>;
  before(async () => {
    opened = await openTestDesk();
    for (const view of [waiting, over])
      await opened.desk.investigations.record({ view, version: 1, tell: [], counted: [] });
  });
  beforeEach(() => {
    asked = [];
    says = { result: 'taken', investigation: { ...waiting, status: 'approved' } };
  });
  after(() => opened.close());

  const api = () =>
    testApi({
      desk: opened.desk,
      linkSecret: SECRET,
      investigations: {
        async decide(_, decision) {
          asked.push(decision);
          return Promise.resolve(says);
        },
        answer: async () => Promise.resolve({ result: 'refused', refusal: 'nothing asks' }),
      },
    });
  const path = '/v1/tenants/acme/investigations';

  it('lists them by status, shows one, and knows nothing of another tenant’s', async () => {
    const { body } = await api().send('GET', `${path}?status=proposed`);
    assert.deepEqual(
      body.items.map(({ id }) => id),
      ['inv-1'],
    );
    assert.equal((await api().send('GET', `${path}/inv-1`)).body['signature'], 'stockout:P-1');
    const foreign = await api().send('GET', '/v1/tenants/demo/investigations/inv-1');
    assert.deepEqual([foreign.status, foreign.body.code], [404, 'investigation_not_found']);
    const cursor = (await api().send('GET', `${path}?limit=1`)).body['nextCursor'] as string;
    assert.equal((await api().send('GET', `${path}?limit=1&cursor=${cursor}`)).body.items.length, 1);
  });

  it('decides as the key that asks, on the hash that was looked at', async () => {
    const { status, body } = await api().send('POST', `${path}/inv-1/approve`, { by: 'ana', proposalHash: 'h1' });
    assert.deepEqual([status, body['status']], [200, 'approved']);
    assert.deepEqual(asked, [
      { decision: 'approve', actor: 'local/ana', person: 'local', role: 'admin', reason: null, proposalHash: 'h1' },
    ]);
  });

  it('tells the second who decided, when and what: while it lives, and after its end', async () => {
    says = { result: 'refused', refusal: { refused: 'already_decided', message: 'decided', decision: decided } };
    const live = await api().send('POST', `${path}/inv-1/reject`, {});
    assert.deepEqual([live.status, live.body.code, live.body['decision']], [409, 'already_decided', decided]);
    const ended = await api().send('POST', `${path}/inv-2/approve`, {});
    assert.deepEqual([ended.status, ended.body.code, ended.body['decision']], [409, 'already_decided', decided]);
    assert.equal(asked.length, 1, 'an ended one is not asked');
    says = { result: 'refused', refusal: { refused: 'proposal_changed', message: 'changed', hash: 'h2' } };
    const changed = await api().send('POST', `${path}/inv-1/approve`, { proposalHash: 'h1' });
    assert.deepEqual([changed.status, changed.body['proposalHash']], [409, 'h2']);
  });

  it('says so when nothing waits for an answer', async () => {
    const answer = { kind: 'confirmation', yes: true };
    const refused = await api().send('POST', `${path}/inv-1/answer`, { step: 'sure', answer });
    assert.deepEqual([refused.status, refused.body.code], [409, 'nothing_asked']);
  });
  const link = { tenant: ACME, investigation: 'inv-1', proposalHash: 'h1', person: 'ana', expiresAt: LATER };
  const ask = async (token: string, form?: Record<string, string>) => {
    const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const response = await api().ask(`/decide/${token}`, body);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it('shows the exact actions behind a signed link, escaped, and decides nothing by being looked at', async () => {
    const { status, text, headers } = await ask(decisionToken(link, SECRET));
    assert.equal(status, 200);
    assert.match(text, /Hold PAY-1 \(payment\.hold\)/);
    assert.match(text, /€1,234\.56/);
    assert.match(text, /<td>payment<\/td><td>P<\/td><\/tr><tr><td>reason<\/td><td>r<\/td>/, 'all that the act says');
    assert.match(text, /Order &#60;8&#62;/);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.deepEqual(asked, []);
  });

  it('decides by the form behind it, as the person it was made for, on that very proposal, and is audited', async () => {
    const { status, text } = await ask(decisionToken(link, SECRET), { decision: 'approve', reason: 'fine' });
    assert.equal(status, 200);
    assert.match(text, /Approved/);
    assert.deepEqual(asked, [
      { decision: 'approve', actor: 'ana/link', person: 'ana', role: 'operator', reason: 'fine', proposalHash: 'h1' },
    ]);
  });

  it('refuses a link that was altered, signed with another secret, or has expired', async () => {
    const token = decisionToken(link, SECRET);
    assert.equal((await ask(`${token.slice(0, -2)}xx`, { decision: 'approve' })).status, 404);
    assert.equal((await ask(decisionToken(link, 'y'.repeat(32)), { decision: 'approve' })).status, 404);
    assert.equal((await ask('nonsense')).status, 404);
    assert.equal((await ask(decisionToken({ ...link, expiresAt: AT }, SECRET), { decision: 'approve' })).status, 410);
    assert.deepEqual(readDecisionToken(token, SECRET), link);
    assert.deepEqual(asked, []);
  });

  it('refuses whom the configuration names as an approver no more', async () => {
    const gone = decisionToken({ ...link, person: 'bea' }, SECRET);
    assert.equal((await ask(gone, { decision: 'approve' })).status, 403);
    assert.deepEqual(asked, []);
  });

  it('says behind a link that there is nothing to decide any more once somebody has decided, and that a changed proposal needs a newer link', async () => {
    const done = await ask(decisionToken({ ...link, investigation: 'inv-2' }, SECRET));
    assert.match(done.text, /it is executed\. crm\/ana approved it at 2026-11-29T12:00:00\.000Z/);
    assert.match((await ask(decisionToken({ ...link, proposalHash: 'h0' }, SECRET))).text, /has changed/);
  });

  describe('on the command line', () => {
    let served: Served;
    const [one, other] = ['abcd1234-0000', 'abcd9999-0000'];
    before(async () => {
      served = await serveApi(api().deps);
      const tell = {
        kind: 'customer.notify',
        step: 'tell',
        title: 'Tell',
        risk: 'low',
        conversation: 'c1',
        text: 'It is late.',
      };
      const proposal = aProposal({
        actions: [...aProposal().actions, Action.parse(tell)],
        evidence: [{ label: 'promised for', value: null, source: 'erp', asOf: AT }],
        changed: [{ name: 'owed', before: { amount: 100, currency: 'EUR' }, after: null }],
      });
      const asked = { step: 'sure', kind: 'person.confirm', until: LATER } as const;
      for (const id of [one, other]) {
        const view = { ...anInvestigation(id), tenant: DEMO, status: 'executing', proposal, asked } as const;
        await opened.desk.investigations.record({ view, version: 1, tell: [], counted: [] });
      }
    });
    after(() => served.close());
    const run = async (...args: string[]) => attache(args, { url: served.url });

    it('are named by a beginning of their id that is nobody else’s, for reading and for deciding', async () => {
      assert.match((await run('investigations', 'show', 'abcd1')).out, new RegExp(`^id +${one}$`, 'm'));
      says = { result: 'taken', investigation: { ...anInvestigation(one), status: 'approved' } };
      assert.equal((await run('approve', 'abcd1234', '--by', 'ana')).out, `${one}: approved\n`);
      assert.equal((await run('reject', other)).exit, 0);
      assert.equal(asked.length, 2);
      const refused = await run('audit', '--target', 'abcd1234');
      assert.match(refused.out, /^no such acts/, 'the beginning alone was asked for, and refused');
    });

    it('are not guessed: a beginning of several names them, and one of none, or of a few letters, is not found', async () => {
      const several = await run('approve', 'abcd');
      assert.equal(several.exit, 2);
      assert.match(several.err, new RegExp(`2 investigations begin with abcd.*${other}, ${one}|${one}, ${other}`));
      assert.deepEqual([(await run('approve', 'abce')).exit, (await run('approve', 'abc')).exit], [3, 3]);
      assert.deepEqual(asked, []);
    });

    it('show what an act will say to the letter, what changed, what is not there, and what is waited for', async () => {
      const { out } = await run('investigations', 'show', one);
      assert.match(out, /^tell: conversation +c1\ntell: text +It is late\.$/m);
      assert.match(out, /^proposed anew +owed: €1\.00 → –$/m);
      assert.match(out, /^promised for +– +erp$/m);
      assert.match(out, /^waits for +an answer to sure until .*attache investigations answer abcd1234-0000 sure /m);
      assert.match(out, /^seen +once$/m);
    });
  });
});
