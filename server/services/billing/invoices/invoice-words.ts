import { LANGUAGES, type Language } from '../../identity/rules.ts';
import type { BillingMonth } from '../months/month-rules.ts';
import { RATE_UNITS, type UsageKind } from '../months/rating-rules.ts';
import { taxLabel } from './invoice-file-words.ts';
import type { Seller } from './schema.ts';

/** Created once per language: creating one takes longer than a hundred uses. */
const FORMATS = Object.fromEntries(
  LANGUAGES.map((language) => [
    language,
    {
      money: new Intl.NumberFormat(language, { style: 'currency', currency: 'CAD' }),
      rate: new Intl.NumberFormat(language, {
        style: 'currency',
        currency: 'CAD',
        maximumFractionDigits: 5,
      }),
      quantity: new Intl.NumberFormat(language, { maximumFractionDigits: 6 }),
      month: new Intl.DateTimeFormat(language, { year: 'numeric', month: 'long', timeZone: 'UTC' }),
    },
  ]),
);

function formatsOf(language: Language) {
  const formats = FORMATS[language];
  if (!formats) throw new Error(`there is no language ${language}`);
  return formats;
}

/** Formats an amount: `$29.91`, `29,91 $`. */
export function formatMoney(cents: number, language: Language): string {
  return formatsOf(language).money.format(cents / 100);
}

/** Returns a rate as it is written, to the thousandth of a cent: `$0.10`, `$0.023`. */
export function formatRateMillicents(millicents: number, language: Language): string {
  return formatsOf(language).rate.format(millicents / 100_000);
}

/** Returns a month as it is written: `March 2026`, `mars 2026`. */
export function formatMonthName({ year, month }: BillingMonth, language: Language): string {
  return formatsOf(language).month.format(Date.UTC(year, month - 1, 1));
}

const KINDS: Record<Language, Record<UsageKind, string>> = {
  'en-CA': {
    site: 'Active sites',
    endpoint: 'CDN endpoints',
    bandwidth: 'Bandwidth (GB)',
    requests: 'HTTP requests (millions)',
    storage: 'Object storage (GB-months)',
  },
  'fr-CA': {
    site: 'Sites actifs',
    endpoint: 'Points de terminaison CDN',
    bandwidth: 'Bande passante (Go)',
    requests: 'Requêtes HTTP (millions)',
    storage: 'Stockage d’objets (Go-mois)',
  },
};

/** Formats a quantity in the unit of its rate. */
export function formatQuantity(kind: UsageKind, quantity: bigint, language: Language): string {
  return formatsOf(language).quantity.format(Number(quantity) / Number(RATE_UNITS[kind]));
}

/** Returns a line as printed. */
export function describeLine(
  line: { kind: string; usage: UsageKind; month: BillingMonth; quantity: bigint; cutCents: number },
  language: Language,
): string {
  const colon = language === 'fr-CA' ? '\u00a0:' : ':';
  const plain = `${KINDS[language][line.usage]}${colon} ${formatQuantity(line.usage, line.quantity, language)}`;
  const month = formatMonthName(line.month, language);
  if (line.kind === 'adjustment') {
    return language === 'fr-CA'
      ? `${plain} – utilisation en ${month} reçue après la facture`
      : `${plain} – usage of ${month} that arrived after its invoice`;
  }
  if (line.cutCents === 0) return plain;
  const cut = formatMoney(line.cutCents, language);
  return language === 'fr-CA'
    ? `${plain} – ${cut} au-delà du plafond de dépenses, non facturés`
    : `${plain} – ${cut} beyond the spending limit, not billed`;
}

/** Returns the footer of an invoice: the seller, its registration numbers, and the terms. */
export function describeSeller({ name, address, registrations }: Seller, language: Language): string {
  const numbers = Object.entries(registrations).map(
    ([kind, number]) => `${taxLabel(kind, language)} ${number}`,
  );
  const terms =
    language === 'fr-CA'
      ? 'Payable à la réception, par la carte enregistrée.'
      : 'Payable on receipt, by the card on file.';
  return [name, address, numbers.join(' · '), terms].filter((part) => part !== '').join('\n');
}
