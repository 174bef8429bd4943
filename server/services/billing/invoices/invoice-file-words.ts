import type { Language } from '../../identity/rules.ts';
import type { CreditKind } from '../credits/credit-rules.ts';
import type { UsageKind } from '../months/rating-rules.ts';
import type { PaymentState, RefundState } from '../payments/reversal-rules.ts';
import type { InvoiceStatus } from '../rules.ts';

/** The texts of invoice files, apart from numbers. */
interface FileWords {
  invoice: string;
  draft: string;
  number: string;
  id: string;
  date: string;
  period: string;
  status: string;
  statuses: Record<InvoiceStatus, string>;
  billedTo: string;
  taxNumbers: string;
  columns: { line: string; description: string; month: string; quantity: string; unit: string };
  rate: string;
  amount: string;
  usage: Record<UsageKind, string>;
  units: Record<UsageKind, string>;
  rateUnits: Record<UsageKind, string>;
  storedMonth: string;
  late: (month: string) => string;
  cut: (amount: string) => string;
  subtotal: string;
  total: string;
  carriedIn: string;
  carriedOut: string;
  creditIn: string;
  paidPart: string;
  left: string;
  due: string;
  credited: string;
  refunded: string;
  rejected: string;
  credits: Record<CreditKind, string>;
  /** Of a refund that has not simply arrived. */
  refunds: Record<Exclude<RefundState, 'succeeded'>, string>;
  includedTaxes: (taxes: string) => string;
  disputed: string;
  chargedBack: string;
  paymentStates: Record<PaymentState, string>;
  terms: string;
  taxReasons: Record<string, string>;
  taxPlace: (place: string) => string;
  abroad: string;
  registrations: string;
  page: (page: number, of: number) => string;
}

