/** What is told, gathered until it may be read: a burst of changes costs a few reads, and a lone one is read at once. */

/** What one act changes is told within so many ms. */
const TOGETHER_MS = 10;
/** An answer that has not come by then is not waited for. */
const PATIENCE_MS = 10_000;

export type Gathered<Type, Told> = ReadonlyMap<Type, readonly Told[]>;

interface Reader<Type, Told> {
  /** Between the beginnings of two reads, at least. */
  readonly everyMs: number;
  readonly read: (told: Gathered<Type, Told>) => Promise<unknown>;
  readonly pause?: (ms: number) => Promise<void>;
}

/** The first is read at once; what is told from then on together, once what is being read has come. */
export function gather<Type, Told>({ everyMs, read, pause = sleep }: Reader<Type, Told>) {
  let waiting = new Map<Type, Told[]>();
  let isReading = false;
  let isStopped = false;
  const work = async () => {
    isReading = true;
    await pause(TOGETHER_MS);
    while (waiting.size > 0 && !isStopped) {
      const told = waiting;
      waiting = new Map();
      const answered = read(told).catch(() => undefined);
      await Promise.all([pause(everyMs), Promise.race([answered, pause(PATIENCE_MS)])]);
    }
    isReading = false;
  };
  return {
    add(type: Type, told: Told): void {
      waiting.set(type, [...(waiting.get(type) ?? []), told]);
      if (!isReading) void work();
    },
    stop: () => void (isStopped = true),
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
