import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { programEnvironment } from './program-environment.ts';

/** How a command ended. */
export interface OperatorRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the command like an operator: in its own process. */
export async function runOperator(
  args: readonly string[],
  environment: Record<string, string>,
): Promise<OperatorRun> {
  const child = spawn(process.execPath, [join(process.cwd(), 'server', 'operator', 'main.ts'), ...args], {
    env: { ...programEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [code, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
