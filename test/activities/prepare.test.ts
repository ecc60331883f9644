import assert from 'node:assert/strict';
import { stockout } from '../../src/agents/stockout/stockout.ts';
import { leadQualification } from '../../src/agents/lead-qualification/lead-qualification.ts';
import type { ActivityDeps } from '../../src/activities/deps.ts';
import { prepare } from '../../src/activities/prepare.ts';
import { BUSINESS, type WorkflowId } from '../../src/domain/ids.ts';
import { openTestDesk } from '../support/desk.ts';
import { aConversation, accepted, aRun, at, fact } from '../support/facts.ts';

describe('a run that is prepared', () => {
  it('takes no conversation from a human by a rule, however the two cross', async () => {
    const opened = await openTestDesk();
    const { desk } = opened;
    const { id, subject } = aConversation();
    const assigned = fact(subject, { type: 'conversation.assigned', time: at('09:59:59'), data: { to: 'human' } });
    const crossed: typeof desk = {
      ...desk,
      conversations: {
        ...desk.conversations,
        get: async (...which) => {
          const before = await desk.conversations.get(...which);
          accepted(await desk.intake.store(assigned));
          return before;
        },
      },
    };
    const nothing = () => undefined;
    const deps: ActivityDeps = {
      desk: crossed,
      agents: { get: () => leadQualification },
      channels: { get: nothing },
      tenant: (tenant) => ({ id: tenant, name: tenant, timeZone: 'UTC', policies: {} }),
      holidays: { between: async () => [] },
      erps: { of: () => undefined },
      occurred: async () => undefined,
      askPermit: async () => Promise.resolve({ permitted: true }),
      log: { info: nothing, warn: nothing, error: nothing },
      metrics: { tickLag: nothing, tickDone: nothing, effectDone: nothing, runEnded: nothing },
      clock: () => Date.parse(at('10:00:05')),
    };
    const { tenant, slot, agent, workflowId, id: attachment } = aRun(subject);
    const run = { tenant, subject, slot, agent, attachedAt: at('10:00:00') };
    const prepared = await prepare(deps, {
      run: { ...run, workflowId: workflowId as WorkflowId, attachment: attachment },
      attach: { agent, config: {}, origin: 'rule', actor: 'rule' },
    });
    assert.equal(prepared.result, 'refused');
    assert.equal((await desk.conversations.get(tenant, id))?.owner, 'human');
    await opened.close();
  });

  it('is refused where it reads an ERP and the tenant has none, naming what to configure', async () => {
    const nothing = () => undefined;
    const deps = {
      agents: { get: () => stockout },
      erps: { of: nothing },
      tenant: (tenant: string) => ({ id: tenant, name: tenant, timeZone: 'UTC', policies: {} }),
    } as unknown as ActivityDeps;
    const { tenant, id: attachment, workflowId } = aRun(BUSINESS);
    const slot = stockout.slot;
    const prepared = await prepare(deps, {
      run: {
        tenant,
        subject: BUSINESS,
        slot,
        agent: stockout.key,
        attachedAt: at('10:00:00'),
        workflowId: workflowId as WorkflowId,
        attachment,
      },
      attach: { agent: stockout.key, config: {}, origin: 'attach', actor: 'ana' },
    });
    assert.ok(prepared.result === 'refused' && prepared.reason === 'invalid_config');
    assert.match(prepared.comment, /tenants\..+\.erp/);
  });
});
