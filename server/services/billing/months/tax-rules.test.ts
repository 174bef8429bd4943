import { describe, expect, it } from 'vitest';
import {
  formatRate,
  PROVINCES,
  type Province,
  REGISTRATION_KINDS,
  REGISTRATION_PATTERNS,
  type Registrations,
  TAX_TABLE,
  taxesAt,
  toProvince,
} from './tax-rules.ts';

const EVERYWHERE: Registrations = {
  GST: '123456789RT0001',
  QST: '1234567890TQ0001',
  'PST-BC': 'PST-1234-5678',
  'RST-MB': '123456-7',
  'PST-SK': '1234567',
};
const at = (province: Province, day = '2026-03-31', registrations = EVERYWHERE) =>
  taxesAt({ country: 'CA', province }, day, registrations).taxes.map(
    ({ name, rateMilli }) => `${name} ${formatRate(rateMilli)}`,
  );

describe('the taxes of a province', () => {
  it.each<[Province, string[]]>([
    ['AB', ['GST 5']],
    ['BC', ['GST 5', 'PST 7']],
    ['MB', ['GST 5', 'RST 7']],
    ['NB', ['HST 15']],
    ['NL', ['HST 15']],
    ['NS', ['HST 14']],
    ['NT', ['GST 5']],
    ['NU', ['GST 5']],
    ['ON', ['HST 13']],
    ['PE', ['HST 15']],
    ['QC', ['GST 5', 'QST 9.975']],
    ['SK', ['GST 5', 'PST 6']],
    ['YT', ['GST 5']],
  ])('%s has %j', (province, taxes) => {
    expect(at(province)).toEqual(taxes);
  });

  it('changed in Nova Scotia on 1 April 2025 and in Manitoba on 1 January 2026', () => {
    expect([at('NS', '2025-03-31'), at('NS', '2025-04-01')]).toEqual([['HST 15'], ['HST 14']]);
    expect([at('MB', '2025-12-31'), at('MB', '2026-01-01')]).toEqual([['GST 5'], ['GST 5', 'RST 7']]);
  });

  it('are charged only where the operator is registered', () => {
    const federal = { GST: EVERYWHERE.GST ?? '' };
    expect(at('QC', '2026-03-31', federal)).toEqual(['GST 5']);
    expect(taxesAt({ country: 'CA', province: 'ON' }, '2026-03-31', {})).toEqual({
      taxes: [],
      reason: 'not_registered',
    });
  });

  it('are none outside Canada, and the reason is given', () => {
    for (const country of ['GB', null]) {
      expect(taxesAt({ country, province: null }, '2026-03-31', EVERYWHERE)).toEqual({
        taxes: [],
        reason: 'outside_canada',
      });
    }
  });

  it('have the number that is printed on the invoice', () => {
    const { taxes } = taxesAt({ country: 'CA', province: 'QC' }, '2026-03-31', EVERYWHERE);
    expect(taxes.map(({ registration }) => registration)).toEqual([EVERYWHERE.GST, EVERYWHERE.QST]);
  });

  it('have a source and a first day in every row, and a rate in every province', () => {
    for (const row of TAX_TABLE) {
      expect(row.source.length).toBeGreaterThan(10);
      expect(row.valid_from).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
    for (const province of PROVINCES) expect(at(province).length).toBeGreaterThan(0);
  });
});

describe('a province', () => {
  it('is recognized by abbreviation and by name, in both languages, in any spelling', () => {
    const typed = ['QC', ' qc ', 'Québec', 'quebec', 'Que\u0301bec'];
    expect(typed.map(toProvince)).toEqual(typed.map(() => 'QC'));
    expect(toProvince('Nouvelle-Écosse')).toBe('NS');
    expect(toProvince('ÎLE DU PRINCE ÉDOUARD')).toBe('PE');
    expect(toProvince('Newfoundland and Labrador')).toBe('NL');
  });

  it('is not matched by anything else', () => {
    for (const text of ['', 'Bavaria', 'Q', 'Quebecc']) expect(toProvince(text)).toBeNull();
  });
});

it('rates are printed in full', () => {
  expect([formatRate(9_975), formatRate(5_000), formatRate(14_500)]).toEqual(['9.975', '5', '14.5']);
});

it('every registration has a pattern that its example matches', () => {
  for (const kind of REGISTRATION_KINDS) expect(EVERYWHERE[kind]).toMatch(REGISTRATION_PATTERNS[kind]);
});
