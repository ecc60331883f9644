/** Shell completion, written from the commands as they are declared. */
import { Option, type Command } from 'commander';
import { argumentOf } from '../choices.ts';
import type { Context } from '../context.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function completionCommand(program: Command, { terminal }: Context): void {
  program
    .command('completion')
    .description('a script for your shell: source <(attache completion bash)')
    .addArgument(argumentOf('<shell>', SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      if (shell === 'fish') terminal.out(fish(program));
      else if (shell === 'bash') terminal.out(bash(program));
      else terminal.out(`autoload -U +X bashcompinit && bashcompinit\n${bash(program)}`);
    });
}

function bash(program: Command): string {
  const cases = pathsOf(program).map(
    ({ path, command }) => `    "${path.join(' ')}") words="${wordsOf(command).join(' ')}" ;;`,
  );
  const values = pathsOf(program).flatMap(({ path, command }) =>
    optionsOf(command).flatMap(({ long, argChoices }) =>
      argChoices === undefined ? [] : [`    "${path.join(' ')} ${long ?? ''}") words="${argChoices.join(' ')}" ;;`],
    ),
  );
  return `_attache() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    case "$at $word" in ${groupsOf(program)}) at="\${at:+$at }$word" ;; *) [ -z "$at" ] && at="$word"; break ;; esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _attache attache
`;
}

/** What may follow what, as patterns of the shell: `" keys"|"keys list"`. */
function groupsOf(program: Command): string {
  return pathsOf(program)
    .filter(({ path }) => path.length > 0)
    .map(({ path }) => `"${path.slice(0, -1).join(' ')} ${path.at(-1) ?? ''}"`)
    .join('|');
}

function fish(program: Command): string {
  const lines = pathsOf(program).flatMap(({ path, command }) => {
    const condition =
      path.length === 0
        ? '__fish_use_subcommand'
        : path.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const words = [
      ...command.commands.map((one) => `-a ${one.name()} -d ${quoted(one.description())}`),
      ...valuesOf(command).map((value) => `-f -a ${value}`),
    ];
    const options = optionsOf(command).map(({ long, description, required, argChoices }) => {
      const value = argChoices === undefined ? (required ? '-r ' : '') : `-x -a ${quoted(argChoices.join(' '))} `;
      return `-l ${(long ?? '').slice(2)} ${value}-d ${quoted(description)}`;
    });
    return [...words, ...options].map((rest) => `complete -c attache -n '${condition}' ${rest}`);
  });
  return `${lines.join('\n')}\n`;
}

function pathsOf(command: Command, path: readonly string[] = []): { path: readonly string[]; command: Command }[] {
  return [{ path, command }, ...command.commands.flatMap((one) => pathsOf(one, [...path, one.name()]))];
}

function wordsOf(command: Command): string[] {
  return [
    ...command.commands.map((one) => one.name()),
    ...valuesOf(command),
    ...optionsOf(command).flatMap(({ long }) => long ?? []),
  ];
}

/** What its arguments may be, where that is known. */
function valuesOf(command: Command): readonly string[] {
  return command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
}

/** A group's options are those of the command that it stands for. */
function optionsOf(command: Command): readonly Option[] {
  const own = command.options.length > 0 ? command : command.commands.find((one) => one.name() === 'list');
  return [...(own?.options ?? []), new Option('--help', 'how it is used')];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
