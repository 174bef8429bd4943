import type { OrganizationContext } from '#server/context.ts';
import { isAllowed } from '../organizations/rules.ts';
import type { AuditRow } from './queries.ts';

type Fields = Record<string, unknown>;

/** What of an event the asker may see: everybody reads the log, and only administrators where people were and their mail. */
export interface ShownFields {
  before: Fields | null;
  after: Fields | null;
  address: string | null;
}

/**
 * Returns the fields of an event that depend on who asks. Network addresses are personal data of colleagues, and
 * e-mail addresses are nowhere shown to members: both need `audit.addresses`. Where an operator sits is nobody's concern here.
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
