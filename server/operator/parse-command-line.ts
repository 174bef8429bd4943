import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Command, CommandInput } from './command.ts';

/** Thrown for a command line that cannot be understood; its message is one sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export type CommandLine = HelpLine | RunnableLine;

/** A request for help about one command or, when it names none, about those that are listed. */
export interface HelpLine {
  kind: 'help';
  command: Command | null;
  /** Those whose first word was typed (`people --help`), otherwise all. */
  listed: readonly Command[];
}

/** A command with its parsed arguments and options. */
export interface RunnableLine {
  kind: 'run';
  command: Command;
  input: CommandInput;
  isJson: boolean;
}

/** Parses a command line. @throws UsageError */
export function parseCommandLine(argv: readonly string[], commands: readonly Command[]): CommandLine {
  const isHelp = argv.includes('--help') || argv.includes('-h');
  const words = argv.slice(0, 2).join(' ');
  const command =
    commands.find(({ name }) => name === words) ?? commands.find(({ name }) => name === argv[0]) ?? null;
  const group = commands.filter(({ name }) => name.startsWith(`${argv[0]} `));
  if (isHelp || argv.length === 0) {
    return { kind: 'help', command, listed: group.length > 0 ? group : commands };
  }
  if (!command) throw unknownCommand(words, group);
  const { values, positionals } = parse(argv.slice(command.name.split(' ').length), command);
  if (positionals.length !== command.args.length) {
    const wanted = command.args.length === 0 ? 'no argument' : command.args.join(' ');
    throw new UsageError(`"${command.name}" takes ${wanted}.`);
  }
  const empty = command.args.find((_, index) => positionals[index] === '');
  if (empty !== undefined) throw new UsageError(`${empty} is empty.`);
  for (const [name, { isRequired }] of Object.entries(command.options)) {
    if (isRequired && values[name] === undefined) throw new UsageError(`"${command.name}" needs --${name}.`);
  }
  const textsOf = (name: string): string[] => [values[name] ?? []].flat().map(String);
  return {
    kind: 'run',
    command,
    input: {
      args: positionals,
      option: (name) => textsOf(name)[0],
      options: textsOf,
      has: (name) => values[name] === true,
    },
    isJson: values.json === true,
  };
}

/** @param group the commands that begin with the first of the words */
function unknownCommand(words: string, group: readonly Command[]): UsageError {
  if (group.length === 0) return new UsageError(`There is no command "${words}".`);
  const [first = ''] = words.split(' ');
  const others = group.map(({ name }) => name.slice(first.length + 1)).join(', ');
  return new UsageError(`There is no command "${words}"; "${first}" is followed by one of: ${others}.`);
}

function parse(args: string[], command: Command) {
  const options: ParseArgsOptionsConfig = { json: { type: 'boolean' } };
  for (const [name, { type, multiple = false }] of Object.entries(command.options))
    options[name] = { type, multiple };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const [sentence = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s|\n/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`);
  }
}

/** Returns the help that a line asks for. */
export function helpText(productName: string, { command, listed }: HelpLine): string {
  if (command) {
    const options = Object.entries(command.options).map(
      ([name, { value, help }]) => [`--${name} ${value}`.trim(), help] as const,
    );
    return [
      `${usageOf(command)}`,
      `  ${command.summary}`,
      ...columns([...options, ['--json', 'print the result as JSON']]),
    ].join('\n');
  }
  return [
    `Manages ${productName} on a machine of the installation, with the server's settings. The server need not be running.`,
    '',
    'npm run operator -- COMMAND',
    ...columns(listed.map((each) => [usageOf(each), each.summary])),
    '',
    'Add --help to the first word to show its commands (people --help), and to a command to show its options.',
    'Add --json to print the result as JSON (with npm run --silent).',
    'Identify an organization by its id, its external id or its short name.',
    'Exit codes: 0 done, 1 refused or failed, 2 invalid command line.',
  ].join('\n');
}

function usageOf({ name, args, options }: Command): string {
  const required = Object.entries(options)
    .filter(([, { isRequired }]) => isRequired)
    .map(([option, { value }]) => `--${option} ${value}`);
  return [name, ...args, ...required].join(' ');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
