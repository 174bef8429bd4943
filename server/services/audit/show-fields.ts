import type { OrganizationContext } from '#server/context.ts';
import { isAllowed } from '../organizations/rules.ts';
import type { AuditRow } from './queries.ts';

type Fields = Record<string, unknown>;

/**
 * What a reader may see of an event: every member reads the log, but only administrators see where people
 * were and their email.
 */
export interface ShownFields {
  before: Fields | null;
  after: Fields | null;
  address: string | null;
}

/**
 * Returns the fields of an event that depend on the reader. Network addresses are personal data of
 * colleagues, and email addresses are not shown to members: both require `audit.addresses`. An operator's
 * address is never shown.
 */
export function showFields({ organization }: OrganizationContext, row: AuditRow): ShownFields {
  const isAdministrator = isAllowed(organization.permission, 'audit.addresses');
  const show = (json: string | null): Fields | null => {
    if (json === null) return null;
    const { email, ...rest }: Fields = JSON.parse(json);
    return isAdministrator && email !== undefined ? { email, ...rest } : rest;
  };
  return {
    before: show(row.before),
    after: show(row.after),
    address: isAdministrator && row.actor_kind !== 'operator' ? row.address : null,
  };
}
