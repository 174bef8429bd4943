import { describe, expect, it } from 'vitest';
import { PendingUsage } from './pending-usage.ts';
import { emptyRow } from './usage-rows.ts';

const rowOf = (siteId: string, bytes_sent: number, requests: number) => ({
  ...emptyRow({ organizationId: 'acme', endpointId: null, siteId }),
  bytes_sent,
  requests,
});
const series = { organization_id: 'acme', endpoint_id: null };

describe('what was counted and not sent', () => {
  it('is the sum of what was counted minus what is being sent, by series', () => {
    const pending = new PendingUsage();
    pending.add([rowOf('blog', 100, 1), rowOf('shop', 7, 1)]);
    pending.add([rowOf('blog', 50, 1)]);
    pending.take([rowOf('blog', 100, 1), rowOf('shop', 7, 1)]);
    expect(pending.list()).toEqual([{ ...series, site_id: 'blog', bytes: 50, requests: 1 }]);
  });

  it('is never negative, and takes no memory once it is sent', () => {
    const pending = new PendingUsage();
    pending.take([rowOf('blog', 100, 1)]);
    expect(pending.list()).toEqual([]);
    pending.add([rowOf('blog', 100, 1)]);
    pending.clear();
    expect(pending.list()).toEqual([]);
  });
});
