import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CURRENT_PRICES,
  GB_MONTH_BYTE_HOURS,
  LISTED_PRICES,
  type Prices,
  rateCents,
  USAGE_KINDS,
} from '../months/rating-rules.ts';
import { formatRate, PROVINCES, type Province, type Registrations } from '../months/tax-rules.ts';
import {
  computeInvoice,
  type InvoiceInput,
  invoiceKey,
  type Quantities,
  shareCents,
  taxCents,
} from './invoice-rules.ts';

const REGISTRATIONS: Registrations = {
  GST: '123456789RT0001',
  QST: '1234567890TQ0001',
  'PST-BC': 'PST-1234-5678',
  'RST-MB': '123456-7',
  'PST-SK': '1234567',
};
const MARCH = { year: 2026, month: 3 };
const FEBRUARY = { year: 2026, month: 2 };
/** With 2.3 cents for a GB stored for a month. */
const PRICES: Prices = { version: CURRENT_PRICES, storageMillicents: 2_300 };
const NOTHING: Quantities = { site: 0n, endpoint: 0n, bandwidth: 0n, requests: 0n, storage: 0n };
const quantitiesOf = (some: Partial<Quantities>): Quantities => ({ ...NOTHING, ...some });

function inputOf(words: Partial<InvoiceInput>): InvoiceInput {
  return {
    month: MARCH,
    prices: PRICES,
    quantities: NOTHING,
    late: [],
    cuts: [],
    place: { country: 'CA', province: 'QC' },
    registrations: REGISTRATIONS,
    ...words,
  };
}

/** A short form of an invoice: the amounts of its lines and taxes. */
function brief(input: InvoiceInput) {
  const { lines, taxes, subtotalCents, totalCents } = computeInvoice(input);
  return [
    ...lines.map(({ kind, amountCents }) => `${kind} ${amountCents}`),
    `= ${subtotalCents}`,
    ...taxes.map(({ name, rateMilli, amountCents }) => `${name} ${formatRate(rateMilli)} % ${amountCents}`),
    `= ${totalCents}`,
  ].join(', ');
}

/** Two sites, three endpoints, 123.4 GB and 4,567,890 requests: $28.91. */
const usual = quantitiesOf({ site: 2n, endpoint: 3n, bandwidth: 132_499_741_082n, requests: 4_567_890n });

describe('golden invoices', () => {
  const lines = 'site 600, endpoint 600, bandwidth 1234, requests 457, = 2891';
  it.each<[Province, string]>([
    ['AB', 'GST 5 % 145, = 3036'],
    ['BC', 'GST 5 % 145, PST 7 % 202, = 3238'],
    ['MB', 'GST 5 % 145, RST 7 % 202, = 3238'],
    ['NB', 'HST 15 % 434, = 3325'],
    ['NL', 'HST 15 % 434, = 3325'],
    ['NS', 'HST 14 % 405, = 3296'],
    ['NT', 'GST 5 % 145, = 3036'],
    ['NU', 'GST 5 % 145, = 3036'],
    ['ON', 'HST 13 % 376, = 3267'],
    ['PE', 'HST 15 % 434, = 3325'],
    ['QC', 'GST 5 % 145, QST 9.975 % 288, = 3324'],
    ['SK', 'GST 5 % 145, PST 6 % 173, = 3209'],
    ['YT', 'GST 5 % 145, = 3036'],
  ])('for a usual month in %s', (province, rest) => {
    const input = inputOf({ quantities: usual, place: { country: 'CA', province } });
    expect(brief(input)).toBe(`${lines}, ${rest}`);
  });

  it('for a company outside Canada: no taxes, and the reason', () => {
    const input = inputOf({ quantities: usual, place: { country: 'GB', province: null } });
    expect(brief(input)).toBe(`${lines}, = 2891`);
    expect(computeInvoice(input).taxReason).toBe('outside_canada');
  });

  it('for a month without anything', () => {
    expect(brief(inputOf({}))).toBe('= 0, GST 5 % 0, QST 9.975 % 0, = 0');
  });

  it('for a site without visitors', () => {
    expect(brief(inputOf({ quantities: quantitiesOf({ site: 1n }) }))).toBe(
      'site 300, = 300, GST 5 % 15, QST 9.975 % 30, = 345',
    );
  });

  it('for one byte less and one more at a rounding edge', () => {
    const of = (bandwidth: bigint) => brief(inputOf({ quantities: quantitiesOf({ bandwidth }) }));
    expect(of(53_687_091n)).toBe('bandwidth 0, = 0, GST 5 % 0, QST 9.975 % 0, = 0');
    expect(of(53_687_092n)).toBe('bandwidth 1, = 1, GST 5 % 0, QST 9.975 % 0, = 1');
  });

  it('for ten petabytes', () => {
    const input = inputOf({ quantities: quantitiesOf({ bandwidth: 10n * 2n ** 50n }) });
    expect(brief(input)).toBe(
      'bandwidth 104857600, = 104857600, GST 5 % 5242880, QST 9.975 % 10459546, = 120560026',
    );
  });

  it('of a GB that was stored for three months of 730 hours, and of what has no price', () => {
    const quantities = quantitiesOf({ site: 1n, storage: 3n * BigInt(GB_MONTH_BYTE_HOURS) });
    expect(brief(inputOf({ quantities }))).toBe(
      'site 300, storage 7, = 307, GST 5 % 15, QST 9.975 % 31, = 353',
    );
    // However much was stored: without a price there is no line of it.
    expect(brief(inputOf({ quantities, prices: LISTED_PRICES }))).toBe(
      'site 300, = 300, GST 5 % 15, QST 9.975 % 30, = 345',
    );
  });

  it('of usage that arrived late: the difference to what was billed, under its own month', () => {
    const billed = quantitiesOf({ bandwidth: 53_687_091n, site: 1n });
    const known = quantitiesOf({ bandwidth: 53_687_092n, site: 1n });
    const input = inputOf({
      quantities: quantitiesOf({ site: 1n }),
      late: [{ month: FEBRUARY, prices: PRICES, billed, known }],
    });
    expect(computeInvoice(input).lines).toMatchObject([
      { kind: 'site', month: MARCH, amountCents: 300 },
      { kind: 'adjustment', usage: 'bandwidth', month: FEBRUARY, quantity: 1n, amountCents: 1 },
    ]);
  });

  it('for a line that was cut at a spending limit, and never below zero', () => {
    const quantities = quantitiesOf({ bandwidth: 100n * 2n ** 30n });
    const cut = (cents: number) =>
      computeInvoice(inputOf({ quantities, cuts: [{ kind: 'bandwidth', cents }] })).lines[0];
    expect(cut(400)).toMatchObject({ amountCents: 600, cutCents: 400 });
    expect(cut(5_000)).toMatchObject({ amountCents: 0, cutCents: 1_000 });
  });
});

