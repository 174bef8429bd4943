import { inflateSync } from 'node:zlib';

interface PdfReading {
  /** Pages in order, each with its texts. */
  pages: string[];
  /** Names of the fonts whose glyphs are embedded. */
  embeddedFonts: string[];
  /** The uncompressed parts: metadata and structure. */
  plain: string;
}

/**
 * Reads the text of a PDF written by pdfkit: each font's own table maps its glyphs back to letters, so the
 * result is what a reader would copy.
 */
export function readPdf(file: Buffer): PdfReading {
  const plain = file.toString('latin1');
  const objects = new Map<string, { head: string; stream: string | null }>();
  for (const [, id = '', body = ''] of plain.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)) {
    const at = body.indexOf('stream\n');
    const head = at < 0 ? body : body.slice(0, at);
    const raw = at < 0 ? null : Buffer.from(body.slice(at + 7, body.lastIndexOf('\nendstream')), 'latin1');
    const isPacked = head.includes('/FlateDecode');
    const stream = raw === null ? null : (isPacked ? inflateSync(raw) : raw).toString('latin1');
    objects.set(id, { head, stream });
  }
  const referred = (head: string, name: string) => new RegExp(`/${name} (\\d+) 0 R`).exec(head)?.[1] ?? '';
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\b/.test(head));
  return {
    plain,
    embeddedFonts: [...objects.values()].flatMap(({ head }) =>
      /\/FontFile[23]? /.test(head) ? (/\/FontName \/\w+\+([\w-]+)/.exec(head)?.[1] ?? []) : [],
    ),
    pages: pages.map(({ head }) => {
      const resources = objects.get(referred(head, 'Resources'))?.head ?? head;
      const fonts = new Map<string, Map<string, string>>();
      for (const [, name = '', id = ''] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
        const table = objects.get(referred(objects.get(id)?.head ?? '', 'ToUnicode'))?.stream ?? '';
        fonts.set(name, readLetters(table));
      }
      return readTexts(objects.get(referred(head, 'Contents'))?.stream ?? '', fonts);
    }),
  };
}

/** Glyph by glyph, in pdfkit's format of the table: `<0000> <00ff> [<0000> <0020> …]`. */
function readLetters(table: string): Map<string, string> {
  const letters = new Map<string, string>();
  for (const [, first = '0', , list = ''] of table.matchAll(/<(\w{4})> <(\w{4})> \[([^\]]*)\]/g)) {
    [...list.matchAll(/<([\w ]*)>/g)].forEach(([, units = ''], index) => {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0');
      letters.set(glyph, Buffer.from(units.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'));
    });
  }
  return letters;
}

/** Each piece of text on its own line, in the order in which it is written. */
function readTexts(content: string, fonts: Map<string, Map<string, string>>): string {
  let letters = new Map<string, string>();
  const texts: string[] = [];
  for (const [, font, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font !== undefined) letters = fonts.get(font) ?? new Map();
    if (shown === undefined) continue;
    const glyphs = [...shown.matchAll(/<(\w+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
    texts.push(glyphs.map((glyph) => letters.get(glyph) ?? '?').join(''));
  }
  return texts.join('\n').replaceAll('\u00a0', ' ');
}
