/** Everything that is wrong with the configuration, at once: nobody should have to start five times to hear five problems. */
import type { InputProblem } from '../domain/errors.ts';

/** `path` is a variable's name, or a file's name with the dotted path of the field; `message` says what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(
      [`The configuration has ${count}:`, ...problems.map(({ path, message }) => `  ${path}: ${message}`)].join('\n'),
    );
    this.problems = problems;
  }
}
