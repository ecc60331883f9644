import assert from 'node:assert/strict';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import {
  createRunClient,
  AttachmentMismatchError,
  InvalidIdError,
  NotAttachedError,
  NoWorkerError,
  TemporalUnavailableError,
  type RunClient,
} from '../../src/client.ts';
import { attacherOf } from '../../src/client/attacher.ts';
import { parseRunName, type AttachmentId } from '../../src/domain/ids.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import { temporalCli } from '../support/binaries.ts';

/** A real server and no worker: what a back end can rely on when ours are down. */
describe('the run client, without a worker', () => {
  let env: TestWorkflowEnvironment;
  let runs: RunClient;
  let conversation = 0;
  const next = () => ({ tenant: 'acme', subject: `conversation/${++conversation}`, slot: 'answering' });
  const attach = { agent: 'qualifier', actor: 'crm' };

  before(async () => {
    env = await TestWorkflowEnvironment.createLocal({
      server: {
        executable: { type: 'existing-path', path: temporalCli() },
        searchAttributes: [...SEARCH_ATTRIBUTES],
        extraArgs: ['--log-level', 'never'],
      },
    });
    runs = createRunClient(env.client);
  });
  after(async () => {
    await env.teardown();
  });

  it('attaches once, however many ask at once', async () => {
    const ref = next();
    const answers = await Promise.all(Array.from({ length: 20 }, async () => runs.attach({ ...ref, ...attach })));
    assert.equal(answers.filter(({ attached }) => attached).length, 1);
    assert.equal(new Set(answers.map(({ run }) => run.id)).size, 1);
    assert.equal(answers[0]?.run.workflowId, `run/acme/${ref.subject}/answering`);
  });

  it('describes what is attached, and how it was ended from outside', async () => {
    const ref = next();
    assert.equal(await runs.describe(ref), null);
    const { run } = await runs.attach({ ...ref, ...attach, firstRunAt: '2030-01-01T00:00:00.000Z' });
    const live = await runs.describe(ref);
    assert.deepEqual(
      [live?.live, live?.attachment, live?.run.agent, live?.run.nextRunAt],
      [true, run.id, 'qualifier', '2030-01-01T00:00:00.000Z'],
    );
    await env.client.workflow.getHandle(run.workflowId).terminate();
    const ended = await runs.describe(ref);
    assert.deepEqual(
      [ended?.live, ended?.run.status, ended?.run.reason, ended?.run.nextRunAt],
      [false, 'REMOVED_BY_SYSTEM', 'lost', null],
    );
    assert.equal((await runs.attach({ ...ref, ...attach })).attached, true);
  });

  it('tells who attached a run, and nothing of another one', async () => {
    const ref = next();
    const asked = parseRunName(`acme/${ref.subject}/answering`);
    const attacher = async (id: string) => attacherOf(env.client, { ...asked, id: id as AttachmentId });
    assert.equal(await attacher('another'), null);
    const { run } = await runs.attach({ ...ref, ...attach });
    assert.deepEqual([await attacher(run.id), await attacher('another')], ['crm', null]);
  });

  it('hands detach and takeover to Temporal, and says how a run had ended before', async () => {
    const ref = next();
    await assert.rejects(runs.detach(ref, { actor: 'ana' }), NotAttachedError);
    const { run } = await runs.attach({ ...ref, ...attach });
    assert.deepEqual(await runs.detach(ref, { actor: 'ana', attachment: run.id }), { accepted: true });
    assert.deepEqual(await runs.takeOver(ref, { actor: 'ana' }), { accepted: true });
    await assert.rejects(runs.takeOver(ref, { actor: 'ana', attachment: 'another' }), AttachmentMismatchError);
    assert.equal(await runs.waitForEnd(ref, 50), false);
    await env.client.workflow.getHandle(run.workflowId).terminate();
    assert.equal(await runs.waitForEnd(ref, 5_000), true);
    const late = await runs.detach(ref, { actor: 'ana' });
    assert.equal(late.accepted, false);
  });

  it('refuses a time that no run could read, naming the field', async () => {
    const ref = next();
    const names = (field: string) => ({ name: 'InvalidInputError', message: new RegExp(`^${field}: must be`) });
    await assert.rejects(runs.attach({ ...ref, ...attach, firstRunAt: 'tomorrow' }), names('firstRunAt'));
    await runs.attach({ ...ref, ...attach });
    for (const at of ['30/11/2026 10:00', '2026-11-30T10:00:00']) {
      await assert.rejects(runs.detach(ref, { actor: 'ana', at }), names('at'));
      await assert.rejects(runs.takeOver(ref, { actor: 'ana', at }), names('at'));
    }
    await assert.rejects(runs.snooze(ref, { actor: 'ana', until: 'later' }), names('until'));
  });

  it('refuses who says not who they are, no agent, and a snooze into the past, before anything is started', async () => {
    const ref = next();
    const wrong = (field: string) => ({ message: new RegExp(`^${field}:? must`) });
    const nobody = { agent: 'qualifier' } as typeof attach;
    await assert.rejects(runs.attach({ ...ref, ...nobody }), wrong('actor'));
    await assert.rejects(runs.attach({ ...ref, actor: 'crm' } as never), wrong('agent'));
    await assert.rejects(runs.attach({ ...ref, ...attach, comment: 7 as never }), wrong('comment'));
    assert.equal(await runs.describe(ref), null);
    await runs.attach({ ...ref, ...attach });
    for (const act of ['detach', 'takeOver', 'pause', 'resume', 'wakeNow'] as const)
      await assert.rejects(runs[act](ref, { actor: ' ' }), wrong('actor'));
    await assert.rejects(runs.snooze(ref, { actor: 'ana', until: '2020-12-01T09:00:00Z' }), wrong('until'));
  });

  it('refuses text and configurations that cannot be carried or kept, naming the field, and starts nothing', async () => {
    const ref = next();
    const wrong = (field: string) => ({ name: 'InvalidInputError', message: new RegExp(`^${field}: must`) });
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const actor of ['an\0a', 'ana \ud800', 'a'.repeat(401)])
      await assert.rejects(runs.attach({ ...ref, ...attach, actor }), wrong('actor'));
    for (const config of [circle, { text: '\0' }, { big: 'x'.repeat(2 ** 20) }, { count: 1n }, Symbol('none')])
      await assert.rejects(runs.attach({ ...ref, ...attach, config }), wrong('config[.\\w]*'));
    assert.equal(await runs.describe(ref), null);
    await assert.rejects(runs.detach(ref, { actor: 'ana', comment: 'x'.repeat(3e6) }), wrong('comment'));
  });

  it('does not wait for ever for a worker', async () => {
    const ref = next();
    await assert.rejects(runs.view(ref), NotAttachedError);
    await assert.rejects(runs.pause(ref, { actor: 'ana' }), NotAttachedError);
    await runs.attach({ ...ref, ...attach });
    await assert.rejects(runs.view(ref), NoWorkerError);
    await assert.rejects(runs.pause(ref, { actor: 'ana' }), NoWorkerError);
  });

  it('lists, says what is due, and counts', async () => {
    const tenant = 'listed';
    const business = (agent: string, firstRunAt: string) => ({
      tenant,
      subject: 'business',
      slot: agent,
      agent,
      actor: 'crm',
      firstRunAt,
    });
    await runs.attach(business('soon', '2020-01-01T00:00:00Z'));
    await runs.attach(business('later', '2040-01-01T00:00:00Z'));
    // Visibility is eventually consistent: wait until both are seen.
    while ((await runs.list({ tenant })).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(
      (await runs.due({ tenant })).map(({ agent }) => agent),
      ['soon'],
    );
    assert.deepEqual(
      (await runs.list({ tenant, agent: 'later', status: 'IN_PROGRESS' })).map(({ slot }) => slot),
      ['later'],
    );
    assert.equal((await runs.countByStatus(tenant)).IN_PROGRESS, 2);
  });

  it('refuses names outside the grammar before anything is sent', async () => {
    for (const [part, text] of [
      ['tenant', "a' OR 1=1"],
      ['subject', 'conversation/a/b'],
      ['slot', 'Answering'],
    ] as const)
      await assert.rejects(
        runs.describe({ ...next(), [part]: text }),
        (error: unknown) => error instanceof InvalidIdError && error.field === part,
      );
    await assert.rejects(runs.list({ tenant: 'acme', agent: "x' OR 'a'='a" }), InvalidIdError);
    await assert.rejects(runs.waitForEnd({ ...next(), slot: 'No Slot' }, 1_000), InvalidIdError);
    const wrong = (field: string) => ({ name: 'InvalidInputError', message: new RegExp(`^${field}: must`) });
    const elsewhere = "COMPLETED' OR AttacheTenant = 'other" as 'COMPLETED';
    await assert.rejects(runs.list({ tenant: 'acme', status: elsewhere }), wrong('status'));
    await assert.rejects(runs.due({ tenant: 'acme', dueBefore: 'soon' }), wrong('dueBefore'));
    await assert.rejects(runs.list({ tenant: 'acme', limit: 0 }), wrong('limit'));
  });

  it('says that Temporal is away, when it is', async () => {
    const { Client, Connection } = await import('@temporalio/client');
    const connection = Connection.lazy({ address: '127.0.0.1:9' });
    const away = createRunClient(new Client({ connection }));
    await assert.rejects(away.describe(next()), TemporalUnavailableError);
    await connection.close();
  });

  it('says what Temporal refuses, where it is there and does', async () => {
    const { Client } = await import('@temporalio/client');
    const inNamespace = (namespace: string) => createRunClient(new Client({ connection: env.connection, namespace }));
    const refused = (why: RegExp) => ({ name: 'TemporalUnavailableError', message: why });
    await assert.rejects(
      inNamespace('nowhere').attach({ ...next(), ...attach }),
      refused(/^Temporal refuses: there is no namespace nowhere/),
    );
    await assert.rejects(
      inNamespace('temporal-system').attach({ ...next(), ...attach }),
      refused(/^Temporal refuses: .*Attache/),
    );
  });
});
