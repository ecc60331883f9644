/** Options and arguments of which every value is known: any other is refused, help shows them and completion offers them. */
import { Argument, Option } from 'commander';
import { usage } from './outcome.ts';

/** @param flags as `--status <status>`. Small and capital letters are the same. */
export function choice(flags: string, values: readonly string[], description: string): Option {
  const option = new Option(flags, description).choices(values);
  return option.argParser((text: string, before: unknown) => {
    const one = oneOf(option.long ?? flags, values, text);
    return option.variadic ? [...(Array.isArray(before) ? (before as unknown[]) : []), one] : one;
  });
}

/** @param name as `<shell>`. */
export function argumentOf(name: string, values: readonly string[]): Argument {
  return new Argument(name).choices(values).argParser((text: string) => oneOf(name, values, text));
}

/** @throws {CommandError} usage */
function oneOf(name: string, values: readonly string[], text: string): string {
  const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw usage(`${name} must be one of ${values.join(', ')}, not "${text}"`);
  return found;
}
