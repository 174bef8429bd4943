import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { lostContent as lostFile } from '../edge/lost-content.ts';
import { AppError } from '../errors.ts';
import { lostContent as lostPiece } from '../s3/lost-content.ts';
import { createBoundedLog } from './bounded-log.ts';

it('a repeated error is counted every time and logged a limited number of times', async () => {
  const lines: string[] = [];
  let now = 0;
  const registry = new Registry();
  const write = (_details: object, message: string) => lines.push(message);
  const log = createBoundedLog({ warn: write, error: write } as never, registry, 'edge', () => now);
  for (let count = 0; count < 10_000; count += 1) log.error({}, 'broken');
  expect(lines.length).toBeLessThan(100);
  const counted = await registry.getSingleMetric('portage_unexpected_errors_total')?.get();
  expect(counted?.values).toMatchObject([{ labels: { door: 'edge' }, value: 10_000 }]);

  now += 60_000;
  log.error({}, 'broken again');
  expect(lines.slice(-2)).toEqual(['more errors happened in that minute than were logged', 'broken again']);
});

it('all parts of a process share one counter', async () => {
  const registry = new Registry();
  const silent = { warn: () => {}, error: () => {} } as never;
  for (const source of ['edge', 'dns'] as const) {
    createBoundedLog(silent, registry, source, () => 0).error({}, 'x');
  }
  const counted = await registry.getSingleMetric('portage_unexpected_errors_total')?.get();
  expect(counted?.values.map(({ labels }) => labels.door)).toEqual(['edge', 'dns']);
});

it('a store that fails and content that is lost are logged, and count as no unexpected errors', async () => {
  const registry = new Registry();
  const lines: string[] = [];
  const write = (_details: object, message: string) => lines.push(message);
  const log = createBoundedLog({ warn: write, error: write } as never, registry, 's3', () => 0);
  const timeout = Object.assign(new Error('the engine stopped in the middle of a body'), {
    name: 'TimeoutError',
  });
  const expected = [timeout, new AppError('service_unavailable'), lostFile('gone'), lostPiece('gone')];
  for (const err of expected) log.error({ err }, 'a request failed');
  expect(lines).toHaveLength(expected.length);
  const count = async () =>
    (await registry.getSingleMetric('portage_unexpected_errors_total')?.get())?.values;
  expect(await count()).toEqual([]);
  log.error({ err: new TypeError('undefined is not a function') }, 'a request failed');
  expect(await count()).toMatchObject([{ labels: { door: 's3' }, value: 1 }]);
});
