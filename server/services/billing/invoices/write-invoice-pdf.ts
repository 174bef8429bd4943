import { createRequire } from 'node:module';
import type PDFDocument from 'pdfkit';
import type { Language } from '../../identity/rules.ts';
import { formatDate, formatDateRange } from '../../shared/date-rules.ts';
import type { UsageKind } from '../months/rating-rules.ts';
import { formatRate } from '../months/tax-rules.ts';
import { dueRows } from '../payments/due-rules.ts';
import { type InvoiceDocument, isDraft } from './invoice-document.ts';
import { FILE_WORDS, taxLabel } from './invoice-file-words.ts';
import { formatMoney, formatMonthName, formatQuantity, formatRateMillicents } from './invoice-words.ts';

type Pdf = InstanceType<typeof PDFDocument>;

const require = createRequire(import.meta.url);
/**
 * The console's typeface; what it has no glyphs for (Greek, Arabic…) is set in one that covers nearly all
 * scripts.
 */
const FACES = {
  regular: '@expo-google-fonts/geist/400Regular/Geist_400Regular.ttf',
  strong: '@expo-google-fonts/geist/600SemiBold/Geist_600SemiBold.ttf',
  widest: 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
};
type Face = 'regular' | 'strong';

const INK = '#1d1d1b';
const QUIET = '#62625c';
const LINE = '#dcdcd7';
const ACCENT = '#215f9b';

/** Letter paper in points. */
const PAGE = { width: 612, height: 792, margin: 54 };
const LEFT = PAGE.margin;
const RIGHT = PAGE.width - PAGE.margin;
const WIDTH = RIGHT - LEFT;
/** The page number is below this. */
const BOTTOM = PAGE.height - PAGE.margin - 24;
const COLUMNS = {
  description: { x: LEFT, width: 214 },
  quantity: { x: LEFT + 222, width: 96 },
  rate: { x: LEFT + 326, width: 90 },
  amount: { x: LEFT + 420, width: WIDTH - 420 },
};

/**
 * Returns an invoice as PDF, with embedded fonts: the same bytes for the same invoice and language. It
 * contains what Canadian rules require of an invoice of any amount: the supplier and its tax numbers, the
 * date, the buyer, the items, the taxes and the terms.
 */
export async function writeInvoicePdf(invoice: InvoiceDocument, language: Language): Promise<Buffer> {
  // Loaded with the first file: it takes memory, and most processes never write one.
  const { default: PdfDocument } = await import('pdfkit');
  const words = FILE_WORDS[language];
  const title = isDraft(invoice) ? words.draft : words.invoice;
  const pdf = new PdfDocument({
    size: 'LETTER',
    margin: PAGE.margin,
    lang: language,
    displayTitle: true,
    bufferPages: true,
    pdfVersion: '1.7',
    info: {
      Title: `${title} ${invoice.number ?? invoice.id}`,
      Author: invoice.seller?.name ?? '',
      CreationDate: new Date(invoice.datedAt),
    },
  });
  const parts: Buffer[] = [];
  pdf.on('data', (part: Buffer) => parts.push(part));
  const written = new Promise<Buffer>((resolve, reject) => {
    pdf.on('end', () => resolve(Buffer.concat(parts)));
    pdf.on('error', reject);
  });
  const sheet = new Sheet(pdf);
  writeHead(sheet, invoice, language, title);
  writeParties(sheet, invoice, language);
  writeLines(sheet, invoice, language);
  writeSums(sheet, invoice, language);
  writeCredits(sheet, invoice, language);
  writeTerms(sheet, invoice, language);
  numberPages(sheet, language);
  pdf.end();
  return written;
}

interface TextStyle {
  face?: Face;
  size?: number;
  color?: string;
  align?: 'left' | 'right';
}

/** The page: where to continue writing, and with which fonts. */
class Sheet {
  y = PAGE.margin;
  readonly pdf: Pdf;

  constructor(pdf: Pdf) {
    this.pdf = pdf;
    for (const [name, path] of Object.entries(FACES)) pdf.registerFont(name, require.resolve(path));
  }

