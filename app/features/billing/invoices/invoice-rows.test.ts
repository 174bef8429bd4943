import { describe, expect, it } from 'vitest';
import type { Cost } from '#server/services/billing/invoices/schema.ts';
import { linesOf } from './invoice-rows.ts';

const nothing: Cost = {
  billing_month: 3,
  billing_year: 2026,
  site_count: 0,
  site_cents: 0,
  cdn_endpoint_count: 0,
  cdn_endpoint_cents: 0,
  bandwidth_bytes: 0,
  bandwidth_cents: 0,
  total_requests: 0,
  request_cents: 0,
  storage_byte_hours: 0,
  storage_cents: 0,
  storage_rate_cents: 0,
  subtotal_cents: 0,
  tax_details: [],
  total_cents: 0,
  adjustments: [],
  limit_cut_cents: 0,
  limit_cuts: [],
  forecast_total_cents: 0,
  as_of: '2026-03-02T00:00:00.000Z',
};

describe('the lines of an invoice', () => {
  it('are those with a quantity above zero', () => {
    expect(linesOf(nothing)).toEqual([]);
    const some = { ...nothing, site_count: 2, site_cents: 600, total_requests: 1, request_cents: 0 };
    expect(linesOf(some).map(({ kind, amountCents }) => [kind, amountCents])).toEqual([
      ['site', 600],
      ['requests', 0],
    ]);
  });

  it('are in the unit of their rate', () => {
    const used = { ...nothing, bandwidth_bytes: 3 * 2 ** 29, total_requests: 2_500_000 };
    const stored = { storage_byte_hours: 3 * 2 ** 29 * 730, storage_rate_cents: 2.3, storage_cents: 3 };
    expect(linesOf({ ...used, ...stored }).map(({ units, rateCents }) => [units, rateCents])).toEqual([
      [1.5, 10],
      [2.5, 100],
      [1.5, 2.3],
    ]);
  });

  it('list an earlier month separately from the same usage of this one, and what a limit removed', () => {
    const late = {
      usage_kind: 'bandwidth' as const,
      billing_month: 2,
      billing_year: 2026,
      quantity: 5,
      amount_cents: 1,
    };
    const lines = linesOf({
      ...nothing,
      bandwidth_bytes: 7,
      adjustments: [late],
      limit_cuts: [{ usage_kind: 'bandwidth', cut_cents: 30 }],
    });
    expect(lines.map(({ key, lateMonth, cutCents }) => [key, lateMonth, cutCents])).toEqual([
      ['bandwidth', null, 30],
      ['bandwidth-2026-2', { year: 2026, month: 2 }, 0],
    ]);
    expect(new Set(lines.map(({ key }) => key)).size).toBe(2);
  });
});
