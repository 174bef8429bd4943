const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** The content of an element: text, elements, or nothing. Null and undefined omit the element. */
export type XmlContent = string | number | boolean | XmlFields | null | undefined;
/** Elements by name, in order; a list repeats the element. */
export interface XmlFields {
  readonly [name: string]: XmlContent | readonly XmlContent[];
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

function writeFields(fields: XmlFields): string {
  return Object.entries(fields)
    .map(([name, content]) => {
      const contents = Array.isArray(content) ? content : [content];
      return contents.map((each) => writeElement(name, each)).join('');
    })
    .join('');
}

function writeElement(name: string, content: XmlContent): string {
  if (content === null || content === undefined) return '';
  const inner = typeof content === 'object' ? writeFields(content) : escapeText(String(content));
  return `<${name}>${inner}</${name.split(' ')[0]}>`;
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/**
 * Escapes text; what XML 1.0 cannot express becomes the replacement character (lists can be requested in URL
 * encoding).
 */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>"\r]/g, (character) => ESCAPES[character] ?? character)
    .replace(/\p{Cc}|[\ufffe\uffff]/gu, (character) => (isXml(character) ? character : '\ufffd'));
}

/** ISO 8601, S3's format in XML: whole seconds, as in headers, so that clients see one time everywhere. */
export function xmlTime(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString();
}

/** Below the space, XML 1.0 has the tab and the line feed; a carriage return is already escaped. */
function isXml(character: string): boolean {
  return character === '\t' || character === '\n' || (character > '\x1f' && character < '\ufffe');
}
