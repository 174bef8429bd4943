import type { Migration } from 'kysely/migration';
import * as m0001 from './0001-foundation.ts';

/** Every migration in order. A landed migration is frozen. */
export const MIGRATIONS: Record<string, Migration> = {
  '0001-foundation': m0001,
};
