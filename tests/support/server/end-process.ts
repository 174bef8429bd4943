import type { ChildProcess } from 'node:child_process';

/** Sends a signal to a running process, waits for its end, and returns its exit code. */
export async function endProcess(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals,
): Promise<number | null> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return exited;
}
