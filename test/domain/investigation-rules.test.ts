import assert from 'node:assert/strict';
import { approvalsNeeded, costOf, riskOf } from '../../src/domain/investigation-rules.ts';
import { Action, ProposalDraft, resolveInvestigationPolicy } from '../../src/domain/schemas/investigations.ts';
import { resolvePolicy } from '../../src/domain/schemas/policy.ts';
import { signatureId } from '../../src/activities/investigations/signature.ts';

const brl = (amount: number) => ({ amount, currency: 'BRL' });
const reminder = (step: string, more: object = {}) =>
  Action.parse({
    kind: 'reminder.send',
    step,
    title: 'Remind',
    risk: 'low',
    invoiceId: 'I-1',
    text: 'Please pay',
    ...more,
  });

describe('the rules of a proposal', () => {
  it('adds up what its actions cost and takes the gravest of their risks', () => {
    const actions = [
      reminder('a', { cost: brl(100) }),
      reminder('b', { risk: 'high' }),
      reminder('c', { cost: brl(23) }),
    ];
    assert.deepEqual(costOf(actions), brl(123));
    assert.equal(riskOf(actions), 'high');
    assert.equal(costOf([reminder('a')]), null);
  });

  it('asks nobody below the limit of the policy, two people above it, and one person between', () => {
    const policy = resolveInvestigationPolicy({
      autoApproveBelow: brl(10_000),
      twoPersonsAbove: { risk: 'medium', cost: brl(1_000_000) },
    });
    const needed = (amount: number | null, risk: 'low' | 'medium' | 'high', currency = 'BRL') =>
      approvalsNeeded({ cost: amount === null ? null : { amount, currency }, risk }, policy);
    assert.equal(needed(9_999, 'low'), 0);
    assert.equal(needed(null, 'low'), 0);
    assert.equal(needed(10_000, 'low'), 1);
    assert.equal(needed(9_999, 'medium'), 1);
    assert.equal(needed(1_000_001, 'low'), 2);
    assert.equal(needed(1, 'high'), 2);
    // What a dollar is worth is not known here: neither small nor below the limit of two people.
    assert.equal(needed(1, 'low', 'USD'), 2);
    assert.equal(approvalsNeeded({ cost: null, risk: 'low' }, resolveInvestigationPolicy(undefined)), 1);
  });

  it('refuses two actions of one step, and costs in two currencies', () => {
    const draft = { summary: 's', method: 'm', preconditions: {} };
    const problems = (actions: readonly Action[]) =>
      ProposalDraft.safeParse({ ...draft, actions }).error?.issues.map(({ message }) => message) ?? [];
    assert.deepEqual(problems([reminder('a'), reminder('b')]), []);
    assert.deepEqual(problems([reminder('a'), reminder('a')]), ['each action needs a step of its own']);
    assert.deepEqual(
      problems([reminder('a', { cost: brl(1) }), reminder('b', { cost: { amount: 1, currency: 'USD' } })]),
      ['all costs of one proposal must be in one currency'],
    );
  });

  it('lets a tenant change one bound of investigations and keep what the author wrote of the others', () => {
    const author = { investigation: { autoApproveBelow: brl(500), expiresIn: '1d' } };
    const { investigation } = resolvePolicy(author, { investigation: { expiresIn: '2h' } });
    assert.deepEqual(resolveInvestigationPolicy(investigation).autoApproveBelow, brl(500));
    assert.equal(resolveInvestigationPolicy(investigation).expiresIn, '2h');
  });

  it('keeps a short signature readable and tells a long one by its hash, never mistaking the one for the other', () => {
    assert.equal(signatureId('stockout:P-12'), 'stockout:P-12');
    const long = 'x'.repeat(150);
    assert.match(signatureId(long), /^sha256=[A-Za-z0-9_-]{43}$/);
    assert.notEqual(signatureId(signatureId(long)), signatureId(long));
  });
});
