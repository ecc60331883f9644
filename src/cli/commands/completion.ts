/** Shell completion, written from the commands as they are declared. */
import { Option, type Command } from 'commander';
import { argumentOf } from '../choices.ts';
import type { Context } from '../context.ts';

const SCRIPTS = { bash, zsh, fish } as const;
type Shell = keyof typeof SCRIPTS;

export function completionCommand(program: Command, { terminal }: Context): void {
  program
    .command('completion')
    .description('a script for your shell: source <(attache completion bash)')
    .addArgument(argumentOf('<shell>', Object.keys(SCRIPTS)))
    .action((shell: Shell) => {
      terminal.out(SCRIPTS[shell](placesOf(program)));
    });
}

/** Where somebody is who has typed the commands of its path, and what may follow there. */
interface Place {
  /** `keys create`; empty: nothing is typed yet. */
  readonly at: string;
  readonly words: readonly Word[];
  readonly options: readonly Word[];
  /** What follows an option that takes a value; empty: nobody knows. */
  readonly values: readonly { readonly option: string; readonly among: readonly string[] }[];
  /** Whether words may follow that nobody knows, such as a run or a file. */
  readonly isOpen: boolean;
}

interface Word {
  readonly word: string;
  readonly about: string;
}

function placesOf(program: Command): readonly Place[] {
  const commands = program.commands.map(wordOf);
  const help: Word = { word: 'help', about: 'how a command is used' };
  const [root, ...others] = pathsOf(program).map(placeOf);
  return [
    ...(root === undefined ? [] : [{ ...root, words: [...commands, help] }]),
    ...others,
    { at: help.word, words: commands, options: [], values: [], isOpen: false },
  ];
}

function pathsOf(command: Command, path: readonly string[] = []): { path: readonly string[]; command: Command }[] {
  return [{ path, command }, ...command.commands.flatMap((one) => pathsOf(one, [...path, one.name()]))];
}

function placeOf({ path, command }: { readonly path: readonly string[]; readonly command: Command }): Place {
  const options = optionsOf(command);
  const given = command.registeredArguments;
  return {
    at: path.join(' '),
    words: [
      ...command.commands.map(wordOf),
      ...given.flatMap(({ argChoices = [], description }) => argChoices.map((word) => ({ word, about: description }))),
    ],
    options: options.map((option) => ({ word: longOf(option), about: option.description })),
    values: options
      .filter(({ required, optional }) => required || optional)
      .map((option) => ({ option: longOf(option), among: option.argChoices ?? [] })),
    isOpen: given.some(({ argChoices }) => argChoices === undefined),
  };
}

/** A group's options are those of the command that it stands for. */
function optionsOf(command: Command): readonly Option[] {
  const own = command.options.length > 0 ? command : command.commands.find((one) => one.name() === 'list');
  return [...(own?.options ?? []), new Option('--help', 'how it is used')];
}

/** Every option of ours has a long form. */
function longOf({ long }: Option): string {
  return long ?? '';
}

function wordOf(command: Command): Word {
  return { word: command.name(), about: command.description() };
}

function bash(places: readonly Place[]): string {
  const words = places.map(
    ({ at, words, options }) => `    "${at}") words="${[...words, ...options].map(({ word }) => word).join(' ')}" ;;`,
  );
  return `_attache() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at="" words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in ${pathsPattern(places)}) at="\${at:+$at }$word" ;; *) break ;; esac
  done
  case "$at" in
${words.join('\n')}
  esac
  [ "$cur" = = ] && cur=""
  [ "$before" = = ] && before="\${COMP_WORDS[COMP_CWORD-2]}"
  case "$at $before" in
${valueCases(places, ({ among }) => `words="${among.join(' ')}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _attache attache
`;
}

function zsh(places: readonly Place[]): string {
  const cases = places.map(
    ({ at, words, options, isOpen }) =>
      `    "${at}") offered=(${described(words)}); options=(${described(options)}); files=${isOpen ? 1 : 0} ;;`,
  );
  return `#compdef attache
_attache() {
  local at="" before="\${words[CURRENT-1]}" files=0 found=1 i
  local -a offered options
  for (( i = 2; i < CURRENT; i++ )); do
    case "\${at:+$at }\${words[i]}" in ${pathsPattern(places)}) at="\${at:+$at }\${words[i]}" ;; *) break ;; esac
  done
  case "$at" in
${cases.join('\n')}
  esac
  if [[ $PREFIX == --*=* ]]; then before="\${PREFIX%%=*}"; compset -P '*='; fi
  case "$at $before" in
${valueCases(places, ({ among }) => `${among.length === 0 ? '' : `compadd -- ${among.join(' ')}; `}return`)}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options; return; fi
  (( $#offered )) && _describe argument offered && found=0
  (( files )) && _files && found=0
  return found
}
if (( ! $+functions[compdef] )); then autoload -Uz compinit && compinit; fi
if [[ $funcstack[1] == _attache ]]; then _attache "$@"; else compdef _attache attache; fi
`;
}

function described(words: readonly Word[]): string {
  return words.map(({ word, about }) => quoted(about === '' ? word : `${word}:${about}`)).join(' ');
}

/** The paths that there are, as patterns of the shell: `"keys"|"keys create"`. */
function pathsPattern(places: readonly Place[]): string {
  return places.flatMap(({ at }) => (at === '' ? [] : `"${at}"`)).join('|');
}

function valueCases(places: readonly Place[], act: (values: Place['values'][number]) => string): string {
  const cases = places.flatMap(({ at, values }) => values.map((one) => `    "${at} ${one.option}") ${act(one)} ;;`));
  return cases.join('\n');
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ at, words, options, values, isOpen }) => {
    const taking = new Map(values.map(({ option, among }) => [option, among]));
    const value = (option: string) => {
      const among = taking.get(option);
      return among === undefined ? '' : among.length === 0 ? '-r ' : `-x -a ${quoted(among.join(' '))} `;
    };
    return [
      ...words.map(({ word, about }) => `-a ${word} -d ${quoted(about)}`),
      ...options.map(({ word, about }) => `-l ${word.slice(2)} ${value(word)}-d ${quoted(about)}`),
      ...(isOpen ? ['-F'] : []),
    ].map((rest) => `complete -c attache -n "__attache_at '${at}'" ${rest}`);
  });
  return `set -g __attache_paths ${places.flatMap(({ at }) => (at === '' ? [] : quoted(at))).join(' ')}
function __attache_at
  set -l at
  set -l words (commandline -opc)
  for word in $words[2..]
    contains -- (string join ' ' -- $at $word) $__attache_paths; or break
    set at $at $word
  end
  test "$at" = "$argv"
end
complete -c attache -f
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
