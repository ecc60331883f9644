import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resolveInvestigationPolicy } from '../../src/domain/schemas/investigations.ts';
import type { EffectKey } from '../../src/domain/ids.ts';
import { newInvestigationData, type InvestigationData } from '../../src/workflows/investigation-data.ts';
import { InvestigationState } from '../../src/workflows/investigation-state.ts';
import { aProposal } from '../support/investigation-parts.ts';

const START = Date.parse('2026-11-29T12:00:00.000Z');
const HOUR = 3_600_000;
const policy = resolveInvestigationPolicy({ expiresIn: '3d' });

function proposed(approvals: 1 | 2 = 1): InvestigationState {
  const state = new InvestigationState(newInvestigationData(new Date(START).toISOString()), policy);
  state.proposed(
    { result: 'proposed', proposal: aProposal({ approvals, proposedAt: new Date(START).toISOString() }) },
    START,
  );
  return state;
}

describe('the state of an investigation', () => {
  const move = fc.oneof(
    fc.record({
      what: fc.constant('decide' as const),
      person: fc.constantFrom('ana', 'bob', 'eve'),
      decision: fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const),
      role: fc.constantFrom('viewer' as const, 'operator' as const, 'admin' as const),
      hash: fc.constantFrom(undefined, 'h1', 'h2', 'h3'),
    }),
    fc.record({ what: fc.constant('stale' as const) }),
    fc.record({ what: fc.constant('occur' as const), key: fc.constantFrom('a', 'b', 'c') }),
    fc.record({ what: fc.constant('rollOver' as const) }),
  );

  it('is approved only by as many different people as it needs, each on the current proposal, whatever happens in between', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1 as const, 2 as const),
        fc.array(move, { maxLength: 40, size: 'max' }),
        (approvals, moves) => {
          let state = proposed(approvals);
          let revision = 1;
          const keys = new Set<string>();
          for (const each of moves) {
            const { data } = state;
            switch (each.what) {
              case 'decide': {
                const { person, decision, role, hash } = each;
                const asked = {
                  decision,
                  person,
                  role,
                  actor: person,
                  reason: null,
                  ...(hash === undefined ? {} : { proposalHash: hash }),
                };
                const refusal = state.refusalOf(asked, START + HOUR);
                if (refusal === null) {
                  assert.equal(data.status, 'proposed');
                  assert.notEqual(role, 'viewer');
                  assert.ok(hash === undefined || hash === data.proposal?.hash);
                  state.decide(asked, START + HOUR);
                }
                break;
              }
              case 'stale':
                if (data.status !== 'approved') break;
                revision += 1;
                state.proposed(
                  { result: 'proposed', proposal: aProposal({ approvals, revision, hash: `h${revision}` }) },
                  START,
                );
                break;
              case 'occur':
                keys.add(each.key);
                state.occurred(each.key as EffectKey);
                break;
              case 'rollOver':
                state = new InvestigationState(JSON.parse(JSON.stringify(data)) as InvestigationData, policy);
            }
            const agreed = state.data.decisions.filter(({ valid, decision }) => valid && decision === 'approve');
            const people = new Set(agreed.map(({ person }) => person));
            assert.equal(people.size, agreed.length, 'nobody agrees twice');
            assert.ok(agreed.every(({ proposalHash }) => proposalHash === state.data.proposal?.hash));
            if (state.data.status === 'approved') assert.equal(people.size, approvals);
            assert.equal(state.data.occurrences, keys.size);
          }
        },
      ),
    );
  });

  it('counts a key once, also one that comes again after a roll-over', () => {
    const state = proposed();
    for (const key of ['a', 'b', 'a']) state.occurred(key as EffectKey);
    const later = new InvestigationState(structuredClone(state.data), policy);
    later.occurred('b' as EffectKey);
    assert.equal(later.data.occurrences, 2);
  });

  it('reminds once for all the reminders that were due while nobody was there', () => {
    const state = proposed();
    assert.deepEqual(state.nextOfDecision(START), { do: 'wait', until: START + 8 * HOUR });
    const late = START + 20 * HOUR;
    assert.deepEqual(state.nextOfDecision(late), { do: 'remind' });
    state.remind(late);
    assert.deepEqual(state.nextOfDecision(late), { do: 'wait', until: START + 24 * HOUR });
    assert.deepEqual(state.nextOfDecision(START + 24 * HOUR), { do: 'escalate' });
  });

  it('looks ten times again at what slips in right before an act, over all of its acts', () => {
    const state = proposed();
    for (let times = 0; times < 9; times += 1) state.slippedIn(START);
    assert.deepEqual([state.looksOnceMore(), state.looksOnceMore()], [true, false]);
    state.proposed({ result: 'proposed', proposal: aProposal() }, START);
    assert.equal(state.looksOnceMore(), true);
  });

  it('is neither cancelled nor decided once it acts', () => {
    const state = proposed();
    state.decide({ decision: 'approve', person: 'ana', role: 'operator', actor: 'ana', reason: null }, START);
    state.confirmed(START);
    state.cancelled(START);
    assert.equal(state.data.status, 'executing');
    const refusal = state.refusalOf(
      { decision: 'reject', person: 'bob', role: 'admin', actor: 'bob', reason: null },
      START,
    );
    assert.ok(refusal?.refused === 'already_decided' && refusal.decision?.person === 'ana');
  });

  it('stays ended when it was cancelled while it looked, whatever it finds', () => {
    const state = proposed();
    state.decide({ decision: 'approve', person: 'ana', role: 'operator', actor: 'ana', reason: null }, START);
    state.cancelled(START);
    state.confirmed(START);
    assert.equal(state.data.status, 'rejected');
    state.proposed({ result: 'proposed', proposal: aProposal({ approvals: 0 }) }, START);
    assert.equal(state.data.status, 'rejected');
  });

  it('takes two keys for two people, but not a key and a link of one', () => {
    const state = proposed(2);
    const approve = { decision: 'approve', role: 'operator', reason: null } as const;
    state.decide({ ...approve, person: 'Ana', actor: 'Ana/link' }, START);
    assert.equal(state.refusalOf({ ...approve, person: 'ops', actor: 'ops/ana' }, START)?.refused, 'already_decided');
    assert.equal(state.refusalOf({ ...approve, person: 'ops', actor: 'ops/bob' }, START), null);
  });
});