  /** Writes text into a column from a height on and returns the height below it. */
  write(
    text: string,
    { x, width }: { x: number; width: number },
    y: number,
    { face = 'regular', size = 9.5, color = INK, align = 'left' }: TextStyle = {},
  ): number {
    const plain = toPlain(text);
    this.#choose(face, plain);
    const options = { width, align, lineGap: 2 };
    this.pdf.fontSize(size).fillColor(color).text(plain, x, y, options);
    return y + this.pdf.heightOfString(plain, options);
  }

  /** Returns the height of a text. */
  heightOf(text: string, width: number, { face = 'regular', size = 9.5 }: TextStyle = {}): number {
    const plain = toPlain(text);
    this.#choose(face, plain);
    return this.pdf.fontSize(size).heightOfString(plain, { width, lineGap: 2 });
  }

  /** Draws a thin line across the page. */
  rule(y: number, x = LEFT, color = LINE): void {
    this.pdf.moveTo(x, y).lineTo(RIGHT, y).lineWidth(0.75).strokeColor(color).stroke();
  }

  /** Continues on the next page when this height is not left. Returns whether it did. */
  makeRoom(height: number): boolean {
    if (this.y + height <= BOTTOM) return false;
    this.pdf.addPage();
    this.y = PAGE.margin;
    return true;
  }

  #choose(face: Face, text: string): void {
    this.pdf.font(face);
    if (!hasLettersFor(this.pdf, text)) this.pdf.font('widest');
  }
}

/** Spaces that Intl writes and few fonts have. */
function toPlain(text: string): string {
  return text.replace(/[\u202f\u2009]/g, '\u00a0');
}

/** The types of pdfkit omit the open font, whose own types are those of fontkit. */
function hasLettersFor(pdf: Pdf, text: string): boolean {
  const { font } = (pdf as unknown as { _font: { font: { hasGlyphForCodePoint(point: number): boolean } } })
    ._font;
  return [...text].every(
    (letter) => letter === '\n' || font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0),
  );
}

/** The seller and the title, with the data that identifies the invoice. */
function writeHead(sheet: Sheet, invoice: InvoiceDocument, language: Language, title: string): void {
  const { seller } = invoice;
  sheet.pdf.rect(LEFT, sheet.y, 28, 4).fill(ACCENT);
  const top = sheet.y + 18;
  const half = { x: LEFT, width: WIDTH * 0.55 };
  let left = sheet.write(seller?.name ?? '', half, top, { face: 'strong', size: 13 });
  left = sheet.write(seller?.address ?? '', half, left + 2, { color: QUIET });
  const right = { x: LEFT + WIDTH * 0.55, width: WIDTH * 0.45 };
  const at = sheet.write(title, right, top - 4, { face: 'strong', size: 20, align: 'right' });
  const month = capitalize(formatMonthName(invoice.month, language));
  const below = sheet.write(month, right, at, { color: QUIET, size: 11, align: 'right' });
  sheet.y = Math.max(left, below) + 22;
}

/** The invoice's data next to its buyer. */
function writeParties(sheet: Sheet, invoice: InvoiceDocument, language: Language): void {
  const words = FILE_WORDS[language];
  const { buyer } = invoice;
  const facts: [string, string][] = [
    ...(invoice.number === null ? [] : [[words.number, invoice.number] as [string, string]]),
    [words.id, invoice.id],
    [words.date, formatDate(invoice.datedAt, language)],
    [words.period, periodOf(invoice, language)],
    [
      words.status,
      invoice.paymentState ? words.paymentStates[invoice.paymentState] : words.statuses[invoice.status],
    ],
  ];
  const top = sheet.y;
  const half = { x: LEFT, width: WIDTH * 0.48 };
  let left = sheet.write(words.billedTo, half, top, { color: QUIET, size: 8.5 }) + 2;
  const [first = '–', ...rest] = buyer ? buyerLines(buyer, language) : [];
  left = sheet.write(first, half, left, { face: 'strong' });
  for (const line of rest) left = sheet.write(line, half, left);
  const name = { x: LEFT + WIDTH * 0.52, width: WIDTH * 0.2 };
  const value = { x: LEFT + WIDTH * 0.72, width: WIDTH * 0.28 };
  let right = top;
  for (const [label, text] of facts) {
    const one = sheet.write(label, name, right, { color: QUIET, size: 8.5 });
    const other = sheet.write(text, value, right, { size: 8.5, align: 'right' });
    right = Math.max(one, other) + 3;
  }
  sheet.y = Math.max(left, right) + 22;
}

