/** Where an error was thrown, out of its stack: places in code, never its words, which may be a customer's. */

/** Enough to see who called whom. */
const SHOWN = 5;
/** Not where an agent's author would look: Node, packages, and the builders that refuse an outcome. */
const NOT_THE_AGENT =
  /node:|node_modules|[\\/]agents[\\/](?:outcomes|outcome-rules|effects|define-agent|tick-context)\.[jt]s/;

/** The first frames, innermost first: `tick (src/agents/nudge.ts:12:9)`. */
export function framesOf(error: unknown): string[] {
  return frames(error).slice(0, SHOWN);
}

/** `nudge/nudge.ts:12`: the innermost frame in the agent's own code, or undefined when there is none. */
export function placeOf(error: unknown): string | undefined {
  const own = frames(error).find((frame) => !NOT_THE_AGENT.test(frame));
  const [, place] = /((?:[^\\/()]+[\\/])?[^\\/()]+:\d+):\d+\)?$/.exec(own ?? '') ?? [];
  return place?.replace(/^async /, '');
}

function frames(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return stack
    .split('\n')
    .filter((line) => /^ {4}at .+:\d+:\d+\)?$/.test(line))
    .map((line) => line.slice('    at '.length).replace('file://', ''));
}
