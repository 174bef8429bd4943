import { describe, expect, it } from 'vitest';
import type { UsageResource } from '#server/services/usage/schema.ts';
import { arrangeResources } from './arrange-resources.ts';
import type { TableSort } from './table-sort.ts';

const none = {
  total_bytes_sent: 0,
  total_requests: 0,
  total_cache_hits: 0,
  total_cache_misses: 0,
  total_status_2xx: 0,
  total_status_3xx: 0,
  total_status_4xx: 0,
  total_status_5xx: 0,
  total_refused_requests: 0,
  total_refused_bytes_sent: 0,
};
const row = (name: string, totals: Partial<UsageResource>): UsageResource => ({
  ...none,
  cdn_endpoint_id: name,
  site_id: null,
  is_deleted: false,
  name,
  ...totals,
});
const ROWS = [
  row('n2.example', { total_requests: 5, total_bytes_sent: 900, total_cache_hits: 1, total_cache_misses: 4 }),
  row('n10.example', { total_requests: 7, total_bytes_sent: 100, total_status_4xx: 2, total_status_5xx: 3 }),
  row('xn--caf-dma.example', { total_requests: 5, total_bytes_sent: 400, total_cache_hits: 5 }),
];
const namesOf = (sort: TableSort, search = '') =>
  arrangeResources(ROWS, { search, sort }, 'en-CA').map(({ name }) => name);

describe('rows of usage', () => {
  it('are sorted by any column, in either direction', () => {
    const [two = '', ten = '', cafe = ''] = ROWS.map(({ name }) => name);
    expect(namesOf('-bandwidth')).toEqual([two, cafe, ten]);
    expect(namesOf('bandwidth')).toEqual([ten, cafe, two]);
    expect(namesOf('name')).toEqual([two, ten, cafe]);
    expect(namesOf('-errors')).toEqual([ten, two, cafe]);
    expect(namesOf('-hit_rate')).toEqual([cafe, two, ten]);
  });

  it('are sorted by name when their values are equal', () => {
    expect(namesOf('-requests')).toEqual(['n10.example', 'n2.example', 'xn--caf-dma.example']);
    expect(namesOf('requests')).toEqual(['n2.example', 'xn--caf-dma.example', 'n10.example']);
  });

  it('are found by any part of the name, in DNS form and as people write it', () => {
    expect(namesOf('name', 'N10')).toEqual(['n10.example']);
    expect(namesOf('name', 'café')).toEqual(['xn--caf-dma.example']);
    expect(namesOf('name', 'nowhere')).toEqual([]);
  });
});
