/** An investigation with all it meets: a real desk, a demo ERP in memory whose calls a test may spoil, time that skips. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowUpdateFailedError,
  type WorkflowHandleWithSignaledRunId,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { createInvestigationActivities } from '../../src/activities/investigations/create-investigation-activities.ts';
import type { InvestigationDeps } from '../../src/activities/investigations/deps.ts';
import { notify } from '../../src/agents/notify/notify.ts';
import { BUSINESS, type AgentKey, type EffectKey, type Slot } from '../../src/domain/ids.ts';
import type { ErpRecord } from '../../src/domain/schemas/erp-records.ts';
import type { ActionInput, Investigation, InvestigationPolicyInput } from '../../src/domain/schemas/investigations.ts';
import { resolveInvestigationPolicy } from '../../src/domain/schemas/investigations.ts';
import { createDemoErp } from '../../src/erp/demo/demo-erp.ts';
import type { Books } from '../../src/erp/demo/books.ts';
import type { Erp } from '../../src/erp/erp.ts';
import { TASK_QUEUE } from '../../src/temporal/task-queues.ts';
import type { investigation } from '../../src/workflows/investigation.ts';
import * as messages from '../../src/workflows/investigation-messages.ts';
import type { InvestigationActivities } from '../../src/workflows/investigation-types.ts';
import { openTestDesk, type TestDesk } from './desk.ts';
import { ACME } from './facts.ts';
import { orderFor, restock } from './restock-agent.ts';
import { P1, shortBooks } from './short-books.ts';
import { workflowBundle } from './temporal.ts';
import { until } from './until.ts';

/** Those that an approved order passes through. */
export const ACTIVITIES = [
  ...(['beginInvestigation', 'investigateStep', 'propose', 'readVersions'] as const),
  ...(['performAction', 'verify', 'recordInvestigation'] as const),
];

export type Opened = WorkflowHandleWithSignaledRunId<typeof investigation>;

export class InvestigationRig {
  /** What is proposed beside the facts; a test may say otherwise. */
  actions: (stock: ErpRecord<'stock'>) => readonly ActionInput[] = (stock) => [orderFor(stock)];
  /** Runs before each write reaches the ERP; what it throws, the ERP throws. */
  beforeWrite: (key: string) => Promise<void> | void = () => undefined;
  /** Runs after each write has been done; what it throws is a lost answer. */
  afterWrite: (key: string) => Promise<void> | void = () => undefined;
  /** Wraps an activity: how a test holds it, or kills its worker. */
  around: Partial<InvestigationActivities> = {};
  readonly attached: string[] = [];
  readonly detached: string[] = [];
  writes = 0;
  readonly desk: TestDesk['desk'];
  readonly environment: TestWorkflowEnvironment;
  erp!: Erp;
  private bare!: Erp;
  private books!: Books;
  private readonly testDesk: TestDesk;
  private worker!: Worker;
  private running!: Promise<void>;

  static async open(environment: TestWorkflowEnvironment): Promise<InvestigationRig> {
    const rig = new InvestigationRig(environment, await openTestDesk('PGlite', { subscribers: () => ['erp'] }));
    rig.newBooks();
    await rig.startWorker();
    return rig;
  }

  private constructor(environment: TestWorkflowEnvironment, testDesk: TestDesk) {
    this.environment = environment;
    this.testDesk = testDesk;
    this.desk = testDesk.desk;
  }

  /** A fresh ERP, nothing spoilt. */
  newBooks(): void {
    this.books = shortBooks();
    this.bare = createDemoErp({ books: this.books });
    this.erp = {
      ...this.bare,
      write: async (command, options) => {
        await this.beforeWrite(options.idempotencyKey);
        this.writes += 1;
        const answer = await this.bare.write(command, options);
        await this.afterWrite(options.idempotencyKey);
        return answer;
      },
    };
    this.actions = (stock) => [orderFor(stock)];
    this.beforeWrite = () => undefined;
    this.afterWrite = () => undefined;
    this.around = {};
    this.writes = 0;
  }

  async startWorker(): Promise<void> {
    const activities = createInvestigationActivities(this.deps());
    const wrapped = Object.fromEntries(
      Object.entries(activities).map(([name, work]) => [
        name,
        async (input: never) =>
          ((this.around[name as keyof InvestigationActivities] ?? work) as (input: never) => Promise<unknown>)(input),
      ]),
    );
    this.worker = await Worker.create({
      connection: this.environment.nativeConnection,
      taskQueue: TASK_QUEUE,
      workflowBundle: await workflowBundle(),
      activities: wrapped,
      maxHeartbeatThrottleInterval: '1s',
      shutdownGraceTime: '1s',
    });
    this.running = this.worker.run();
  }

  async close(): Promise<void> {
    this.worker.shutdown();
    await this.running;
    await this.testDesk.close();
  }

  /** As the effect does: starts it, or tells the live one; and again, when nobody can say what became of it. */
  async occur(
    signature: string,
    policy: InvestigationPolicyInput = {},
    effectKey: string = randomUUID(),
  ): Promise<Opened> {
    const openedBy = { subject: BUSINESS, slot: 'restock' as Slot, id: 'attachment-1' };
    const tell = async () =>
      this.environment.client.workflow.signalWithStart<typeof investigation, [messages.Occurred]>('investigation', {
        workflowId: `investigation/acme/restock/${signature}`,
        taskQueue: TASK_QUEUE,
        args: [
          {
            ...{ v: 1, tenant: ACME, agent: 'restock' as AgentKey, signature, summary: 'P-1 runs out', openedBy },
            ...{ trigger: { productId: 'P-1' }, policy: resolveInvestigationPolicy(policy) },
          },
        ],
        signal: messages.occurred,
        signalArgs: [{ effectKey: effectKey as EffectKey }],
      });
    try {
      return await tell();
    } catch (error) {
      // The time-skipping server looks and starts in two steps: of many at once, one may meet another's start.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      return await tell();
    }
  }

