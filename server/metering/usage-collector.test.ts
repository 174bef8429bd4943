import { expect, it } from 'vitest';
import { HOUR_MS } from '../durations.ts';
import { UsageCollector } from './usage-collector.ts';
import { UsageMeters } from './usage-meters.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const response = { status: 200, isCacheHit: true, isRefused: false, path: '/a' };

function collectorAt(start: number) {
  const clock = { now: start };
  const meters = new UsageMeters();
  const meter = meters.meterOf({ organizationId: 'o', endpointId: null, siteId: 's' });
  return { clock, meter, collector: new UsageCollector(meters, () => clock.now) };
}

it('a collection ends with its hour, so that no batch spans two', () => {
  const { clock, meter, collector } = collectorAt(NOON + HOUR_MS - 300);
  expect(collector.delay(2_000)).toBe(300);
  meter.count(response, 1);
  clock.now = NOON + HOUR_MS;
  expect(collector.take()).toMatchObject({ hour: NOON, rows: [{ requests: 1 }] });
  expect(collector.delay(2_000)).toBe(2_000);
  meter.count(response, 1);
  meter.count(response, 1);
  expect(collector.take()).toMatchObject({ hour: NOON + HOUR_MS, rows: [{ requests: 2 }] });
  expect(collector.take()).toEqual({ hour: NOON + HOUR_MS, rows: [] });
});

it('files are included once a minute, and before their hour is over', () => {
  const { clock, meter, collector } = collectorAt(NOON);
  const pathsOf = (count: number) => {
    const taken = [];
    for (let index = 0; index < count; index += 1) {
      meter.count(response, 5);
      taken.push(collector.take().rows[0]?.paths ?? []);
    }
    return taken;
  };
  const minute = pathsOf(30);
  expect(minute.slice(0, 29).flat()).toEqual([]);
  expect(minute[29]).toEqual([['/a', 30, 150]]);
  expect(pathsOf(2).flat()).toEqual([]);
  clock.now += HOUR_MS;
  expect(collector.take()).toMatchObject({ hour: NOON, rows: [{ requests: 0, paths: [['/a', 2, 10]] }] });
});
