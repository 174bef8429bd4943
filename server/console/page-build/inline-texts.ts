import {
  createCompilationErrorMessage,
  createCompiledCatalog,
  createMissingErrorMessage,
  getCatalogs,
} from '@lingui/cli/api';
import { getConfig } from '@lingui/conf';
import type { Messages } from '@lingui/core';
import type { Plugin } from 'vite';

/** A text in every language of the configuration, in its order. */
type Translations = Messages[string][];

/** By id. */
type Texts = ReadonlyMap<string, Translations>;

interface Catalogs {
  texts: Texts;
  files: string[];
}

/** Where a module leaves its texts when it is loaded. */
const REGISTRY = '#app/i18n/texts.ts';
/** What an id may be made of: those that are computed and those that are chosen. */
const ID = /^[\w.+/-]+$/;
const LITERAL = /(["'`])([\w.+/-]+)\1/g;
/** How the macros of lingui leave a message behind; those of a component stand among its properties. */
const MESSAGE = /\/\*i18n\*\/\s*\{\s*id:\s*(["'])([\w.+/-]+)\1/g;

/**
 * Puts the texts of the catalogs, in all languages, into the modules that show them: whatever part of the console a page
 * loads brings its words along, and no more than those. The build fails over a text that a language lacks, that cannot be
 * compiled, or that was never extracted.
 */
export function inlineTexts(): Plugin {
  let reading: Promise<Catalogs> | null = null;
  let isBuild = false;
  return {
    name: 'portage:inline-texts',
    // After the macros, which compute the ids.
    enforce: 'post',
    configResolved(config) {
      isBuild = config.command === 'build';
    },
    buildStart() {
      reading = null;
    },
    watchChange(file) {
      if (file.endsWith('.po')) reading = null;
    },
    transform: {
      filter: { id: /\/app\/.+\.tsx?(\?|$)/, code: LITERAL },
      async handler(code) {
        reading ??= readCatalogs();
        const { texts, files } = await reading;
        if (isBuild) requireExtracted(code, texts);
        const withTexts = addTextsTo(code, texts);
        if (withTexts === null) return null;
        for (const file of files) this.addWatchFile(file);
        return { code: withTexts, map: null };
      },
    },
  };
}

/** Returns a module with the texts whose ids it names, or null when it names none. */
export function addTextsTo(code: string, texts: Texts): string | null {
  const rows = idsIn(code, texts).map((id) => [id, ...(texts.get(id) ?? [])]);
  if (rows.length === 0) return null;
  // At the end, so that no line moves; imports count from wherever they stand.
  return `${code}
import { addTexts as __addTexts } from ${JSON.stringify(REGISTRY)};
__addTexts(${JSON.stringify(rows)});
`;
}

/** Every literal that is the id of a message counts: one too many costs some bytes, one too few would show an id. */
function idsIn(code: string, texts: Texts): string[] {
  const found = Array.from(code.matchAll(LITERAL), ([, , id = '']) => id);
  return [...new Set(found)].filter((id) => texts.has(id));
}

/** @throws when the code has a message that the catalogs do not know */
export function requireExtracted(code: string, texts: Texts): void {
  for (const [, , id = ''] of code.matchAll(MESSAGE)) {
    if (!texts.has(id)) throw new Error(`The message ${id} is in no catalog. Run \`npm run catalogs\`.`);
  }
}

/** @throws when a text is missing in a language or cannot be compiled */
async function readCatalogs(): Promise<Catalogs> {
  const config = getConfig();
  const [catalog] = await getCatalogs(config);
  if (!catalog) throw new Error('lingui.config.ts names no catalog.');
  const texts = new Map<string, Translations>();
  for (const locale of config.locales) {
    const { messages, missing } = await catalog.getTranslations(locale, {
      fallbackLocales: config.fallbackLocales,
      sourceLocale: config.sourceLocale,
    });
    if (missing.length > 0) throw new Error(createMissingErrorMessage(locale, missing, 'resolved'));
    const { source, errors } = createCompiledCatalog(locale, messages, { namespace: 'json' });
    if (errors.length > 0) throw new Error(createCompilationErrorMessage(locale, errors));
    // Safe: the library has just written it.
    const compiled = JSON.parse(source) as { messages: Messages };
    for (const [id, text] of Object.entries(compiled.messages)) {
      if (!ID.test(id)) throw new Error(`The id ${id} is not one that inlineTexts finds.`);
      texts.set(id, [...(texts.get(id) ?? []), text]);
    }
  }
  return { texts, files: config.locales.map((locale) => catalog.getFilename(locale)) };
}
