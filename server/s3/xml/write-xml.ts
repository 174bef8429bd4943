const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** The content of an element: text, elements, or nothing. Null and undefined omit the element. */
export type XmlContent = string | number | boolean | XmlFields | null | undefined;
/** Elements by name, in order; a list repeats the element. */
export interface XmlFields {
  readonly [name: string]: XmlContent | readonly XmlContent[] | WrittenElements;
}

/** All elements of a name as they are sent, for lists whose texts have nothing to escape: written so, they take a quarter of the time. */
export class WrittenElements {
  readonly xml: string;

  constructor(xml: string) {
    this.xml = xml;
  }
}

/** Returns a document in S3's namespace, as SDKs expect it; errors have none. */
export function writeXml(
  root: string,
  content: XmlFields | string,
  namespace: string | null = NAMESPACE,
): string {
  const xmlns = namespace === null ? '' : ` xmlns="${namespace}"`;
  const inner = typeof content === 'string' ? escapeText(content) : writeFields(content);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${xmlns}>${inner}</${root}>`;
}

/** Characters that are written in a turn: a millisecond of work where all of them have to be escaped. */
const TURN_LENGTH = 256 * 1024;

/** Returns all elements of a name, of which there may be megabytes, written in several turns. */
export async function writeInTurns(
  name: string,
  contents: readonly XmlFields[],
  takeTurn: () => Promise<void>,
): Promise<WrittenElements> {
  let xml = '';
  let turnAt = TURN_LENGTH;
  for (const content of contents) {
    if (xml.length > turnAt) {
      await takeTurn();
      turnAt = xml.length + TURN_LENGTH;
    }
    xml += writeElement(name, content);
  }
  return new WrittenElements(xml);
}

function writeFields(fields: XmlFields): string {
  // Lists have thousands of elements, and joining arrays takes twice as long.
  let written = '';
  for (const name in fields) {
    const content = fields[name];
    if (content instanceof WrittenElements) written += content.xml;
    else if (isList(content)) for (const each of content) written += writeElement(name, each);
    else written += writeElement(name, content);
  }
  return written;
}

function isList(content: XmlFields[string] | undefined): content is readonly XmlContent[] {
  return Array.isArray(content);
}

function writeElement(name: string, content: XmlContent): string {
  if (content === null || content === undefined) return '';
  const end = name.indexOf(' ');
  return `<${name}>${writeContent(content)}</${end === -1 ? name : name.slice(0, end)}>`;
}

function writeContent(content: XmlFields | string | number | boolean): string {
  switch (typeof content) {
    case 'object':
      return writeFields(content);
    case 'string':
      return escapeText(content);
    default:
      return String(content);
  }
}

const UNSAFE = /[&<>"\p{Cc}\ufffe\uffff]/u;
/** What is written for each; the ampersand is first, since the others are written with one. */
const ESCAPES: readonly (readonly [unsafe: RegExp, written: string])[] = [
  [/&/g, '&amp;'],
  [/</g, '&lt;'],
  [/>/g, '&gt;'],
  [/"/g, '&quot;'],
  [/\r/g, '&#13;'],
  // Below the space, XML 1.0 has the tab, the line feed and the carriage return.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 cannot express.
  [/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd'],
];

/**
 * Escapes text; what XML 1.0 cannot express becomes the replacement character (lists can be requested in URL
 * encoding).
 */
export function escapeText(text: string): string {
  // Most texts have nothing to escape, and this takes half as long to see it.
  if (!UNSAFE.test(text)) return text;
  return ESCAPES.reduce((escaped, [unsafe, written]) => escaped.replace(unsafe, written), text);
}

const SECONDS_OF_DAY = 86_400;
/** The last day that was written, and its text: a list has thousands of times, of few days. */
let known = { day: Number.NaN, text: '' };

/** ISO 8601, S3's format in XML: whole seconds, as in headers, so that clients see one time everywhere. */
export function xmlTime(at: number): string {
  const seconds = Math.floor(at / 1000);
  const day = Math.floor(seconds / SECONDS_OF_DAY);
  if (day !== known.day) {
    known = { day, text: new Date(day * SECONDS_OF_DAY * 1000).toISOString().split('T', 1)[0] ?? '' };
  }
  const ofDay = seconds - day * SECONDS_OF_DAY;
  const [hour, minute, second] = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60, ofDay % 60];
  return `${known.text}T${twoDigits(hour)}:${twoDigits(minute)}:${twoDigits(second)}.000Z`;
}

function twoDigits(count: number): string {
  return count < 10 ? `0${count}` : `${count}`;
}