const amounts = fc.bigInt({ min: 0n, max: 2n ** 40n });
const inputs = fc
  .record({
    quantities: fc.record({
      site: amounts,
      endpoint: amounts,
      bandwidth: amounts,
      requests: amounts,
      storage: amounts,
    }),
    province: fc.constantFrom<Province | null>(...PROVINCES, null),
    late: fc.array(fc.record({ billed: amounts, more: amounts, month: fc.constantFrom(1, 2) }), {
      maxLength: 2,
    }),
    cut: fc.nat(100_000),
  })
  .map(({ quantities, province, late, cut }) =>
    inputOf({
      quantities: { ...quantities, site: quantities.site % 1_000n, endpoint: quantities.endpoint % 1_000n },
      place: { country: province === null ? 'GB' : 'CA', province },
      cuts: [{ kind: 'requests', cents: cut }],
      late: late.map(({ billed, more, month }) => ({
        month: { year: 2026, month },
        prices: PRICES,
        billed: quantitiesOf({ bandwidth: billed }),
        known: quantitiesOf({ bandwidth: billed + more }),
      })),
    }),
  );

describe('every invoice', () => {
  it('is the sum of its lines and of its taxes, in whole cents, and the same when it is calculated again', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const invoice = computeInvoice(input);
        const sum = (list: { amountCents: number }[]) =>
          list.reduce((all, each) => all + each.amountCents, 0);
        expect(invoice.subtotalCents).toBe(sum(invoice.lines));
        expect(invoice.totalCents).toBe(sum(invoice.lines) + sum(invoice.taxes));
        for (const { amountCents } of [...invoice.lines, ...invoice.taxes]) {
          expect(Number.isSafeInteger(amountCents)).toBe(true);
        }
        expect(computeInvoice(structuredClone(input))).toEqual(invoice);
      }),
    );
  });

  it('and its adjustments together cost what the whole month costs, however late and in how many parts it arrived', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...USAGE_KINDS),
        fc.array(amounts, { minLength: 1, maxLength: 6 }),
        (kind, parts) => {
          let known = 0n;
          let billed = 0;
          for (const [index, part] of parts.entries()) {
            const before = known;
            known += part;
            const late = { month: FEBRUARY, prices: PRICES };
            const input =
              index === 0
                ? inputOf({ quantities: quantitiesOf({ [kind]: known }) })
                : inputOf({
                    late: [
                      {
                        ...late,
                        billed: quantitiesOf({ [kind]: before }),
                        known: quantitiesOf({ [kind]: known }),
                      },
                    ],
                  });
            billed += computeInvoice(input).subtotalCents;
          }
          expect(billed).toBe(rateCents(kind, known, PRICES));
        },
      ),
    );
  });

  it('has one key at the provider for its account and month', () => {
    expect(invoiceKey('acme', MARCH)).toBe('acme:2026-03');
  });
});

describe('a shared total', () => {
  it('is preserved, each part within a cent of its exact share', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1_000_000, max: 1_000_000 }),
        fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 8 }),
        (total, weights) => {
          const parts = shareCents(total, weights);
          const sum = weights.reduce((all, weight) => all + weight, 0);
          expect(parts.reduce((all, part) => all + part, 0)).toBe(total);
          if (sum === 0) return;
          for (const [index, part] of parts.entries()) {
            expect(Math.abs(part - (total * (weights[index] ?? 0)) / sum)).toBeLessThan(1.000001);
          }
        },
      ),
    );
  });

  it('handles parts that are credits', () => {
    const parts = shareCents(145, [2_000, -100, 1_000]);
    expect(parts.reduce((all, part) => all + part, 0)).toBe(145);
  });
});

it('half a cent of a tax is rounded up', () => {
  expect([taxCents(10n, 5_000), taxCents(9n, 5_000), taxCents(-10n, 5_000)]).toEqual([1, 0, -1]);
});
