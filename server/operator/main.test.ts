import { type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';

/** Prints the help to a standard output that nobody reads, and resolves with what the command says and its exit code. */
async function printHelp(stdout: number | 'pipe') {
  const stdio: StdioOptions = ['ignore', stdout, 'pipe'];
  const env = { PATH: process.env.PATH, ENV_FILE: '/dev/null' };
  const child = spawn(process.execPath, ['server/operator/main.ts', '--help'], { stdio, env });
  child.stdout?.destroy();
  if (child.stderr === null) throw new Error('no stderr');
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { said, code };
}

describe('an operator command', () => {
  it('succeeds when nobody reads its result to the end', async () => {
    expect(await printHelp('pipe')).toEqual({ said: '', code: 0 });
  });

  it('fails with the reason when its result cannot be written', async () => {
    const full = openSync('/dev/full', 'w');
    const said = 'The result could not be written (ENOSPC).\n';
    expect(await printHelp(full)).toEqual({ said, code: 1 });
    closeSync(full);
  });
});
