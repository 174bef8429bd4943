import { expect, it } from 'vitest';
import { createTestApp } from '#tests/support/test-app.ts';
import { createReadinessCheck } from './health.ts';

it('however many ask, the store is written to once', async () => {
  const app = await createTestApp();
  let checks = 0;
  const { blobs } = app;
  const check = createReadinessCheck({
    ...app,
    blobs: Object.assign(Object.create(blobs), {
      check: () => {
        checks += 1;
        return blobs.check();
      },
    }),
  });
  const answers = await Promise.all(Array.from({ length: 100 }, check));
  expect(answers.every(({ isReady }) => isReady)).toBe(true);
  await check();
  expect(checks).toBe(1);
});

it('a store that never answers is told within seconds', async () => {
  const app = await createTestApp();
  const blobs = Object.assign(Object.create(app.blobs), { check: () => new Promise(() => undefined) });
  const check = createReadinessCheck({ ...app, blobs });
  expect(await check()).toEqual({ isReady: false, checks: { database: 'ok', store: 'failed' } });
});
