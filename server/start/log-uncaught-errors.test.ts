import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const program = `
  import { logUncaughtErrors } from './server/start/log-uncaught-errors.ts';
  logUncaughtErrors({ warn() {}, error: ({ err, origin }, message) => console.log(message, origin, err.message) });
  setTimeout(() => { throw new Error('thrown') }, 1);
  setTimeout(() => { Promise.reject(new Error('rejected')) }, 2);
  setTimeout(() => console.log('still here'), 20);
`;

it('an uncaught error is logged and ends nothing', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout.trim().split('\n')).toEqual([
    'an uncaught error uncaughtException thrown',
    'an uncaught error unhandledRejection rejected',
    'still here',
  ]);
});
