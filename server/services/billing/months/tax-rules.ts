/** Provinces and territories of Canada by their postal abbreviations. */
export const PROVINCES = [
  'AB',
  'BC',
  'MB',
  'NB',
  'NL',
  'NS',
  'NT',
  'NU',
  'ON',
  'PE',
  'QC',
  'SK',
  'YT',
] as const;
export type Province = (typeof PROVINCES)[number];

/** Names that people type, without case and accents. */
const PROVINCE_NAMES: Record<Province, readonly string[]> = {
  AB: ['alberta'],
  BC: ['british columbia', 'colombie-britannique'],
  MB: ['manitoba'],
  NB: ['new brunswick', 'nouveau-brunswick'],
  NL: ['newfoundland and labrador', 'newfoundland', 'labrador', 'terre-neuve-et-labrador', 'nf'],
  NS: ['nova scotia', 'nouvelle-ecosse'],
  NT: ['northwest territories', 'territoires du nord-ouest'],
  NU: ['nunavut'],
  ON: ['ontario'],
  PE: ['prince edward island', 'ile-du-prince-edouard', 'pei'],
  QC: ['quebec', 'pq'],
  SK: ['saskatchewan'],
  YT: ['yukon', 'yukon territory', 'territoire du yukon'],
};

/** Returns the province that a text names, by abbreviation or in either language, or null. */
export function toProvince(typed: string): Province | null {
  const folded = typed
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\s.]+/g, ' ')
    .trim()
    .toLowerCase();
  const found = PROVINCES.find(
    (code) =>
      code.toLowerCase() === folded ||
      PROVINCE_NAMES[code].some((name) => name === folded || name.replaceAll('-', ' ') === folded),
  );
  return found ?? null;
}

/** Canada's taxes that apply to hosting, by their printed names. */
export const TAX_NAMES = ['GST', 'HST', 'QST', 'PST', 'RST'] as const;
export type TaxName = (typeof TAX_NAMES)[number];

/** Where the operator collects taxes: one number serves GST and HST, the others are provincial. */
export const REGISTRATION_KINDS = ['GST', 'QST', 'PST-BC', 'RST-MB', 'PST-SK'] as const;
export type RegistrationKind = (typeof REGISTRATION_KINDS)[number];
/** The operator's registration numbers, printed on every invoice; no tax is charged without one. */
export type Registrations = Readonly<Partial<Record<RegistrationKind, string>>>;

/** The formats of registration numbers; anything else is a typing error. */
export const REGISTRATION_PATTERNS: Record<RegistrationKind, RegExp> = {
  GST: /^\d{9}RT\d{4}$/,
  QST: /^\d{10}TQ\d{4}$/,
  'PST-BC': /^PST-\d{4}-\d{4}$/,
  'RST-MB': /^\d{6}-\d$/,
  'PST-SK': /^\d{7}$/,
};

/** A tax in a province from a given day, until a later row of the same tax replaces it. */
interface TaxRow {
  provinces: readonly Province[];
  name: TaxName;
  /** Thousandths of a percent: 9975 is 9.975 %. */
  rateMilli: number;
  valid_from: string;
  registration: RegistrationKind;
  source: string;
}

/** Part of every snapshot; it changes with every change to the table below. */
export const TAX_TABLE_VERSION = '2026-01-01';

const CRA = 'Canada Revenue Agency, GST/HST rates by province';

/** The rows of a province are in printing order. An operator has the table verified (docs/billing.md). */
export const TAX_TABLE: readonly TaxRow[] = [
  {
    provinces: ['AB', 'NT', 'NU', 'YT', 'QC', 'BC', 'MB', 'SK'],
    name: 'GST',
    rateMilli: 5_000,
    valid_from: '2008-01-01',
    registration: 'GST',
    source: CRA,
  },
  {
    provinces: ['ON'],
    name: 'HST',
    rateMilli: 13_000,
    valid_from: '2010-07-01',
    registration: 'GST',
    source: CRA,
  },
  {
    provinces: ['NS'],
    name: 'HST',
    rateMilli: 15_000,
    valid_from: '2010-07-01',
    registration: 'GST',
    source: CRA,
  },
  {
    provinces: ['NS'],
    name: 'HST',
    rateMilli: 14_000,
    valid_from: '2025-04-01',
    registration: 'GST',
    source: 'Canada Revenue Agency, Nova Scotia HST rate decrease',
  },
  {
    provinces: ['NB', 'NL'],
    name: 'HST',
    rateMilli: 15_000,
    valid_from: '2016-07-01',
    registration: 'GST',
    source: CRA,
  },
  {
    provinces: ['PE'],
    name: 'HST',
    rateMilli: 15_000,
    valid_from: '2016-10-01',
    registration: 'GST',
    source: CRA,
  },
  {
    provinces: ['QC'],
    name: 'QST',
    rateMilli: 9_975,
    valid_from: '2013-01-01',
    registration: 'QST',
    source: 'Revenu Québec, basic rules for applying the GST/HST and QST',
  },
  {
    provinces: ['BC'],
    name: 'PST',
    rateMilli: 7_000,
    valid_from: '2013-04-01',
    registration: 'PST-BC',
    source: 'British Columbia, PST on software and telecommunication services',
  },
  {
    provinces: ['MB'],
    name: 'RST',
    rateMilli: 7_000,
    valid_from: '2026-01-01',
    registration: 'RST-MB',
    source: 'Manitoba Finance, retail sales tax on cloud computing from 2026',
  },
  {
    provinces: ['SK'],
    name: 'PST',
    rateMilli: 6_000,
    valid_from: '2017-03-23',
    registration: 'PST-SK',
    source: 'Saskatchewan Finance, PST on computer services',
  },
];

/** A tax on an invoice. */
export interface AppliedTax {
  name: TaxName;
  rateMilli: number;
  /** The operator's own number. */
  registration: string;
}

/** Why an invoice has its taxes. */
export const TAX_REASONS = ['taxable', 'outside_canada', 'not_registered'] as const;
export type TaxReason = (typeof TAX_REASONS)[number];

/** Where the buyer is: this determines the taxes. The province is null outside Canada. */
export interface TaxPlace {
  country: string | null;
  province: Province | null;
}

/** While there is no buyer: no taxes are calculated. */
export const NOWHERE: TaxPlace = { country: null, province: null };

/**
 * Returns the taxes at a place on a day (`2026-03-31`), and the reason. Outside Canada the supply is
 * zero-rated; a tax for which the operator is not registered is not charged.
 */
export function taxesAt(
  place: TaxPlace,
  day: string,
  registrations: Registrations,
): { taxes: AppliedTax[]; reason: TaxReason } {
  const { country, province } = place;
  if (country !== 'CA' || province === null) return { taxes: [], reason: 'outside_canada' };
  const inForce = new Map<TaxName, TaxRow>();
  for (const row of TAX_TABLE) {
    if (!row.provinces.includes(province) || row.valid_from > day) continue;
    const other = inForce.get(row.name);
    if (!other || other.valid_from < row.valid_from) inForce.set(row.name, row);
  }
  const taxes = [...inForce.values()].flatMap(({ name, rateMilli, registration }): AppliedTax[] => {
    const number = registrations[registration];
    return number === undefined ? [] : [{ name, rateMilli, registration: number }];
  });
  return { taxes, reason: taxes.length > 0 ? 'taxable' : 'not_registered' };
}

/** Formats a rate: `5`, `9.975`, `13`. */
export function formatRate(rateMilli: number): string {
  return String(rateMilli / 1_000);
}
