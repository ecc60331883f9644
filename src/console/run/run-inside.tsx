/** For who needs to know: state, configuration and policy as trees, and the way to Temporal's own screen. */
import type { Run } from '../api/shapes.ts';
import { Tree } from '../parts/tree.tsx';
import { useSay } from '../words/words.ts';
import type { Json } from '../../domain/json.ts';

export function RunInside({ run }: { readonly run: Run }) {
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
      <p className="quiet mono">{run.workflowId}</p>
    </section>
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