export const FILE_WORDS: Record<Language, FileWords> = {
  'en-CA': {
    invoice: 'Invoice',
    draft: 'Draft invoice',
    number: 'Invoice number',
    id: 'Invoice ID',
    date: 'Invoice date',
    period: 'Period',
    status: 'Status',
    statuses: { paid: 'Paid', open: 'Open', draft: 'Draft', void: 'Void' },
    billedTo: 'Billed to',
    taxNumbers: 'Tax numbers',
    columns: {
      line: 'Line',
      description: 'Description',
      month: 'Month',
      quantity: 'Quantity',
      unit: 'Unit',
    },
    rate: 'Rate',
    amount: 'Amount',
    usage: {
      site: 'Active sites',
      endpoint: 'CDN endpoints',
      bandwidth: 'Bandwidth',
      requests: 'HTTP requests',
      storage: 'Object storage',
    },
    units: {
      site: 'sites',
      endpoint: 'endpoints',
      bandwidth: 'bytes',
      requests: 'requests',
      storage: 'byte-hours',
    },
    rateUnits: {
      site: 'site',
      endpoint: 'endpoint',
      bandwidth: 'GB',
      requests: 'million',
      storage: 'GB-month',
    },
    storedMonth: 'A GB-month is 1 GB (1,073,741,824 bytes) stored for 730 hours.',
    late: (month) => `Usage of ${month} that arrived after its invoice`,
    cut: (amount) => `${amount} beyond the spending limit, not billed`,
    subtotal: 'Subtotal',
    total: 'Total (CAD)',
    carriedIn: 'Carried over from earlier invoices',
    carriedOut: 'Too little to charge: added to the next invoice',
    creditIn: 'Credit from earlier invoices',
    paidPart: 'Paid so far',
    left: 'Left to pay',
    due: 'Amount due',
    credited: 'Credited',
    refunded: 'Refunded',
    rejected: 'Refund rejected by the bank, still owed to you',
    credits: { credit: 'Credit note', refund: 'Credit note, refunded to the card' },
    refunds: {
      pending: 'Credit note, on its way to the card',
      rejected: 'Credit note, rejected by the bank of the card: still owed to you',
      repaid: 'Credit note, rejected by the bank of the card and given back by other means',
    },
    includedTaxes: (taxes) => `Including ${taxes}`,
    disputed: 'Disputed at the bank',
    chargedBack: 'Charged back by the bank',
    paymentStates: {
      refunded: 'Refunded',
      partly_refunded: 'Partly refunded',
      refund_rejected: 'Refund rejected by the bank',
      inquiry: 'Paid, questioned by the bank',
      disputed: 'Disputed',
      charged_back: 'Charged back',
    },
    terms: 'Payable on receipt, by the card on file. All amounts are in Canadian dollars.',
    taxReasons: {
      outside_canada: 'Zero-rated supply: the buyer is outside Canada.',
      not_registered: 'The supplier collects no sales tax in the province of the buyer.',
    },
    taxPlace: (place) => `Taxes of the place of supply, where the buyer was when the month closed: ${place}.`,
    abroad: 'outside Canada',
    registrations: 'Tax registration numbers of the supplier:',
    page: (page, of) => `Page ${page} of ${of}`,
  },
  'fr-CA': {
    invoice: 'Facture',
    draft: 'Facture provisoire',
    number: 'Numéro de facture',
    id: 'Identifiant de la facture',
    date: 'Date de facturation',
    period: 'Période',
    status: 'État',
    statuses: { paid: 'Payée', open: 'À payer', draft: 'Provisoire', void: 'Annulée' },
    billedTo: 'Facturé à',
    taxNumbers: 'Numéros de taxe',
    columns: {
      line: 'Ligne',
      description: 'Description',
      month: 'Mois',
      quantity: 'Quantité',
      unit: 'Unité',
    },
    rate: 'Tarif',
    amount: 'Montant',
    usage: {
      site: 'Sites actifs',
      endpoint: 'Points de terminaison CDN',
      bandwidth: 'Bande passante',
      requests: 'Requêtes HTTP',
      storage: 'Stockage d’objets',
    },
    units: {
      site: 'sites',
      endpoint: 'points de terminaison',
      bandwidth: 'octets',
      requests: 'requêtes',
      storage: 'octets-heures',
    },
    rateUnits: {
      site: 'site',
      endpoint: 'point',
      bandwidth: 'Go',
      requests: 'million',
      storage: 'Go-mois',
    },
    storedMonth:
      'Un Go-mois est 1\u00a0Go (1\u00a0073\u00a0741\u00a0824\u00a0octets) stocké pendant 730\u00a0heures.',
    late: (month) => `Utilisation en ${month} reçue après la facture`,
    cut: (amount) => `${amount} au-delà du plafond de dépenses, non facturés`,
    subtotal: 'Sous-total',
    total: 'Total (CAD)',
    carriedIn: 'Report de factures précédentes',
    carriedOut: 'Trop peu pour être prélevé\u00a0: ajouté à la prochaine facture',
    creditIn: 'Crédit de factures précédentes',
    paidPart: 'Payé jusqu’ici',
    left: 'Reste à payer',
    due: 'Montant à payer',
    credited: 'Crédité',
    refunded: 'Remboursé',
    rejected: 'Remboursement refusé par la banque, encore dû',
    credits: { credit: 'Note de crédit', refund: 'Note de crédit, remboursée sur la carte' },
    refunds: {
      pending: 'Note de crédit, remboursement sur la carte en cours',
      rejected: 'Note de crédit, remboursement refusé par la banque de la carte\u00a0: encore dû',
      repaid: 'Note de crédit, remboursement refusé par la banque de la carte et remis autrement',
    },
    includedTaxes: (taxes) => `Dont ${taxes}`,
    disputed: 'Contesté auprès de la banque',
    chargedBack: 'Rétrofacturé par la banque',
    paymentStates: {
      refunded: 'Remboursée',
      partly_refunded: 'Remboursée en partie',
      refund_rejected: 'Remboursement refusé par la banque',
      inquiry: 'Payée, examinée par la banque',
      disputed: 'Contestée',
      charged_back: 'Rétrofacturée',
    },
    terms: 'Payable à la réception, par la carte enregistrée. Tous les montants sont en dollars canadiens.',
    taxReasons: {
      outside_canada: 'Fourniture détaxée\u00a0: l’acheteur se trouve hors du Canada.',
      not_registered: 'Le fournisseur ne perçoit aucune taxe de vente dans la province de l’acheteur.',
    },
    taxPlace: (place) =>
      `Taxes du lieu de fourniture, où se trouvait l’acheteur à la clôture du mois\u00a0: ${place}.`,
    abroad: 'hors du Canada',
    registrations: 'Numéros d’inscription aux taxes du fournisseur\u00a0:',
    page: (page, of) => `Page ${page} sur ${of}`,
  },
};

/** The French names of Canada's taxes; in English they keep their own. */
const FRENCH_TAXES: Record<string, string> = { GST: 'TPS', HST: 'TVH', QST: 'TVQ', PST: 'TVP', RST: 'TVD' };

/** Returns the name of a tax, or of a registration such as `PST-BC`: `GST`, `TPS`, `TVP (BC)`. */
export function taxLabel(name: string, language: Language): string {
  const [tax = name, province] = name.split('-');
  const label = language === 'fr-CA' ? (FRENCH_TAXES[tax] ?? tax) : tax;
  return province === undefined ? label : `${label} (${province})`;
}
