/** How a command can end. The codes are a promise: scripts decide by them. */
export const EXIT = { done: 0, failed: 1, usage: 2, notFound: 3, conflict: 4, unreachable: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with one message and, where there is one, what to do about it. Never shown with a stack trace. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitCode;
  readonly remedy: string | undefined;
  /** What `--json` prints instead of the message. */
  readonly problem: unknown;

  constructor(exit: ExitCode, message: string, { remedy, problem }: { remedy?: string; problem?: unknown } = {}) {
    super(message);
    this.exit = exit;
    this.remedy = remedy;
    this.problem = problem;
  }
}

export function usage(message: string): CommandError {
  return new CommandError(EXIT.usage, message);
}
