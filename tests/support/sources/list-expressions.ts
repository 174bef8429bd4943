import { readFileSync } from 'node:fs';
import { parseAst } from 'rolldown/parseAst';
import { listSources } from '#tests/architecture/imports.ts';

export interface FoundExpressions {
  /** Every regular expression literal, with the files that contain it. */
  readonly written: ReadonlyMap<string, { readonly expression: RegExp; readonly files: readonly string[] }>;
  /** Files that construct expressions from text. */
  readonly made: readonly string[];
}

/** The regular expressions in the product's sources below these folders, without tests. */
export function listExpressions(root: string, folders: readonly string[]): FoundExpressions {
  const written = new Map<string, { expression: RegExp; files: string[] }>();
  const made = new Set<string>();
  const sources = folders.flatMap((folder) => listSources(root, folder));
  for (const file of sources.filter((path) => !/\.test\.tsx?$/.test(path))) {
    const lang = file.endsWith('x') ? 'tsx' : file.endsWith('.mjs') ? 'js' : 'ts';
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null || node instanceof RegExp) return;
      if ('regex' in node && isExpression(node.regex)) {
        const { pattern, flags } = node.regex;
        const expression = new RegExp(pattern, flags);
        const known = written.get(String(expression));
        if (known === undefined) written.set(String(expression), { expression, files: [file] });
        else known.files.push(file);
      }
      if ('callee' in node && isNamedRegExp(node.callee)) made.add(file);
      for (const child of Object.values(node)) visit(child);
    };
    visit(parseAst(readFileSync(`${root}/${file}`, 'utf8'), { lang }, file).body);
  }
  return { written, made: [...made] };
}

function isExpression(regex: unknown): regex is { pattern: string; flags: string } {
  return typeof regex === 'object' && regex !== null && 'pattern' in regex && 'flags' in regex;
}

function isNamedRegExp(callee: unknown): boolean {
  return typeof callee === 'object' && callee !== null && 'name' in callee && callee.name === 'RegExp';
}