  view(of: Opened): Promise<Investigation> {
    return this.environment.client.workflow.getHandle(of.workflowId).query(messages.investigationView);
  }

  /** It, once it is as `wanted`. */
  async whenIt(of: Opened, wanted: (view: Investigation) => boolean): Promise<Investigation> {
    return until('the investigation to be as wanted', async () => {
      const view = await this.view(of);
      return wanted(view) && view;
    });
  }

  async executed(of: Opened): Promise<void> {
    const { status, reason } = await of.result();
    assert.equal(status, 'executed', reason ?? '');
  }

  /** Null: taken. */
  async decide(of: Opened, by: string, more: Partial<messages.Decide> = {}): Promise<messages.Refusal | null> {
    try {
      await this.environment.client.workflow.getHandle(of.workflowId).executeUpdate(messages.decide, {
        args: [{ decision: 'approve', actor: `${by}/${by}`, person: by, role: 'operator', reason: null, ...more }],
      });
      return null;
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
        return error.cause.details?.[0] as messages.Refusal;
      throw error;
    }
  }

  /** Null: taken. */
  async answer(of: Opened, given: messages.Answer): Promise<string | null> {
    try {
      await this.environment.client.workflow.getHandle(of.workflowId).executeUpdate(messages.answer, { args: [given] });
      return null;
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? error.message;
      throw error;
    }
  }

  async ordersWith(): Promise<readonly string[]> {
    return (await this.bare.list('purchaseOrder', { limit: 100 })).items.map(({ supplierId }) => supplierId);
  }

  /** The work is done, and its worker dies before it can say so. */
  loseFirstAnswerOf(name: (typeof ACTIVITIES)[number]): void {
    const works: Readonly<Record<string, (input: never) => Promise<unknown>>> = {
      ...createInvestigationActivities(this.deps()),
    };
    const work = works[name] ?? assert.fail(name);
    let lost = false;
    const losing = async (input: never): Promise<unknown> => {
      const answer = await work(input);
      if (lost) return answer;
      lost = true;
      throw new Error('the worker died');
    };
    this.around = { [name]: losing };
  }

  /** Goods arrive, or are sold. */
  async stockIs(onHand: number): Promise<void> {
    await this.books.inTurn(async (turn) => turn.put('stock', { ...P1, onHand }));
  }

  /** Another version, of which nothing matters to what is proposed. */
  async stockMoves(): Promise<void> {
    await this.books.inTurn(async (turn) => turn.put('stock', { ...P1, reserved: 1 }));
  }

  async goodsReceived(): Promise<void> {
    const { items } = await this.bare.list('purchaseOrder', { limit: 100 });
    for (const order of items)
      await this.books.inTurn(async (turn) => turn.put('purchaseOrder', { ...order, status: 'received' }));
  }

  /** Somebody else changes the payment. */
  async paymentChanges(): Promise<void> {
    const payment = (await this.bare.get('payment', 'PAY-1')) ?? assert.fail('no payment');
    await this.books.inTurn(async (turn) => turn.put('payment', { ...payment, reference: 'bill 8' }));
  }

  async payment(): Promise<string | undefined> {
    return (await this.bare.get('payment', 'PAY-1'))?.status;
  }

  async orders(): Promise<readonly string[]> {
    const { items } = await this.bare.list('purchaseOrder', { limit: 100 });
    return items.map(({ status }) => status);
  }

  /** Types of what outgoing webhooks were told of it, oldest first. */
  async told(id: string): Promise<readonly string[]> {
    const { items } = await this.desk.outbox.list({ tenant: ACME, limit: 200 });
    const bodies = await Promise.all(items.map(async (one) => (await this.desk.outbox.get(ACME, one.id))?.body ?? ''));
    return items
      .filter((_, n) => bodies[n]?.includes(id))
      .map(({ type }) => type)
      .reverse();
  }

  private deps(): InvestigationDeps {
    const nothing = () => undefined;
    return {
      desk: this.desk,
      agents: {
        get: (key) =>
          key === 'notify' ? notify : key === 'restock' ? restock((stock) => this.actions(stock)) : undefined,
      },
      tenant: (id) => ({ id, name: 'Acme', timeZone: 'UTC', policies: {} }),
      erps: { of: () => this.erp },
      runs: {
        attach: async ({ agent, slot }) => {
          this.attached.push(`${agent} ${slot}`);
          return Promise.resolve({ id: randomUUID() as never, isNew: true });
        },
        detach: async ({ slot }) => Promise.resolve(void this.detached.push(slot)),
        attacherOf: async () => Promise.resolve(null),
      },
      links: {
        of: ({ proposalHash }) => [{ person: 'ana', url: `https://example.test/decide/${proposalHash}` }],
      },
      log: { info: nothing, warn: nothing, error: nothing },
      clock: () => Context.current().info.currentAttemptScheduledTimestampMs,
    };
  }
}