function periodOf({ month: { year, month } }: InvoiceDocument, language: Language): string {
  return formatDateRange(Date.UTC(year, month - 1, 1), Date.UTC(year, month, 0), language, {
    dateStyle: 'long',
  });
}

function buyerLines(buyer: NonNullable<InvoiceDocument['buyer']>, language: Language): string[] {
  const { company, name, address_line1, address_line2, city, province, postal_code, country } = buyer;
  const place = [city, province, postal_code].filter(Boolean).join(' ');
  const regions = new Intl.DisplayNames(language, { type: 'region' });
  const numbers = Object.entries(buyer.tax_ids).map(
    ([kind, number]) => `${taxLabel(kind, language)} ${number}`,
  );
  return [
    company,
    name,
    address_line1,
    address_line2,
    place,
    country && regions.of(country),
    buyer.email,
    buyer.phone,
    numbers.join(' · '),
  ].filter((line): line is string => Boolean(line));
}

function writeLines(sheet: Sheet, invoice: InvoiceDocument, language: Language): void {
  const words = FILE_WORDS[language];
  writeTableHead(sheet, language);
  for (const line of invoice.lines) {
    const notes = [
      ...(line.kind === 'adjustment' ? [words.late(formatMonthName(line.month, language))] : []),
      ...(line.usage === 'storage' ? [words.storedMonth] : []),
      ...(line.cutCents > 0 ? [words.cut(formatMoney(line.cutCents, language))] : []),
    ];
    const { description, quantity, rate, amount } = COLUMNS;
    const noteHeights = notes.map((note) => sheet.heightOf(note, description.width, { size: 8 }));
    const height = noteHeights.reduce((sum, each) => sum + each, sheet.heightOf('X', 100)) + 16;
    if (sheet.makeRoom(height)) writeTableHead(sheet, language);
    const top = sheet.y + 8;
    let below = sheet.write(words.usage[line.usage], description, top);
    for (const note of notes) below = sheet.write(note, description, below, { size: 8, color: QUIET });
    sheet.write(
      `${formatQuantity(line.usage, line.quantity, language)}${unitOf(line.usage, language)}`,
      quantity,
      top,
      {
        align: 'right',
      },
    );
    const price = `${formatRateMillicents(line.rateMillicents, language)} / ${words.rateUnits[line.usage]}`;
    sheet.write(price, rate, top, { align: 'right', color: QUIET });
    sheet.write(formatMoney(line.amountCents, language), amount, top, { align: 'right' });
    sheet.y = below + 8;
    sheet.rule(sheet.y);
  }
}

function unitOf(usage: UsageKind, language: Language): string {
  const { rateUnits } = FILE_WORDS[language];
  if (usage === 'bandwidth' || usage === 'storage') return ` ${rateUnits[usage]}`;
  return usage === 'requests' ? ' M' : '';
}

function writeTableHead(sheet: Sheet, language: Language): void {
  const words = FILE_WORDS[language];
  const { description, quantity, rate, amount } = COLUMNS;
  const style = { size: 8.5, color: QUIET };
  sheet.write(words.columns.description, description, sheet.y, style);
  sheet.write(words.columns.quantity, quantity, sheet.y, { ...style, align: 'right' });
  sheet.write(words.rate, rate, sheet.y, { ...style, align: 'right' });
  sheet.write(words.amount, amount, sheet.y, { ...style, align: 'right' });
  sheet.y += 17;
  sheet.rule(sheet.y, LEFT, INK);
}

