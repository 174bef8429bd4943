import type { ParseArgsOptionDescriptor } from 'node:util';
import type { Config } from '../config/config.ts';
import type { RequestContext } from '../context.ts';
import type { Logger } from '../logging/logger.ts';

/** What was typed after the command's name. */
export interface CommandInput {
  /** The arguments in order; exactly as many as the command declares. */
  args: readonly string[];
  /** The value of an option, or undefined when it was not given. */
  option(name: string): string | undefined;
  /** Every value of an option that may be repeated. */
  options(name: string): readonly string[];
  /** Whether an option without a value was given. */
  has(name: string): boolean;
}

export interface CommandOption extends ParseArgsOptionDescriptor {
  /** The placeholder of the value in the help, e.g. `DAYS`; empty for an option without a value. */
  value: string;
  help: string;
  isRequired?: boolean;
}

/** One command of `npm run operator`, with its result's type erased so that all fit one table. */
export interface Command {
  /** The words that name it, e.g. `token create`. */
  name: string;
  summary: string;
  args: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  /** Runs it and returns what `--json` prints: in an installation, or before there is one. */
  work:
    | { needs: 'installation'; run(context: RequestContext, input: CommandInput): Promise<unknown> }
    | { needs: 'settings'; run(settings: Settings, input: CommandInput): Promise<unknown> };
  /** Returns the result as text for people. */
  show(result: unknown): string;
  /** Whether the command exits with 1 although it has a result. */
  isFailure(result: unknown): boolean;
}

/** What exists without a database. */
export interface Settings {
  config: Config;
  logger: Logger;
}

interface CommandDeclaration<C, R> {
  name: string;
  summary: string;
  args?: readonly string[];
  options?: Readonly<Record<string, CommandOption>>;
  run(context: C, input: CommandInput): Promise<R>;
  show(result: R): string;
  isFailure?(result: R): boolean;
}

/**
 * Declares a command. Its result's type is erased, which is safe because `show` is only ever called with what
 * `run` of the same command returned.
 */
export function command<R>({ run, ...declaration }: CommandDeclaration<RequestContext, R>): Command {
  return { ...NOTHING_MORE, ...declaration, work: { needs: 'installation', run } } as Command;
}

/** Declares a command that runs before an installation exists. */
export function settingsCommand<R>({ run, ...declaration }: CommandDeclaration<Settings, R>): Command {
  return { ...NOTHING_MORE, ...declaration, work: { needs: 'settings', run } } as Command;
}

const NOTHING_MORE = { args: [], options: {}, isFailure: () => false };

/** Returns an option without a value. */
export function flagOption(help: string): CommandOption {
  return { type: 'boolean', value: '', help };
}

/** Returns a text option. */
export function textOption(value: string, help: string, isRequired = false): CommandOption {
  return { type: 'string', value, help, isRequired };
}

/** Returns a text option that may be given several times. */
export function repeatedOption(value: string, help: string, isRequired = false): CommandOption {
  return { type: 'string', multiple: true, value, help, isRequired };
}
