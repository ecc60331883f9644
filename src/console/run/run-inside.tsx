/** For who needs to know: state, configuration and policy as trees, and the way to Temporal's own screen. */
import { useConnection } from '../api/context.ts';
import type { Run } from '../api/shapes.ts';
import { Tree } from '../parts/tree.tsx';
import { useSay } from '../words/words.ts';
import type { Json } from '../../domain/json.ts';

/** @param isLatest no newer run has its name, so that Temporal's newest under this name is of this one. */
export function RunInside({ run, isLatest }: { readonly run: Run; readonly isLatest: boolean }) {
  const say = useSay();
  const parts = [
    ['run.state', run.state],
    ['run.config', run.config],
    ['run.policy', run.policy],
  ] as const;
  return (
    <section className="inside">
      {parts.map(([words, value]) => (
        <details key={words}>
          <summary>
            {say(words)} <span className="quiet">{glance(value)}</span>
          </summary>
          <Tree value={value} />
        </details>
      ))}
      <p className="bar">
        <span className="quiet mono">{run.workflowId}</span>
        <TemporalWeb run={run} isLatest={isLatest} />
      </p>
    </section>
  );
}

function TemporalWeb({ run, isLatest }: { readonly run: Run; readonly isLatest: boolean }) {
  const say = useSay();
  const { temporalWeb } = useConnection().session;
  if (temporalWeb == null) return null;
  const workflow = `${temporalWeb}/workflows/${encodeURIComponent(run.workflowId)}`;
  return (
    <a href={isLatest ? workflow : `${workflow}/${run.id}/history`} target="_blank" rel="noreferrer">
      {say('run.temporalWeb')} <span aria-hidden="true">↗</span>
    </a>
  );
}

/** The plain values of it, on one line. */
function glance(value: Json): string {
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .flatMap(([name, member]) =>
      typeof member === 'object' && member !== null ? [`${name} ${Object.keys(member).length}`] : [`${name} ${member}`],
    )
    .slice(0, 4)
    .join(' · ');
}
