/** A cell: a text, a number, or the digits of a number as they are to be written, such as `-0.50`. */
export type CsvField = string | number | { digits: string };

/**
 * Returns one line of CSV (RFC 4180). A text that a spreadsheet would treat as a formula is prefixed with an
 * apostrophe: names are typed by one member and opened by another.
 */
export function formatCsvLine(fields: readonly CsvField[]): string {
  return `${fields.map(formatField).join(',')}\r\n`;
}

function formatField(field: CsvField): string {
  if (typeof field === 'number') return String(field);
  if (typeof field === 'object') return field.digits;
  // Spreadsheets in East Asian languages take the wide forms as well.
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
