import type { ParseArgsOptionDescriptor } from 'node:util';
import type { RequestContext } from '../context.ts';

/** What was typed after the words of a command. */
export interface CommandInput {
  /** The arguments in order; exactly as many as the command names. */
  args: readonly string[];
  /** The value of an option, or undefined when it was not given. */
  option(name: string): string | undefined;
  /** Every value of an option that may be repeated. */
  options(name: string): readonly string[];
}

export interface CommandOption extends ParseArgsOptionDescriptor {
  /** What stands for the value in the help, e.g. `DAYS`. */
  value: string;
  help: string;
  isRequired?: boolean;
}

/** One command of `npm run operator`, with its result's type forgotten so that all fit one table. */
export interface Command {
  /** The words that name it, e.g. `token create`. */
  name: string;
  summary: string;
  args: readonly string[];
  options: Readonly<Record<string, CommandOption>>;
  /** Returns what `--json` prints. */
  run(context: RequestContext, input: CommandInput): Promise<unknown>;
  /** Returns the same for people. */
  show(result: unknown): string;
}

interface CommandWords<R> {
  name: string;
  summary: string;
  args?: readonly string[];
  options?: Readonly<Record<string, CommandOption>>;
  run(context: RequestContext, input: CommandInput): Promise<R>;
  show(result: R): string;
}

/**
 * Declares a command. Its result's type is forgotten, which is safe because `show` is only ever called with what `run` of
 * the same command returned.
 */
export function command<R>(words: CommandWords<R>): Command {
  return { args: [], options: {}, ...words } as Command;
}

/** Returns a text option. */
export function textOption(value: string, help: string, isRequired = false): CommandOption {
  return { type: 'string', value, help, isRequired };
}

/** Returns a text option that may be given several times. */
export function repeatedOption(value: string, help: string, isRequired = false): CommandOption {
  return { type: 'string', multiple: true, value, help, isRequired };
}
