/** Exactly what will be done, in order, with cost and risk; and afterwards what became of each. */
import { COMPENSATIONS } from '../../../domain/investigations.ts';
import type { Action, ActionResult, Investigation, Proposal } from '../../../domain/schemas/investigations.ts';
import { Mark } from '../../parts/status.tsx';
import { Tree } from '../../parts/tree.tsx';
import { Instant } from '../../time/instant.tsx';
import { price } from '../../time/format.ts';
import { sayOr, useSay } from '../../words/words.ts';

const TONES = {
  done: 'goal',
  failed: 'trouble',
  undone: 'user',
  undo_failed: 'trouble',
  kept: 'held',
  unknown: 'trouble',
} as const;

export function Actions({
  investigation: { status, results },
  proposal,
}: {
  readonly investigation: Pick<Investigation, 'status' | 'results'>;
  readonly proposal: Proposal;
}) {
  const say = useSay();
  return (
    <section>
      <h3>{say('investigation.actions')}</h3>
      <ol className="actions">
        {proposal.actions.map((action) => (
          <li key={action.step}>
            <One action={action} result={results.find(({ step }) => step === action.step)} />
          </li>
        ))}
      </ol>
      <p className="bar">
        {proposal.cost !== null && (
          <strong>
            {say('investigation.cost')} {price(proposal.cost, say.language)}
          </strong>
        )}
        <span>
          {say('investigation.risk')} <Risk risk={proposal.risk} />
        </span>
        {status === 'proposed' && (
          <span className="quiet">
            {say('investigation.expires')} <Instant at={proposal.expiresAt} how="fully" />
          </span>
        )}
      </p>
    </section>
  );
}

function One({ action, result }: { readonly action: Action; readonly result: ActionResult | undefined }) {
  const say = useSay();
  const undo = COMPENSATIONS[action.kind];
  return (
    <>
      <p className="bar">
        <strong>{say.told(action.title)}</strong>
        {action.cost !== undefined && <span>{price(action.cost, say.language)}</span>}
        <Risk risk={action.risk} />
        {result && <Mark tone={TONES[result.state]}>{say(`action.${result.state}`)}</Mark>}
        {result?.reference && <span className="mono">{result.reference}</span>}
      </p>
      {result?.detail && (
        <p>{action.kind === 'person.confirm' && result.state === 'done' ? result.detail : say.told(result.detail)}</p>
      )}
      <details>
        <summary className="quiet">
          {action.kind} ·{' '}
          {undo === null
            ? say('action.noUndo')
            : say('action.undo', { how: sayOr(say, `action.undo.${action.kind}`, undo) })}
        </summary>
        <Tree value={action} />
      </details>
    </>
  );
}

export function Risk({ risk }: { readonly risk: Action['risk'] }) {
  const say = useSay();
  return <Mark tone={risk === 'high' ? 'trouble' : risk === 'medium' ? 'held' : 'still'}>{say(`risk.${risk}`)}</Mark>;
}
