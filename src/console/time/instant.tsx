/** An instant on the page: nearly in the text, exactly under the pointer and for machines. */
import { useSay } from '../words/words.ts';
import { useNow } from './clock.ts';
import { clockTime, exactly, fully, nearly } from './format.ts';

interface Shown {
  /** ISO-8601. */
  readonly at: string;
  /** IANA; default: the viewer's. Named in the text when it is another. */
  readonly zone?: string | undefined;
  readonly how?: 'nearly' | 'fully' | 'clock';
}

export function Instant({ at, zone, how = 'nearly' }: Shown) {
  const { language } = useSay();
  const now = useNow();
  const ms = Date.parse(at);
  const text =
    how === 'nearly'
      ? nearly(ms, now, language, zone)
      : how === 'fully'
        ? fully(ms, language, zone)
        : clockTime(ms, language, zone);
  return (
    <time dateTime={at} title={exactly(ms, language, zone)}>
      {text}
    </time>
  );
}
