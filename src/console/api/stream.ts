/**
 * The server's stream, kept open. Who loses it says so at once and tries again by itself: when it breaks, when the browser
 * is offline, when a request got no answer, and when the server has been silent for longer than its beats allow, as it is
 * behind a cable that was pulled.
 */

/** The server tells something every 5 s, be it only a beat. */
const SILENT_MS = 12_000;
const LOOK_MS = 2_000;
const AGAIN_MS = 2_000;

export interface Ear {
  /** Of what is told; a `beat` says nothing but that the server is there. */
  readonly types: readonly string[];
  readonly hear: (type: string, data: string) => void;
  /** The server tells, for the first time or again: what was told in between is not told again. */
  readonly found: () => void;
  /** @param since when something was heard last, in ms: nothing that is shown is sure to be newer. */
  readonly lost: (since: number) => void;
}

const doubters = new Set<() => void>();

/** A request got no answer: whoever has a stream open looks whether it is still there. */
export function doubtStream(): void {
  for (const doubt of doubters) doubt();
}

/** @returns how to stop. */
export function keepStream(address: string, ear: Ear): () => void {
  let heardAt = Date.now();
  let openedAt = heardAt;
  let source: EventSource | undefined;
  let again: number | undefined;

  const open = () => {
    window.clearTimeout(again);
    again = undefined;
    openedAt = Date.now();
    source?.close();
    source = new EventSource(address);
    source.onerror = lose;
    let isNew = true;
    for (const type of ['beat', ...ear.types])
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        heardAt = Date.now();
        if (isNew) ear.found();
        isNew = false;
        if (type !== 'beat') ear.hear(type, data);
      });
  };
  const lose = () => {
    if (again !== undefined) return;
    source?.close();
    again = window.setTimeout(open, AGAIN_MS);
    ear.lost(heardAt);
  };

  open();
  const look = window.setInterval(() => {
    if (Date.now() - Math.max(heardAt, openedAt) > SILENT_MS) lose();
  }, LOOK_MS);
  window.addEventListener('offline', lose);
  window.addEventListener('online', open);
  doubters.add(lose);
  return () => {
    source?.close();
    window.clearTimeout(again);
    window.clearInterval(look);
    window.removeEventListener('offline', lose);
    window.removeEventListener('online', open);
    doubters.delete(lose);
  };
}
