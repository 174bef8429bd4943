import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from './program-environment.ts';

export const CLI = fileURLToPath(new URL('../../../cli/portage.mjs', import.meta.url));

export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Starts the command line like its users: in its own process. */
export function startCli(
  args: string[],
  environment: Record<string, string>,
): { process: ChildProcess; done: Promise<CliRun> } {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...programEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const done = Promise.all([exit, text(child.stdout), text(child.stderr)]).then(([code, stdout, stderr]) => ({
    code,
    stdout,
    stderr,
  }));
  return { process: child, done };
}

/** Runs the command line to its end. */
export function runCli(args: string[], environment: Record<string, string>): Promise<CliRun> {
  return startCli(args, environment).done;
}
