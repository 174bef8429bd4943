import { type Expression, type RawBuilder, sql } from 'kysely';
import { type Executor, isPostgres } from './client.ts';
import { FOLD_TEXT, foldText } from './dialects/fold-text.ts';

/** Combining marks, which accents are once a text is decomposed. */
const MARKS = '[\\u0300-\\u036f\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]';

/**
 * Returns the condition that a text contains another one, ignoring case and accents on both engines: `lower` of
 * SQLite, and of PostgreSQL in the locale C, only folds the letters of English. It uses no index.
 */
export function containsFolded(
  executor: Executor,
  column: Expression<string | null>,
  search: string,
): RawBuilder<boolean> {
  if (!isPostgres(executor)) {
    return sql<boolean>`instr(${sql.raw(FOLD_TEXT)}(${column}), ${foldText(search)}) > 0`;
  }
  const fold = (text: RawBuilder<string> | Expression<string | null>) =>
    sql`lower(regexp_replace(normalize(${text}, nfd), ${MARKS}, '', 'g'))`;
  return sql<boolean>`strpos(${fold(column)}, ${fold(sql<string>`cast(${search} as text)`)}) > 0`;
}