/** Subtotal, a row for each tax, the total, and the amount due. */
function writeSums(sheet: Sheet, invoice: InvoiceDocument, language: Language): void {
  const words = FILE_WORDS[language];
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 3 });
  const rows: [string, number, Face][] = [
    [words.subtotal, invoice.subtotalCents, 'regular'],
    ...invoice.taxes.map(({ name, rateMilli, registration, amountCents }): [string, number, Face] => [
      `${taxLabel(name, language)} (${percent.format(Number(formatRate(rateMilli)) / 100)}) · ${registration}`,
      amountCents,
      'regular',
    ]),
    [words.total, invoice.totalCents, 'strong'],
  ];
  for (const { kind, cents } of dueRows(invoice)) {
    rows.push([words[kind], cents, kind === 'due' ? 'strong' : 'regular']);
  }
  sheet.makeRoom(rows.length * 20 + 12);
  sheet.y += 12;
  const label = { x: LEFT + WIDTH * 0.3, width: WIDTH * 0.7 - COLUMNS.amount.width - 12 };
  for (const [name, cents, face] of rows) {
    const size = face === 'strong' ? 11 : 9.5;
    const below = sheet.write(name, label, sheet.y, { face, size, align: 'right' });
    sheet.write(formatMoney(cents, language), COLUMNS.amount, sheet.y, { face, size, align: 'right' });
    sheet.y = below + 5;
  }
}

/** Each credit with its date, its taxes and its reason: what a credit note has to state. */
function writeCredits(sheet: Sheet, { credits }: InvoiceDocument, language: Language): void {
  const words = FILE_WORDS[language];
  const whole = { x: LEFT, width: WIDTH };
  if (credits.length > 0) sheet.y += 16;
  for (const { kind, refundState, amountCents, taxes, reasons, datedAt } of credits) {
    const name =
      refundState === null || refundState === 'succeeded' ? words.credits[kind] : words.refunds[refundState];
    const head = `${name} · ${formatDate(datedAt, language)} · ${formatMoney(amountCents, language)}`;
    const parts = taxes
      .filter((tax) => tax.amountCents !== 0)
      .map((tax) => `${taxLabel(tax.name, language)} ${formatMoney(tax.amountCents, language)}`);
    const lines = [reasons[language], ...(parts.length > 0 ? [words.includedTaxes(parts.join(' · '))] : [])];
    const height = lines.reduce((sum, line) => sum + sheet.heightOf(line, WIDTH, { size: 8.5 }), 24);
    sheet.makeRoom(height);
    sheet.y = sheet.write(head, whole, sheet.y, { face: 'strong', size: 8.5 }) + 1;
    for (const line of lines) sheet.y = sheet.write(line, whole, sheet.y, { size: 8.5, color: QUIET });
    sheet.y += 6;
  }
}

function writeTerms(sheet: Sheet, invoice: InvoiceDocument, language: Language): void {
  const words = FILE_WORDS[language];
  const registrations = Object.entries(invoice.seller?.registrations ?? {}).map(
    ([kind, number]) => `${taxLabel(kind, language)} ${number}`,
  );
  const lines = [
    words.taxReasons[invoice.taxReason],
    invoice.taxPlace && words.taxPlace(invoice.taxPlace.province ?? words.abroad),
    registrations.length > 0 && `${words.registrations} ${registrations.join(' · ')}`,
    words.terms,
  ].filter((line): line is string => Boolean(line));
  sheet.makeRoom(lines.length * 16 + 30);
  sheet.y += 26;
  const whole = { x: LEFT, width: WIDTH };
  for (const line of lines) sheet.y = sheet.write(line, whole, sheet.y, { size: 8.5, color: QUIET }) + 3;
}

function numberPages(sheet: Sheet, language: Language): void {
  const { start, count } = sheet.pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    sheet.pdf.switchToPage(start + page);
    // Below the margin, where pdfkit would begin another page.
    sheet.pdf.page.margins.bottom = 0;
    const words = FILE_WORDS[language].page(page + 1, count);
    sheet.write(words, { x: LEFT, width: WIDTH }, PAGE.height - 40, {
      size: 8,
      color: QUIET,
      align: 'right',
    });
  }
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
