/** How far runs come: each step as a share of those that were attached. */
import type { Outcomes } from '../../api/shapes.ts';
import { useSay } from '../../words/words.ts';

const STEPS = ['attached', 'woke', 'spoke', 'answered', 'succeeded'] as const;

export function Funnel({ funnel }: { readonly funnel: Outcomes['funnel'] }) {
  const say = useSay();
  const percent = new Intl.NumberFormat(say.language, { style: 'percent', maximumFractionDigits: 0 });
  return (
    <section>
      <h2>{say('outcomes.funnel')}</h2>
      <ol className="steps">
        {STEPS.map((step) => (
          <li key={step}>
            <span>{say(`funnel.${step}`)}</span>
            <meter min={0} max={funnel.attached} value={funnel[step]} aria-label={say(`funnel.${step}`)} />
            <span>
              {funnel[step]} <span className="quiet">{percent.format(funnel[step] / funnel.attached)}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
