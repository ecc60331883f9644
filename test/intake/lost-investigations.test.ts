import assert from 'node:assert/strict';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { InvestigationStatus } from '../../src/domain/investigations.ts';
import { BUSINESS } from '../../src/domain/ids.ts';
import { endLostInvestigations } from '../../src/intake/lost-investigations.ts';
import { DATABASES, openTestDesk, type TestDesk } from '../support/desk.ts';
import { ACME } from '../support/facts.ts';
import { SILENT, temporalOf } from '../support/given.ts';
import { anInvestigation } from '../support/investigation-parts.ts';

for (const kind of DATABASES)
  describe(`an investigation that Temporal has closed, on ${kind}`, () => {
    let opened: TestDesk;
    before(async () => {
      opened = await openTestDesk(kind, { subscribers: () => ['erp'] });
    });
    after(() => opened.close());

    /** How Temporal says each stands, by its id; one that is not named is not there. */
    async function compare(said: Readonly<Record<string, string>>, meanwhile = async () => Promise.resolve()) {
      const described = async (id: string) => {
        await meanwhile();
        const name = said[id];
        if (name === undefined) throw new WorkflowNotFoundError('gone', id, undefined);
        return { status: { name }, raw: { workflowExecutionInfo: { firstRunId: id } } };
      };
      const client = temporalOf({
        getHandle: (workflowId: string) => ({ describe: async () => described(workflowId) }),
      });
      return endLostInvestigations({ desk: opened.desk, client, log: SILENT });
    }

    const stored = async (id: string, status: InvestigationStatus = 'proposed', version = 1) => {
      const view = { ...anInvestigation(id), status, workflowId: id };
      await opened.desk.investigations.record({ view, version, tell: [], counted: [] });
      return async () => (await opened.desk.investigations.get(ACME, id)) ?? assert.fail(id);
    };

    it('is failed, tells so once and reports to the run that opened it', async () => {
      const [alive, terminated, vanished] = [await stored('a'), await stored('t', 'executing'), await stored('v')];
      assert.equal(await compare({ a: 'RUNNING', t: 'TERMINATED' }), 2);
      assert.equal(await compare({ a: 'RUNNING', t: 'TERMINATED' }), 0);
      assert.equal((await alive()).status, 'proposed');
      const { status, reason, endedAt } = await terminated();
      assert.deepEqual([status, endedAt !== null], ['failed', true]);
      assert.match(reason ?? '', /terminated; what it has begun may be done/);
      assert.match((await vanished()).reason ?? '', /unknown to Temporal/);
      const { items } = await opened.desk.outbox.list({ tenant: ACME, limit: 50 });
      assert.deepEqual(
        items.map(({ type }) => type),
        ['investigation.failed', 'investigation.failed'],
      );
      const events = await opened.desk.events.after({ tenant: ACME, subject: BUSINESS, seq: 0, limit: 50 });
      assert.deepEqual(events.map(({ data }) => (data as { investigation: string }).investigation).sort(), ['t', 'v']);
    });

    it('keeps the end that it told itself while it was asked about', async () => {
      const it = await stored('m');
      const lost = await compare({ a: 'RUNNING', m: 'COMPLETED' }, async () => {
        await stored('m', 'executed', 2);
      });
      assert.deepEqual([lost, (await it()).status], [0, 'executed']);
    });
  });
