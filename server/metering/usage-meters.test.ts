import { describe, expect, it } from 'vitest';
import { UsageMeters } from './usage-meters.ts';
import { mergeRows, PATHS_PER_BATCH, PATHS_PER_SERIES } from './usage-rows.ts';

const series = (siteId: string) => ({ organizationId: 'o', endpointId: null, siteId });
const answer = (path: string | null) => ({ status: 200, isCacheHit: true, isRefused: false, path });

describe('counters', () => {
  it('keep refused requests apart from everything else', () => {
    const meters = new UsageMeters();
    const meter = meters.meterOf(series('s'));
    meter.count({ ...answer(null), status: 503, isRefused: true }, 70);
    meter.add({ ...answer(null), status: 503, isRefused: true }, -20);
    meter.count(answer(null), 5);
    expect(meters.take({ withPaths: true })).toMatchObject([
      { requests: 1, bytes_sent: 5, status_5xx: 0, refused_requests: 1, refused_bytes: 50 },
    ]);
  });

  it('are never negative: a correction is subtracted from what the series counts next, by any meter', () => {
    const meters = new UsageMeters();
    meters.meterOf(series('s')).count(answer(null), 100);
    meters.take({ withPaths: false });
    meters.meterOf(series('s')).add(answer(null), -40);
    meters.meterOf(series('other')).count(answer(null), 7);
    expect(meters.take({ withPaths: false })).toMatchObject([{ site_id: 'other', bytes_sent: 7 }]);
    meters.meterOf(series('s')).count(answer(null), 30);
    expect(meters.take({ withPaths: false })).toMatchObject([{ requests: 1, bytes_sent: 0 }]);
    meters.meterOf(series('s')).count(answer(null), 30);
    expect(meters.take({ withPaths: false })).toMatchObject([{ requests: 1, bytes_sent: 20 }]);
  });
});

describe('listed files', () => {
  it('are limited per series, per process and in length, and their requests are counted all the same', () => {
    const meters = new UsageMeters();
    const many = PATHS_PER_SERIES + 1;
    const sites = PATHS_PER_BATCH / PATHS_PER_SERIES + 2;
    for (let site = 0; site < sites; site += 1) {
      const meter = meters.meterOf(series(`s${site}`));
      for (let path = 0; path < many; path += 1) meter.count(answer(`/${path}`), 1);
    }
    const rows = meters.take({ withPaths: true });
    expect(rows.map(({ requests }) => requests)).toEqual(Array.from({ length: sites }, () => many));
    expect(rows[0]?.paths).toHaveLength(PATHS_PER_SERIES);
    expect(rows.reduce((sum, { paths }) => sum + paths.length, 0)).toBe(PATHS_PER_BATCH);
    meters.meterOf(series('long')).count(answer(`/${'é'.repeat(600)}`), 1);
    expect(meters.take({ withPaths: true })).toMatchObject([{ requests: 1, paths: [] }]);
  });

  it('that are requested most survive when batches are merged', () => {
    const meters = new UsageMeters();
    const take = (from: number, times: number) => {
      const meter = meters.meterOf(series('s'));
      for (let path = from; path < from + PATHS_PER_SERIES; path += 1) {
        for (let time = 0; time < times; time += 1) meter.count(answer(`/${path}`), 1);
      }
      return meters.take({ withPaths: true });
    };
    const [merged] = mergeRows(take(0, 1), take(PATHS_PER_SERIES / 2, 2));
    expect(merged?.requests).toBe(PATHS_PER_SERIES * 3);
    expect(merged?.paths).toHaveLength(PATHS_PER_SERIES);
    expect(merged?.paths.every(([, requests]) => requests >= 2)).toBe(true);
  });
});
