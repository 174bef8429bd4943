import { SaxesParser } from 'saxes';
import { S3Error } from '../s3-error.ts';

const DEPTH_MAX = 8;
const ELEMENTS_MAX = 100_000;
const ATTRIBUTES_MAX = 10;

/** An element of a small document: as much of XML as S3's requests need. */
export interface XmlElement {
  readonly name: string;
  /** Its own text, as sent. */
  text: string;
  readonly children: XmlElement[];
}

/** Characters that are parsed in a turn: some milliseconds of work. */
const TURN_LENGTH = 16 * 1024;

/**
 * Parses a document without a DTD: names without their namespace, no attributes, only XML's own entities.
 * @throws MissingRequestBodyError for no text, and MalformedXML unless its root has this name
 */
export function readXml(text: string, rootName: string): XmlElement {
  requireText(text);
  const reader = createReader(rootName);
  reader.write(text);
  return reader.end();
}

/**
 * Parses a document that may be long in the same way, a part of it in each turn.
 * @throws MalformedXML unless its root has this name
 */
export async function readLongXml(
  text: string,
  rootName: string,
  takeTurn: () => Promise<void>,
): Promise<XmlElement> {
  const reader = createReader(rootName);
  for (let at = 0; at < text.length; at += TURN_LENGTH) {
    if (at > 0) await takeTurn();
    reader.write(text.slice(at, at + TURN_LENGTH));
  }
  return reader.end();
}

/** @throws MissingRequestBodyError where S3 tells an empty body from a broken document */
export function requireText(text: string): void {
  if (text === '') throw new S3Error('MissingRequestBodyError');
}

/** Returns what reads a document in parts. */
function createReader(rootName: string): { write(part: string): void; end(): XmlElement } {
  const top: XmlElement = { name: '', text: '', children: [] };
  const open = [top];
  let elements = 0;
  let attributes = 0;
  const malformed = () => {
    throw new S3Error('MalformedXML');
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', malformed);
  parser.on('doctype', malformed);
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > ATTRIBUTES_MAX) malformed();
  });
  parser.on('opentag', ({ local }) => {
    const element: XmlElement = { name: local, text: '', children: [] };
    elements += 1;
    attributes = 0;
    if (open.length > DEPTH_MAX || elements > ELEMENTS_MAX) malformed();
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  const append = (part: string) => {
    const element = open.at(-1);
    if (element) element.text += part;
  };
  parser.on('text', append);
  parser.on('cdata', append);
  return {
    write: (part) => void parser.write(part),
    end() {
      parser.close();
      const [root] = top.children;
      if (root?.name !== rootName) throw new S3Error('MalformedXML');
      return root;
    },
  };
}

/** Returns the children with this name. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/**
 * Returns the text of the only child with this name, or null when there is none.
 * @throws MalformedXML for two
 */
export function textOf(element: XmlElement, name: string): string | null {
  const [child, ...more] = childrenOf(element, name);
  if (more.length > 0) throw new S3Error('MalformedXML');
  return child?.text ?? null;
}
