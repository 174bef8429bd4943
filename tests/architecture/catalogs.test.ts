import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Returns the translations of a catalog by message id. */
function readCatalog(locale: string): Map<string, string> {
  const text = readFileSync(join(process.cwd(), 'locales', `${locale}.po`), 'utf8').replace(/"\n"/g, '');
  const entries = [...text.matchAll(/\nmsgid "((?:[^"\\]|\\.)*)"\nmsgstr "((?:[^"\\]|\\.)*)"/g)];
  return new Map(
    entries.filter(([, id]) => id !== '').map(([, id, translation]) => [id ?? '', translation ?? '']),
  );
}

/** The placeholders and tags that a translation must keep: {count}, <0>…</0>. */
function placeholders(message: string): string[] {
  return [...new Set(message.match(/\{\w+(?=[,}])|<\/?\d+\/?>/g) ?? [])].sort();
}

describe('the catalogs', () => {
  const english = readCatalog('en-CA');
  const french = readCatalog('fr-CA');

  it('contain the same messages in both languages', () => {
    expect([...french.keys()].sort()).toEqual([...english.keys()].sort());
    expect(english.size).toBeGreaterThan(100);
  });

  it('leave no message without a French translation', () => {
    expect([...french].filter(([, words]) => words === '').map(([id]) => id)).toEqual([]);
  });

  it('carry every placeholder into French', () => {
    const broken = [...french].filter(([id, words]) => {
      const source = english.get(id) || id;
      return placeholders(source).some((name) => !words.includes(name));
    });
    expect(broken).toEqual([]);
  });

  it('keep French punctuation on the line of its word', () => {
    expect([...french.values()].filter((words) => / :|« | »/.test(words))).toEqual([]);
  });

  it('put no month behind a word that loses its vowel before April, August and October', () => {
    expect([...french.values()].filter((words) => /\b(de|que) \{month\}/.test(words))).toEqual([]);
  });
});
