import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ALLOCATOR_SETTINGS } from './allocator-settings.ts';

const HASHING = `
  const { argon2, randomBytes } = require('node:crypto');
  const hash = () => new Promise((resolve) => argon2('argon2id',
    { message: 'x', nonce: randomBytes(16), tagLength: 32, memory: 19_456, passes: 1, parallelism: 1 }, resolve));
  hash()
    .then(() => Promise.all(Array.from({ length: 12 }, hash)))
    .then(() => console.log(process.memoryUsage.rss()));
`;

it('the memory of password hashes goes back to the system', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', HASHING], {
    env: { UV_THREADPOOL_SIZE: '16', ...ALLOCATOR_SETTINGS },
  });
  // Twelve hashes hold 228 MiB, which stay in their threads otherwise.
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(150 * 1024 ** 2);
});
