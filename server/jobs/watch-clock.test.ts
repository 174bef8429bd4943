import { expect, it } from 'vitest';
import { createTestApp } from '#tests/support/app/test-app.ts';
import { HOUR_MS } from '../durations.ts';
import { CLOCK_OFFSET_MAX_MS, findClockOffset, watchClock } from './watch-clock.ts';

it('a machine whose clock differs from the database’s logs a warning', async () => {
  const app = await createTestApp();
  const right = { ...app, clock: { now: () => Date.now() } };
  expect(Math.abs(await findClockOffset(right))).toBeLessThan(CLOCK_OFFSET_MAX_MS);
  const ahead = { ...app, clock: { now: () => Date.now() + HOUR_MS } };
  let told: (offsetMs: number) => void = () => undefined;
  const offset = new Promise<number>((resolve) => {
    told = resolve;
  });
  const warn = ({ offset_ms }: { offset_ms: number }) => told(offset_ms);
  const watching = watchClock({ ...ahead, logger: Object.assign(Object.create(app.logger), { warn }) }, 1);
  expect(Math.abs((await offset) - HOUR_MS)).toBeLessThan(CLOCK_OFFSET_MAX_MS);
  await watching.stop();
});
