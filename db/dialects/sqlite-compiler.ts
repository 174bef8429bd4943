import { SqliteQueryCompiler } from 'kysely';

/**
 * Writes each value as `+?`, which means the same as `?` (https://sqlite.org/lang_expr.html, "Operators") and
 * lets a prepared statement keep its plan. With a bare `?`, SQLite's planner looks at the value, and plans
 * the statement again when it may have changed; better-sqlite3 clears all values after each use, so every
 * join would be parsed and planned at every use, which takes several times as long as running it.
 */
export class SteadyPlanCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?';
  }
}
