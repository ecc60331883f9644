/** Bars of days, stacked by kind: plain SVG; every part is a link to what is behind it, and a table says it in words. */
import { Link } from '../router.tsx';

export interface BarPart {
  readonly kind: string;
  readonly label: string;
  readonly count: number;
  readonly to?: string;
}
export interface Bar {
  /** Unique; in the order of the axis. */
  readonly id: string;
  readonly label: string;
  readonly parts: readonly BarPart[];
  /** Something is wrong with it. */
  readonly flagged?: boolean;
}

const WIDTH = 720;
const HEIGHT = 160;
const FOOT = 18;

export function StackedBars({ bars, title }: { readonly bars: readonly Bar[]; readonly title: string }) {
  const highest = Math.max(1, ...bars.map(totalOf));
  const step = WIDTH / Math.max(1, bars.length);
  const labelEvery = Math.ceil(bars.length / 12);
  return (
    <figure>
      <svg className="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`} role="group" aria-label={title}>
        <text className="axis" x={0} y={9}>
          {highest}
        </text>
        <line x1={0} x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="base" />
        {bars.map((bar, at) => (
          <g key={bar.id} transform={`translate(${at * step + step * 0.12} 0)`}>
            <Stack bar={bar} width={step * 0.76} highest={highest} />
            {at % labelEvery === 0 && (
              <text
                className="axis"
                data-minor={(at / labelEvery) % 3 === 0 ? undefined : true}
                x={at === 0 ? 0 : (step * 0.76) / 2}
                y={HEIGHT + 14}
                textAnchor={at === 0 ? 'start' : 'middle'}
              >
                {bar.label}
              </text>
            )}
          </g>
        ))}
      </svg>
    </figure>
  );
}

function Stack({ bar, width, highest }: { readonly bar: Bar; readonly width: number; readonly highest: number }) {
  let top = HEIGHT;
  return bar.parts.map(({ kind, label, count, to }) => {
    if (count === 0) return null;
    const height = (count / highest) * (HEIGHT - 14);
    top -= height;
    const words = `${bar.label}: ${label} ${count}`;
    const block = (
      <rect y={top} width={width} height={Math.max(1, height - 1)} data-kind={kind} data-flagged={bar.flagged}>
        <title>{words}</title>
      </rect>
    );
    return to === undefined ? (
      <g key={kind}>{block}</g>
    ) : (
      <Link key={kind} to={to} aria-label={words}>
        {block}
      </Link>
    );
  });
}

function totalOf({ parts }: Bar): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}
