import type { Generated } from 'kysely';

/** The numbers behind `org-{n}` of the embedded identity service: counted up, never reused. */
export interface OrganizationNumbersTable {
  number: Generated<number>;
  organization_id: string;
}
