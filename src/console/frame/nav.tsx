/** The screens, with what waits for somebody in them. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { SCREENS, screenAddress, type Screen } from '../addresses.ts';
import { useServer } from '../api/context.ts';
import { useFirstReadDone } from '../api/first-read.ts';
import { Link } from '../router.tsx';
import { useRunCounts } from '../runs/use-run-counts.ts';
import { WAITING } from '../screens/investigations/waiting.ts';
import { useSay } from '../words/words.ts';

export function Nav({ screen }: { readonly screen: Screen }) {
  const say = useSay();
  const server = useServer();
  const counts = useCounts();
  const nav = useRef<HTMLElement>(null);
  const counted = Object.values(counts)
    .map(({ n }) => n > 0)
    .join();
  useEffect(() => {
    // Where the screens stand in one line, that of the open one may be out of view. With the next frame, which measures the page anyway.
    const frame = requestAnimationFrame(() =>
      nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    );
    return () => cancelAnimationFrame(frame);
  }, [screen, say, counted]);
  return (
    <nav className="nav" aria-label={say('nav.label')} ref={nav}>
      <ul>
        {SCREENS.map((one) => {
          const count = counts[one];
          return (
            <li key={one}>
              <Link to={screenAddress(server.tenant, one)} aria-current={one === screen ? 'page' : undefined}>
                {say(`nav.${one}`)}
                {count !== undefined && count.n > 0 && (
                  <span className={count.trouble ? 'count trouble' : 'count'}>
                    <span aria-hidden="true">{`${Math.min(count.n, count.most)}${count.n >= count.most ? '+' : ''}`}</span>
                    <span className="spoken">{count.words === null ? count.n : say.count(count.words, count.n)}</span>
                  </span>
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

interface Count {
  readonly n: number;
  /** Counted or shown up to this many. */
  readonly most: number;
  readonly trouble: boolean;
  readonly words: 'nav.troubled' | 'nav.undecided' | null;
}

/** One page of a list is read to count it. */
const PAGE = 50;

function useCounts(): Partial<Record<Screen, Count>> {
  const server = useServer();
  const { tenant } = server;
  const enabled = useFirstReadDone();
  const runs = useRunCounts();
  const dead = useQuery({
    queryKey: [tenant, 'events', { dead: true, first: true }],
    queryFn: ({ signal }) => server.deadLetters(undefined, { signal }),
    enabled,
  });
  const failed = useQuery({
    queryKey: [tenant, 'deliveries', { failed: true, first: true }],
    queryFn: ({ signal }) => server.deliveries({ status: 'failed' }, undefined, { signal }),
    enabled,
  });
  const proposed = useQuery({
    queryKey: [tenant, 'investigations', { status: WAITING, first: true }],
    queryFn: ({ signal }) => server.investigations({ status: WAITING }, undefined, { signal }),
    enabled,
  });
  const undelivered = (dead.data?.items.length ?? 0) + (failed.data?.items.length ?? 0);
  return {
    runs: { n: runs?.status.IN_PROGRESS ?? 0, most: 100_000, trouble: false, words: null },
    investigations: { n: proposed.data?.items.length ?? 0, most: PAGE, trouble: false, words: 'nav.undecided' },
    deliveries: { n: undelivered, most: PAGE, trouble: true, words: 'nav.troubled' },
  };
}
