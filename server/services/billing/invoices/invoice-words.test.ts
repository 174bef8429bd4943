import { describe, expect, it } from 'vitest';
import { describeLine, describeSeller, formatMoney, formatMonthName } from './invoice-words.ts';

const MARCH = { year: 2026, month: 3 };
const line = {
  kind: 'bandwidth',
  usage: 'bandwidth' as const,
  month: MARCH,
  quantity: 3n * 2n ** 29n,
  cutCents: 0,
};
/** Intl uses its own spaces between numbers and signs. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('the text of an invoice', () => {
  it('is in the customer’s language', () => {
    expect([formatMoney(2_991, 'en-CA'), plain(formatMoney(299_100, 'fr-CA'))]).toEqual([
      '$29.91',
      '2 991,00 $',
    ]);
    expect([formatMonthName(MARCH, 'en-CA'), formatMonthName(MARCH, 'fr-CA')]).toEqual([
      'March 2026',
      'mars 2026',
    ]);
    expect([describeLine(line, 'en-CA'), plain(describeLine(line, 'fr-CA'))]).toEqual([
      'Bandwidth (GB): 1.5',
      'Bande passante (Go) : 1,5',
    ]);
  });

  it('states what belongs to another month, and what a limit has removed', () => {
    expect(describeLine({ ...line, kind: 'adjustment' }, 'en-CA')).toContain(
      'usage of March 2026 that arrived after',
    );
    const april = { year: 2026, month: 4 };
    expect(describeLine({ ...line, kind: 'adjustment', month: april }, 'fr-CA')).toContain(
      'utilisation en avril 2026 reçue après',
    );
    expect(plain(describeLine({ ...line, cutCents: 150 }, 'fr-CA'))).toContain('1,50 $ au-delà du plafond');
  });

  it('names the seller with the tax numbers and the terms', () => {
    const seller = { name: 'Portage inc.', address: '1 rue X', registrations: { GST: '123456789RT0001' } };
    expect(describeSeller(seller, 'fr-CA').split('\n')).toEqual([
      'Portage inc.',
      '1 rue X',
      'TPS 123456789RT0001',
      'Payable à la réception, par la carte enregistrée.',
    ]);
  });
});
