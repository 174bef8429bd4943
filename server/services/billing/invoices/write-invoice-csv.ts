import type { Language } from '../../identity/rules.ts';
import { type CsvField, formatCsvLine } from '../../usage/format-csv-line.ts';
import { formatMonth } from '../months/month-rules.ts';
import { formatRate } from '../months/tax-rules.ts';
import { dueRows } from '../payments/due-rules.ts';
import { type InvoiceDocument, isDraft } from './invoice-document.ts';
import { FILE_WORDS, taxLabel } from './invoice-file-words.ts';
import { formatMoney, formatMonthName } from './invoice-words.ts';

/** Makes spreadsheets read the text as UTF-8: it contains accents. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns an invoice as CSV (RFC 4180): a row for each line, the subtotal, the taxes and the total, then what is
 * due if that is something else, and what went back of its payment, in the given language. A draft is marked next to its total. Quantities are exact, in bytes and requests like in
 * the CSV of the usage pages; amounts are dollars with a point.
 */
export function writeInvoiceCsv(invoice: InvoiceDocument, language: Language): string {
  const words = FILE_WORDS[language];
  const { line, description, month, quantity, unit } = words.columns;
  const rows: CsvField[][] = [
    [line, description, month, quantity, unit, `${words.rate} (CAD)`, `${words.amount} (CAD)`],
  ];
  const add = (...cells: CsvField[]) => rows.push([rows.length, ...cells]);
  for (const each of invoice.lines) {
    const late = each.kind === 'adjustment' ? words.late(formatMonthName(each.month, language)) : null;
    const cut = each.cutCents > 0 ? words.cut(formatMoney(each.cutCents, language)) : null;
    const said = [words.usage[each.usage], late, cut].filter((part) => part !== null);
    add(
      said.join(' – '),
      formatMonth(each.month),
      // As text when a number would lose digits.
      String(each.quantity),
      words.units[each.usage],
      `${rateDollars(each.rateMillicents)}/${words.rateUnits[each.usage]}`,
      dollars(each.amountCents),
    );
  }
  const period = formatMonth(invoice.month);
  add(words.subtotal, period, '', '', '', dollars(invoice.subtotalCents));
  for (const { name, rateMilli, amountCents } of invoice.taxes) {
    add(taxLabel(name, language), period, '', '', `${formatRate(rateMilli)}%`, dollars(amountCents));
  }
  const total = isDraft(invoice) ? `${words.total} – ${words.draft}` : words.total;
  add(total, period, '', '', '', dollars(invoice.totalCents));
  for (const { kind, cents } of dueRows(invoice)) add(words[kind], period, '', '', '', dollars(cents));
  return BYTE_ORDER_MARK + rows.map((cells) => formatCsvLine(cells)).join('');
}

/** `0.10`, `0.023`: exact, to the thousandth of a cent. */
function rateDollars(millicents: number): string {
  const [whole = '', part = ''] = (millicents / 100_000).toFixed(5).split('.');
  return `${whole}.${part.replace(/0{1,3}$/, '')}`;
}

/** `12.05`, `-0.50`: exact, since cents are whole. */
function dollars(cents: number): CsvField {
  const whole = Math.abs(cents);
  const text = `${Math.floor(whole / 100)}.${String(whole % 100).padStart(2, '0')}`;
  return { digits: cents < 0 ? `-${text}` : text };
}
